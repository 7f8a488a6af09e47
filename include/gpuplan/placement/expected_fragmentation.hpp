#pragma once
/// \file
/// Fragmentation as FGD defines it: free GPUs that the next task, drawn from a mix, cannot use.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/gpu_task.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// A kind of task and how often it comes.
struct task_share {
  gpu_task task{};
  double popularity = 0;  ///< > 0; need not sum to 1
};

/// The kinds of task that come, gathered by what they ask of the GPUs, so that the expected
/// fragmentation of a node takes one pass over these and not one over all kinds.
class task_mix {
 public:
  task_mix() = default;

  /// \throws invalid_input if there is none, a popularity is not > 0 and finite, or a task invalid
  explicit task_mix(std::span<const task_share> kinds) {
    require(!kinds.empty(), "task_mix: kinds must be >= 1");
    double sum = 0;
    for (const task_share& kind : kinds) {
      require_valid(kind.task);
      require(kind.popularity > 0 && kind.popularity < 1e300,
              "task_mix: popularity must be > 0 and finite");
      sum += kind.popularity;
    }
    std::map<std::array<std::uint64_t, 3>, std::size_t> places;
    for (const task_share& kind : kinds) {
      demand& asked = demand_of(kind.task, places);
      asked.popularity += kind.popularity / sum;
      asked.steps.push_back({kind.task.core_thousandths, kind.popularity / sum});
    }
    finish();
  }

  [[nodiscard]] bool empty() const { return demands_.empty(); }

  /// What the kinds with these GPUs ask of the cores, sorted, with the share that asks no more.
  struct demand {
    int gpus = 0;
    int gpu_thousandths = 0;  ///< 0 where no GPU is asked for
    std::uint64_t accepted_types = 0;
    double popularity = 0;  ///< of all of these kinds
    /// A step of the distribution of cores.
    struct step {
      std::int64_t core_thousandths = 0;
      double popularity = 0;  ///< of those that ask at most so many cores
    };
    std::vector<step> steps{};
    std::int64_t least_cores = 0;  ///< of the first step and of the last: most nodes have fewer
    std::int64_t most_cores = 0;   ///< or more, and no step between is looked for
    /// The share of all tasks that asks for these GPUs and at most so many cores.
    [[nodiscard]] double with_cores(std::int64_t core_thousandths) const {
      if (core_thousandths >= most_cores) return steps.back().popularity;
      if (core_thousandths < least_cores) return 0;
      const auto beyond = std::upper_bound(
          steps.begin(), steps.end(), core_thousandths,
          [](std::int64_t c, const step& one) { return c < one.core_thousandths; });
      return (beyond - 1)->popularity;
    }
  };
  /// Sorted by thousandths of a GPU.
  [[nodiscard]] std::span<const demand> demands() const { return demands_; }

 private:
  /// The demand that asks the same of the GPUs, a new one where there is none.
  demand& demand_of(const gpu_task& task,
                    std::map<std::array<std::uint64_t, 3>, std::size_t>& places) {
    const demand asked{.gpus = task.gpus,
                       .gpu_thousandths = task.gpus == 0 ? 0 : task.gpu_thousandths,
                       .accepted_types = task.gpus == 0 ? 0 : task.accepted_types,
                       .popularity = 0,
                       .steps = {},
                       .least_cores = 0,
                       .most_cores = 0};
    const std::array key{static_cast<std::uint64_t>(asked.gpus),
                         static_cast<std::uint64_t>(asked.gpu_thousandths), asked.accepted_types};
    const auto [place, added] = places.try_emplace(key, demands_.size());
    if (added) demands_.push_back(asked);
    return demands_[place->second];
  }

  void finish() {
    std::sort(demands_.begin(), demands_.end(), [](const demand& left, const demand& right) {
      return left.gpu_thousandths < right.gpu_thousandths;
    });
    for (demand& d : demands_) {
      std::sort(d.steps.begin(), d.steps.end(), [](const auto& left, const auto& right) {
        return left.core_thousandths < right.core_thousandths;
      });
      double below = 0;
      for (auto& step : d.steps) step.popularity = below += step.popularity;
      d.least_cores = d.steps.front().core_thousandths;
      d.most_cores = d.steps.back().core_thousandths;
    }
  }

  std::vector<demand> demands_;
};

/// Expected fragmentation of a node: thousandths of its free GPUs that the next task cannot use.
///
///     F(M) = sum over kinds m of  p_m F(m)
///     F(m) = sum_g r_g                  where m asks for no GPU, has no access to the type, or
///                                       cannot be hosted (cores, or fewer than k_m GPUs with
///                                       r_g >= d_m)
///          = sum of r_g over r_g < d_m  otherwise
///
///     r_g       free share of GPU g           thousandths
///     k_m, d_m  GPUs of kind m, share of each count, thousandths
///     p_m       popularity of kind m          fraction, of sum 1
///
/// The host's memory is not looked at, as in the source. Rare kinds with many GPUs matter: leaving
/// them out of the mix makes the policy built on this worse than best fit.
///
/// Source: Q. Weng, L. Yang, Y. Yu, W. Wang, X. Tang, G. Yang and L. Zhang, "Beware of
/// Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation Gradient Descent", USENIX
/// ATC 2023, section 3.
inline double expected_fragmentation(const gpu_node& host, const task_mix& mix) {
  std::array<int, gpu_node::most_gpus> sorted{};
  const auto count = static_cast<std::size_t>(host.gpus);
  int total = 0;
  for (std::size_t gpu = 0; gpu < count; ++gpu) {
    const int piece = host.free_gpu[gpu];
    total += piece;
    std::size_t at = gpu;
    for (; at > 0 && sorted[at - 1] > piece; --at) sorted[at] = sorted[at - 1];
    sorted[at] = piece;
  }
  if (total == 0) return 0;

  double wasted = 0;
  std::size_t smaller = 0;  // pieces below what the demand at hand asks of each
  int below = 0;            // their sum
  for (const task_mix::demand& demand : mix.demands()) {
    if (demand.gpus == 0) {
      wasted += demand.popularity * total;
      continue;
    }
    for (; smaller < count && sorted[smaller] < demand.gpu_thousandths; ++smaller)
      below += sorted[smaller];
    const bool accepted =
        demand.accepted_types == 0 || ((demand.accepted_types >> host.type) & 1U) != 0;
    if (!accepted || static_cast<int>(count - smaller) < demand.gpus) {
      wasted += demand.popularity * total;
      continue;
    }
    const double hosted = demand.with_cores(host.free_core_thousandths);
    wasted += hosted * below + (demand.popularity - hosted) * total;
  }
  return wasted;
}

}  // namespace gpuplan
