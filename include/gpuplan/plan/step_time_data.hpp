#pragma once
/// \file
/// Terms of a step that occur once: gradient reduction, all-gather of weights, optimizer update.

#include <gpuplan/memory/layer_memory.hpp>
#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/memory/stage_parameters.hpp>
#include <gpuplan/memory/stage_states.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/pipeline_stage.hpp>
#include <gpuplan/model/precision.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/plan/busy_time.hpp>
#include <gpuplan/plan/detail/step_parts.hpp>
#include <gpuplan/plan/rank_links.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Bytes that an update moves for each parameter: three passes over the gradient (its norm, its
/// scaling, the update), states and master copy read and written, the working weight written.
///
///     3 g + 2 (k + o) + w        without a master copy 3 g + 2 (w + o)
///
///     w, g, k, o  per.weight, per.gradient, per.master, per.optimizer   B, >= 0
///
/// 38 B for Adam beside BF16 weights and FP32 gradients.  Holds for fused kernels; optimizers that
/// also multiply matrices (Muon) take longer.
///
/// Source: NVIDIA, "Apex", csrc/multi_tensor_adam.cu and multi_tensor_l2norm_kernel.cu (2024), by
/// counting.
constexpr bytes bytes_per_update(const parameter_bytes& per) {
  const bytes kept = per.master > bytes{0} ? per.master : per.weight;
  const bytes copy = per.master > bytes{0} ? per.weight : bytes{0};
  return 3 * per.gradient + 2 * (kept + per.optimizer) + copy;
}

/// What a graph of the whole step leaves of what the host does once in a step.  Set by steps of
/// Qwen3 30B (NeMo 26.06); the fit of benchmarks/accuracy does not move it.
inline constexpr double step_host_of_graphs = 0.3;

/// The forward pass's share of the time that a stage is busy with a micro-batch; the rest is the
/// backward pass.  An assumption that is in no fit; of the operations alone it is 1/3.
inline constexpr double forward_share = 0.35;
inline constexpr double backward_share = 1 - forward_share;

namespace detail {

/// What is left of traffic that runs beside a pass: with v chunks the last has one micro-batch's
/// pass to hide behind, the others p of them.
template <class T>
constexpr basic_seconds<T> unhidden(const basic_seconds<T>& traffic, const basic_seconds<T>& pass,
                                    const T& exposed, const parallelism& cut) {
  const double v = cut.interleave;
  const basic_seconds<T> left = (traffic - pass) / v;
  const basic_seconds<T> more = traffic - double(cut.pipeline) * pass;
  const basic_seconds<T> others = more > seconds{0} ? (v - 1) / v * more : basic_seconds<T>{};
  return later<T>(exposed * traffic, left + others);
}

/// Seconds of reducing gradients and of bringing the weights back, over all groups of a rank.
template <class T>
struct data_traffic {
  basic_seconds<T> gradients{};
  basic_seconds<T> weights{};
};

template <class T>
constexpr void add_traffic(data_traffic<T>& sum, const basic_interconnect<T>& ring, double n,
                           double parameters, bytes gradient, bytes weight) {
  if (n <= 1 || parameters == 0) return;
  const double share = parameters * (n - 1) / n;
  sum.gradients += share * gradient / ring.bandwidth;
  sum.weights += share * weight / ring.bandwidth;
}

template <class T>
constexpr data_traffic<T> data_traffic_of(const rank_parameters& held, const recipe& how,
                                          const parallelism& cut,
                                          const basic_rank_links<T>& links) {
  const bytes weight = limits_of(formats_of(how.precision).weight).storage;
  const bytes gradient = limits_of(gradient_reduction(how)).storage;
  const bytes back = how.zero == zero_stage::none ? gradient : weight;
  const double replicas = static_cast<double>(cut.replicas());
  const double shards =
      static_cast<double>(how.zero == zero_stage::none ? cut.replicas() : cut.shards());
  data_traffic<T> sum;
  if (how.zero != zero_stage::parameters)
    add_traffic(sum, links.data, shards, held.dense(), gradient, back);
  if (shards < replicas)  // across shard groups each piece is reduced whole
    add_traffic(sum, links.replicas, replicas / shards, held.dense() / shards, 2 * gradient,
                bytes{0});
  const auto copies = static_cast<double>(cut.expert_replicas());
  const double pieces =
      how.zero == zero_stage::none ? copies : static_cast<double>(expert_shards(cut));
  if (how.zero != zero_stage::parameters)
    add_traffic(sum, links.expert_data, pieces, held.experts, gradient, back);
  if (pieces < copies)
    add_traffic(sum, links.replicas, copies / pieces, held.experts / pieces, 2 * gradient,
                bytes{0});
  if (runs_both_ways(how, cut)) [[unlikely]]  // each piece with the rank that has the stage as well
    add_traffic(sum, links.pipeline, 2, held.dense() / shards + held.experts / pieces, 2 * gradient,
                bytes{0});
  return sum;
}

/// Whether gradients are reduced after every micro-batch: where a rank keeps a part of them, and no
/// pipeline makes it keep all until the last one (Llama 3 was trained so).
///
/// Source: A. Grattafiori et al., "The Llama 3 Herd of Models" (2024), section 3.3.2.
constexpr bool reduces_each_time(const recipe& how, const parallelism& cut) {
  return how.zero == zero_stage::gradients && cut.pipeline == 1;
}

/// What passes leave of the traffic: of gradients in a step, or in a micro-batch where a rank keeps
/// only a part of them; of weights in a step.
template <class T>
constexpr data_traffic<T> unhidden_traffic(const step_parts<T>& step) {
  const recipe& how = step.memory.recipe;
  const basic_framework_profile<T>& software = step.software;
  data_traffic<T> left = data_traffic_of(step.trained, how, step.memory.parallelism, step.links);
  if (!overlaps_data(how, software)) return left;

  const basic_seconds<T> own = step.longest - step.one.reference;
  const basic_seconds<T> pass = backward_share * own;
  // Passes of further chunks hide it too, unless transfers to the host hide behind them.
  parallelism hiding = step.memory.parallelism;
  if (how.uses_host()) hiding.interleave = 1;
  // Divided gradients are reduced after every micro-batch, beside the backward pass of the next;
  // in a pipeline, whose passes alternate, after the last one.
  left.gradients = unhidden<T>(left.gradients, pass, software.data_exposed, hiding);
  left.weights = unhidden<T>(left.weights, forward_share * own, software.data_exposed, hiding);
  return left;
}

/// Waiting for gradients that are reduced and for weights that are brought back.
template <class T>
constexpr basic_seconds<T> data_time(const step_parts<T>& step, const data_traffic<T>& left) {
  const transformer& m = step.memory.model;
  const recipe& how = step.memory.recipe;
  const parallelism& cut = step.memory.parallelism;
  const bool each_time = reduces_each_time(how, cut);
  const basic_seconds<T> time =
      (each_time ? step.micro_batches : 1.0) * left.gradients + left.weights;
  if (how.zero != zero_stage::parameters || cut.shards() == 1) return time;

  // Nothing runs before the first layer is gathered, nor after the last gradient is scattered.
  // Frozen weights have no gradients.
  const double table = static_cast<double>(m.vocabulary_size) * m.embedding_width() / cut.tensor;
  const layer_kinds& layers = step.memory.layers;
  const double layer = (m.dense_layers() > 0 ? layers.dense : layers.moe).parameters.dense();
  const double again = how.runs_reference() ? 1 : 0;
  const bytes gathered = ((1 + again) * layer + (2 + again) * table) * step.rates.value;
  const bytes scattered =
      how.adapts() ? bytes{0} : (layer + table) * limits_of(gradient_reduction(how)).storage;
  return time + (gathered + scattered) / gathering(step.links, how, step.software).bandwidth;
}

/// Parameters of one rank's share, where ZeRO divides them over those that hold them.
constexpr double share_of_rank(double dense, double experts, const state_rates& rates) {
  return rates.dense_share * dense + rates.expert_share * experts;
}

/// Parameters that one rank updates.
template <class T>
constexpr double updated_parameters(const step_parts<T>& step) {
  return updated_on_rank(step.trained, step.memory.rates);
}

/// What a step has beside its passes and the update itself: the gradients that a rank keeps through
/// the step, where it does, are zeroed, scaled (read and written) and checked; and what the host
/// does once.
template <class T>
constexpr basic_seconds<T> around_update(const step_parts<T>& step) {
  const recipe& how = step.memory.recipe;
  double checked = 0;
  if (how.gradients_live == gradient_lifetime::always)
    checked = how.zero >= zero_stage::gradients ? updated_parameters(step) : step.trained.total();
  const double graphs = how.cuda_graphs == cuda_graphs::iteration ? step_host_of_graphs : 1;
  return checked * (4 * step.memory.rates.per.gradient) / step.rates.memory +
         graphs * step.software.step_host;
}

/// The update, where its states lie on the GPU: the memory's traffic.
template <class T>
constexpr basic_seconds<T> update_time(const step_parts<T>& step) {
  return updated_parameters(step) * bytes_per_update(step.memory.rates.per) / step.rates.memory;
}

}  // namespace detail

}  // namespace gpuplan
