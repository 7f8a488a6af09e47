#pragma once
/// \file
/// Saving on gradients: to sum them less often, to send less of them, and the network that a wanted
/// efficiency needs.

#include <limits>
#include <type_traits>

#include <gpuplan/ceiling.hpp>
#include <gpuplan/comm/collective_time.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Share of communication saved by synchronising once in k micro-batches or steps.
///
///     1 - 1/k
///
///     k  steps from one synchronisation to the next    count, >= 1
///
/// Gradient accumulation saves this much and leaves the sum as it is; local steps save it and
/// change what is learnt.  k = 4 saves 75%.
///
/// Holds: each synchronisation costs the same.
///
/// Source: S. U. Stich, "Local SGD Converges Fast and Communicates Little", ICLR (2019).
///
/// \throws invalid_input if steps < 1
constexpr double synchronization_saving(int steps) {
  require(steps >= 1, "synchronization_saving: steps must be >= 1");
  return 1 - 1.0 / steps;
}

/// Share of the time that is computation, when every k steps end with a synchronisation.
///
///     E = k c / (k c + m)
///
///     k  steps from one synchronisation to the next                                  count, >= 1
///     c  computation of a step                                                     s, > 0
///     m  what shows of a synchronisation                                            s, >= 0
///
/// Holds: steps take equally long.
///
/// Source: as synchronization_saving.
///
/// \throws invalid_input if steps < 1, step <= 0 s or exposed < 0 s
template <class T>
constexpr T synchronization_efficiency(int steps, const basic_seconds<T>& step,
                                       const std::type_identity_t<basic_seconds<T>>& exposed) {
  require(steps >= 1, "synchronization_efficiency: steps must be >= 1");
  require(step > seconds{0}, "synchronization_efficiency: step must be > 0 s");
  require(exposed >= seconds{0}, "synchronization_efficiency: exposed must be >= 0 s");
  const basic_seconds<T> computed = static_cast<double>(steps) * step;
  return T(computed / (computed + exposed));
}

/// The fewest steps from one synchronisation to the next that reach an efficiency: the smallest
/// whole k >= E m / ((1 - E) c).
///
///     k = ceil(E m/((1 - E) c)), at least 1
///
///     c  computation of a step              s, > 0
///     m  what shows of a synchronisation    s, >= 0
///     E  efficiency                         1, >= 0, < 1
///
/// Holds: steps take equally long.
///
/// Source: as synchronization_saving.
///
/// \throws invalid_input if step <= 0 s, exposed < 0 s, or efficiency is not in 0 to below 1
constexpr double steps_for_efficiency(seconds step, seconds exposed, double efficiency) {
  require(step > seconds{0}, "steps_for_efficiency: step must be > 0 s");
  require(exposed >= seconds{0}, "steps_for_efficiency: exposed must be >= 0 s");
  require(efficiency >= 0 && efficiency < 1,
          "steps_for_efficiency: efficiency must be >= 0 and < 1");
  const double least = rounded_up(efficiency / (1 - efficiency) * (exposed / step));
  return least < 1 ? 1 : least;
}

/// What a link must carry so that a step is efficient.
template <class T>
struct basic_needed_bandwidth {
  basic_seconds<T> budget{};              ///< what communication may take, or show
  basic_seconds<T> latency{};             ///< what it takes however wide the link is
  basic_bytes_per_second<T> bandwidth{};  ///< infinite if the latency alone is too long

  [[nodiscard]] constexpr bool reachable() const { return latency < budget; }
};

using needed_bandwidth = basic_needed_bandwidth<double>;

/// The bandwidth at which a collective leaves the efficiency E = c / (c + exposed).
///
///     W = B m / (c (1/E - 1) + h - A alpha)
///
///     c        computation of a step                            s, > 0
///     h        of the communication, what hides behind it       s, >= 0
///     A, B     cost.messages, .sent
///     alpha    latency of a message                             s, >= 0
///     m        message                                          B, >= 0
///     E        efficiency                                       > 0, <= 1
///
/// For an aggregate over p ranks, multiply by p; the "2 N S p / t" of some guides is that aggregate
/// for large p, not what a port carries.
///
/// Source: E. Chan, M. Heimlich, A. Purkayastha and R. van de Geijn, "Collective communication:
/// theory, practice, and experience", Concurrency Computat.: Pract. Exper. 19 (2007) 1749-1783.
///
/// \throws invalid_input if computation <= 0 s, hidden, latency or message < 0, or efficiency is
///         not in above 0 to 1
template <class T>
constexpr basic_needed_bandwidth<T> bandwidth_for_efficiency(
    const collective_cost& cost, const basic_bytes<T>& message,
    const std::type_identity_t<basic_seconds<T>>& latency,
    const std::type_identity_t<basic_seconds<T>>& computation,
    const std::type_identity_t<basic_seconds<T>>& hidden,
    const std::type_identity_t<T>& efficiency) {
  require(message >= bytes{0}, "bandwidth_for_efficiency: message must be >= 0 B");
  require(latency >= seconds{0}, "bandwidth_for_efficiency: latency must be >= 0 s");
  require(computation > seconds{0}, "bandwidth_for_efficiency: computation must be > 0 s");
  require(hidden >= seconds{0}, "bandwidth_for_efficiency: hidden must be >= 0 s");
  require(efficiency > 0 && efficiency <= 1,
          "bandwidth_for_efficiency: efficiency must be > 0 and <= 1");
  basic_needed_bandwidth<T> needed{.budget = computation * T(1 / efficiency - 1) + hidden,
                                   .latency = cost.messages * latency};
  if (cost.sent > 0 && message > bytes{0})
    needed.bandwidth =
        needed.reachable()
            ? basic_bytes_per_second<T>(cost.sent * message / (needed.budget - needed.latency))
            : basic_bytes_per_second<T>{T(std::numeric_limits<double>::infinity())};
  return needed;
}

/// A way to send gradients in fewer bytes.
template <class T>
struct basic_compression {
  T ratio{1};                            ///< bytes before over bytes sent; >= 1
  basic_seconds_per_byte<T> encoding{};  ///< to compress and expand a byte, before over; >= 0
};

using compression = basic_compression<double>;

/// A collective of compressed gradients.
///
///     T = A alpha + B m / (x W) + C gamma m / x + q m
///
///     x, q   how.ratio, .encoding
///
/// otherwise as time_of; q m is part of `compute`.  Holds for what can be summed as it is sent, as
/// FP8 for FP32 or low rank; the largest elements only cannot, and are gathered: take that cost.
///
/// Source: T. Vogels, S. P. Karimireddy and M. Jaggi, "PowerSGD: Practical Low-Rank Gradient
/// Compression for Distributed Optimization", NeurIPS (2019).
///
/// \throws invalid_input if ratio < 1, encoding < 0 s/B, or as time_of
template <class T>
constexpr basic_collective_time<T> compressed_time_of(
    const collective_cost& cost, const basic_interconnect<T>& link,
    const std::type_identity_t<basic_bytes<T>>& message,
    const std::type_identity_t<basic_compression<T>>& how,
    const std::type_identity_t<basic_seconds_per_byte<T>>& reduction = {}) {
  require(how.ratio >= 1, "compression.ratio must be >= 1");
  require(how.encoding >= seconds_per_byte{0}, "compression.encoding must be >= 0 s/B");
  basic_collective_time<T> time = time_of(cost, link, message / how.ratio, reduction);
  time.compute += message * how.encoding;
  return time;
}

}  // namespace gpuplan
