#pragma once
/// \file
/// Lower bounds of bin packing, and guarantees of the simple rules.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include <gpuplan/placement/packing.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// No packing has fewer bins: some resource has to be carried.
///
///     max over resources of  ceil(sum over items of the part)
///
/// Source: definition.
///
/// \throws invalid_input if a part of an item is not 0 .. 1
template <std::size_t D>
int volume_bound(std::span<const packing_item<D>> items) {
  require_valid<D>(items);
  int bins = items.empty() ? 0 : 1;
  for (std::size_t r = 0; r < D; ++r) {
    double sum = 0;
    for (const packing_item<D>& item : items) sum += item[r];
    bins = std::max(bins, static_cast<int>(std::ceil(sum - packing_tolerance * (1 + sum))));
  }
  return bins;
}

/// No packing in one resource has fewer bins: items above a half share no bin, and those above
/// 1 - t share none with an item of t or more.
///
///     L2 = max over 0 <= t <= 1/2 of  |A| + |B| + max(0, ceil(sum of C - (|B| - sum of B)))
///
///     A  items above 1 - t      B  those of 1/2 .. 1 - t, 1/2 excluded      C  those of t .. 1/2
///
/// At least the volume bound, and at least two thirds of the fewest bins.
///
/// Source: S. Martello and P. Toth, "Lower bounds and reduction procedures for the bin packing
/// problem", Discrete Applied Mathematics 28 (1990) 59-70.
///
/// \throws invalid_input if an item is not 0 .. 1
inline int martello_toth_bound(std::span<const packing_item<1>> items) {
  int bound = volume_bound<1>(items);
  std::vector<double> thresholds{0};
  for (const auto& [size] : items)
    if (size <= 0.5) thresholds.push_back(size);
  std::sort(thresholds.begin(), thresholds.end());
  thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
  for (const double t : thresholds) {
    int alone = 0;
    int large = 0;
    double sum_large = 0;
    double sum_small = 0;
    for (const auto& [size] : items) {
      if (size > 1 - t + packing_tolerance)
        ++alone;
      else if (size > 0.5 + packing_tolerance) {
        ++large;
        sum_large += size;
      } else if (size >= t)
        sum_small += size;
    }
    const double over = sum_small - (large - sum_large);
    const int more =
        std::max(0, static_cast<int>(std::ceil(over - packing_tolerance * (1 + sum_small))));
    bound = std::max(bound, alone + large + more);
  }
  return bound;
}

/// Most bins of first fit decreasing, in one resource, where the fewest are OPT. Tight. It does not
/// hold in several resources, nor does any (2 - e) OPT: there is a family of items whose ratio is d
/// (k - 1)/k in d resources, for every k.
///
///     11/9 OPT + 6/9
///
///     OPT  fewest bins    count, >= 0
///
/// Holds: one resource only, and tight there.
///
/// Source: G. Dosa, "The tight bound of first fit decreasing bin-packing algorithm is
/// FFD(I) <= 11/9 OPT(I) + 6/9", ESCAPE 2007, LNCS 4614, 1-11.
///
/// \throws invalid_input if the fewest bins are not >= 0
constexpr double first_fit_decreasing_bound(double fewest) {
  require(fewest >= 0, "first_fit_decreasing_bound: fewest must be >= 0");
  return 11.0 / 9 * fewest + 6.0 / 9;
}

/// Most bins of first fit, and of best fit, in one resource, in any order: 1.7 OPT, rounded down.
///
///     floor(1.7 OPT)
///
///     OPT  fewest bins    count, >= 0
///
/// Holds: one resource, any order.
///
/// Source: G. Dosa and J. Sgall, "First Fit bin packing: A tight analysis", STACS 2013, 538-549;
/// of best fit the same, "Optimal Analysis of Best Fit Bin Packing", ICALP 2014, LNCS 8572,
/// 429-441.
///
/// \throws invalid_input if the fewest bins are not >= 0
constexpr double first_fit_bound(int fewest) {
  require(fewest >= 0, "first_fit_bound: fewest must be >= 0");
  return static_cast<double>(17 * static_cast<std::int64_t>(fewest) / 10);
}

/// Most bins of next fit, in one resource.
///
///     2 OPT - 1
///
///     OPT  fewest bins    count, >= 0
///
/// Holds: one resource, any order.
///
/// Source: D. S. Johnson, "Near-optimal bin packing algorithms", PhD thesis, MIT (1973).
///
/// \throws invalid_input if the fewest bins are not >= 0
constexpr double next_fit_bound(int fewest) {
  require(fewest >= 0, "next_fit_bound: fewest must be >= 0");
  return fewest == 0 ? 0 : 2.0 * fewest - 1;
}

/// Ratio to the fewest bins, for many bins, in d resources: first fit decreasing by the largest
/// component lies between d and d + 1/3; first fit is at most d + 7/10.
///
/// Source: M. R. Garey, R. L. Graham, D. S. Johnson and A. C. Yao, "Resource constrained scheduling
/// as generalized bin packing", J. Combinatorial Theory A 21 (1976) 257-298.
struct vector_packing_ratio {
  double least = 0;  ///< first fit decreasing can be as bad as this
  double first_fit_decreasing = 0;
  double first_fit = 0;
};

/// Ratio of first fit decreasing to the fewest bins, at most, for many bins.
///
///     d + 1/3
///
///     d  resources    count, >= 2
///
/// Holds: by the largest component; first fit d + 7/10; for one resource 11/9.
///
/// Source: M. R. Garey, R. L. Graham, D. S. Johnson and A. C. Yao, "Resource constrained scheduling
/// as generalized bin packing", J. Combinatorial Theory A 21 (1976) 257-298.
///
/// \throws invalid_input if there is no resource
constexpr vector_packing_ratio vector_packing_bound(int resources) {
  require(resources >= 1, "vector_packing_bound: resources must be >= 1");
  if (resources == 1)
    return {.least = 11.0 / 9, .first_fit_decreasing = 11.0 / 9, .first_fit = 1.7};
  return {.least = 1.0 * resources,
          .first_fit_decreasing = resources + 1.0 / 3,
          .first_fit = resources + 0.7};
}

/// Whether first fit decreasing is optimal whatever comes: sizes that divide one another and the
/// bin, as gangs of 1, 2, 4 and 8 GPUs on nodes of 8.
///
/// Source: E. G. Coffman, M. R. Garey and D. S. Johnson, "Bin packing with divisible item sizes",
/// J. Complexity 3 (1987) 406-428.
///
/// \throws invalid_input if a size is not 1 .. bin
inline bool divisible_sizes(std::span<const int> sizes, int bin) {
  std::vector<int> chain(sizes.begin(), sizes.end());
  for (const int size : chain)
    require(size >= 1 && size <= bin, "divisible_sizes: sizes must be 1 .. bin");
  chain.push_back(bin);
  std::sort(chain.begin(), chain.end(), std::greater<>{});
  for (std::size_t i = 1; i < chain.size(); ++i)
    if (chain[i - 1] % chain[i] != 0) return false;
  return true;
}

}  // namespace gpuplan
