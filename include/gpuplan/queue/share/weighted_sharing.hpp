#pragma once
/// \file
/// Weighted fair sharing: each class of jobs gets the share of its weight.

#include <array>
#include <cstddef>
#include <span>

#include <gpuplan/queue/mg1.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Jobs of one weight.
struct sharing_class {
  per_second arrival_rate{};  ///< lambda; >= 0
  seconds mean_service{};     ///< S = 1/mu, exponential; > 0
  double weight = 1;          ///< g, of each job; > 0
};

/// Discriminatory processor sharing, exponential service: the mean time that a job of class k
/// takes.
///
///     T_k (1 - sum_j b_kj) - sum_j b_kj T_j = S_k,   b_kj = lambda_j g_j / (g_j / S_j + g_k / S_k)
///
///     lambda, S, g  of classes, 16 at most
///     k             rank   count from 0
///
/// Exact: the solution of a linear system of as many equations as classes.  With equal weights
/// S / (1 - rho).
///
/// Source: G. Fayolle, I. Mitrani and R. Iasnogorodski, "Sharing a processor among many job
/// classes", J. ACM 27 (1980) 519-532.
///
/// \throws invalid_input if a class is invalid, there are more than 16, or rank >= their number
constexpr seconds weighted_sharing_response(std::span<const sharing_class> classes,
                                            std::size_t rank) {
  constexpr std::size_t most = 16;
  require(classes.size() <= most, "weighted_sharing_response: classes must be <= 16");
  require(rank < classes.size(), "weighted_sharing_response: rank must be < the number of classes");
  double utilization = 0;
  for (const sharing_class& of : classes) {
    require(of.arrival_rate >= per_second{0}, "sharing_class.arrival_rate must be >= 0 /s");
    require(of.mean_service > seconds{0}, "sharing_class.mean_service must be > 0 s");
    require(of.weight > 0, "sharing_class.weight must be > 0");
    utilization += of.arrival_rate * of.mean_service;
  }
  if (!(utilization < 1)) return detail::for_ever;

  const std::size_t n = classes.size();
  std::array<std::array<double, most + 1>, most> rows{};
  for (std::size_t k = 0; k < n; ++k) {
    double diagonal = 1;
    for (std::size_t j = 0; j < n; ++j) {
      const sharing_class& other = classes[j];
      const double taken =
          other.arrival_rate * other.weight /
          (other.weight / other.mean_service + classes[k].weight / classes[k].mean_service);
      diagonal -= taken;
      rows[k][j] -= taken;
    }
    rows[k][k] += diagonal;
    rows[k][n] = classes[k].mean_service / seconds{1};
  }
  // Elimination without pivots, which a diagonal that outweighs its column does not need.
  for (std::size_t p = 0; p < n; ++p)
    for (std::size_t k = 0; k < n; ++k) {
      if (k == p) continue;
      const double factor = rows[k][p] / rows[p][p];
      for (std::size_t j = p; j <= n; ++j) rows[k][j] -= factor * rows[p][j];
    }
  return seconds{rows[rank][n] / rows[rank][rank]};
}

}  // namespace gpuplan
