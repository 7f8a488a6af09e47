#pragma once
/// \file
/// Distributions of durations: moments, tails and partial moments.

#include <cmath>
#include <concepts>
#include <limits>
#include <span>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Seconds to the power K; a plain number for K = 0.
template <int K>
using seconds_to_the = std::conditional_t<K == 0, double, quantity<dimension{.second = K}, double>>;

/// A size that a share of the jobs has.
struct service_atom {
  seconds size{};        ///< >= 0
  double probability{};  ///< > 0
};

/// Where a law of service without atoms has its weight, for those who integrate over it.
struct service_range {
  seconds least{};    ///< below it no weight that counts
  seconds most{};     ///< above it no weight that counts
  double ratio = 2;   ///< sizes so far apart that the density is smooth between them
  bool ends = false;  ///< at most, abruptly
};

/// A law of service S:
///
///     moment<K>()        E S^K
///     moment_up_to<K>(x) E S^K where S <= x, else 0; with K = 0 the distribution function
///     tail(x)            P(S > x)
template <class Law>
concept service_law = requires(const Law& law, seconds x) {
  { law.template moment<1>() } -> std::same_as<seconds>;
  { law.template moment<2>() } -> std::same_as<square_seconds>;
  { law.template moment_up_to<1>(x) } -> std::same_as<seconds>;
  { law.template moment_up_to<2>(x) } -> std::same_as<square_seconds>;
  { law.tail(x) } -> std::same_as<double>;
};

/// A law that gives whole shares to single sizes.  moment_below<K>(x) leaves out the jobs of size
/// x.
template <class Law>
concept discrete_service_law = service_law<Law> && requires(const Law& law, seconds x) {
  {std::span<const service_atom>(law.atoms())};
  { law.template moment_below<1>(x) } -> std::same_as<seconds>;
};

/// A law with a density.
template <class Law>
concept continuous_service_law = service_law<Law> && requires(const Law& law, seconds x) {
  { law.density(x) } -> std::same_as<per_second>;
  { law.range() } -> std::same_as<service_range>;
};

/// E S^K where S < x, else 0.
template <int K, service_law Law>
constexpr seconds_to_the<K> moment_below(const Law& law, seconds x) {
  if constexpr (discrete_service_law<Law>)
    return law.template moment_below<K>(x);
  else
    return law.template moment_up_to<K>(x);
}

/// Mean of a law of service, E S.
template <service_law Law>
constexpr seconds mean_service(const Law& law) {
  return law.template moment<1>();
}

/// Squared coefficient of variation of a law of service.
///
///     c_s^2 = E S^2 / (E S)^2 - 1
///
///     S  of law
///
/// 0 for equal jobs, 1 for exponential ones. Not below 0, where rounding would leave less of jobs
/// that are all but equal.
///
/// Source: D. Gross et al., "Fundamentals of Queueing Theory", 4th ed. (2008).
template <service_law Law>
constexpr double squared_variation(const Law& law) {
  // A law whose moments cancel says its own.
  if constexpr (requires {
                  { law.squared_variation() } -> std::same_as<double>;
                })
    return law.squared_variation();
  const seconds mean = mean_service(law);
  const double variation = law.template moment<2>() / (mean * mean) - 1;
  return variation < 0 ? 0 : variation;
}

/// E min(S, x)^K: the service that jobs have received when each has got up to x.
template <int K, service_law Law>
constexpr seconds_to_the<K> truncated_moment(const Law& law, seconds x) {
  double longer = law.tail(x);
  for (int i = 0; i < K && longer > 0; ++i) longer *= x / seconds{1};
  return law.template moment_up_to<K>(x) + seconds_to_the<K>{longer};
}

}  // namespace gpuplan
