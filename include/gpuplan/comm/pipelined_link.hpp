#pragma once
/// \file
/// A collective by three numbers, as curves of measured times have them: a start, a rate, and a
/// square root between.

#include <type_traits>

#include <gpuplan/comm/collective_time.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What a collective takes that cuts its message as is best for its size.
template <class T>
struct basic_pipelined_link {
  basic_seconds<T> latency{};             ///< t0, of an empty message; >= 0
  basic_seconds<T> fill{};                ///< f, latency of a pipeline that fills; >= 0
  basic_bytes_per_second<T> bandwidth{};  ///< B, of the algorithm; > 0
};

using pipelined_link = basic_pipelined_link<double>;

/// \throws invalid_input naming the first field that is out of its range
template <class T>
constexpr void require_valid(const basic_pipelined_link<T>& link) {
  require(link.latency >= seconds{0}, "pipelined_link.latency must be >= 0 s");
  require(link.fill >= seconds{0}, "pipelined_link.fill must be >= 0 s");
  require(link.bandwidth > bytes_per_second{0}, "pipelined_link.bandwidth must be > 0 B/s");
}

/// Time of a collective that cuts its message as is best for its size.
///
///     T = t0  +  2 sqrt(f m / B)  +  m / B
///
///     m         message                               B, >= 0
///     t0, f, B  link.latency, .fill, .bandwidth
///
/// With f = 0 it is the alpha-beta model.  It follows NCCL's sweeps from 8 B to 16 GiB, which the
/// alpha-beta model cannot, to 3% to 7% in the median: from short to long messages the protocol
/// changes and pipelines fill.  Beyond the largest message of a fit it may overshoot the rate.
///
/// The root belongs half to latency and half to transfer.
///
/// Holds: within the sizes of a fit; follows NCCL's sweeps to 3% to 7% in the median.
///
/// Source: P. Sanders, J. Speck and J. Träff, "Two-tree algorithms for full bandwidth broadcast,
/// reduction and scan", Parallel Computing 35 (2009) 581-594, where the number of segments is best.
///
/// \throws invalid_input if message < 0 B or the link is invalid
template <class T>
basic_collective_time<T> pipelined_time(const basic_pipelined_link<T>& link,
                                        const std::type_identity_t<basic_bytes<T>>& message) {
  require(message >= bytes{0}, "pipelined_time: message must be >= 0 B");
  require_valid(link);
  const basic_seconds<T> whole = message / link.bandwidth;
  const basic_seconds<T> root = sqrt(link.fill * whole);
  return {.latency = link.latency + root, .transfer = whole + root};
}

}  // namespace gpuplan
