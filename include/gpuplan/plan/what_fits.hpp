#pragma once
/// \file
/// What makes a job fit that does not: the smallest sets of changes, by what they cost.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/feasibility.hpp>
#include <gpuplan/plan/levers.hpp>
#include <gpuplan/plan/search_space.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// The most changes that are tried together.
inline constexpr std::size_t most_levers = 3;

/// A lever, and how far it is pulled.
struct pulled_lever {
  lever which{};
  int strength = 1;

  friend constexpr bool operator==(const pulled_lever&, const pulled_lever&) = default;
};

/// Changes that are made together.
struct lever_set {
  std::array<pulled_lever, most_levers> list{};
  std::size_t size = 0;

  [[nodiscard]] constexpr auto begin() const { return list.begin(); }
  [[nodiscard]] constexpr auto end() const {
    return list.begin() + static_cast<std::ptrdiff_t>(size);
  }
  [[nodiscard]] constexpr bool has(lever one) const {
    for (const pulled_lever& each : *this)
      if (each.which == one) return true;
    return false;
  }
  /// Whether all levers of another set are among these.
  [[nodiscard]] constexpr bool holds(const lever_set& other) const {
    for (const pulled_lever& each : other)
      if (!has(each.which)) return false;
    return true;
  }
  /// What the dearest of them costs.
  [[nodiscard]] constexpr lever_cost cost() const {
    lever_cost dearest = lever_cost::nothing;
    for (const pulled_lever& each : *this)
      if (cost_of(each.which) > dearest) dearest = cost_of(each.which);
    return dearest;
  }
};

/// Changes that make a job fit, and the search that they lead to.
struct fitting_change {
  lever_set levers{};
  search_start start{};
};

/// What was found.
struct fitting_changes {
  std::vector<fitting_change> list;  ///< those that cost nothing first, then the fewest
  bool searched_all = true;          ///< false where the work was ended before its end
};

/// The most layouts that what_fits looks at where nobody says: about a second of work.
inline constexpr std::int64_t usual_fitting_work = 500'000;

namespace detail {

/// One search for changes that fit.
class lever_search {
 public:
  lever_search(const transformer& m, const cluster& pool, const search_start& from,
               const workspace& beside, std::int64_t most)
      : from_{from}, tried_{m, pool, beside}, most_{most} {
    for (const lever one : levers)
      if (const int strengths = strengths_of(one, from); strengths > 0)
        strongest_.push_back({one, strengths});
  }

  fitting_changes run() {
    for (std::size_t size = 1; size <= most_levers; ++size) {
      const std::vector<fitting_change> smaller = found_.list;
      extend({}, 0, size, smaller);
    }
    std::stable_sort(found_.list.begin(), found_.list.end(), [](const auto& a, const auto& b) {
      return a.levers.cost() < b.levers.cost();
    });
    return std::move(found_);
  }

 private:
  /// Tries all sets of `size` levers that begin with `with`.
  void extend(const lever_set& with, std::size_t next, std::size_t size,
              const std::vector<fitting_change>& smaller) {
    if (with.size == size) {
      consider(with, smaller);
      return;
    }
    for (std::size_t i = next; i < strongest_.size(); ++i) {
      lever_set more = with;
      more.list[more.size++] = strongest_[i];
      extend(more, i + 1, size, smaller);
    }
  }

  /// Three changes are tried only where fewer that cost no more do not do.
  [[nodiscard]] bool is_worth(const lever_set& set,
                              const std::vector<fitting_change>& smaller) const {
    return std::none_of(smaller.begin(), smaller.end(), [&](const fitting_change& one) {
      const bool enough = set.size == most_levers && one.levers.cost() <= set.cost();
      return enough || set.holds(one.levers);
    });
  }

  void consider(const lever_set& set, const std::vector<fitting_change>& smaller) {
    if (!is_worth(set, smaller)) return;
    fitting_change one{.levers = set};
    if (!try_set(one)) return;
    for (std::size_t i = 0; i < set.size; ++i) weaken(one, i);
    found_.list.push_back(std::move(one));
  }

  /// The mildest strength of one lever of a set with which it still fits.
  void weaken(fitting_change& one, std::size_t place) {
    for (int strength = 1; strength < one.levers.list[place].strength; ++strength) {
      fitting_change milder = one;
      milder.levers.list[place].strength = strength;
      if (!try_set(milder)) continue;
      one = std::move(milder);
      return;
    }
  }

  /// Whether a set fits; its start then is that of the search.
  bool try_set(fitting_change& one) {
    one.start = from_;
    for (const pulled_lever& each : one.levers)
      if (!pull(each.which, each.strength, one.start)) return false;
    if (tried_.looked_at() < most_) return tried_.fits(one.start);
    found_.searched_all = false;
    return false;
  }

  const search_start& from_;
  feasibility tried_;
  std::int64_t most_;
  std::vector<pulled_lever> strongest_{};
  fitting_changes found_{};
};

}  // namespace detail

/// The smallest sets of one, two or three changes with which a job fits that does not, each at the
/// mildest strength that does: no set holds another that fits.  Three changes are proposed only
/// where fewer that cost no more do not do.  Where the list is empty and all was searched, no three
/// changes are enough.  The GPUs stay as they are.
///
/// \throws invalid_input as search does, or if most_layouts < 1
inline fitting_changes what_fits(const transformer& m, const cluster& pool,
                                 const search_start& from, const workspace& beside = {},
                                 std::int64_t most_layouts = usual_fitting_work) {
  require(most_layouts >= 1, "what_fits: most_layouts must be >= 1");
  return detail::lever_search{m, pool, from, beside, most_layouts}.run();
}

}  // namespace gpuplan
