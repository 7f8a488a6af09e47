#pragma once
/// \file
/// How often a job is interrupted.

#include <cmath>
#include <span>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Equal parts that a job needs all of: nodes, GPUs, switches.
struct failing_parts {
  double count{};  ///< >= 0
  seconds mtbf{};  ///< mean time between failures of one; > 0, infinite too
};

/// Failures per second of a job that any part stops.
///
///     lambda = sum_i n_i / M_i
///
///     n_i  parts.count   count, >= 0
///     M_i  parts.mtbf    s, > 0
///
/// It grows with the parts as a straight line, not exponentially.  Failures must be independent and
/// as likely at any age; a defective node or a bad release makes them neither.
///
/// Source: R. E. Barlow and F. Proschan, "Mathematical Theory of Reliability", Wiley (1965).
///
/// \throws invalid_input if a count is < 0 or an mtbf <= 0 s
constexpr per_second failure_rate(std::span<const failing_parts> parts) {
  per_second sum;
  for (const failing_parts& part : parts) {
    require(part.count >= 0, "failing_parts.count must be >= 0");
    require(part.mtbf > seconds{0}, "failing_parts.mtbf must be > 0 s");
    sum += part.count / part.mtbf;
  }
  return sum;
}

/// Mean time between failures of a job on n equal nodes.
///
///     M / n
///
///     M  mean time between failures: of_node    s, > 0
///     n  nodes                                  count, > 0
///
/// Holds: any node stops the job.
///
/// Source: as failure_rate.
///
/// \throws invalid_input if of_node <= 0 s or nodes <= 0
constexpr seconds job_mtbf(seconds of_node, double nodes) {
  require(of_node > seconds{0}, "job_mtbf: of_node must be > 0 s");
  require(nodes > 0, "job_mtbf: nodes must be > 0");
  return of_node / nodes;
}

/// Mean time between failures of one node, from a log.
///
///     T n / k
///
///     T  time that all ran                             s, > 0
///     n  nodes or GPUs                                 count, > 0
///     k  failures, of all nodes in that time           count, > 0
///
/// Of k failures the standard error is the share 1/sqrt(k).
///
/// Holds: standard error 1/sqrt(k).
///
/// Source: as failure_rate.
///
/// \throws invalid_input if an argument is <= 0
constexpr seconds observed_mtbf(seconds observed, double nodes, double failures) {
  require(observed > seconds{0}, "observed_mtbf: observed must be > 0 s");
  require(nodes > 0, "observed_mtbf: nodes must be > 0");
  require(failures > 0, "observed_mtbf: failures must be > 0");
  return observed * nodes / failures;
}

/// Probability that a time passes without failure.
///
///     exp(-t / M)
///
///     t  time                          s, >= 0
///     M  mean time between failures    s, > 0
///
/// Holds: failures as likely at any age.
///
/// Source: as failure_rate.
///
/// \throws invalid_input if time < 0 s or mtbf <= 0 s
inline double survival(seconds time, seconds mtbf) {
  require(time >= seconds{0}, "survival: time must be >= 0 s");
  require(mtbf > seconds{0}, "survival: mtbf must be > 0 s");
  return std::exp(-(time / mtbf));
}

/// Mean time between failures of what survives a time with a probability.
///
///     -t / ln p
///
///     t  time           s, > 0
///     p  probability    1, > 0, < 1
///
/// "99.9% reliable" says nothing without t: over a day it is an mtbf of 999.5 days, over an hour of
/// 999.5 hours.
///
/// Holds: failures as likely at any age.
///
/// Source: survival, solved for M.
///
/// \throws invalid_input if time <= 0 s, or probability is not between 0 and 1
inline seconds mtbf_of_survival(double probability, seconds time) {
  require(probability > 0 && probability < 1,
          "mtbf_of_survival: probability must be above 0 and below 1");
  require(time > seconds{0}, "mtbf_of_survival: time must be > 0 s");
  return time / -std::log(probability);
}

}  // namespace gpuplan
