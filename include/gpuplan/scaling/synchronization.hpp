#pragma once
/// \file
/// Synchronising less often, or over a link that is just fast enough.

#include <cstdint>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A step, when only every k-th is followed by communication; both are means over k steps.
struct local_step {
  seconds compute{};
  seconds communication{};

  [[nodiscard]] constexpr seconds total() const { return compute + communication; }
};

/// Mean time of a step with communication after every k-th.
///
///     t = t_c + t_comm / k
///
///     t_c, t_comm  compute, communication: exposed, of one step   s, >= 0
///     k            every                                          count, >= 1
///
/// The time alone: the model averages weights and not gradients, and converges differently.  Memory
/// does not grow.
///
/// Source: S. U. Stich, "Local SGD Converges Fast and Communicates Little", ICLR (2019),
/// arXiv:1805.09767.
///
/// \throws invalid_input if a time is < 0 s or every < 1
constexpr local_step local_step_time(seconds compute, seconds communication, std::int64_t every) {
  require(compute >= seconds{0}, "local_step_time: compute must be >= 0 s");
  require(communication >= seconds{0}, "local_step_time: communication must be >= 0 s");
  require(every >= 1, "local_step_time: every must be >= 1");
  return {.compute = compute, .communication = communication / static_cast<double>(every)};
}

/// Share of the communication that is saved by communicating after every k-th step: 1 - 1/k.
///
/// \throws invalid_input if every < 1
constexpr double communication_saved(std::int64_t every) {
  require(every >= 1, "communication_saved: every must be >= 1");
  return 1 - 1 / static_cast<double>(every);
}

/// The least bandwidth with which computing takes a given share of the step.
///
///     W = m / (t_c (1 - E) / E)
///
///     m    bytes that a device sends and does not hide, in a step   B, >= 0
///     t_c  compute, of a step                                       s, > 0
///     E    efficiency, t_c / (t_c + m/W)                            1, 0 to 1, neither
///
/// For a ring all-reduce of gradients m is 2 (n - 1)/n of their bytes.  Latency comes on top.
///
/// Source: definition.
///
/// \throws invalid_input if sent < 0 B, compute <= 0 s, or efficiency is not between 0 and 1
constexpr bytes_per_second bandwidth_of_efficiency(bytes sent, seconds compute, double efficiency) {
  require(sent >= bytes{0}, "bandwidth_of_efficiency: sent must be >= 0 B");
  require(compute > seconds{0}, "bandwidth_of_efficiency: compute must be > 0 s");
  require(efficiency > 0 && efficiency < 1,
          "bandwidth_of_efficiency: efficiency must be above 0 and below 1");
  return sent / (compute * ((1 - efficiency) / efficiency));
}

}  // namespace gpuplan
