#pragma once
/// \file
/// Time to copy a buffer from one rank to all others in segments, each passed on while the next
/// arrives; and into how many segments to cut it.

#include <cmath>
#include <type_traits>

#include <gpuplan/comm/collective_time.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Who passes segments to whom.
enum class pipeline_shape {
  chain,    ///< each rank has one successor
  two_tree  ///< two binary trees, each for half of the message; a leaf of one is inside the other
};

/// Steps until the last rank has k segments, when each rank sends one in each step.
///
///                 steps            fill       each step carries
///     chain       fill + k         p - 2      m / k
///     two_tree    fill + 2 k       2 h - 2    m / (2 k): k segments down each tree
///
///     p   ranks, >= 2
///     h   height of the trees: log2 p rounded up
struct pipeline_steps {
  double fill = 0;
  double each = 1;  ///< steps for one more segment

  [[nodiscard]] constexpr collective_cost cost(double segments) const {
    const double steps = fill + each * segments;
    return {steps, steps / (each * segments), 0};
  }
};

/// Steps of a broadcast over p ranks: p - 2 to fill a chain, then one a segment; 2 ceil(log2 p) - 2
/// to fill two trees, then two.
///
/// Source: P. Sanders, J. Speck and J. Träff, "Two-tree algorithms for full bandwidth broadcast,
/// reduction and scan", Parallel Computing 35 (2009) 581-594.
///
/// \throws invalid_input if ranks < 2 or shape is neither
constexpr pipeline_steps steps_of(pipeline_shape shape, int ranks) {
  require(ranks >= 2, "pipelined_broadcast: ranks must be >= 2");
  switch (shape) {
    case pipeline_shape::chain: return {.fill = ranks - 2.0, .each = 1};
    case pipeline_shape::two_tree:
      return {.fill = 2.0 * detail::doublings_to_reach(ranks) - 2, .each = 2};
  }
  require(false, "pipelined_broadcast: shape must be chain or two_tree");
  return {};
}

/// A broadcast in k segments.
///
///     T = (p - 2 + k) (alpha + m / (k W))             chain
///     T = (2 h - 2 + 2 k) (alpha + m / (2 k W))       two_tree
///
///     p      ranks                             count, >= 1
///     k      segments, on two trees of each    count, >= 1
///     h      log2 p rounded up
///     m      message                           B, >= 0
///     alpha  link.latency                      s
///     W      link.bandwidth                    B/s, one direction
///
/// One rank takes no time.  Holds when a rank can send one segment and receive another at once, and
/// for any two ranks of the shape that are neighbours.
///
/// Source: P. Sanders, J. Speck and J. Träff, "Two-tree algorithms for full bandwidth broadcast,
/// reduction and scan", Parallel Computing 35 (2009) 581-594.
///
/// \throws invalid_input if ranks < 1, segments < 1, message < 0 B, or the link is invalid
template <class T>
constexpr basic_collective_time<T> pipelined_broadcast(
    pipeline_shape shape, const basic_interconnect<T>& link, int ranks,
    const std::type_identity_t<basic_bytes<T>>& message, double segments) {
  require(ranks >= 1, "pipelined_broadcast: ranks must be >= 1");
  require(segments >= 1, "pipelined_broadcast: segments must be >= 1");
  return time_of(ranks == 1 ? collective_cost{} : steps_of(shape, ranks).cost(segments), link,
                 message);
}

/// The whole number of segments that makes a broadcast quickest, each of a byte at least, 2^52 at
/// most; of equals the smaller.
///
///     k = smallest with  each k (k + 1) alpha  >=  fill / each  m / W
///
/// Source: as steps_of.
///
/// \throws invalid_input if ranks < 1, message < 0 B, or the link is invalid
template <class T>
constexpr double best_segments(pipeline_shape shape, const basic_interconnect<T>& link, int ranks,
                               const std::type_identity_t<basic_bytes<T>>& message) {
  require(ranks >= 1, "best_segments: ranks must be >= 1");
  require(message >= bytes{0}, "best_segments: message must be >= 0 B");
  require_valid(link);
  if (ranks == 1) return 1;

  const pipeline_steps steps = steps_of(shape, ranks);
  const basic_seconds<T> gain = steps.fill / (steps.each * steps.each) * message / link.bandwidth;
  double low = 0;  // one more segment still pays
  double high = 1;
  const auto enough = [&](double k) {
    return k * (k + 1) * link.latency >= gain || (k + 1) * steps.each * bytes{1} > message;
  };
  while (high < 0x1p52 && !enough(high)) {  // above it a double has no next whole number
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const auto middle = static_cast<double>(static_cast<long long>((low + high) / 2));
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

/// The broadcast of best_segments() segments.
///
/// Source: as steps_of.
template <class T>
constexpr basic_collective_time<T> best_pipelined_broadcast(
    pipeline_shape shape, const basic_interconnect<T>& link, int ranks,
    const std::type_identity_t<basic_bytes<T>>& message) {
  return pipelined_broadcast(shape, link, ranks, message,
                             best_segments(shape, link, ranks, message));
}

/// The number of segments that makes a broadcast quickest, were it not whole.
///
///     k* = sqrt((p - 2) m / (alpha W))           chain
///     k* = sqrt((h - 1) m / (2 alpha W))         two_tree
///
/// Zero where there is nothing to fill: then one segment is best.
///
/// Source: as steps_of.
///
/// \throws invalid_input if ranks < 2, message < 0 B, the link is invalid, or its latency is 0 s
template <class T>
T best_segments_unrounded(pipeline_shape shape, const basic_interconnect<T>& link, int ranks,
                          const std::type_identity_t<basic_bytes<T>>& message) {
  require(message >= bytes{0}, "best_segments_unrounded: message must be >= 0 B");
  require_valid(link);
  require(link.latency > seconds{0}, "best_segments_unrounded: link.latency must be > 0 s");
  using std::sqrt;
  const pipeline_steps steps = steps_of(shape, ranks);
  return sqrt(steps.fill / (steps.each * steps.each) * message / link.bandwidth / link.latency);
}

/// The time that goes with it, a lower bound of what whole segments reach.
///
///     T* = f alpha  +  m / W  +  2 sqrt(f alpha m / W),     f = p - 2, or 2 h - 2
///
/// The root belongs half to latency and half to transfer.
///
/// Source: as steps_of.
///
/// \throws invalid_input if ranks < 2, message < 0 B, or the link is invalid
template <class T>
basic_collective_time<T> pipelined_broadcast_unrounded(
    pipeline_shape shape, const basic_interconnect<T>& link, int ranks,
    const std::type_identity_t<basic_bytes<T>>& message) {
  require(message >= bytes{0}, "pipelined_broadcast_unrounded: message must be >= 0 B");
  require_valid(link);
  const double fill = steps_of(shape, ranks).fill;
  const basic_seconds<T> whole = message / link.bandwidth;
  const basic_seconds<T> root = sqrt(fill * link.latency * whole);
  return {.latency = fill * link.latency + root, .transfer = whole + root};
}

}  // namespace gpuplan
