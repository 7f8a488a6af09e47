#pragma once
/// \file
/// How well a node suits a job by three aims at once: fit, fragmentation and balance.

#include <initializer_list>

#include <gpuplan/require.hpp>

namespace gpuplan {

/// What the three aims weigh against each other; only their ratios matter. The aim of fragmentation
/// comes in steps of 0.01, so by default one step of it counts as much as the whole range of
/// another aim: these decide among nodes that are alike in fragmentation.
struct match_weights {
  double fit = 1;              ///< little is left; >= 0
  double fragmentation = 100;  ///< the next job can use what is left; >= 0
  double balance = 1;          ///< as much is left of the cores as of the GPUs; >= 0

  friend constexpr bool operator==(const match_weights&, const match_weights&) = default;
};

/// What the aims reach on a node, each 0 .. 1, the larger the better.
struct match_aims {
  double fit = 0;            ///< 1 - (c + g) / 2
  double fragmentation = 0;  ///< 1 / (1 + exp(rise of the expected fragmentation in GPUs))
  double balance = 0;        ///< 1 - |c - g|
};

namespace detail {

constexpr double sum_of(const match_weights& weights) {
  return weights.fit + weights.fragmentation + weights.balance;
}

/// `match_score` of weights that are valid, of which `sum` is the sum.
constexpr double mean_of_aims(const match_aims& aims, const match_weights& weights, double sum) {
  return (weights.fit * aims.fit + weights.fragmentation * aims.fragmentation +
          weights.balance * aims.balance) /
         sum;
}

}  // namespace detail

/// \throws invalid_input if a weight is not >= 0 and finite, or all are 0
constexpr void require_valid(const match_weights& weights) {
  for (const double weight : {weights.fit, weights.fragmentation, weights.balance})
    require(weight >= 0 && weight < 1e300, "match_weights: weights must be >= 0 and finite");
  require(detail::sum_of(weights) > 0, "match_weights: one weight must be > 0");
}

/// How well a node suits a job: the weighted mean of three aims.
///
///     S = (w_f A_f + w_x A_x + w_b A_b) / (w_f + w_x + w_b)
///
///     w_f  weight of fit              1, >= 0
///     A_f  fit                        1, 0 to 1
///     w_x  weight of fragmentation    1, >= 0
///     A_x  fragmentation              1, 0 to 1
///     w_b  weight of balance          1, >= 0
///     A_b  balance                    1, 0 to 1
///
/// Holds: with c and g what the node has free after the job, of its cores and of its GPUs in parts
/// of the largest node of the pool, A_f = 1 - (c + g)/2 and A_b = 1 - |c - g|; A_x is the score of
/// the fragmentation gradient.
///
/// Source: weighted sum; the aims by definition and by Q. Weng et al., "Beware of Fragmentation",
/// USENIX ATC 2023, section 4.
///
/// \throws invalid_input if a weight is not >= 0 and finite, or all are 0
constexpr double match_score(const match_aims& aims, const match_weights& weights) {
  require_valid(weights);
  return detail::mean_of_aims(aims, weights, detail::sum_of(weights));
}

}  // namespace gpuplan
