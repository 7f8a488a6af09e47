#pragma once
/// \file
/// A bound of the fragmentation gradient's score over many nodes, from a table of the mix.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gpuplan/placement/detail/node_box.hpp>
#include <gpuplan/placement/expected_fragmentation.hpp>
#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/gpu_task.hpp>
#include <gpuplan/placement/placer_policy.hpp>

namespace gpuplan::detail {

/// How far a task can let the expected fragmentation fall at most. A task that takes a share d of a
/// GPU with r free, in thousandths, changes the waste of a kind m of the mix by
///
///     -d               where the node cannot host m, or r < d_m
///     0                where the node can, and r - d >= d_m
///     r - d or more    where the node can, and r - d < d_m <= r
///
/// and one that takes d in all, of GPUs with r free each, lets that of no kind fall by more than d,
/// and that of a kind with d_m <= r that the node can host not at all. Kinds that ask for a type
/// count as those that cannot be hosted, and so do kinds that the least node of a box may not host.
/// Cores are rounded down to one of some levels.
///
/// The cores that a task takes are lost to kinds of one GPU. Of each kind that the node can host
/// before and not after, the fragmentation grows by what the other GPUs have free, of those with at
/// least d_m. Which GPUs the task takes is not known: the bound leaves out those with most free.
class gradient_bound {
 public:
  explicit gradient_bound(const task_mix& mix) {
    for (const task_mix::demand& demand : mix.demands()) kinds_ += demand.steps.size();
    if (mix.empty()) return;
    choose_levels(mix);
    fill_tables(mix);
    fill_fine_table(mix);
    for (std::size_t i = 0; i < points_.size(); ++i)
      points_[i] = static_cast<std::uint8_t>(
          gradient_points(step * (static_cast<int>(i) - static_cast<int>(points_.size() / 2))));
  }

  /// Whether asking this bound costs less than looking up the scores that it saves: those of few
  /// kinds are found where they were kept.
  [[nodiscard]] bool pays() const { return kinds_ >= kinds_that_pay; }

  /// At least the score of each node of the box that can host the task. Where that is below
  /// `least`, any number from it to there may come instead.
  [[nodiscard]] double most_points(const node_box& box, const gpu_task& task,
                                   double least = 0) const {
    const std::size_t before = levels_in((std::max)(box.least_cores, task.core_thousandths));
    const std::size_t level = before / fine_levels_of_level;
    const float* one_gpu = one_gpu_.data() + level * shares;
    const float* more_gpus = more_gpus_.data() + level * counts;
    const auto hosted = [&](int free, int whole) {  // on such a GPU; 0 <= whole <= 16
      return static_cast<double>(one_gpu[free]) +
             (free == whole_gpu ? static_cast<double>(more_gpus[whole]) : 0);
    };
    const int share = task.gpu_thousandths;
    double fall = -1.0 * gpu_node::most_gpus * whole_gpu;
    if (task.gpus != 1 || share == whole_gpu) {
      const int whole = (std::max)(int{box.least_whole}, share == whole_gpu ? task.gpus : 0);
      fall = task.gpus == 0 ? 0 : task.total_gpu_thousandths() * (1.0 - hosted(share, whole));
    } else if (!box.one) {
      const int free = (std::max)(share, box.least_free(share));
      fall = share * (1.0 - hosted(free, box.least_whole));
    } else {
      int last = -1;
      for (const std::int16_t free : box.pieces) {
        if (free < share) break;
        if (free == last) continue;
        last = free;
        const double stranded_for =
            static_cast<double>(one_gpu[free]) * lower - static_cast<double>(one_gpu[free - share]);
        const double rest = (free - share) * (std::max)(0.0, stranded_for);
        fall = (std::max)(fall, share * (1.0 - hosted(free, box.least_whole)) - rest);
      }
    }
    const double points = points_of(fall);
    return points < least ? points : points_of(fall - stranded_by_cores(box, task, before));
  }

 private:
  /// With 300 kinds a replay takes 1.4 times as long with the bound, with 1 000 a third: the round
  /// number between.
  static constexpr std::size_t kinds_that_pay = 512;
  static constexpr std::size_t levels = 16;
  static constexpr std::size_t fine_levels = 64;  // of cores; a row of 63 numbers each, 16 KiB
  static constexpr std::size_t fine_levels_of_level = fine_levels / levels;
  static constexpr std::size_t most_bins = 4096;  // of cores; a byte each
  static constexpr std::size_t fills = whole_gpu / node_box::fill_step + 1;
  static constexpr std::size_t shares = whole_gpu + 1;
  static constexpr std::size_t counts = gpu_node::most_gpus + 1;
  static constexpr double lower = 1 - 1e-6;  // more than all roundings of a sum of shares
  static constexpr double step = 4;          // thousandths of a GPU, between two entries of points_

  /// At least what kinds of one GPU waste more of the GPUs that the task leaves alone, on each node
  /// of the box; `before` is the fine level of the cores that each has free at least.
  [[nodiscard]] double stranded_by_cores(const node_box& box, const gpu_task& task,
                                         std::size_t before) const {
    auto k = static_cast<std::size_t>(task.gpus);
    if (k >= box.least_fills.size() || box.least_fills[k] == 0) return 0;
    const std::size_t after = levels_in(box.most_cores - task.core_thousandths - 1) + 1;
    if (after >= before) return 0;
    const float* most = by_fill_.data() + before * fills;
    const float* least = by_fill_.data() + after * fills;
    double stranded = 0;
    for (; k < box.least_fills.size() && box.least_fills[k] > 0; ++k) {
      const std::size_t fill = box.least_fills[k];
      const double kinds =
          static_cast<double>(most[fill]) * lower - static_cast<double>(least[fill]);
      stranded += static_cast<double>(fill) * (std::max)(0.0, kinds);
    }
    return node_box::fill_step * stranded;
  }

  /// How many of the fine levels ask for at most so many cores.
  [[nodiscard]] std::size_t levels_in(std::int64_t cores) const {
    if (cores < 0) return 0;
    const auto bin = static_cast<std::size_t>(cores >> bin_bits_);
    if (bin >= levels_below_.size()) return fine_levels;
    std::size_t level = levels_below_[bin];
    while (level < fine_levels && fine_cores_[level] <= cores) ++level;
    return level;
  }

  /// The points of a fall, rounded up to a step; all of them where it is beyond the table.
  [[nodiscard]] double points_of(double fall) const {
    const int middle = static_cast<int>(points_.size() / 2);
    const int at = middle + 1 + static_cast<int>(fall / step + rounding);
    return at < static_cast<int>(points_.size())
               ? points_[static_cast<std::size_t>((std::max)(at, 0))]
               : 100;
  }
  static constexpr double rounding = 1e-3;  // of a fall, in steps

  /// Amounts of cores that equal parts of the steps of the mix ask for at most.
  void choose_levels(const task_mix& mix) {
    std::vector<std::int64_t> asked;
    for (const task_mix::demand& demand : mix.demands())
      for (const auto& one : demand.steps) asked.push_back(one.core_thousandths);
    std::sort(asked.begin(), asked.end());
    for (std::size_t level = 0; level < fine_levels; ++level)
      fine_cores_[level] = asked[(asked.size() - 1) * (level + 1) / fine_levels];
    while ((fine_cores_.back() >> bin_bits_) >= static_cast<std::int64_t>(most_bins)) ++bin_bits_;
    const auto bins = static_cast<std::size_t>(fine_cores_.back() >> bin_bits_) + 1;
    std::size_t below = 0;
    for (std::size_t bin = 0; bin < bins; ++bin) {
      const auto from = static_cast<std::int64_t>(bin << bin_bits_);
      while (below < fine_levels && fine_cores_[below] < from) ++below;
      levels_below_.push_back(static_cast<std::uint8_t>(below));
    }
  }

  void fill_tables(const task_mix& mix) {
    one_gpu_.assign((levels + 1) * shares, 0);
    more_gpus_.assign((levels + 1) * counts, 0);
    for (std::size_t level = 1; level <= levels; ++level) {
      std::array<double, shares> one{};
      std::array<double, counts> more{};
      const std::int64_t cores = fine_cores_[fine_levels_of_level * level - 1];
      for (const task_mix::demand& demand : mix.demands()) {
        if (demand.gpus == 0 || demand.accepted_types != 0) continue;
        const double share = lower * demand.with_cores(cores);
        if (demand.gpus == 1)
          one[static_cast<std::size_t>(demand.gpu_thousandths)] += share;
        else
          more[static_cast<std::size_t>(demand.gpus)] += share;
      }
      add_up(one, one_gpu_.data() + level * shares);
      add_up(more, more_gpus_.data() + level * counts);
    }
  }
  void fill_fine_table(const task_mix& mix) {
    by_fill_.assign((fine_levels + 1) * fills, 0);
    for (std::size_t level = 1; level <= fine_levels; ++level) {
      std::array<double, fills> parts{};
      for (const task_mix::demand& demand : mix.demands()) {
        if (demand.gpus != 1 || demand.accepted_types != 0) continue;
        const int fill = (demand.gpu_thousandths + node_box::fill_step - 1) / node_box::fill_step;
        if (static_cast<std::size_t>(fill) < fills)
          parts[static_cast<std::size_t>(fill)] +=
              lower * demand.with_cores(fine_cores_[level - 1]);
      }
      add_up(parts, by_fill_.data() + level * fills);
    }
  }

  template <std::size_t Size>
  static void add_up(const std::array<double, Size>& parts, float* sums) {
    double sum = 0;
    for (const double part : parts) *sums++ = static_cast<float>(sum += part);
  }

  std::size_t kinds_ = 0;
  /// By level, each of several fine ones, 0 where no kind may be hosted: at [share] the part of the
  /// mix that asks for one GPU and at most this share of it; at [gpus] that for more GPUs, and at
  /// most so many.
  std::vector<float> one_gpu_{};
  std::vector<float> more_gpus_{};
  std::array<std::int64_t, fine_levels> fine_cores_{};  // rising
  int bin_bits_ = 0;
  std::vector<std::uint8_t> levels_below_{};  // the first of each of equal parts of their range
  /// By level of these: at [i] the part of the mix that asks for one GPU and at most i steps of it.
  std::vector<float> by_fill_{};
  std::array<std::uint8_t, 2001> points_{};  // of falls of - 1000 steps to 1000 steps
};

}  // namespace gpuplan::detail
