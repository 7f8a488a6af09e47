#pragma once
/// \file
/// How long one micro-batch keeps one rank of a pipeline stage busy.

#include <gpuplan/comm/all_reduce.hpp>
#include <gpuplan/comm/all_to_all.hpp>
#include <gpuplan/comm/group_link.hpp>
#include <gpuplan/comm/hockney.hpp>
#include <gpuplan/compute/training_flop.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/pipeline_stage.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/tensor_split.hpp>
#include <gpuplan/model/transformer.hpp>

namespace gpuplan {

/// The rate that matrix products can be counted on for: the best measured, else the datasheet's.
/// Zero if the device has no units for the format.
template <class T>
constexpr basic_flop_per_second<T> achievable_peak(const basic_accelerator<T>& gpu,
                                                   number_format format) {
  return gpu.achieved[format] > flop_per_second{0} ? gpu.achieved[format] : gpu.peak[format];
}

/// What one micro-batch costs one rank in one layer.
template <class T>
struct layer_seconds {
  basic_seconds<T> compute{};
  basic_seconds<T> tensor{};
  basic_seconds<T> context{};
  basic_seconds<T> expert{};

  [[nodiscard]] constexpr basic_seconds<T> total() const {
    return compute + tensor + context + expert;
  }
  friend constexpr layer_seconds operator+(const layer_seconds& a, const layer_seconds& b) {
    return {a.compute + b.compute, a.tensor + b.tensor, a.context + b.context, a.expert + b.expert};
  }
  friend constexpr layer_seconds operator*(double layers, const layer_seconds& a) {
    return {layers * a.compute, layers * a.tensor, layers * a.context, layers * a.expert};
  }
};

/// Forward operations of one layer for one token, and those of them that are computed again.
struct layer_work {
  flop_per_token forward{};
  flop_per_token again{};
};

constexpr layer_work work_of(const transformer& m, const recipe& how, layer_kind kind) {
  const masked_scores scores =
      how.attention == attention_kernel::flash ? masked_scores::skipped : masked_scores::counted;
  const double s = how.sequence_length;
  const double e = how.encoder_sequence_length > 0 ? how.encoder_sequence_length : s;
  const layer_flop work = mean_forward_flop(m, kind, s, e, scores);
  switch (how.recompute) {
    case recompute::none: return {work.total(), {}};
    case recompute::selective: return {work.total(), work.attention_core};
    case recompute::alternate_products:
      return {work.total(), 0.5 * (work.total() - work.attention_core)};
    case recompute::full: return {work.total(), work.total()};
  }
  require(false, "recipe.recompute must be one of recompute");
  return {};
}

/// One decoder layer, one micro-batch, one rank.
template <class T>
constexpr layer_seconds<T> layer_time(const transformer& m, const basic_accelerator<T>& gpu,
                                      const group_links<T>& links, const recipe& how,
                                      const parallelism& cut, layer_kind kind) {
  const tokens local =
      static_cast<double>(how.sequence_length) * cut.micro_batch_size / cut.context * units::token;
  const precision_formats formats = formats_of(how.precision);
  const auto rate = achievable_peak(gpu, formats.product);
  const layer_work work = work_of(m, how, kind);
  const flop passes =
      ((1 + backward_over_forward) * work.forward + work.again) * local / double(cut.tensor);

  const bytes value = limits_of(formats.activation).storage;
  const double rows = local / units::token;
  const bytes hidden = rows * m.hidden_size * value;
  const int again = how.recompute == recompute::full ? 1 : 0;
  const double reduces = (m.parallel_residual ? 1 : 2) * (2 + again);

  const double key_values = m.latent.kv_rank > 0 ? m.latent.kv_rank + m.latent.rope_head_dim
                                                 : 2 * m.key_width() / cut.tensor;
  const bytes passed_on = rows * key_values * value;
  // Forward passes keys and values on; backward passes them again, and their gradients.
  const double rounds = (cut.context - 1.0) * (3 + again);

  layer_seconds<T> cost{
      .compute = passes / rate,
      .tensor = reduces * ring_all_reduce(links.tensor, cut.tensor, hidden).total(),
      .context = rounds * message_time(links.context, passed_on).total()};
  if (kind == layer_kind::moe) {
    const bytes sent = hidden * m.moe.experts_per_token / (how.sequence_parallel ? cut.tensor : 1);
    cost.expert = 2.0 * (2 + again) * pairwise_all_to_all(links.expert, cut.expert, sent).total();
  }
  return cost;
}

/// Seconds of a micro-batch on each kind of stage, of which there are as many as layers differ.
template <class T>
struct stage_clock {
  layer_seconds<T> dense{};
  layer_seconds<T> moe{};
  layer_seconds<T> head{};     ///< and further predictions
  layer_seconds<T> encoder{};  ///< all its layers, on the stage that holds the embedding

  [[nodiscard]] constexpr layer_seconds<T> of(const stage_layers& held) const {
    layer_seconds<T> sum = static_cast<double>(held.dense) * dense;
    if (held.moe > 0) sum = sum + static_cast<double>(held.moe) * moe;
    if (held.has_head) sum = sum + head;
    return held.has_embedding ? sum + encoder : sum;
  }
};

template <class T>
constexpr stage_clock<T> stage_clock_of(const transformer& m, const basic_accelerator<T>& gpu,
                                        const group_links<T>& links, const recipe& how,
                                        const parallelism& cut) {
  stage_clock<T> clock;
  if (m.dense_layers() > 0) clock.dense = layer_time(m, gpu, links, how, cut, layer_kind::dense);
  if (m.moe_layers() > 0) clock.moe = layer_time(m, gpu, links, how, cut, layer_kind::moe);

  const tokens local =
      static_cast<double>(how.sequence_length) * cut.micro_batch_size / cut.context * units::token;
  const flop head = (1 + backward_over_forward) * head_forward_flop(m) * local / double(cut.tensor);
  const int predictions = m.multi_token_prediction_layers;
  clock.head.compute =
      (1.0 + predictions) * (head / achievable_peak(gpu, formats_of(how.precision).product));
  if (predictions > 0)
    clock.head = clock.head + double(predictions) * (m.moe_layers() > 0 ? clock.moe : clock.dense);
  if (m.encoder_layers > 0) {
    transformer encoder = m;
    encoder.encoder_layers = 0;
    encoder.mask = attention_mask::full;
    recipe longer = how;
    if (how.encoder_sequence_length > 0) longer.sequence_length = how.encoder_sequence_length;
    clock.encoder = static_cast<double>(m.encoder_layers) *
                    layer_time(encoder, gpu, links, longer, cut, layer_kind::dense);
  }
  return clock;
}

}  // namespace gpuplan
