#pragma once
/// \file
/// The Pareto front of plans: time against memory and cost.

#include <algorithm>
#include <cstddef>
#include <vector>

#include <gpuplan/plan/search_space.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What one would like little of.
struct plan_measures {
  seconds step{};      ///< time of a step
  bytes memory{};      ///< of the fullest GPU
  seconds gpu_time{};  ///< of all GPUs for a step: at a price for each of them, the cost

  friend constexpr bool operator==(const plan_measures&, const plan_measures&) = default;
};

/// The measures of a plan that was costed.
constexpr plan_measures measures_of(const plan& p) {
  const seconds step = p.what.time.total();
  return {.step = step,
          .memory = p.what.memory.worst_stage().total(),
          .gpu_time = static_cast<double>(p.what.gpus) * step};
}

/// Whether `a` takes no more of anything than `b`, and less of something.
constexpr bool dominates(const plan_measures& a, const plan_measures& b) {
  return a.step <= b.step && a.memory <= b.memory && a.gpu_time <= b.gpu_time && !(a == b);
}

/// The plans offered so far that none of the others dominates: a Pareto front.
///
/// Of plans that measure the same it keeps the first in the order of a search, so that the front
/// does not depend on the order in which they are offered.
///
/// Source: V. Pareto, "Manuale di economia politica" (1906); the front is that of H. Kung, F.
/// Luccio and F. Preparata, "On Finding the Maxima of a Set of Vectors", J. ACM 22 (1975) 469-476.
class pareto_front {
 public:
  pareto_front() = default;
  /// The front of plans, such as those of a search that keeps many.
  template <class Plans>
  explicit pareto_front(const Plans& plans) {
    for (const plan& p : plans) offer(p);
  }

  /// Takes a plan in, unless one of the front is better in everything; drops those that it beats.
  /// Returns whether it was taken.
  bool offer(const plan& p) {
    const plan_measures mine = measures_of(p);
    const auto better = [&](const member& other) {
      if (other.measures == mine) return order_(other.what, p);
      return dominates(other.measures, mine);
    };
    if (std::any_of(members_.begin(), members_.end(), better)) return false;
    std::erase_if(members_, [&](const member& other) {
      return other.measures == mine || dominates(mine, other.measures);
    });
    members_.push_back({mine, p});
    return true;
  }

  /// The plans of the front, the fastest first.
  [[nodiscard]] std::vector<plan> plans() const {
    std::vector<plan> sorted;
    for (const member& each : members_) sorted.push_back(each.what);
    std::sort(sorted.begin(), sorted.end(), order_);
    return sorted;
  }
  [[nodiscard]] std::size_t size() const { return members_.size(); }

 private:
  struct member {
    plan_measures measures{};
    plan what{};
  };
  std::vector<member> members_;
  detail::better_plan order_{objective::time};
};

}  // namespace gpuplan
