#pragma once
/// \file
/// How often bands hold what was measured: bands of a table that was made without the run.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gpuplan/accuracy/error_band.hpp>

#include "accuracy/error_quantiles.hpp"
#include "accuracy/statistics.hpp"

namespace gpuplan::accuracy {

/// The runs of a kind that bands held.
struct coverage {
  std::size_t runs = 0;
  std::size_t held = 0;
  errors half_widths{};  ///< (high - low) / 2

  [[nodiscard]] double share() const {
    return runs == 0 ? 0 : static_cast<double>(held) / static_cast<double>(runs);
  }
  void add(const residual& one, const error_band& band) {
    ++runs;
    held += std::log(band.low) <= one.error && one.error <= std::log(band.high);
    half_widths.add((band.high - band.low) / 2);
  }
};

/// Coverage by what was predicted, of what kind.
using coverage_by_kind = std::map<std::string, coverage>;

namespace detail {

inline std::string kind_of(const residual& one) {
  std::string name{name_of(one.of.of)};
  std::replace(name.begin(), name.end(), '_', ' ');
  if (one.of.of == prediction::collective || one.of.of == prediction::wait) return name;
  return name + ", " + std::string(name_of(one.of.kind)) +
         (one.of.of == prediction::step && one.of.launches != launch_part::little
              ? ", bound by the host"
              : "");
}

/// Adds the runs that `judged` holds, by the table of all others.
inline void judge(const std::vector<residual>& all, const std::function<bool(std::size_t)>& judged,
                  double level, coverage_by_kind& found) {
  std::vector<residual> others;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!judged(i)) others.push_back(all[i]);
  const std::vector<error_row> table = error_rows_of(others);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!judged(i)) continue;
    const bool known = std::any_of(table.begin(), table.end(),
                                   [&](const error_row& row) { return row.of == all[i].of.of; });
    if (!known) continue;
    found[kind_of(all[i])].add(all[i],
                               error_band_of(error_distribution_of(all[i].of, table), level));
  }
}

}  // namespace detail

/// Each source judged by the table of all others.
inline coverage_by_kind coverage_without_source(const std::vector<residual>& all,
                                                double level = usual_level) {
  std::set<std::string> sources;
  for (const residual& one : all) sources.insert(one.source);
  coverage_by_kind found;
  for (const std::string& source : sources)
    detail::judge(
        all, [&](std::size_t i) { return all[i].source == source; }, level, found);
  return found;
}

/// Each third of the runs, every third one, judged by the table of the others.
inline coverage_by_kind coverage_without_third(const std::vector<residual>& all,
                                               double level = usual_level) {
  coverage_by_kind found;
  for (std::size_t third = 0; third < 3; ++third)
    detail::judge(
        all, [&](std::size_t i) { return i % 3 == third; }, level, found);
  return found;
}

/// Of all kinds together.
inline coverage sum_of(const coverage_by_kind& kinds) {
  coverage all;
  for (const auto& [name, one] : kinds) {
    all.runs += one.runs;
    all.held += one.held;
  }
  return all;
}

}  // namespace gpuplan::accuracy
