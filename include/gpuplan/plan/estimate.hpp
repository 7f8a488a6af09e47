#pragma once
/// \file
/// The answer about one layout: does it fit, how long is a step, what binds.

#include <algorithm>
#include <cstdint>

#include <gpuplan/compute/training_flop.hpp>
#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/hardware/physical_link.hpp>
#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/reject.hpp>
#include <gpuplan/plan/step_time.hpp>

namespace gpuplan {

/// What `evaluate` answers.  Where a rule of layout_fault is broken, memory and time are zero.
template <class T>
struct basic_estimate {
  footprint memory{};
  bytes needed{};  ///< on the worst stage: memory.worst_stage().total()
  basic_step_time<T> time{};
  reject refusal{};   ///< empty if the layout can run
  flop model_flop{};  ///< of a step, nothing computed twice, masked scores skipped
  tokens tokens_per_step{};
  std::int64_t gpus = 0;            ///< that the layout uses
  basic_flop_per_second<T> peak{};  ///< of one GPU in the recipe's format, by its datasheet
  watts gpu_power{};                ///< thermal design power of one GPU; 0 where not known

  [[nodiscard]] constexpr bool fits() const { return !refusal; }
  [[nodiscard]] constexpr bool costed() const { return time.total() > seconds{0}; }
  /// Operations of the model over what the GPUs could do in the time of a step: MFU as
  /// Megatron-LM counts it, with the masked half of causal attention left out.  0 if not costed.
  [[nodiscard]] constexpr T model_flop_utilization() const {
    if (!costed()) return T(0);
    return model_flop / time.total() / (static_cast<double>(gpus) * peak);
  }
  [[nodiscard]] constexpr basic_tokens_per_second<T> throughput() const {
    if (!costed()) return {};
    return tokens_per_step / time.total();
  }
};

using estimate = basic_estimate<double>;

namespace detail {

/// What the layers and tables of a footprint put on a rank.
constexpr stage_holdings holdings_of(const transformer& m, const footprint& memory) {
  return {.dense = memory.layers.dense.parameters,
          .moe = memory.layers.moe.parameters,
          .table = memory.table,
          .tied = m.tied_embeddings,
          .per = memory.rates.per,
          .dense_kept = memory.layers.dense.kept,
          .moe_kept = memory.layers.moe.kept};
}

/// What stops a recipe on a device whatever the layout: no units for its format, no link to a host.
template <class T>
constexpr reject device_fault(const basic_accelerator<T>& gpu, const recipe& how) {
  if (!(gpu.peak[formats_of(how.precision).product] > flop_per_second{0}))
    return {reject_reason::format, 1, 0};
  if (how.uses_host() && !(planned_rate(gpu.host).per_direction() > bytes_per_second{0}))
    return {reject_reason::host_link, 1, 0};
  return {};
}

/// Whether what a recipe offloads fits into the host, where its memory is known.
template <class T>
[[gnu::cold]] constexpr reject host_fault(const footprint& memory, const basic_node<T>& box) {
  if (!(box.host_memory > bytes{0})) return {};
  bytes most{0};
  for (int i = 0; i < memory.stages(); ++i) most = larger(most, memory.stage(i).host);
  const auto ranks =
      static_cast<double>((std::min)(std::int64_t{box.gpus}, memory.parallelism.gpus()));
  const bytes needed = ranks * most;
  if (needed <= box.host_memory) return {};
  return {reject_reason::host_memory, needed.in_base_units(),
          static_cast<double>(box.host_memory.in_base_units())};
}

/// Whether what the worst stage needs fits into the device, and the rest into the host.
template <class T>
constexpr reject memory_fault(const footprint& memory, bytes needed, const basic_node<T>& box) {
  if (needed <= box.gpu.memory)
    return memory.recipe.uses_host() ? host_fault(memory, box) : reject{};
  return {reject_reason::memory, needed.in_base_units(),
          static_cast<double>(box.gpu.memory.in_base_units())};
}

/// Part of the device that a job takes.
template <class T>
constexpr double device_fullness(bytes needed, const basic_node<T>& box) {
  return needed.in_base_units() / static_cast<double>(box.gpu.memory.in_base_units());
}

/// Part of the device that a job takes, or of the host where that is the more: above 1 where
/// memory_fault refuses it.
template <class T>
constexpr double fullness_of(const footprint& memory, bytes needed, const basic_node<T>& box) {
  const double device = device_fullness(needed, box);
  if (!memory.recipe.uses_host()) return device;
  const reject host = host_fault(memory, box);
  return host ? (std::max)(device, host.needed / host.available) : device;
}

/// evaluate, of descriptions that are valid and break no rule.
template <class T>
constexpr basic_estimate<T> costed(const transformer& m, const basic_cluster<T>& pool,
                                   const recipe& how, const parallelism& cut,
                                   const workspace& beside, const basic_flop_per_second<T>& peak) {
  const basic_estimate<T> answer{
      .memory = footprint_of(m, how, cut, beside),
      .needed = worst_of(answer.memory).total,
      .time = step_time_of<T>(m, pool, how, cut, profile_as<T>(how.framework),
                              holdings_of(m, answer.memory)),
      .refusal = memory_fault(answer.memory, answer.needed, pool.node),
      .model_flop = training_step_flop(m, how),
      .tokens_per_step =
          static_cast<double>(how.global_batch_size) * how.sequence_length * units::token,
      .gpus = cut.gpus(),
      .peak = peak,
      .gpu_power = watts{static_cast<double>(pool.gpu().thermal_design_power.in_base_units())}};
  return answer;
}

}  // namespace detail

/// Whether and how fast a model trains on a cluster under a recipe, cut as `cut` says.  Allocates
/// nothing.
///
/// A layout that breaks a rule of layout_fault gets that reject and nothing else.  One that does
/// not fit into memory is costed all the same, and its reject says what is needed and what there
/// is: device_total() of the worst stage against the device's memory.
///
/// \throws invalid_input if a description is invalid
template <class T>
constexpr basic_estimate<T> evaluate(const transformer& m, const basic_cluster<T>& pool,
                                     const recipe& how, const parallelism& cut,
                                     const workspace& beside = {}) {
  require_valid(m);
  require_valid(pool);
  require_valid(how);
  require_valid(cut);
  require_valid(beside);

  const basic_flop_per_second<T> peak = pool.gpu().peak[formats_of(how.precision).product];
  reject refusal = layout_fault(m, pool.gpus(), how, cut);
  if (!refusal) refusal = detail::device_fault(pool.gpu(), how);
  if (!refusal) return detail::costed(m, pool, how, cut, beside, peak);
  return {.refusal = refusal,
          .gpus = cut.gpus(),
          .peak = peak,
          .gpu_power = watts{static_cast<double>(pool.gpu().thermal_design_power.in_base_units())}};
}

}  // namespace gpuplan
