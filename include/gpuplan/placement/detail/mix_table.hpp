#pragma once
/// \file
/// What of a node's free GPUs the tasks of a mix can use, from sums over the mix made beforehand.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <utility>
#include <vector>

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
///     P(r)  share of the mix that asks for one GPU, at most r of it, a type that the node has, and
///           no more cores than the node has free
///     k_m   GPUs of kind m, d_m of each; those with fewer GPUs of r_g >= d_m on the node do not
///           count, nor those that the type or the cores rule out
///
/// P is kept at some amounts of cores; of the kinds that ask for amounts between two of these there
/// is a list. Sums are in another order than those of expected_fragmentation, so that they differ
/// by roundings: by `margin` at most.
class mix_table {
 public:
  using free_pieces = std::array<std::int16_t, gpu_node::most_gpus>;  ///< falling, then 0

  explicit mix_table(const task_mix& mix) {
    for (const task_mix::demand& demand : mix.demands())
      for (const auto& step : demand.steps) amounts_.push_back(step.core_thousandths);
    std::sort(amounts_.begin(), amounts_.end());
    items_ = amounts_.size();
    amounts_.erase(std::unique(amounts_.begin(), amounts_.end()), amounts_.end());
    index_amounts();
    if (!gather_axes(mix)) return;
    gather_kinds(mix);
    choose_levels();
    fill_tables();
  }

  /// Whether there is a table: not where too many kinds differ in what they ask of several GPUs.
  [[nodiscard]] bool exists() const { return levels_ > 0; }
  [[nodiscard]] std::size_t kinds() const { return items_; }
  /// More than the roundings of two falls that follow from the table, and from
  /// expected_fragmentation.
  [[nodiscard]] double margin() const { return margin_; }

  /// How many of the amounts of cores that tasks of the mix ask for are there.
  [[nodiscard]] std::size_t amounts_in(std::int64_t core_thousandths) const {
    if (core_thousandths < 0 || amounts_.empty()) return 0;
    const auto bin = static_cast<std::size_t>(core_thousandths >> bin_bits_);
    if (bin + 1 >= bins_.size()) return amounts_.size();
    if (bin_bits_ == 0) return bins_[bin + 1];
    const auto from = amounts_.begin() + bins_[bin];
    return static_cast<std::size_t>(
        std::upper_bound(from, amounts_.begin() + bins_[bin + 1], core_thousandths) -
        amounts_.begin());
  }

  /// U of a node, in thousandths. `amounts` is amounts_in its free cores.
  [[nodiscard]] double useful(const free_pieces& free, int type, std::size_t amounts) const {
    return used_by(exact_row{this, type, amounts}, free);
  }

  /// The fewest cores, in thousandths, in which there are so many amounts.
  [[nodiscard]] std::int64_t cores_of(std::size_t amounts) const {
    return amounts == 0 ? 0 : amounts_[amounts - 1];
  }

  /// amounts_in the fewest cores with which U of a node is what it is: those of the kind that asks
  /// for most of the kinds that it can host. `amounts` is amounts_in its free cores.
  [[nodiscard]] std::size_t least_amounts(const free_pieces& free, int type,
                                          std::size_t amounts) const {
    std::size_t level = level_of_[amounts];
    const kind* last = last_hosted(free, type, level_ends_[level], kinds_up_to_[amounts]);
    if (last != nullptr) return amounts_in(last->core_thousandths);
    // The first level with as many: its last kinds are those of the most cores.
    const double all = hosted_by(kept_row{this, type, level}, free);
    for (std::size_t from = 0; from < level;) {
      const std::size_t middle = (from + level) / 2;
      if (hosted_by(kept_row{this, type, middle}, free) == all)
        level = middle;
      else
        from = middle + 1;
    }
    if (level == 0) return 0;
    last = last_hosted(free, type, level_ends_[level - 1], level_ends_[level]);
    return last == nullptr ? 0 : amounts_in(last->core_thousandths);
  }

  /// Which GPU a task of a share of one takes: one with so much free, or the best.
  static constexpr int any_piece = 0;

  /// U of a node after it hosts the task, at its most over the GPUs that the policy chooses among;
  /// `amounts` is of the cores that are left then.
  [[nodiscard]] double useful_after(const free_pieces& free, int type, std::size_t amounts,
                                    const gpu_task& task, int piece = any_piece) const {
    return most_used_by(exact_row{this, type, amounts}, free, task, piece);
  }

  /// Bounds of that which cost less, least and most; equal where exact, or not `asked(most)`.
  template <class Asked>
  [[nodiscard]] std::pair<double, double> bounds_after(const free_pieces& free, int type,
                                                       std::size_t amounts, const gpu_task& task,
                                                       const Asked& asked,
                                                       int piece = any_piece) const {
    const bool exact = kinds_up_to_[amounts] == level_ends_[level_of_[amounts]];
    const kept_row above{this, type, level_of_[amounts] + (exact ? 0U : 1U)};
    const double most = most_used_by(above, free, task, piece);
    if (exact || !asked(most)) return {most, most};
    return {most_used_by(kept_row{this, type, level_of_[amounts]}, free, task, piece), most};
  }

  /// At least by how much F falls when a node that can host the task does, in thousandths: what
  /// kinds lose that ask for several GPUs, and on GPUs that the task does not take, is left out.
  /// `before` and `after` are amounts_in the cores that are free then.
  [[nodiscard]] double most_fall(const free_pieces& free, int type, std::size_t before,
                                 std::size_t after, const gpu_task& task) const {
    if (task.gpus == 0) return 0;
    const kept_row least{this, type, level_of_[before]};
    const bool exact = kinds_up_to_[after] == level_ends_[level_of_[after]];
    const kept_row most{this, type, level_of_[after] + (exact ? 0U : 1U)};
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
  static constexpr std::size_t most_groups = 24;
  static constexpr std::size_t most_levels = 512;
  static constexpr std::size_t most_entries = std::size_t{1} << 22;  // 32 MiB
  static constexpr std::size_t most_bins = std::size_t{1} << 17;  // a thousandth each, to 131 cores
  static constexpr std::uint16_t several = 0x8000;                // flag of a group's number

  /// A kind of task. `place` is that of its share among the shares of one GPU, or the number of the
  /// group and `several`.
  struct kind {
    std::int64_t core_thousandths = 0;
    double popularity = 0;
    std::uint16_t place = 0;
    std::uint16_t accepted = 0;  // number of its set of accepted types
  };
  /// Kinds that ask for several GPUs, with the same share of each.
  struct group {
    int gpus = 0;
    int thousandths = 0;
  };

  /// Sums at a level of cores.
  class kept_row {
   public:
    kept_row(const mix_table* table, int type, std::size_t level)
        : table_{table},
          sums_{table->sums_.data() +
                (table->class_of_[static_cast<std::size_t>(type)] * table->levels_ + level) *
                    table->width_} {}
    [[nodiscard]] double one(int thousandths) const {
      return sums_[table_->place_of_[static_cast<std::size_t>(thousandths)]];
    }
    [[nodiscard]] double many(std::size_t group) const { return sums_[table_->shares_ + group]; }
    [[nodiscard]] const mix_table& table() const { return *table_; }

   private:
    const mix_table* table_;
    const double* sums_;
  };

  /// Sums at any amount of cores: those of the level below, and of kinds from there on.
  class exact_row {
   public:
    exact_row(const mix_table* table, int type, std::size_t amounts)
        : below_{table, type, table->level_of_[amounts]},
          class_{table->class_of_[static_cast<std::size_t>(type)]},
          from_{table->kinds_.data() + table->level_ends_[table->level_of_[amounts]]},
          to_{table->kinds_.data() + table->kinds_up_to_[amounts]} {}
    [[nodiscard]] double one(int thousandths) const {
      double sum = below_.one(thousandths);
      const std::uint16_t place = table().place_of_[static_cast<std::size_t>(thousandths)];
      for (const kind* each = from_; each != to_; ++each)
        if (each->place <= place && table().accepts(class_, each->accepted))
          sum += each->popularity;
      return sum;
    }
    [[nodiscard]] double many(std::size_t group) const {
      double sum = below_.many(group);
      for (const kind* each = from_; each != to_; ++each)
        if (each->place == (group | several) && table().accepts(class_, each->accepted))
          sum += each->popularity;
      return sum;
    }
    [[nodiscard]] const mix_table& table() const { return below_.table(); }

   private:
    kept_row below_;
    std::size_t class_;
    const kind* from_;
    const kind* to_;
  };

  static bool can_host(const group& kinds, const free_pieces& free) {
    return free[static_cast<std::size_t>(kinds.gpus) - 1] >= kinds.thousandths;
  }

  /// The share of the mix that GPUs with so much free can host.
  [[nodiscard]] double hosted_by(const kept_row& row, const free_pieces& free) const {
    double share = row.one(free[0]);
    for (std::size_t g = 0; g < groups_.size(); ++g)
      if (can_host(groups_[g], free)) share += row.many(g);
    return share;
  }

  /// The last of some kinds, by their cores, that such GPUs can host; null if there is none.
  [[nodiscard]] const kind* last_hosted(const free_pieces& free, int type, std::size_t from,
                                        std::size_t to) const {
    const std::size_t of_class = class_of_[static_cast<std::size_t>(type)];
    const std::uint16_t most = place_of_[static_cast<std::size_t>(free[0])];
    for (; to > from; --to) {
      const kind& each = kinds_[to - 1];
      if (!accepts(of_class, each.accepted)) continue;
      const bool hosted = (each.place & several) == 0
                              ? each.place <= most
                              : can_host(groups_[each.place ^ several], free);
      if (hosted) return &each;
    }
    return nullptr;
  }

  template <class Row>
  static double used_by_many(const Row& row, const free_pieces& free) {
    double used = 0;
    const std::vector<group>& groups = row.table().groups_;
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
      most = (std::max)(most, one + (piece < row.table().least_of_groups_
                                         ? many
                                         : used_by_many(row, without(free, at, 1, asked))));
    }
    return most;
  }

  [[nodiscard]] bool accepts(std::size_t of_class, std::size_t accepted) const {
    return accepts_[of_class * sets_ + accepted] != 0;
  }

  void index_amounts() {
    if (amounts_.empty()) return;
    while ((amounts_.back() >> bin_bits_) >= static_cast<std::int64_t>(most_bins)) ++bin_bits_;
    const auto bins = static_cast<std::size_t>(amounts_.back() >> bin_bits_) + 1;
    bins_.reserve(bins + 1);
    std::uint32_t below = 0;
    for (std::size_t bin = 0; bin <= bins; ++bin) {
      const auto from = static_cast<std::int64_t>(bin) << bin_bits_;
      while (below < amounts_.size() && amounts_[below] < from) ++below;
      bins_.push_back(below);
    }
  }

  /// Shares of one GPU, groups of several, and classes of types that the same kinds accept.
  bool gather_axes(const task_mix& mix) {
    std::array<bool, whole_gpu + 1> asked{};
    std::map<std::uint64_t, std::size_t> sets;
    for (const task_mix::demand& demand : mix.demands()) {
      if (demand.gpus == 0) continue;
      sets.try_emplace(demand.accepted_types, sets.size());
      if (demand.gpus == 1)
        asked[static_cast<std::size_t>(demand.gpu_thousandths)] = true;
      else if (group_of(demand) == groups_.size())
        groups_.push_back({demand.gpus, demand.gpu_thousandths});
    }
    if (groups_.size() > most_groups || sets.empty()) return false;
    shares_ = 1;
    for (std::size_t share = 0; share <= whole_gpu; ++share) {
      if (asked[share]) ++shares_;
      place_of_[share] = static_cast<std::uint16_t>(shares_ - 1);
    }
    for (const group& each : groups_)
      least_of_groups_ = (std::min)(least_of_groups_, each.thousandths);
    width_ = shares_ + groups_.size();
    sets_ = sets.size();
    std::map<std::vector<char>, std::size_t> classes;
    for (std::size_t type = 0; type < class_of_.size(); ++type) {
      std::vector<char> accepted(sets_);
      for (const auto& [types, number] : sets)
        accepted[number] = types == 0 || ((types >> type) & 1U) != 0 ? 1 : 0;
      const auto [place, added] = classes.try_emplace(accepted, classes.size());
      if (added) accepts_.insert(accepts_.end(), accepted.begin(), accepted.end());
      class_of_[type] = place->second;
    }
    classes_ = classes.size();
    for (const auto& [types, number] : sets) set_numbers_.emplace_back(types, number);
    return true;
  }

  [[nodiscard]] std::size_t group_of(const task_mix::demand& demand) const {
    const auto found = std::find_if(groups_.begin(), groups_.end(), [&](const group& each) {
      return each.gpus == demand.gpus && each.thousandths == demand.gpu_thousandths;
    });
    return static_cast<std::size_t>(found - groups_.begin());
  }

  void gather_kinds(const task_mix& mix) {
    kinds_.reserve(items_);
    for (const task_mix::demand& demand : mix.demands()) {
      if (demand.gpus == 0) continue;
      const auto place = static_cast<std::uint16_t>(
          demand.gpus == 1 ? place_of_[static_cast<std::size_t>(demand.gpu_thousandths)]
                           : group_of(demand) | several);
      const auto set = std::lower_bound(set_numbers_.begin(), set_numbers_.end(),
                                        std::pair{demand.accepted_types, std::size_t{0}});
      double below = 0;
      for (const auto& step : demand.steps) {
        kinds_.push_back({step.core_thousandths, step.popularity - below, place,
                          static_cast<std::uint16_t>(set->second)});
        below = step.popularity;
      }
    }
    std::sort(kinds_.begin(), kinds_.end(),
              [](const kind& a, const kind& b) { return a.core_thousandths < b.core_thousandths; });
    // A fall is a difference of sums of all kinds, each times what a node has; four such sums meet.
    margin_ = 1e-6 + 8.0 * gpu_node::most_gpus * whole_gpu * static_cast<double>(items_ + 100) *
                         std::numeric_limits<double>::epsilon();
  }

  /// Amounts of cores between which there are as many kinds; all, where there are few.
  void choose_levels() {
    const std::size_t most =
        std::clamp(most_entries / (classes_ * width_), std::size_t{2}, most_levels) - 1;
    const std::size_t step = amounts_.size() <= most ? 1 : kinds_.size() / most + 1;
    level_ends_.push_back(0);
    std::size_t end = 0;
    for (std::size_t amounts = 0; amounts <= amounts_.size(); ++amounts) {
      while (amounts > 0 && end < kinds_.size() &&
             kinds_[end].core_thousandths <= amounts_[amounts - 1])
        ++end;
      const bool last = amounts == amounts_.size();
      if (end > level_ends_.back() && (last || end - level_ends_.back() >= step))
        level_ends_.push_back(static_cast<std::uint32_t>(end));
      kinds_up_to_.push_back(static_cast<std::uint32_t>(end));
      level_of_.push_back(static_cast<std::uint32_t>(level_ends_.size() - 1));
    }
    levels_ = level_ends_.size();
  }

  void fill_tables() {
    sums_.assign(classes_ * levels_ * width_, 0.0);
    std::vector<double> parts(width_);
    for (std::size_t of_class = 0; of_class < classes_; ++of_class) {
      std::fill(parts.begin(), parts.end(), 0.0);
      std::size_t next = 0;
      for (std::size_t level = 0; level < levels_; ++level) {
        for (; next < level_ends_[level]; ++next)
          if (const kind& each = kinds_[next]; accepts(of_class, each.accepted))
            parts[(each.place & several) != 0 ? shares_ + (each.place ^ several) : each.place] +=
                each.popularity;
        double* row = sums_.data() + (of_class * levels_ + level) * width_;
        double sum = 0;
        for (std::size_t share = 0; share < shares_; ++share) row[share] = sum += parts[share];
        std::copy(parts.begin() + static_cast<std::ptrdiff_t>(shares_), parts.end(), row + shares_);
      }
    }
  }

  std::vector<std::int64_t> amounts_{};  // of cores that tasks of the mix ask for, rising
  int bin_bits_ = 0;
  std::vector<std::uint32_t> bins_{};  // the first amount in each of equal parts of their range
  std::size_t items_ = 0;
  std::vector<group> groups_{};
  int least_of_groups_ = whole_gpu + 1;
  std::size_t shares_ = 0;  // of one GPU that tasks ask for, and 0
  std::size_t width_ = 0;   // of a row: a sum for each share, and for each group
  std::array<std::uint16_t, whole_gpu + 1> place_of_{};  // how many of the shares are no more
  std::size_t sets_ = 0;
  std::vector<std::pair<std::uint64_t, std::size_t>> set_numbers_{};  // of accepted types
  std::size_t classes_ = 0;
  std::array<std::size_t, 64> class_of_{};    // of a type
  std::vector<char> accepts_{};               // by class and set
  std::vector<kind> kinds_{};                 // by cores, rising
  std::size_t levels_ = 0;                    // of cores
  std::vector<std::uint32_t> level_ends_{};   // kinds that each has
  std::vector<std::uint32_t> kinds_up_to_{};  // by amounts that are there
  std::vector<std::uint32_t> level_of_{};     // the last that has no more kinds than that
  std::vector<double> sums_{};                // by class, level and place
  double margin_ = 0;
};

}  // namespace gpuplan::detail
