#pragma once
/// \file
/// Erlang's formulas for any number of servers, whole or not, small or in millions; and their
/// logarithms, for probabilities below the smallest double.

#include <cmath>
#include <numbers>

#include <gpuplan/queue/detail/incomplete_gamma.hpp>
#include <gpuplan/queue/erlang.hpp>
#include <gpuplan/queue/poisson.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {
namespace detail {

/// Erlang B of less than one server: the start of the recursion.
inline double erlang_b_of_fraction(double f, double load) {
  if (f == 0) return 1;
  if (load >= 1) return 1 / (load * upper_gamma_fraction(f + 1, load));
  const double all = std::tgamma(f + 1) * std::exp(load) * std::pow(load, -f);
  return 1 / (all - load * lower_gamma_series(f + 1, load));
}

/// The recursion of erlang_b, from the fraction of a server on.
inline tiny_number erlang_b_by_recursion(double servers, double load) {
  const double fraction = servers - std::floor(servers);
  return erlang_b_from(fraction, {erlang_b_of_fraction(fraction, load)}, servers, load);
}

/// 1/B = 1 + c/a (1 + (c-1)/a (1 + ...)), down to the fraction of a server; for a > c.
inline double inverse_erlang_b_of_overload(double servers, double load) {
  double inverse = 1;
  double term = 1;
  for (double n = servers; term > 1e-17 * inverse; n -= 1) {
    if (n < 1) return inverse + term * (1 / erlang_b_of_fraction(n, load) - 1);
    term *= n / load;
    inverse += term;
  }
  return inverse;
}

inline constexpr double few_servers = 64;  // up to here the recursion is as fast

}  // namespace detail

/// ln of Erlang B: the fraction of jobs lost, where it may be below the smallest double.
///
///     B = p / (1 - p T)    p = a^c e^-a / Gamma(c+1)    T = sum_{j>=1} prod_{i<=j} a / (c + i)
///
///     c  servers         1, > 0, <= 1e6
///     a  offered load    erlang, >= 0
///
/// The form for a <= c and c >= 64; for larger loads 1/B = 1 + c/a + c (c-1)/a^2 + ..., for fewer
/// servers the recursion of erlang_b.  O(sqrt c).
///
/// Holds: as erlang_b.
///
/// Source: D. Jagerman, "Some properties of the Erlang loss function", Bell System Technical
/// Journal 53 (1974) 525-551, for the continuous form; C. Loader, "Fast and Accurate Computation of
/// Binomial Probabilities" (2000), for p.
///
/// \throws invalid_input if servers < 0 or load < 0
inline double log_erlang_b(double servers, double load) {
  require(servers >= 0, "log_erlang_b: servers must be >= 0");
  require(load >= 0, "log_erlang_b: load must be >= 0 erlang");
  if (servers == 0) return 0;
  if (load == 0) return -HUGE_VAL;
  if (servers < detail::few_servers) {
    const detail::tiny_number b = detail::erlang_b_by_recursion(servers, load);
    return std::log(b.x) - b.shifts * (256 * std::numbers::ln2);
  }
  if (load > servers) return -std::log(detail::inverse_erlang_b_of_overload(servers, load));
  const double lost = detail::poisson(load, servers) * detail::poisson_above(load, servers);
  return detail::log_poisson(load, servers) - std::log1p(-lost);
}

/// ln of Erlang C: the probability of waiting, where it may be below the smallest double.
///
///     C = c B / (c - a + a B)
///
///     c, a  as in log_erlang_b; servers > 0; where a >= c every job waits
///     B     exp(log_erlang_b(c, a))
///
/// Holds: as erlang_c.
///
/// Source: as log_erlang_b.
///
/// \throws invalid_input if servers <= 0 or load < 0
inline double log_erlang_c(double servers, double load) {
  require(servers > 0, "log_erlang_c: servers must be > 0");
  if (load >= servers) return 0;
  const double log_b = log_erlang_b(servers, load);
  return log_b + std::log(servers / (servers - load + load * std::exp(log_b)));
}

/// Erlang B of a number of servers that need not be whole, as formulas for bursty or multi-GPU jobs
/// ask for.  One value with erlang_b, to the last digits.
///
///     B = p / (1 - p T)
///
///     c     servers, whole or not    1, > 0, <= 1e6
///     a     offered load             erlang, >= 0
///     p, T  as in log_erlang_b, of which it is the exponential
///
/// Holds: as erlang_b, with which it agrees.
///
/// Source: as log_erlang_b.
///
/// \throws invalid_input if servers < 0 or load < 0
inline double continuous_erlang_b(double servers, double load) {
  require(servers >= 0, "continuous_erlang_b: servers must be >= 0");
  require(load >= 0, "continuous_erlang_b: load must be >= 0 erlang");
  if (load == 0) return servers == 0 ? 1 : 0;
  if (servers < detail::few_servers) return detail::erlang_b_by_recursion(servers, load).value();
  if (load > servers) return 1 / detail::inverse_erlang_b_of_overload(servers, load);
  const double p = detail::poisson(load, servers);
  return p / (1 - p * detail::poisson_above(load, servers));
}

/// Erlang C of a number of servers that need not be whole.  One value with erlang_c, to the last
/// digits.
///
///     C = c B / (c - a + a B)
///
///     c  servers, whole or not    1, > 0, <= 1e6
///     a  offered load             erlang, >= 0
///     B  continuous_erlang_b(c, a)
///
/// Holds: as erlang_c, with which it agrees.
///
/// Source: as log_erlang_b.
///
/// \throws invalid_input if servers <= 0 or load < 0
inline double continuous_erlang_c(double servers, double load) {
  require(servers > 0, "continuous_erlang_c: servers must be > 0");
  require(load >= 0, "continuous_erlang_c: load must be >= 0 erlang");
  if (load >= servers) return 1;
  return detail::erlang_c_of(continuous_erlang_b(servers, load), servers, load);
}

}  // namespace gpuplan
