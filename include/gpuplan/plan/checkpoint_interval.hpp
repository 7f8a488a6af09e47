#pragma once
/// \file
/// How often to write a checkpoint (Young, Daly), and how long writing takes.

#include <cmath>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Time that a checkpoint stops training.
///
///     t = m / W
///
///     m  bytes written, each part once, by all ranks together          B, >= 0
///     W  of all writers together, at most the storage's share of them  B/s, > 0
///
/// Where ranks copy to host memory first and write behind training, put that bandwidth for W; a
/// failure then loses what is not yet written, too.  Reading it back after a failure takes the
/// same.
///
/// Holds: nothing is written behind training.
///
/// Source: definition.
///
/// \throws invalid_input if state < 0 B or bandwidth <= 0 B/s
constexpr seconds checkpoint_time(bytes state, bytes_per_second bandwidth) {
  require(state >= bytes{0}, "checkpoint_time: state must be >= 0 B");
  require(bandwidth > bytes_per_second{0}, "checkpoint_time: bandwidth must be > 0 B/s");
  return state / bandwidth;
}

namespace detail {

constexpr void require_checkpoints(seconds write, seconds mtbf) {
  require(write > seconds{0}, "checkpoint interval: write must be > 0 s");
  require(mtbf > seconds{0}, "checkpoint interval: mtbf must be > 0 s");
}

}  // namespace detail

/// The best time between checkpoints, to first order.
///
///     tau = sqrt(2 delta M)
///
///     delta  one checkpoint                            s, > 0
///     M      mean time between failures: of the job    s, > 0
///     tau    computing between two checkpoints         s
///
/// For delta much smaller than M; daly_interval is the accurate form.
///
/// Holds: delta much smaller than M.
///
/// Source: J. W. Young, "A first order approximation to the optimum checkpoint interval",
/// Communications of the ACM 17 (1974) 530-531.
///
/// \throws invalid_input if a time is <= 0 s
inline seconds young_interval(seconds write, seconds mtbf) {
  detail::require_checkpoints(write, mtbf);
  return sqrt(2 * write * mtbf);
}

/// The best time between checkpoints, to higher order.
///
///     tau = sqrt(2 delta M) (1 + x/3 + x^2/9) - delta,  x = sqrt(delta / (2 M))   for delta < 2 M
///     tau = M                                                                  for delta >= 2 M
///
///     delta, M, tau  as for young_interval   s
///
/// For delta < 2 M the run is at most 0.2% longer than the shortest, by run_with_failures.
///
/// Holds: delta < 2 M; above it M.
///
/// Source: J. T. Daly, "A higher order estimate of the optimum checkpoint interval for restart
/// dumps", Future Generation Computer Systems 22 (2006) 303-312, equation 37.
///
/// \throws invalid_input if a time is <= 0 s
inline seconds daly_interval(seconds write, seconds mtbf) {
  detail::require_checkpoints(write, mtbf);
  if (!(write < 2 * mtbf)) return mtbf;
  const double x = std::sqrt(write / (2 * mtbf));
  return young_interval(write, mtbf) * (1 + x / 3 + x * x / 9) - write;
}

}  // namespace gpuplan
