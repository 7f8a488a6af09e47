#pragma once
/// \file
/// Contention: communication beside computation, and beside other flows on the same link.

#include <cmath>
#include <type_traits>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// How much longer each takes while the other runs: collectives take multiprocessors and memory
/// bandwidth from kernels, and the other way round.  Measured values lie about 1.05 to 1.15; the
/// default is none.
template <class T>
struct basic_interference {
  T computation{1};    ///< >= 1
  T communication{1};  ///< >= 1
};

using interference = basic_interference<double>;

/// \throws invalid_input naming the first field that is out of its range
template <class T>
constexpr void require_valid(const basic_interference<T>& factor) {
  require(factor.computation >= 1, "interference.computation must be >= 1");
  require(factor.communication >= 1, "interference.communication must be >= 1");
}

/// How much longer computation takes when collectives hold a share s of the multiprocessors.
///
///     1/(1 - s)
///
///     s  share of the multiprocessors    1, >= 0, < 1
///
/// Holds: computation is bound by multiprocessors.
///
/// Source: S. Rashidi et al., "Enabling Compute-Communication Overlap in Distributed Deep Learning
/// Training Platforms", ISCA (2021) 540-553.
///
/// \throws invalid_input if share is not in 0 to below 1
template <class T>
constexpr T slowdown_at_share(const T& share) {
  require(share >= 0 && share < 1, "slowdown_at_share: share must be >= 0 and < 1");
  return T(1 / (1 - share));
}

/// Computation and communication that begin together, and slow each other while both run.
///
///     T = k C + M - k C / l     if k C <= l M:  the computation ends first
///         l M + C - l M / k     else
///
///     C, M   computation, communication, each on its own    s, >= 0
///     k, l   factor.computation, .communication             >= 1
///
/// With k = l = 1: max(C, M).  Never quicker, and no slower than k C + l M.  Each goes on at its
/// own pace once the other has ended.
///
/// Holds: both begin together.
///
/// Source: the factors after S. Rashidi et al., "Enabling Compute-Communication Overlap in
/// Distributed Deep Learning Training Platforms", ISCA (2021) 540-553.
///
/// \throws invalid_input if a time is < 0 s or a factor < 1
template <class T>
constexpr basic_seconds<T> beside_each_other(
    const basic_seconds<T>& computation,
    const std::type_identity_t<basic_seconds<T>>& communication,
    const std::type_identity_t<basic_interference<T>>& factor = {}) {
  require(computation >= seconds{0}, "beside_each_other: computation must be >= 0 s");
  require(communication >= seconds{0}, "beside_each_other: communication must be >= 0 s");
  require_valid(factor);
  const basic_seconds<T> computed = computation * factor.computation;
  const basic_seconds<T> sent = communication * factor.communication;
  if (computed <= sent) return computed + communication - computed / factor.communication;
  return sent + computation - sent / factor.computation;
}

/// What a flow gets of a link that others share.
///
///     min(W, C/n)
///
///     W   bandwidth, alone                 B/s, > 0
///     n   flows on the link                count, >= 1
///     C   capacity of the link             B/s, > 0
///
/// Holds for equal flows that share the link fairly.
///
/// Source: D. Bertsekas and R. Gallager, "Data Networks", 2nd ed., Prentice Hall (1992),
/// section 6.5.
///
/// \throws invalid_input if flows < 1, or a rate <= 0 B/s
template <class T>
constexpr basic_bytes_per_second<T> shared_bandwidth(
    const basic_bytes_per_second<T>& bandwidth, const std::type_identity_t<T>& flows,
    const std::type_identity_t<basic_bytes_per_second<T>>& capacity) {
  require(bandwidth > bytes_per_second{0}, "shared_bandwidth: bandwidth must be > 0 B/s");
  require(flows >= 1, "shared_bandwidth: flows must be >= 1");
  require(capacity > bytes_per_second{0}, "shared_bandwidth: capacity must be > 0 B/s");
  return smaller(bandwidth, capacity / flows);
}

/// What a node gets beyond its leaf switch when all send.
///
///     W/o
///
///     o  ports down over ports up    1, >= 1
///     W  bandwidth, one direction    B/s, > 0
///
/// Holds: all nodes of the leaf send across it at once.
///
/// Source: M. Al-Fares, A. Loukissas and A. Vahdat, "A Scalable, Commodity Data Center Network
/// Architecture", SIGCOMM (2008) 63-74.
///
/// \throws invalid_input if bandwidth <= 0 B/s or oversubscription < 1
template <class T>
constexpr basic_bytes_per_second<T> oversubscribed_bandwidth(
    const basic_bytes_per_second<T>& bandwidth, const std::type_identity_t<T>& oversubscription) {
  require(bandwidth > bytes_per_second{0}, "oversubscribed_bandwidth: bandwidth must be > 0 B/s");
  require(oversubscription >= 1, "oversubscribed_bandwidth: oversubscription must be >= 1");
  return bandwidth / oversubscription;
}

/// Flows on the fullest uplink, where each of f flows takes one of u at random (ECMP).
///
///     f/u + sqrt(2 f/u ln u)
///
///     f   flows      count, >= 0
///     u   uplinks    count, >= 1
///
/// An approximation of the mean, for many flows on each uplink: with 16 on each of 2 to 64 uplinks
/// it is 14% to 5% too large, with 32 10% to 6%, with one alone up to 45%.
///
/// Holds: many flows on each uplink; 14% to 5% too large at 16 flows on each of 2 to 64 uplinks.
///
/// Source: M. Raab and A. Steger, "'Balls into Bins': A Simple and Tight Analysis", RANDOM (1998)
/// 159-170.
///
/// \throws invalid_input if flows < 0 or uplinks < 1
inline double fullest_uplink(double flows, int uplinks) {
  require(flows >= 0, "fullest_uplink: flows must be >= 0");
  require(uplinks >= 1, "fullest_uplink: uplinks must be >= 1");
  const double mean = flows / uplinks;
  return mean + std::sqrt(2 * mean * std::log(static_cast<double>(uplinks)));
}

}  // namespace gpuplan
