#pragma once
/// \file
/// How much of a mix of tasks asks for no more than a node has, by GPUs, types and cores.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <gpuplan/placement/detail/core_amounts.hpp>
#include <gpuplan/placement/expected_fragmentation.hpp>
#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/gpu_task.hpp>

namespace gpuplan::detail {

/// Shares of a mix:
///
///     P(r)  that asks for one GPU, at most r of it, a type that the node has, and no more cores
///           than the node has free
///     p_m   that asks for k_m >= 2 GPUs, d_m of each, likewise
///
/// Both are kept at some amounts of cores, the levels; kinds that ask for amounts between two of
/// these are listed.
class mix_sums {
 public:
  static constexpr std::uint16_t several = 0x8000;  ///< flag of a group's number

  /// A kind of task. `place` is that of its share among the shares of one GPU, or the number of the
  /// group and `several`.
  struct kind {
    std::int64_t core_thousandths = 0;
    double popularity = 0;
    std::uint16_t place = 0;
    std::uint16_t accepted = 0;  ///< number of its set of accepted types
  };
  /// Kinds that ask for several GPUs, with the same share of each.
  struct group {
    int gpus = 0;
    int thousandths = 0;
  };

  /// Sums at a level of cores.
  class kept_row {
   public:
    [[nodiscard]] double one(int thousandths) const {
      return sums_[of_->place_of_[static_cast<std::size_t>(thousandths)]];
    }
    [[nodiscard]] double many(std::size_t group) const { return sums_[of_->shares_ + group]; }
    [[nodiscard]] const mix_sums& of() const { return *of_; }

   private:
    friend mix_sums;
    kept_row(const mix_sums* of, int type, std::size_t level)
        : of_{of},
          sums_{of->sums_.data() + (of->class_of(type) * of->levels() + level) * of->width_} {}

    const mix_sums* of_;
    const double* sums_;
  };

  /// Sums at any amount of cores: those of the level below, and of kinds from there on.
  class exact_row {
   public:
    [[nodiscard]] double one(int thousandths) const {
      const std::uint16_t place = of().place_of(thousandths);
      double sum = below_.one(thousandths);
      for (const kind* each = from_; each != to_; ++each)
        if (each->place <= place && of().accepts(class_, *each)) sum += each->popularity;
      return sum;
    }
    [[nodiscard]] double many(std::size_t group) const {
      double sum = below_.many(group);
      for (const kind* each = from_; each != to_; ++each)
        if (each->place == (group | several) && of().accepts(class_, *each))
          sum += each->popularity;
      return sum;
    }
    [[nodiscard]] const mix_sums& of() const { return below_.of(); }

   private:
    friend mix_sums;
    exact_row(const mix_sums* of, int type, std::size_t amounts)
        : below_{of, type, of->level_of(amounts)},
          class_{of->class_of(type)},
          from_{of->kinds_.data() + of->kinds_of_level(of->level_of(amounts))},
          to_{of->kinds_.data() + of->kinds_within(amounts)} {}

    kept_row below_;
    std::size_t class_;
    const kind* from_;
    const kind* to_;
  };

  /// `amounts` are those of cores that tasks of the mix ask for.
  mix_sums(const task_mix& mix, const core_amounts& amounts) {
    if (!gather_axes(mix)) return;
    gather_kinds(mix);
    choose_levels(amounts);
    add_up();
  }

  /// Levels of cores; 0 where there are no sums: too many kinds differ in what they ask of several
  /// GPUs.
  [[nodiscard]] std::size_t levels() const { return level_ends_.size(); }
  /// Kinds with a GPU, by cores, rising.
  [[nodiscard]] std::span<const kind> kinds() const { return kinds_; }
  [[nodiscard]] std::span<const group> groups() const { return groups_; }
  /// The least that a group asks of a GPU; more than a whole one without groups.
  [[nodiscard]] int least_of_groups() const { return least_of_groups_; }

  /// How many of kinds() a level has.
  [[nodiscard]] std::size_t kinds_of_level(std::size_t level) const { return level_ends_[level]; }
  /// How many ask for no more than the first so many amounts of cores.
  [[nodiscard]] std::size_t kinds_within(std::size_t amounts) const {
    return kinds_within_[amounts];
  }
  /// The last level that has no more kinds than kinds_within(amounts).
  [[nodiscard]] std::size_t level_of(std::size_t amounts) const { return level_of_[amounts]; }
  /// Whether it has as many.
  [[nodiscard]] bool is_level(std::size_t amounts) const {
    return kinds_within(amounts) == kinds_of_level(level_of(amounts));
  }

  [[nodiscard]] kept_row at_level(std::size_t level, int type) const { return {this, type, level}; }
  [[nodiscard]] exact_row at(std::size_t amounts, int type) const { return {this, type, amounts}; }

  /// How many of the shares of one GPU that tasks ask for are no more than this.
  [[nodiscard]] std::uint16_t place_of(int thousandths) const {
    return place_of_[static_cast<std::size_t>(thousandths)];
  }
  /// Types that the same kinds accept are of one class.
  [[nodiscard]] std::size_t class_of(int type) const {
    return class_of_[static_cast<std::size_t>(type)];
  }
  [[nodiscard]] bool accepts(std::size_t of_class, const kind& which) const {
    return accepts_[of_class * sets_ + which.accepted] != 0;
  }

 private:
  static constexpr std::size_t most_groups = 24;
  static constexpr std::size_t most_levels = 512;
  static constexpr std::size_t most_entries = std::size_t{1} << 22;  // 32 MiB

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
  }

  /// Amounts of cores between which there are as many kinds; all, where there are few.
  void choose_levels(const core_amounts& all) {
    const std::size_t most =
        std::clamp(most_entries / (classes_ * width_), std::size_t{2}, most_levels) - 1;
    const std::size_t step = all.size() <= most ? 1 : kinds_.size() / most + 1;
    level_ends_.push_back(0);
    std::size_t end = 0;
    for (std::size_t amounts = 0; amounts <= all.size(); ++amounts) {
      while (amounts > 0 && end < kinds_.size() &&
             kinds_[end].core_thousandths <= all.largest_of(amounts))
        ++end;
      const bool last = amounts == all.size();
      if (end > level_ends_.back() && (last || end - level_ends_.back() >= step))
        level_ends_.push_back(static_cast<std::uint32_t>(end));
      kinds_within_.push_back(static_cast<std::uint32_t>(end));
      level_of_.push_back(static_cast<std::uint32_t>(level_ends_.size() - 1));
    }
  }

  void add_up() {
    sums_.assign(classes_ * levels() * width_, 0.0);
    std::vector<double> parts(width_);
    for (std::size_t of_class = 0; of_class < classes_; ++of_class) {
      std::fill(parts.begin(), parts.end(), 0.0);
      std::size_t next = 0;
      for (std::size_t level = 0; level < levels(); ++level) {
        for (; next < level_ends_[level]; ++next)
          if (const kind& each = kinds_[next]; accepts(of_class, each))
            parts[(each.place & several) != 0 ? shares_ + (each.place ^ several) : each.place] +=
                each.popularity;
        double* row = sums_.data() + (of_class * levels() + level) * width_;
        double sum = 0;
        for (std::size_t share = 0; share < shares_; ++share) row[share] = sum += parts[share];
        std::copy(parts.begin() + static_cast<std::ptrdiff_t>(shares_), parts.end(), row + shares_);
      }
    }
  }

  std::vector<group> groups_{};
  int least_of_groups_ = whole_gpu + 1;
  std::size_t shares_ = 0;  // of one GPU that tasks ask for, and 0
  std::size_t width_ = 0;   // of a row: a sum for each share, and for each group
  std::array<std::uint16_t, whole_gpu + 1> place_of_{};
  std::size_t sets_ = 0;
  std::vector<std::pair<std::uint64_t, std::size_t>> set_numbers_{};  // of accepted types
  std::size_t classes_ = 0;
  std::array<std::size_t, 64> class_of_{};  // by type
  std::vector<char> accepts_{};             // by class and set
  std::vector<kind> kinds_{};
  std::vector<std::uint32_t> level_ends_{};    // kinds of each level
  std::vector<std::uint32_t> kinds_within_{};  // by amounts
  std::vector<std::uint32_t> level_of_{};      // likewise
  std::vector<double> sums_{};                 // by class, level and place
};

}  // namespace gpuplan::detail
