#pragma once
/// \file
/// The estimate of one layout: does it fit, how long is a step, what binds.

#include <algorithm>
#include <cstdint>
#include <limits>

#include <gpuplan/compute/training_flop.hpp>
#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/hardware/physical_link.hpp>
#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/pipeline_stage.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/layout_fault.hpp>
#include <gpuplan/plan/node_software.hpp>
#include <gpuplan/plan/reject.hpp>
#include <gpuplan/plan/step_time.hpp>

namespace gpuplan {

/// What `evaluate` answers.  Where a rule of layout_fault is broken, memory and time are zero.
template <class T>
struct basic_estimate {
  footprint memory{};
  bytes needed{};    ///< on the worst stage: memory.worst_stage().total()
  reject refusal{};  ///< empty if the layout can run
  basic_step_time<T> time{};
  flop model_flop{};  ///< of a step, nothing computed twice, masked scores skipped
  tokens tokens_per_step{};
  std::int64_t gpus = 0;            ///< that the layout uses
  basic_flop_per_second<T> peak{};  ///< of one GPU in the recipe's format, by its datasheet
  watts gpu_power{};                ///< of one GPU at most; 0 where not known

  [[nodiscard]] constexpr bool fits() const { return !refusal; }
  [[nodiscard]] constexpr bool costed() const { return time.total() > seconds{0}; }
  /// Operations of the model over what the GPUs could do in the time of a step: MFU as
  /// Megatron-LM counts it, with the masked half of causal attention left out.  0 if not costed.
  [[nodiscard]] constexpr T model_flop_utilization() const { return utilization_of(model_flop); }
  /// The same as PaLM, nanotron and torchtitan count it, masked scores among the operations.
  [[nodiscard]] constexpr T model_flop_utilization(masked_scores scores) const {
    if (!costed()) return T(0);
    return utilization_of(training_step_flop(memory.model, memory.recipe, scores));
  }
  [[nodiscard]] constexpr basic_tokens_per_second<T> throughput() const {
    if (!costed()) return {};
    return tokens_per_step / time.total();
  }

 private:
  [[nodiscard]] constexpr T utilization_of(flop operations) const {
    if (!costed()) return T(0);
    return operations / time.total() / (static_cast<double>(gpus) * peak);
  }
};

using estimate = basic_estimate<double>;

/// By how much a layout does not fit: how full it leaves device or host, then what it needs of the
/// device.
struct memory_miss {
  double fullness = 0;  ///< above 1
  bytes needed{};

  friend constexpr bool operator<(const memory_miss& a, const memory_miss& b) {
    return a.fullness != b.fullness ? a.fullness < b.fullness : a.needed < b.needed;
  }
};

/// No layout misses by as much.
inline constexpr memory_miss unlimited_miss{.fullness = std::numeric_limits<double>::infinity()};

/// What the hosts of so many ranks hold: for each the most that any stage offloads.
constexpr bytes host_memory_needed(const footprint& memory, std::int64_t ranks) {
  bytes most{0};
  for (int i = 0; i < memory.stages(); ++i) most = larger(most, memory.stage(i).host);
  return static_cast<double>((std::min)(ranks, memory.parallelism.gpus())) * most;
}

namespace detail {

/// The peak in the format of a recipe's products.
template <class T>
constexpr basic_flop_per_second<T> peak_of(const basic_accelerator<T>& gpu, const recipe& how) {
  return gpu.peak[formats_of(how.precision).product];
}

/// What a GPU draws at most: its thermal design power, or the recipe's limit below it; 0 where
/// neither is known.
template <class T>
constexpr watts power_of(const basic_accelerator<T>& gpu, const recipe& how) {
  const watts usual{static_cast<double>(gpu.thermal_design_power.in_base_units())};
  const watts limit = how.power_limit;
  return isfinite(limit) && !(usual > watts{0} && usual < limit) ? limit : usual;
}

/// Whether a device's units multiply blocks that have scales of their own: those that have a rate
/// in FP4, whose formats are all of that kind.
///
/// Source: NVIDIA, "NVIDIA Blackwell Architecture Technical Brief" (2024); AMD, "Introducing AMD
/// CDNA 4 Architecture" (2025): MXFP8 and FP4 are new in both.
template <class T>
constexpr bool multiplies_blocks(const basic_accelerator<T>& gpu) {
  return gpu.peak.fp4 > flop_per_second{0};
}

/// What stops a recipe on a device whatever the layout: no units for its format, no link to a host.
template <class T>
constexpr reject device_fault(const basic_accelerator<T>& gpu, const recipe& how) {
  if (!(peak_of(gpu, how) > flop_per_second{0})) return {reject_reason::format, 1, 0};
  if (how.uses_mxfp8() && !multiplies_blocks(gpu)) return {reject_reason::block_scales, 1, 0};
  if (how.uses_host() && !(planned_rate(gpu.host).per_direction() > bytes_per_second{0}))
    return {reject_reason::host_link, 1, 0};
  return {};
}

/// Whether what a recipe offloads fits into the host, where its memory is known.
template <class T>
[[gnu::cold]] constexpr reject host_fault(const footprint& memory, const basic_node<T>& box) {
  if (!(box.host_memory > bytes{0})) return {};
  const bytes needed = host_memory_needed(memory, box.gpus);
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

/// What the worst stage needs; what the first needs, where that alone misses by `limit` or more.
template <class T>
constexpr bytes needed_within(const footprint& memory, const basic_node<T>& box,
                              const memory_miss& limit) {
  const pipeline_layers layers{memory.model, memory.recipe, memory.parallelism};
  measured_stage fullest = measured_stage_of(memory, layers, 0);
  // Other stages, and the host, can but need more.
  const memory_miss least{device_fullness(fullest.total, box), fullest.total};
  if (!(fullest.total <= box.gpu.memory) && !(least < limit)) return fullest.total;
  find_fullest(fullest, memory, layers);
  return fullest.total;
}

}  // namespace detail

/// By how much a layout that memory refuses does not fit.
template <class T>
constexpr memory_miss miss_of(const basic_estimate<T>& what, const basic_node<T>& box) {
  return {detail::fullness_of(what.memory, what.needed, box), what.needed};
}

/// What an estimate says of a job however it is cut.
template <class T>
struct basic_job_terms {
  flop model_flop{};
  tokens tokens_per_step{};
  basic_flop_per_second<T> peak{};
  watts gpu_power{};
};

/// \throws invalid_input if a description is invalid
template <class T>
constexpr basic_job_terms<T> job_terms_of(const transformer& m, const basic_accelerator<T>& gpu,
                                          const recipe& how) {
  return {.model_flop = training_step_flop(m, how),
          .tokens_per_step =
              static_cast<double>(how.global_batch_size) * how.sequence_length * units::token,
          .peak = detail::peak_of(gpu, how),
          .gpu_power = detail::power_of(gpu, how)};
}

/// evaluate without its checks, of a layout that breaks no rule, for those who try many: `job` is
/// job_terms_of all of them.  A layout that does not fit is costed where it misses by less than
/// `limit`; else `needed` is what some stage needs, perhaps not the worst, and the time is zero.
/// Inline, or a search of GPT-3 over 4 096 GPUs takes 1 % more instructions.
template <class T>
[[gnu::always_inline]] constexpr basic_estimate<T> evaluate_within(
    const transformer& m, const basic_cluster<T>& pool, const recipe& how, const parallelism& cut,
    const workspace& beside, const basic_job_terms<T>& job, const memory_miss& limit) {
  const basic_node<T>& box = pool.node;
  const auto is_costed = [&](const footprint& memory, bytes needed, const reject& no) {
    return !no || memory_miss{detail::fullness_of(memory, needed, box), needed} < limit;
  };
  // Every member is named: g++ 12 fills the whole of an estimate with zeros where one is not.
  const basic_estimate<T> answer{
      .memory = footprint_of(m, how, cut, beside),
      .needed = detail::needed_within(answer.memory, box, limit),
      .refusal = detail::memory_fault(answer.memory, answer.needed, box),
      .time = is_costed(answer.memory, answer.needed, answer.refusal)
                  ? step_time_of<T>(pool, profile_on(box, how.framework), answer.memory)
                  : basic_step_time<T>{},
      .model_flop = job.model_flop,
      .tokens_per_step = job.tokens_per_step,
      .gpus = cut.gpus(),
      .peak = job.peak,
      .gpu_power = job.gpu_power};
  return answer;
}

/// Whether and how fast a model trains on a cluster under a recipe, cut as `cut` says.  Allocates
/// nothing.
///
/// A layout that breaks a rule of layout_fault gets that reject and nothing else.  One that does
/// not fit into memory is costed all the same, and its reject says what is needed and what there
/// is: device_total() of the worst stage against the device's memory.
///
/// Source: by definition.
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

  reject refusal = layout_fault(m, pool.gpus(), how, cut);
  if (!refusal) refusal = detail::device_fault(pool.gpu(), how);
  if (!refusal)
    return evaluate_within(m, pool, how, cut, beside, job_terms_of(m, pool.gpu(), how),
                           unlimited_miss);
  return {.refusal = refusal,
          .gpus = cut.gpus(),
          .peak = detail::peak_of(pool.gpu(), how),
          .gpu_power = detail::power_of(pool.gpu(), how)};
}

}  // namespace gpuplan
