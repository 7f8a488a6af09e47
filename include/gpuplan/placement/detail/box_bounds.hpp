#pragma once
/// \file
/// Bounds of the scores of the nodes of a box, under the policies that look at no mix of tasks.

#include <algorithm>
#include <cstdint>

#include <gpuplan/placement/detail/node_box.hpp>
#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/gpu_task.hpp>
#include <gpuplan/placement/placer_policy.hpp>

namespace gpuplan::detail {

inline constexpr double rounding_of_scores = 1e-9;  ///< more than all of a score's roundings

/// The score of the least, or of the most, that a node of the box may have free. In best fit and
/// worst fit cores and GPUs count alike, so what is free of both bounds the score too.
inline double vector_bound(placement_policy policy, const node_box& box, const gpu_task& task,
                           const placement_vector& asked, const placement_scale& scale) {
  const bool most =
      policy == placement_policy::worst_fit || policy == placement_policy::tetris_alignment;
  const std::int64_t cores =
      most ? box.most_cores : (std::max)(box.least_cores, task.core_thousandths);
  const int gpus =
      most ? box.most_gpu : (std::max)(int{box.least_gpu}, task.total_gpu_thousandths());
  const double corner = vector_score(policy, parts_of(cores, gpus, scale), asked);
  const double parts = asked.cores + asked.gpus;
  if (policy == placement_policy::worst_fit)
    return (std::min)(corner,
                      (static_cast<double>(box.most_parts) - parts) / 2 + rounding_of_scores);
  if (policy == placement_policy::best_fit)
    return (std::min)(corner,
                      (parts - static_cast<double>(box.least_parts)) / 2 + rounding_of_scores);
  return corner;
}

/// At least the packing score of each node of the box, of which `host` is one.
inline double packing_bound(const node_box& box, const gpu_node& host, const gpu_task& task) {
  if (box.one) return packing_score(host, task, choose_gpus(host, task, gpu_choice::least_free));
  if (task.gpus == 0) return 0;
  if (box.most_piece >= task.gpu_thousandths) {
    const int spare = task.gpus * (std::max)(int{box.least_piece}, task.gpu_thousandths);
    return 2 + 1.0 / (1 + spare / static_cast<double>(whole_gpu));
  }
  return box.in_use ? 1 + 1.0 / (1 + task.gpus) : 1.0 / (1 + box.least_empty);
}

}  // namespace gpuplan::detail
