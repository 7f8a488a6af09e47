#pragma once
/// \file
/// Jobs that take turns on a GPU, as Gandiva lets them: round robin, and what a switch costs.

#include <cmath>

#include <gpuplan/queue/mg1.hpp>
#include <gpuplan/queue/service.hpp>
#include <gpuplan/queue/time_slicing_turns.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Round robin with switching: the time that a job of size x takes.
///
///     T(x) = x + n o + W_1 + ... + W_n,   n = ceil(x / q)
///     W_k = lambda sum_m (W_m + h_k) u_(m+k-1) + lambda sum_(m<k) (W_m + q + o) u_(k-m) + R_k
///
///     lambda  arrival_rate                  1/s, >= 0
///     q, o    slice.quantum, .overhead      s, >= 0
///     x       size                          s, >= 0
///     u_i     mean of turn i over all jobs, those that need it not included as 0
///     h_k     0 for k = 1, else q + o
///     R_k     lambda/2 sum_i E X_i^2 of the turns' lengths X_i for k = 1, else 0
///
/// Mean values: a job waits for the turns of those it finds, and of those that came since its last
/// turn.  Exact up to 256 turns a job; later turns wait as those of a job without end,
/// (q + o) rho / (1 - rho).  As q and o tend to 0 it is processor sharing, x / (1 - rho).  Infinite
/// where switches take what is left of the GPU.
///
/// Source: R. W. Wolff, "Time sharing with priorities", SIAM J. Appl. Math. 19 (1970) 566-574; W.
/// Xiao et al., "Gandiva: Introspective Cluster Scheduling for Deep Learning", OSDI (2018).
///
/// \throws invalid_input if law or slice are invalid, arrival_rate < 0 or size < 0 s
template <service_law Law>
seconds time_slicing_response(const Law& law, per_second arrival_rate, const time_slice& slice,
                              seconds size) {
  const double rho = detail::utilization_of(law, arrival_rate);
  require(size >= seconds{0}, "time_slicing_response: size must be >= 0 s");
  const double turns = mean_turns(law, slice);
  if (!(rho + arrival_rate * (turns * slice.overhead) < 1)) return detail::for_ever;
  const auto waits = detail::waits_of_turns(law, arrival_rate, slice, turns);
  const double own = std::ceil(size / slice.quantum);
  seconds sum = size + own * slice.overhead;
  const int kept =
      own < detail::turn_waits::kept ? static_cast<int>(own) : detail::turn_waits::kept;
  for (int k = 0; k < kept; ++k) sum += waits.before(k);
  return sum + (own - kept) * waits.limit;
}

/// Mean of time_slicing_response over all jobs.
///
///     E T = E S + o E ceil(S / q) + sum_k P(S > (k-1) q) W_k
///
/// Source: as time_slicing_response.
///
/// \throws invalid_input if law or slice are invalid, or arrival_rate < 0
template <service_law Law>
seconds time_slicing_response(const Law& law, per_second arrival_rate, const time_slice& slice) {
  const double rho = detail::utilization_of(law, arrival_rate);
  const double turns = mean_turns(law, slice);
  if (!(rho + arrival_rate * (turns * slice.overhead) < 1)) return detail::for_ever;
  const auto waits = detail::waits_of_turns(law, arrival_rate, slice, turns);
  seconds sum = mean_service(law) + turns * slice.overhead;
  double counted = 0;
  for (int k = 0; k < detail::turn_waits::kept; ++k) {
    const double reached = law.tail(k * slice.quantum);
    counted += reached;
    sum += reached * waits.before(k);
  }
  return sum + std::fmax(0, turns - counted) * waits.limit;
}

}  // namespace gpuplan
