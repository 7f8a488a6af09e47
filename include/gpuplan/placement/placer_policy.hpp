#pragma once
/// \file
/// Placement policies: the score of each node that can host a task.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <gpuplan/placement/expected_fragmentation.hpp>
#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/gpu_task.hpp>
#include <gpuplan/placement/match_score.hpp>

namespace gpuplan {

/// How the node is chosen. In each, the node of the largest score is taken.
enum class placement_policy : std::uint8_t {
  first_fit,               ///< the first that can host it
  random,                  ///< any that can host it, and any of its GPUs
  best_fit,                ///< where the least is left, cores and GPUs weighed alike
  worst_fit,               ///< where the most is left
  dot_product,             ///< where what is asked and what is free point least alike
  tetris_alignment,        ///< where what is asked and what is free point most alike
  norm,                    ///< where the free vector, after it, is shortest
  gpu_packing,             ///< GPUs in use, then free GPUs of nodes in use, then empty nodes
  fragmentation_gradient,  ///< where the expected fragmentation grows least
  framework,               ///< where fit, fragmentation and balance are best on a weighted mean
};

inline constexpr std::array placement_policies{placement_policy::first_fit,
                                               placement_policy::random,
                                               placement_policy::best_fit,
                                               placement_policy::worst_fit,
                                               placement_policy::dot_product,
                                               placement_policy::tetris_alignment,
                                               placement_policy::norm,
                                               placement_policy::gpu_packing,
                                               placement_policy::fragmentation_gradient,
                                               placement_policy::framework};

/// "first-fit", "tetris", ...
constexpr const char* name_of(placement_policy policy) {
  switch (policy) {
    case placement_policy::first_fit: return "first-fit";
    case placement_policy::random: return "random";
    case placement_policy::best_fit: return "best-fit";
    case placement_policy::worst_fit: return "worst-fit";
    case placement_policy::dot_product: return "dot-product";
    case placement_policy::tetris_alignment: return "tetris";
    case placement_policy::norm: return "norm";
    case placement_policy::gpu_packing: return "gpu-packing";
    case placement_policy::fragmentation_gradient: return "fgd";
    case placement_policy::framework: return "framework";
  }
  return "";
}

/// Whether the policy looks at the tasks that come: it then needs a mix of them.
constexpr bool needs_mix(placement_policy policy, const match_weights& weights = {}) {
  return policy == placement_policy::fragmentation_gradient ||
         (policy == placement_policy::framework && weights.fragmentation > 0);
}

/// By what sizes of cores and of GPUs are made comparable: the largest node of the pool.
struct placement_scale {
  double core_thousandths = 1;  ///< > 0
  double gpu_thousandths = 1;   ///< > 0
};

/// The largest node of a pool in each.
constexpr placement_scale scale_of(std::span<const gpu_node> nodes) {
  placement_scale scale;
  for (const gpu_node& host : nodes) {
    scale.core_thousandths =
        std::max(scale.core_thousandths, static_cast<double>(host.core_thousandths));
    scale.gpu_thousandths = std::max(scale.gpu_thousandths, 1.0 * host.gpus * whole_gpu);
  }
  return scale;
}

/// A node's answer to a task: how good it would be, and on which of its GPUs.
struct placement_candidate {
  double score = -std::numeric_limits<double>::infinity();  ///< minus infinity: cannot host it
  gpu_set gpus = 0;
  [[nodiscard]] constexpr bool feasible() const {
    return score > -std::numeric_limits<double>::infinity();
  }
};

/// What of a node is free, or asked for, in parts of the largest node: cores, GPUs.
struct placement_vector {
  double cores = 0;
  double gpus = 0;
};

namespace detail {

constexpr placement_vector parts_of(std::int64_t core_thousandths, int gpu_thousandths,
                                    const placement_scale& scale) {
  return {.cores = static_cast<double>(core_thousandths) / scale.core_thousandths,
          .gpus = gpu_thousandths / scale.gpu_thousandths};
}

/// The score under a policy that looks at the two vectors alone, or at nothing.
inline double vector_score(placement_policy policy, const placement_vector& free,
                           const placement_vector& asked) {
  const placement_vector left{.cores = free.cores - asked.cores, .gpus = free.gpus - asked.gpus};
  switch (policy) {
    case placement_policy::best_fit: return -(left.cores + left.gpus) / 2;
    case placement_policy::worst_fit: return (left.cores + left.gpus) / 2;
    case placement_policy::dot_product: return -(free.cores * asked.cores + free.gpus * asked.gpus);
    case placement_policy::tetris_alignment:
      return free.cores * asked.cores + free.gpus * asked.gpus;
    case placement_policy::norm: return -std::sqrt(left.cores * left.cores + left.gpus * left.gpus);
    default: return 0;
  }
}

/// Three bands: on GPUs in use (2 .. 3], on free GPUs of a node in use (1 .. 2], on an empty one.
inline double packing_score(const gpu_node& host, const gpu_task& task, gpu_set on) {
  if (task.gpus == 0) return 0;
  const int whole = host.whole_free_gpus();
  if (whole == host.gpus) return 1.0 / (1 + whole);
  int opened = 0;
  int spare = 0;
  for (int gpu = 0; gpu < host.gpus; ++gpu) {
    if (((on >> gpu) & 1) == 0) continue;
    const int free = host.free_gpu[static_cast<std::size_t>(gpu)];
    if (free == whole_gpu) ++opened;
    spare += free;
  }
  if (opened > 0) return 1 + 1.0 / (1 + opened);
  return 2 + 1.0 / (1 + spare / static_cast<double>(whole_gpu));
}

/// 100 / (1 + exp(-x)) of a fall of x GPUs, in whole points: 0 .. 100, 50 where nothing changes.
inline double gradient_points(double fall_of_thousandths) {
  return std::floor(100 / (1 + std::exp(-fall_of_thousandths / whole_gpu)));
}

/// The least growth of the expected fragmentation, over the GPUs of different fill. `before` is
/// that of the node as it is.
inline placement_candidate gradient_candidate(const gpu_node& host, const gpu_task& task,
                                              const task_mix& mix, double before) {
  if (task.gpus != 1 || task.gpu_thousandths == whole_gpu) {
    const gpu_set on = choose_gpus(host, task, gpu_choice::least_free);
    const double after = expected_fragmentation(with_task(host, task, on), mix);
    return {.score = gradient_points(before - after), .gpus = on};
  }
  placement_candidate best;
  for (int gpu = 0; gpu < host.gpus; ++gpu) {
    const int free = host.free_gpu[static_cast<std::size_t>(gpu)];
    if (free < task.gpu_thousandths) continue;
    bool seen = false;
    for (int other = 0; other < gpu && !seen; ++other)
      seen = host.free_gpu[static_cast<std::size_t>(other)] == free;
    if (seen) continue;
    const auto on = static_cast<gpu_set>(1U << gpu);
    const double after = expected_fragmentation(with_task(host, task, on), mix);
    const double score = gradient_points(before - after);
    if (score > best.score) best = {.score = score, .gpus = on};
  }
  return best;
}

inline placement_candidate gradient_candidate(const gpu_node& host, const gpu_task& task,
                                              const task_mix& mix) {
  return gradient_candidate(host, task, mix, expected_fragmentation(host, mix));
}

/// The aims that look at cores and GPUs alone, of a node with so much free.
inline match_aims vector_aims(const placement_vector& free, const placement_vector& asked) {
  const double left_cores = free.cores - asked.cores;
  const double left_gpus = free.gpus - asked.gpus;
  return {.fit = 1 + vector_score(placement_policy::best_fit, free, asked),
          .fragmentation = 0,
          .balance = 1 - (std::max)(left_cores - left_gpus, left_gpus - left_cores)};
}

/// The weighted mean of the aims; without a weight of fragmentation no mix is looked at.
inline placement_candidate framework_candidate(const gpu_node& host, const gpu_task& task,
                                               const placement_scale& scale, const task_mix& mix,
                                               const match_weights& weights) {
  match_aims aims =
      vector_aims(parts_of(host.free_core_thousandths, host.free_gpu_thousandths(), scale),
                  parts_of(task.core_thousandths, task.total_gpu_thousandths(), scale));
  placement_candidate found{.gpus = choose_gpus(host, task, gpu_choice::least_free)};
  if (weights.fragmentation > 0) {
    found = gradient_candidate(host, task, mix);
    aims.fragmentation = found.score / 100;
  }
  found.score = match_score(aims, weights);
  return found;
}

}  // namespace detail

/// How well the node suits the task under the policy. With r what is free and d what is asked, both
/// in parts of the largest node, over cores and GPUs:
///
///     best fit     - sum (r - d) / 2        worst fit   + sum (r - d) / 2
///     dot product  - r . d                  Tetris      + r . d
///     norm         - |r - d|                FGD         100 / (1 + exp(F(after) - F(before)))
///     framework    match_score of fit, fragmentation and balance
///
/// with the expected fragmentation F in GPUs. Of equal scores the caller takes the first node, or
/// any. The scores of one policy compare only among themselves. The score of FGD is cut to whole
/// points, as its authors' program cuts it: on the open trace of 2023 without the cut it allocates
/// 0.6 points less of the GPUs, since near ties are then not ties.
///
/// Sources: R. Panigrahy, K. Talwar, L. Uyeda and U. Wieder, "Heuristics for Vector Bin Packing",
/// Microsoft Research, 2011 (dot product and norm); R. Grandl, G. Ananthanarayanan, S. Kandula,
/// S. Rao and A. Akella, "Multi-resource Packing for Cluster Schedulers", SIGCOMM 2014 (Tetris);
/// Q. Weng et al., "Beware of Fragmentation", USENIX ATC 2023, section 6 (the other rules, and the
/// form of the dot product in which the smaller is taken).
inline placement_candidate candidate_of(placement_policy policy, const gpu_node& host,
                                        const gpu_task& task, const placement_scale& scale,
                                        const task_mix& mix, const match_weights& weights = {}) {
  if (!can_host(host, task)) return {};
  if (policy == placement_policy::fragmentation_gradient)
    return detail::gradient_candidate(host, task, mix);
  if (policy == placement_policy::framework)
    return detail::framework_candidate(host, task, scale, mix, weights);

  const gpu_choice within =
      policy == placement_policy::worst_fit ? gpu_choice::most_free : gpu_choice::least_free;
  const gpu_set on = choose_gpus(host, task, within);
  const double score =
      policy == placement_policy::gpu_packing
          ? detail::packing_score(host, task, on)
          : detail::vector_score(
                policy,
                detail::parts_of(host.free_core_thousandths, host.free_gpu_thousandths(), scale),
                detail::parts_of(task.core_thousandths, task.total_gpu_thousandths(), scale));
  return {.score = score, .gpus = on};
}

}  // namespace gpuplan
