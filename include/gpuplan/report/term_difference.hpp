#pragma once
/// \file
/// Why two totals differ: their terms side by side, that which accounts for the most first.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A part of a total, by its name.
template <class Q>
struct named_term {
  std::string name;
  Q value{};
};

/// A part of two totals; what only one of them has is zero in the other.
template <class Q>
struct term_change {
  std::string name;
  Q before{};
  Q after{};
  [[nodiscard]] Q difference() const { return after - before; }
};

/// Two totals and their terms, that of the largest difference first.
template <class Q>
struct term_difference {
  std::vector<term_change<Q>> terms;

  [[nodiscard]] Q before() const { return sum_of(&term_change<Q>::before); }
  [[nodiscard]] Q after() const { return sum_of(&term_change<Q>::after); }
  /// The sum of the terms' differences, in their order.
  [[nodiscard]] Q difference() const {
    Q sum{};
    for (const term_change<Q>& term : terms) sum += term.difference();
    return sum;
  }
  /// A term's part of the whole difference; none where the whole is zero.
  [[nodiscard]] std::optional<double> share_of(const term_change<Q>& term) const {
    const double share = term.difference() / difference();
    return std::isfinite(share) ? std::optional{share} : std::nullopt;
  }
  /// The term that moved the total most in the direction in which it moved; null where none did.
  [[nodiscard]] const term_change<Q>* cause() const {
    const Q whole = difference();
    for (const term_change<Q>& term : terms) {
      const Q part = term.difference();
      if ((part > Q{} && whole > Q{}) || (part < Q{} && whole < Q{})) return &term;
    }
    return nullptr;
  }

 private:
  [[nodiscard]] Q sum_of(Q term_change<Q>::*side) const {
    Q sum{};
    for (const term_change<Q>& term : terms) sum += term.*side;
    return sum;
  }
};

/// The terms of two totals, matched by name.
///
///     difference of a term = its value after - its value before
///
/// Terms whose differences are equal in size keep the order in which they are given: those of
/// `before`, then those that `after` alone has.  Values of one name within a list are added.
///
/// \throws invalid_input if a value is not finite
template <class Q>
term_difference<Q> difference_of(const std::vector<named_term<Q>>& before,
                                 const std::vector<named_term<Q>>& after) {
  term_difference<Q> found;
  std::unordered_map<std::string_view, std::size_t> places;
  const auto add = [&](const named_term<Q>& term, Q term_change<Q>::*side) {
    require(isfinite(term.value), "difference_of: every term must be finite");
    const auto [place, is_new] = places.try_emplace(term.name, found.terms.size());
    if (is_new) found.terms.push_back({.name = term.name, .before = {}, .after = {}});
    found.terms[place->second].*side += term.value;
  };
  for (const named_term<Q>& term : before) add(term, &term_change<Q>::before);
  for (const named_term<Q>& term : after) add(term, &term_change<Q>::after);

  const auto size_of = [](const term_change<Q>& term) {
    return std::abs(term.difference().in_base_units());
  };
  std::stable_sort(found.terms.begin(), found.terms.end(),
                   [&](const auto& a, const auto& b) { return size_of(a) > size_of(b); });
  return found;
}

}  // namespace gpuplan
