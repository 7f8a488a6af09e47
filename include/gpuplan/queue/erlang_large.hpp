#pragma once
/// \file
/// Erlang's formulas through the incomplete gamma function of Boost.Math: pools of thousands in a
/// tenth of a microsecond.

#include <boost/math/special_functions/gamma.hpp>

#include <gpuplan/queue/continuous_erlang.hpp>
#include <gpuplan/queue/erlang.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {
namespace detail {

/// In double throughout: long double, Boost's default, takes ten times as long.
using gamma_policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

}  // namespace detail

/// Erlang B of many servers, whole or not.
///
///     B = p / Q(c+1, a)    p = a^c e^-a / Gamma(c+1)
///
///     c  servers        count, >= 0, whole or not
///     a  offered load   erlang, >= 0
///     Q  the regularised upper incomplete gamma function
///
/// One value with erlang_b, to the last digits.  Q comes from Temme's expansion, in 0.08 us, for c
/// in the hundreds and thousands; Boost 1.74 takes an O(sqrt c) series for more, 10 us at a
/// million. Below 64 servers or 1 erlang, and above c, it is continuous_erlang_b.
///
/// Source: D. Jagerman, "Some properties of the Erlang loss function", Bell System Technical
/// Journal 53 (1974) 525-551; N. Temme, "The asymptotic expansion of the incomplete gamma
/// functions", SIAM J. Math. Anal. 10 (1979) 757-766.
///
/// \throws invalid_input if servers < 0 or load < 0
inline double erlang_b_large(double servers, double load) {
  require(servers >= 0 && servers < 1e300, "erlang_b_large: servers must be >= 0 and finite");
  require(load >= 0, "erlang_b_large: load must be >= 0 erlang");
  if (servers < detail::few_servers || load > servers || load < 1)
    return continuous_erlang_b(servers, load);
  return detail::poisson(load, servers) /
         boost::math::gamma_q(servers + 1, load, detail::gamma_policy{});
}

/// Erlang C of many servers, whole or not.
///
///     C = c B / (c - a + a B)
///
///     c, a  as in erlang_b_large, c > 0; where a >= c every job waits
///     B     erlang_b_large(c, a)
///
/// Source: as erlang_b_large.
///
/// \throws invalid_input if servers <= 0 or load < 0
inline double erlang_c_large(double servers, double load) {
  require(servers > 0 && servers < 1e300, "erlang_c_large: servers must be > 0 and finite");
  require(load >= 0, "erlang_c_large: load must be >= 0 erlang");
  if (load >= servers) return 1;
  return detail::erlang_c_of(erlang_b_large(servers, load), servers, load);
}

/// M/M/c of many servers: wait(), by erlang_c_large.
///
///     W_q = C / (c / S - lambda)
///
///     lambda, S, c  of jobs, as in wait()
///
/// Source: as wait() and erlang_b_large.
///
/// \throws invalid_input as wait()
inline waiting wait_large(const workload& jobs) {
  return detail::wait_of(jobs,
                         [](int servers, double load) { return erlang_c_large(servers, load); });
}

}  // namespace gpuplan
