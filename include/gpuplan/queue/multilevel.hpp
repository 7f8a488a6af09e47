#pragma once
/// \file
/// Queues by service attained, as Tiresias keeps them: the job moves down when it has had a
/// quantum.

#include <cstddef>
#include <span>

#include <gpuplan/queue/mg1.hpp>
#include <gpuplan/queue/service.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {
namespace detail {

/// One level: jobs that have had more than `from` and up to `to`.
template <service_law Law>
struct attained_level {
  seconds wait{};       ///< V, behind the work of this level and those above
  double left_above{};  ///< share of the server left by the levels above

  attained_level(const Law& law, per_second arrival_rate, seconds from, seconds to)
      : left_above(1 - arrival_rate * truncated_moment<1>(law, from)) {
    const double left = 1 - arrival_rate * truncated_moment<1>(law, to);
    wait = left > 0 ? arrival_rate * truncated_moment<2>(law, to) / (2 * left) : for_ever;
  }
};

constexpr void require_ascending(std::span<const seconds> thresholds) {
  seconds before{0};
  for (const seconds threshold : thresholds) {
    require(threshold > before, "multilevel_response: thresholds must be > 0 s and ascending");
    before = threshold;
  }
}

}  // namespace detail

/// Least attained service in levels: a job that has had a_(i-1) to a_i waits behind all with less,
/// and within its level in the order of arrival.  The time that a job of size x takes.
///
///     T(x) = (V_i + x) / (1 - r_(i-1)),   V_i = lambda E min(S, a_i)^2 / (2 (1 - r_i))
///     r_i = lambda E min(S, a_i),   a_(i-1) < x <= a_i
///
///     lambda  arrival_rate                                1/s, >= 0
///     S, x    of law; size                                s, >= 0
///     a       thresholds, ascending; the last level is open  s, > 0
///
/// Exact.  Tiresias' discretised queues with one GPU a job.  No threshold is first come first
/// served; ever closer ones tend to least_attained_response.
///
/// Source: L. Kleinrock, "Queueing Systems, Volume II: Computer Applications" (1976), section 4.7;
/// J. Gu et al., "Tiresias: A GPU Cluster Manager for Distributed Deep Learning", NSDI (2019).
///
/// \throws invalid_input if the law is invalid, arrival_rate < 0, size < 0 s, or thresholds do not
///         ascend
template <service_law Law>
seconds multilevel_response(const Law& law, per_second arrival_rate,
                            std::span<const seconds> thresholds, seconds size) {
  const bool stable = detail::utilization_of(law, arrival_rate) < 1;
  require(size >= seconds{0}, "multilevel_response: size must be >= 0 s");
  detail::require_ascending(thresholds);
  seconds from{0};
  for (const seconds to : thresholds) {
    if (size <= to) {
      const detail::attained_level level{law, arrival_rate, from, to};
      return level.wait < detail::for_ever ? (level.wait + size) / level.left_above : level.wait;
    }
    from = to;
  }
  if (!stable) return detail::for_ever;
  const detail::attained_level level{law, arrival_rate, from, detail::for_ever};
  return (level.wait + size) / level.left_above;
}

/// Mean of multilevel_response over all jobs: a sum over the levels.
///
///     E T = sum_i (V_i P(a_(i-1) < S <= a_i) + E[S; a_(i-1) < S <= a_i]) / (1 - r_(i-1))
///
/// Source: as multilevel_response.
///
/// \throws invalid_input if the law is invalid, arrival_rate < 0, or thresholds do not ascend
template <service_law Law>
seconds multilevel_response(const Law& law, per_second arrival_rate,
                            std::span<const seconds> thresholds) {
  detail::require_ascending(thresholds);
  if (!(detail::utilization_of(law, arrival_rate) < 1)) return detail::for_ever;
  seconds sum{};
  seconds from{0};
  for (std::size_t i = 0; i <= thresholds.size(); ++i) {
    const seconds to = i < thresholds.size() ? thresholds[i] : detail::for_ever;
    const detail::attained_level level{law, arrival_rate, from, to};
    const double share = law.tail(from) - law.tail(to);
    const seconds work = law.template moment_up_to<1>(to) - law.template moment_up_to<1>(from);
    sum += (share * level.wait + work) / level.left_above;
    from = to;
  }
  return sum;
}

}  // namespace gpuplan
