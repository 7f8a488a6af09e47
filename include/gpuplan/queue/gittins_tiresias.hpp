#pragma once
/// \file
/// The order in which the simulator of Tiresias runs jobs, for comparison with it.

#include <algorithm>
#include <cmath>
#include <span>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// The index that Tiresias' simulator gives a job, for comparison with it.
///
///     p / e
///
///     p     share of the jobs longer than a that end before a + d
///     e     mean over the jobs longer than a: S where S <= a + d, else d
///     a     attained             s, >= 0
///     d     quantum              s, > 0
///     S     sizes, ascending     s
///
/// Not the Gittins index: d is fixed, e holds whole sizes where the definition has what is left of
/// them, p is rounded to five decimals, and the longest job never ends.
///
/// Source: J. Gu et al., "Tiresias: A GPU Cluster Manager for Distributed Deep Learning", NSDI
/// (2019); its simulator, github.com/SymbioticLab/Tiresias (2019).
///
/// \throws invalid_input if there are no sizes, attained < 0 s or quantum <= 0 s
inline per_second tiresias_index(std::span<const seconds> sizes, seconds attained,
                                 seconds quantum) {
  require(!sizes.empty(), "tiresias_index: sizes must be >= 1");
  require(attained >= seconds{0}, "tiresias_index: attained must be >= 0 s");
  require(quantum > seconds{0}, "tiresias_index: quantum must be > 0 s");
  const seconds last = sizes.back() - seconds{1};
  if (attained > last) return per_second{0};
  const auto above = [&](seconds x) { return std::upper_bound(sizes.begin(), sizes.end(), x); };
  const auto first = above(attained);
  const auto end = attained + quantum > last ? sizes.end() - 1 : above(attained + quantum);
  const auto longer = static_cast<double>(sizes.end() - first);
  seconds sum = static_cast<double>(sizes.end() - end) * quantum;
  for (auto size = first; size < end; ++size) sum += *size;
  const double share = static_cast<double>(end - first) / longer;
  return std::round(1e5 * share) / 1e5 / (sum / longer);
}

}  // namespace gpuplan
