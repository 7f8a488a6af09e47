#pragma once
/// \file
/// What of a node's free GPUs the tasks of a mix can use, from sums over the mix made beforehand.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <gpuplan/placement/detail/core_amounts.hpp>
#include <gpuplan/placement/detail/mix_sums.hpp>
#include <gpuplan/placement/expected_fragmentation.hpp>
#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/gpu_task.hpp>

namespace gpuplan::detail {

/// The expected fragmentation F of a node with r_g free of GPU g is what is free less what the mix
/// can use of it:
///
///     F = sum_g r_g - U
///     U = sum_g r_g P(r_g)  +  sum over kinds m with k_m >= 2 of  p_m sum of r_g over r_g >= d_m
///
///     P, p_m  shares of the mix as mix_sums has them
///     k_m     GPUs of kind m, d_m of each; those with fewer GPUs of r_g >= d_m on the node do not
///             count
///
/// Sums are in another order than those of expected_fragmentation, so that they differ by
/// roundings: by `margin` at most.
class mix_table {
 public:
  using free_pieces = std::array<std::int16_t, gpu_node::most_gpus>;  ///< falling, then 0

  explicit mix_table(const task_mix& mix) : mix_table{mix, steps_of(mix)} {}

  /// Whether there is a table: not where too many kinds differ in what they ask of several GPUs.
  [[nodiscard]] bool exists() const { return sums_.levels() > 0; }
  [[nodiscard]] std::size_t kinds() const { return kinds_; }
  /// More than the roundings of two falls that follow from the table, and from
  /// expected_fragmentation.
  [[nodiscard]] double margin() const { return margin_; }

  /// How many of the amounts of cores that tasks of the mix ask for are there.
  [[nodiscard]] std::size_t amounts_in(std::int64_t core_thousandths) const {
    return amounts_.within(core_thousandths);
  }

  /// U of a node, in thousandths. `amounts` is amounts_in its free cores.
  [[nodiscard]] double useful(const free_pieces& free, int type, std::size_t amounts) const {
    return used_by(sums_.at(amounts, type), free);
  }

  /// The fewest cores, in thousandths, in which there are so many amounts.
  [[nodiscard]] std::int64_t cores_of(std::size_t amounts) const {
    return amounts_.largest_of(amounts);
  }

  /// amounts_in the fewest cores with which U of a node is what it is: those of the kind that asks
  /// for most of the kinds that it can host. `amounts` is amounts_in its free cores.
  [[nodiscard]] std::size_t least_amounts(const free_pieces& free, int type,
                                          std::size_t amounts) const {
    std::size_t level = sums_.level_of(amounts);
    const kind* last =
        last_hosted(free, type, sums_.kinds_of_level(level), sums_.kinds_within(amounts));
    if (last != nullptr) return amounts_in(last->core_thousandths);
    // The first level with as many: its last kinds are those of the most cores.
    const double all = hosted_by(sums_.at_level(level, type), free);
    for (std::size_t from = 0; from < level;) {
      const std::size_t middle = (from + level) / 2;
      if (hosted_by(sums_.at_level(middle, type), free) == all)
        level = middle;
      else
        from = middle + 1;
    }
    if (level == 0) return 0;
    last = last_hosted(free, type, sums_.kinds_of_level(level - 1), sums_.kinds_of_level(level));
    return last == nullptr ? 0 : amounts_in(last->core_thousandths);
  }

  /// Which GPU a task of a share of one takes: one with so much free, or the best.
  static constexpr int any_piece = 0;

  /// U of a node after it hosts the task, at its most over the GPUs that the policy chooses among;
  /// `amounts` is of the cores that are left then.
  [[nodiscard]] double useful_after(const free_pieces& free, int type, std::size_t amounts,
                                    const gpu_task& task, int piece = any_piece) const {
    return most_used_by(sums_.at(amounts, type), free, task, piece);
  }

  /// Bounds of that which cost less, least and most; equal where exact, or not `asked(most)`.
  template <class Asked>
  [[nodiscard]] std::pair<double, double> bounds_after(const free_pieces& free, int type,
                                                       std::size_t amounts, const gpu_task& task,
                                                       const Asked& asked,
                                                       int piece = any_piece) const {
    const bool exact = sums_.is_level(amounts);
    const double most = most_used_by(level_above(amounts, type), free, task, piece);
    if (exact || !asked(most)) return {most, most};
    return {most_used_by(level_below(amounts, type), free, task, piece), most};
  }

  /// At least by how much F falls when a node that can host the task does, in thousandths: what
  /// kinds lose that ask for several GPUs, and on GPUs that the task does not take, is left out.
  /// `before` and `after` are amounts_in the cores that are free then.
  [[nodiscard]] double most_fall(const free_pieces& free, int type, std::size_t before,
                                 std::size_t after, const gpu_task& task) const {
    if (task.gpus == 0) return 0;
    const kept_row least = level_below(before, type);
    const kept_row most = level_above(after, type);
    const int asked = task.gpu_thousandths;
    const auto rise = [&](int piece) {  // of what kinds of one GPU can use of it
      const int left = piece - asked;
      return (left > 0 ? left * most.one(left) : 0) - piece * least.one(piece);
    };
    std::size_t enough = 0;
    while (enough < free.size() && free[enough] >= asked) ++enough;
    if (task.gpus > 1 || asked == whole_gpu) {  // those with least that have enough
      double sum = task.total_gpu_thousandths();
      for (std::size_t at = enough - static_cast<std::size_t>(task.gpus); at < enough; ++at)
        sum += rise(free[at]);
      return sum;
    }
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t at = 0; at < enough; ++at)
      if (at == 0 || free[at - 1] != free[at]) largest = (std::max)(largest, rise(free[at]));
    return asked + largest;
  }

 private:
  using kind = mix_sums::kind;
  using group = mix_sums::group;
  using kept_row = mix_sums::kept_row;

  mix_table(const task_mix& mix, std::vector<std::int64_t> steps)
      : kinds_{steps.size()}, amounts_{std::move(steps)}, sums_{mix, amounts_} {}

  /// The cores of each kind.
  static std::vector<std::int64_t> steps_of(const task_mix& mix) {
    std::vector<std::int64_t> all;
    for (const task_mix::demand& demand : mix.demands())
      for (const auto& step : demand.steps) all.push_back(step.core_thousandths);
    return all;
  }

  /// Sums of no more kinds than the amounts of cores rule in; and of no fewer.
  [[nodiscard]] kept_row level_below(std::size_t amounts, int type) const {
    return sums_.at_level(sums_.level_of(amounts), type);
  }
  [[nodiscard]] kept_row level_above(std::size_t amounts, int type) const {
    return sums_.at_level(sums_.level_of(amounts) + (sums_.is_level(amounts) ? 0U : 1U), type);
  }

  static bool can_host(const group& kinds, const free_pieces& free) {
    return free[static_cast<std::size_t>(kinds.gpus) - 1] >= kinds.thousandths;
  }

  /// The share of the mix that GPUs with so much free can host.
  [[nodiscard]] double hosted_by(const kept_row& row, const free_pieces& free) const {
    const std::span<const group> groups = sums_.groups();
    double share = row.one(free[0]);
    for (std::size_t g = 0; g < groups.size(); ++g)
      if (can_host(groups[g], free)) share += row.many(g);
    return share;
  }

  /// The last of some kinds, by their cores, that such GPUs can host; null if there is none.
  [[nodiscard]] const kind* last_hosted(const free_pieces& free, int type, std::size_t from,
                                        std::size_t to) const {
    const std::size_t of_class = sums_.class_of(type);
    const std::uint16_t most = sums_.place_of(free[0]);
    for (; to > from; --to) {
      const kind& each = sums_.kinds()[to - 1];
      if (!sums_.accepts(of_class, each)) continue;
      const bool hosted = (each.place & mix_sums::several) == 0
                              ? each.place <= most
                              : can_host(sums_.groups()[each.place ^ mix_sums::several], free);
      if (hosted) return &each;
    }
    return nullptr;
  }

  template <class Row>
  static double used_by_many(const Row& row, const free_pieces& free) {
    double used = 0;
    const std::span<const group> groups = row.of().groups();
    for (std::size_t g = 0; g < groups.size(); ++g) {
      int count = 0;
      int sum = 0;
      for (const std::int16_t piece : free) {
        if (piece < groups[g].thousandths) break;
        ++count;
        sum += piece;
      }
      if (count >= groups[g].gpus) used += sum * row.many(g);
    }
    return used;
  }

  template <class Row>
  static double used_by_one(const Row& row, const free_pieces& free) {
    double used = 0;
    for (std::size_t at = 0; at < free.size() && free[at] > 0;) {
      const std::int16_t piece = free[at];
      int sum = 0;
      for (; at < free.size() && free[at] == piece; ++at) sum += piece;
      used += sum * row.one(piece);
    }
    return used;
  }

  template <class Row>
  static double used_by(const Row& row, const free_pieces& free) {
    return used_by_one(row, free) + used_by_many(row, free);
  }

  /// Without the pieces from `at` on, each with so much less free, and in order again.
  static free_pieces without(free_pieces free, std::size_t at, int count, int thousandths) {
    for (int i = 0; i < count; ++i)
      free[at + static_cast<std::size_t>(i)] =
          static_cast<std::int16_t>(free[at + static_cast<std::size_t>(i)] - thousandths);
    std::sort(free.begin(), free.end(), std::greater<>());
    return free;
  }

  template <class Row>
  static double most_used_by(const Row& row, const free_pieces& free, const gpu_task& task,
                             int wanted) {
    if (task.gpus == 0) return used_by(row, free);
    const int asked = task.gpu_thousandths;
    std::size_t enough = 0;
    while (enough < free.size() && free[enough] >= asked) ++enough;
    if (task.gpus > 1 || asked == whole_gpu)  // those with least that have enough
      return used_by(row,
                     without(free, enough - static_cast<std::size_t>(task.gpus), task.gpus, asked));

    const double before = used_by_one(row, free);
    const double many = used_by_many(row, free);
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t at = 0; at < enough; ++at) {
      const int piece = free[at];
      if ((at > 0 && free[at - 1] == piece) || (wanted != any_piece && piece != wanted)) continue;
      const int left = piece - asked;
      const double one = before - piece * row.one(piece) + (left > 0 ? left * row.one(left) : 0);
      most = (std::max)(most, one + (piece < row.of().least_of_groups()
                                         ? many
                                         : used_by_many(row, without(free, at, 1, asked))));
    }
    return most;
  }

  std::size_t kinds_;
  core_amounts amounts_;
  mix_sums sums_;
  // A fall is a difference of sums of all kinds, each times what a node has; four such sums meet.
  double margin_ = 1e-6 + 8.0 * gpu_node::most_gpus * whole_gpu *
                              static_cast<double>(kinds_ + 100) *
                              std::numeric_limits<double>::epsilon();
};

}  // namespace gpuplan::detail
