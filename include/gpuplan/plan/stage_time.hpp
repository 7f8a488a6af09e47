#pragma once
/// \file
/// How long one micro-batch keeps one rank of a pipeline stage busy, messages included.

#include <gpuplan/compute/head_time.hpp>
#include <gpuplan/compute/kernel_rates.hpp>
#include <gpuplan/model/adapters.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/pipeline_stage.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/busy_time.hpp>
#include <gpuplan/plan/rank_links.hpp>

namespace gpuplan {

/// What every stage's time is made from.
template <class T>
struct basic_stage_clock {
  basic_busy_time<T> dense{};
  basic_busy_time<T> moe{};
  basic_busy_time<T> prediction{};    ///< all further predictions, on the last stage
  basic_busy_time<T> encoder{};       ///< all its layers
  basic_seconds<T> embedding{};       ///< messages included
  basic_seconds<T> head{};            ///< loss and messages included
  basic_seconds<T> reference_head{};  ///< of a reference model: embedding, head and messages
  basic_seconds<T> end_launch{};      ///< of embedding, and of head, where the GPU waits for it

  [[nodiscard]] constexpr basic_busy_time<T> of(const stage_layers& held) const {
    basic_busy_time<T> sum = static_cast<double>(held.dense) * dense;
    if (held.moe > 0) sum = sum + static_cast<double>(held.moe) * moe;
    if (held.has_embedding) {
      sum.ends += embedding;
      sum.launch += end_launch;
    }
    if (!held.has_head) return sum;
    sum.ends += head;
    sum.launch += end_launch;
    sum.reference += reference_head;
    return sum + prediction;
  }
};

/// A stage's clock without its parts.  What a model lacks is zero, and not summed.
template <class T>
struct basic_stage_totals {
  basic_seconds<T> dense{};
  basic_seconds<T> moe{};
  basic_seconds<T> first{};  ///< embedding
  basic_seconds<T> last{};   ///< head and further predictions

  constexpr basic_stage_totals(const transformer& m, const basic_stage_clock<T>& clock)
      : dense{clock.dense.total()},
        first{clock.embedding + clock.end_launch},
        last{clock.head + clock.reference_head + clock.end_launch} {
    if (m.moe_layers() > 0) moe = clock.moe.total();
    if (m.multi_token_prediction_layers > 0) [[unlikely]]
      last += clock.prediction.total();
  }

  [[nodiscard]] constexpr basic_seconds<T> of(const stage_layers& held) const {
    basic_seconds<T> sum =
        static_cast<double>(held.dense) * dense + static_cast<double>(held.moe) * moe;
    if (held.has_embedding) sum += first;
    if (held.has_head) sum += last;
    return sum;
  }
  /// Of all stages together, an encoder apart.
  [[nodiscard]] constexpr basic_seconds<T> of(const transformer& m) const {
    return of(stage_layers{
        .dense = m.dense_layers(), .moe = m.moe_layers(), .has_embedding = true, .has_head = true});
  }
};

/// The clock of a job's stages.
///
/// \throws invalid_input as busy_time_of_layer does
template <class T>
constexpr basic_stage_clock<T> stage_clock_of(const transformer& m, const recipe& how,
                                              const parallelism& cut,
                                              const basic_kernel_rates<T>& rates,
                                              const basic_framework_profile<T>& software,
                                              const basic_rank_links<T>& links) {
  const int encoder_length =
      how.encoder_sequence_length > 0 ? how.encoder_sequence_length : how.sequence_length;
  const layer_tokens own{.sequence_length = how.sequence_length,
                         .attended_length = m.encoder_layers > 0 ? encoder_length : 0,
                         .mask = m.mask};
  const auto layer = [&](layer_kind kind, const layer_tokens& seen) {
    return busy_time_of_layer(m, kind, how, cut, seen, rates, software, links);
  };

  const auto encoder = [&] {
    return static_cast<double>(m.encoder_layers) *
           layer(layer_kind::dense,
                 {.sequence_length = encoder_length, .mask = attention_mask::full});
  };

  const double rows =
      largest_share(static_cast<double>(how.sequence_length) * cut.micro_batch_size, cut.context);
  const bytes stream = rows * m.hidden_size * rates.value;
  const basic_seconds<T> reduce = detail::all_reduce_seconds(links.tensor, cut.tensor, stream);
  basic_stage_clock<T> clock{
      .dense = m.dense_layers() > 0 ? layer(layer_kind::dense, own) : basic_busy_time<T>{},
      .moe = m.moe_layers() > 0 ? layer(layer_kind::moe, own) : basic_busy_time<T>{},
      .encoder = m.encoder_layers > 0 ? encoder() : basic_busy_time<T>{},
      .embedding = embedding_time(m, rows, rates) + reduce,
      .head = (trains_table(m, how, trained_table::head)
                   ? head_time(m, rows, cut.tensor, rates)
                   : frozen_head_time(m, rows, cut.tensor, rates)) +
              reduce,
      .end_launch = detail::host_of_end(how, software)};
  if (how.runs_reference()) [[unlikely]]
    clock.reference_head = forward_ends_time(m, rows, cut.tensor, rates) + reduce;
  if (m.multi_token_prediction_layers > 0) [[unlikely]] {
    basic_busy_time<T> one = m.moe_layers() > 0 ? clock.moe : clock.dense;
    one.reference = basic_seconds<T>{};  // log-probabilities need no further predictions
    // Of state and embedding together; within what is computed again.
    const basic_layer_time<T> join{
        .products =
            product_pass_time({rows, largest_share(m.hidden_size, cut.tensor), 2.0 * m.hidden_size},
                              rates.product, rates.formats, rates.weight_gradient)};
    one.products += join.products.total();
    one.recompute += detail::time_computed_again(how.recompute, join, join.products.forward);
    one.ends += clock.head;
    recipe alone = how;  // the reference model has no further predictions
    alone.reference = reference_model::none;
    one.launch += detail::host_of_end(alone, software);
    clock.prediction = static_cast<double>(m.multi_token_prediction_layers) * one;
  }
  return clock;
}

}  // namespace gpuplan
