#pragma once
/// \file
/// How long one optimizer step takes, term by term.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <gpuplan/comm/all_gather.hpp>
#include <gpuplan/comm/all_reduce.hpp>
#include <gpuplan/comm/group_link.hpp>
#include <gpuplan/comm/hockney.hpp>
#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/memory/stage_parameters.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/pipeline_stage.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/tensor_split.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/stage_time.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// The terms of a step, in the order of basic_step_time.
enum class step_term { compute, tensor, context, expert, pipeline, bubble, data, optimizer };

inline constexpr std::array step_terms{step_term::compute, step_term::tensor,   step_term::context,
                                       step_term::expert,  step_term::pipeline, step_term::bubble,
                                       step_term::data,    step_term::optimizer};

/// Time of one optimizer step on the slowest stage.  The terms follow one another: none overlaps.
template <class T>
struct basic_step_time {
  basic_seconds<T> compute{};    ///< matrix products, forward, backward and computed again
  basic_seconds<T> tensor{};     ///< collectives of tensor and sequence parallelism
  basic_seconds<T> context{};    ///< keys and values passed round the context ring
  basic_seconds<T> expert{};     ///< tokens sent to their experts and back
  basic_seconds<T> pipeline{};   ///< activations and their gradients between stages
  basic_seconds<T> bubble{};     ///< waiting for the pipeline to fill and drain
  basic_seconds<T> data{};       ///< gradients reduced, sharded weights gathered
  basic_seconds<T> optimizer{};  ///< the update: memory traffic

  [[nodiscard]] constexpr basic_seconds<T> operator[](step_term term) const {
    switch (term) {
      case step_term::compute: return compute;
      case step_term::tensor: return tensor;
      case step_term::context: return context;
      case step_term::expert: return expert;
      case step_term::pipeline: return pipeline;
      case step_term::bubble: return bubble;
      case step_term::data: return data;
      case step_term::optimizer: return optimizer;
    }
    require(false, "step_time: term must be one of step_terms");
    return {};
  }
  [[nodiscard]] constexpr basic_seconds<T> total() const {
    return compute + tensor + context + expert + pipeline + bubble + data + optimizer;
  }
  /// The largest term; of equals the first.
  [[nodiscard]] constexpr step_term binding() const {
    step_term largest = step_term::compute;
    for (const step_term term : step_terms)
      if ((*this)[term] > (*this)[largest]) largest = term;
    return largest;
  }
};

using step_time = basic_step_time<double>;

/// "compute", "tensor", ... as the fields are called.
constexpr std::string_view name_of(step_term term) {
  constexpr std::array<std::string_view, step_terms.size()> names{
      "compute", "tensor", "context", "expert", "pipeline", "bubble", "data", "optimizer"};
  return names[static_cast<std::size_t>(term)];
}

/// The share of a step that a pipeline waits, relative to the step without waiting.
///
///     b = (p - 1) / (v m)
///
///     p  stages          count, >= 1
///     m  micro-batches   count, >= 1
///     v  chunks a stage  count, >= 1
///
/// Relative to the whole step it is b / (1 + b).  Holds for GPipe and 1F1B with equal stages; for
/// the zero-bubble schedules it is an upper bound.
///
/// Source: D. Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters
/// Using Megatron-LM", SC21 (2021), section 2.2, arXiv:2104.04473.
///
/// \throws invalid_input if one of them is < 1
constexpr double pipeline_bubble(int stages, double micro_batches, int chunks = 1) {
  require(stages >= 1, "pipeline_bubble: stages must be >= 1");
  require(micro_batches >= 1, "pipeline_bubble: micro_batches must be >= 1");
  require(chunks >= 1, "pipeline_bubble: chunks must be >= 1");
  return (stages - 1.0) / (chunks * micro_batches);
}

namespace detail {

/// Parameters of a stage on one rank: those of its layers, and of embedding or head.
constexpr rank_parameters parameters_of_stage(const transformer& m, const parallelism& cut,
                                              const stage_layers& held) {
  rank_parameters sum;
  if (held.dense > 0) sum = sum + held.dense * layer_on_rank(m, layer_kind::dense, cut);
  if (held.moe > 0) sum = sum + held.moe * layer_on_rank(m, layer_kind::moe, cut);
  if (held.has_embedding) sum = sum + table_on_rank(m, cut);
  if (held.has_head && !(held.has_embedding && m.tied_embeddings))
    sum = sum + table_on_rank(m, cut);
  return sum;
}

/// Gradients reduced and sharded weights gathered by one group, of one part of the parameters.
template <class T>
constexpr basic_seconds<T> data_seconds(const basic_interconnect<T>& link, std::int64_t ranks,
                                        double parameters, const recipe& how,
                                        double micro_batches) {
  if (ranks <= 1 || parameters == 0) return {};
  const int n = static_cast<int>(ranks);
  const bytes gradient =
      parameters * limits_of(gradient_storage(how.gradient, how.precision)).storage;
  const bytes weight = parameters * limits_of(formats_of(how.precision).weight).storage;
  if (how.zero == zero_stage::none) return ring_all_reduce(link, n, gradient).total();
  const double gathers = how.zero == zero_stage::parameters ? 2 * micro_batches : 1;
  return ring_all_gather(link, n, gradient).total() +
         gathers * ring_all_gather(link, n, weight).total();
}

}  // namespace detail

/// Time of one optimizer step: the plain form, in which nothing overlaps and products run at the
/// best rate measured.
///
///     compute    m max_i C_i                C_i = (3 F_i + R_i) / (t c A) of stage i
///     bubble     (sum_i S_i - max_i S_i)/v  S_i: all of a micro-batch on stage i
///     tensor     two ring all-reduces of s b h / c values a layer and pass
///     context    (c - 1) messages of keys and values a layer; three times, once forward
///     expert     two all-to-alls of k s b h / c values a layer and pass
///     pipeline   2 v messages of s b h / c values a micro-batch
///     data       one all-reduce of the gradients; sharded: a reduce-scatter and all-gathers
///     optimizer  bytes of the states read and written over the memory's bandwidth
///
///     m, p, v  micro-batches, stages, chunks a stage   count
///     F, R     forward operations, operations again    FLOP
///     A        achievable_peak(gpu, format)            FLOP/s
///     t, c, k  tensor, context, experts a token        count
///
/// A lower bound on compute: attention, normalisation and small products reach less than A.  An
/// upper bound on communication, of which good frameworks hide the data-parallel part.
///
/// Source: D. Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters
/// Using Megatron-LM", SC21 (2021), sections 2 and 3, arXiv:2104.04473; V. Korthikanti et al.,
/// "Reducing Activation Recomputation in Large Transformer Models", MLSys (2023),
/// arXiv:2205.05198.
///
/// The layout must pass layout_fault and the device must have units for the format.
///
/// \throws invalid_input if a description is invalid
template <class T>
constexpr basic_step_time<T> step_time_of(const transformer& m, const basic_cluster<T>& pool,
                                          const recipe& how, const parallelism& cut) {
  const basic_node<T>& box = pool.node;
  const auto links = links_of(box, cut);
  const auto clock = stage_clock_of(m, box.gpu, links, how, cut);
  const double micro_batches =
      how.global_batch_size / (static_cast<double>(cut.data) * cut.micro_batch_size);

  layer_seconds<T> slowest;
  basic_seconds<T> round;  // one micro-batch through all stages
  rank_parameters heaviest;
  for (int stage = 0; stage < cut.pipeline; ++stage) {
    const stage_layers held = layers_of_stage(m, how, cut, stage);
    const auto cost = clock.of(held);
    round += cost.total();
    if (stage == 0 || cost.total() > slowest.total()) slowest = cost;
    const auto own = detail::parameters_of_stage(m, cut, held);
    if (own.total() > heaviest.total()) heaviest = own;
  }

  basic_step_time<T> step{.compute = micro_batches * slowest.compute,
                          .tensor = micro_batches * slowest.tensor,
                          .context = micro_batches * slowest.context,
                          .expert = micro_batches * slowest.expert,
                          .bubble = (round - slowest.total()) / double(cut.interleave)};
  if (cut.pipeline > 1) {
    const double values = static_cast<double>(how.sequence_length) * cut.micro_batch_size /
                          cut.context * m.hidden_size / (how.sequence_parallel ? cut.tensor : 1);
    const bytes boundary = values * limits_of(formats_of(how.precision).activation).storage;
    step.pipeline =
        micro_batches * (2.0 * cut.interleave) * message_time(links.pipeline, boundary).total();
  }
  step.data = detail::data_seconds(links.data, cut.shards(), heaviest.dense(), how, micro_batches) +
              detail::data_seconds(links.expert_data, cut.expert_replicas(), heaviest.experts, how,
                                   micro_batches);

  const parameter_bytes per = bytes_per_parameter(how.precision, how.optimizer, how.gradient);
  const double divided = how.zero == zero_stage::none ? 1 : static_cast<double>(cut.shards());
  const bytes touched = heaviest.total() / divided *
                        (per.gradient + 2 * (per.master + per.optimizer) + 2 * per.weight);
  step.optimizer = touched / box.gpu.memory_bandwidth;
  return step;
}

}  // namespace gpuplan
