#pragma once
/// \file
/// A run with failures: each one sends it back to its last checkpoint.

#include <cmath>

#include <gpuplan/plan/checkpoint_interval.hpp>
#include <gpuplan/plan/run.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What failures and checkpoints cost a job.
struct checkpoint_policy {
  seconds interval{};  ///< computing between two checkpoints; > 0, infinite only where mtbf is
  seconds write{};     ///< time that a checkpoint stops training; >= 0
  seconds restart{};   ///< from a failure to computing again: noticed, replaced, loaded; >= 0
  seconds mtbf{};      ///< of the whole job; > 0, infinite too
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const checkpoint_policy& how) {
  require(how.interval > seconds{0}, "checkpoint_policy.interval must be > 0 s");
  require(how.write >= seconds{0}, "checkpoint_policy.write must be >= 0 s");
  require(how.restart >= seconds{0}, "checkpoint_policy.restart must be >= 0 s");
  require(how.mtbf > seconds{0}, "checkpoint_policy.mtbf must be > 0 s");
  require(isfinite(how.interval) || !isfinite(how.mtbf),
          "checkpoint_policy.interval must be finite where mtbf is");
}

/// Where the expected time of such a run goes.
struct failing_run {
  seconds work{};         ///< computing that is kept
  seconds checkpoints{};  ///< writing those that are kept
  seconds rework{};       ///< computing and writing lost to failures
  seconds restarts{};
  double interruptions{};  ///< expected

  [[nodiscard]] constexpr seconds total() const { return work + checkpoints + rework + restarts; }
  /// Effective training time ratio: the share of the time that moves training on; 1 without work.
  [[nodiscard]] constexpr double effective_training_time() const {
    return total() > seconds{0} ? work / total() : 1;
  }
};

namespace detail {

/// (e^x - 1) / x - 1, without cancellation for small x.
inline double mean_excess(double x) {
  if (x < 1e-3) return x / 2 * (1 + x / 3 * (1 + x / 4 * (1 + x / 5)));
  return std::expm1(x) / x - 1;
}

}  // namespace detail

/// Expected time of a run with failures, by part.
///
///     work         T_s
///     checkpoints  k delta                          k = T_s / tau
///     rework       k (M (e^x - 1) - (tau + delta))  x = (tau + delta) / M
///     restarts     k (e^x - 1) M (e^(R/M) - 1)
///     total        k M e^(R/M) (e^x - 1)
///
///     T_s         work: time without failures and checkpoints   s, >= 0
///     tau, delta  how.interval, how.write                        s
///     R, M        how.restart, how.mtbf                          s
///
/// Interruptions are total / M.  Exact for failures independent of one another and of what runs,
/// in checkpoints and restarts, too, and for a T_s of whole intervals.
///
/// Source: J. T. Daly, "A higher order estimate of the optimum checkpoint interval for restart
/// dumps", Future Generation Computer Systems 22 (2006) 303-312, equation 20; the parts follow from
/// it.  The ratio of work to total is the ETTR of A. Kokolis et al., "Revisiting Reliability in
/// Large-Scale Machine Learning Research Clusters", HPCA (2025), arXiv:2410.21680.
///
/// \throws invalid_input if work < 0 s or how is invalid
inline failing_run run_with_failures(seconds work, const checkpoint_policy& how) {
  require(work >= seconds{0}, "run_with_failures: work must be >= 0 s");
  require_valid(how);
  if (work == seconds{0}) return {};
  const double segments = work / how.interval;
  const seconds segment = how.interval + how.write;
  failing_run run{.work = work, .checkpoints = segments * how.write};
  if (!isfinite(how.mtbf)) return run;
  const double in_segment = segment / how.mtbf;
  const double in_restart = how.restart / how.mtbf;
  run.rework = segments * segment * detail::mean_excess(in_segment);
  if (how.restart > seconds{0})  // endless failures without a restart lose no time to restarts
    run.restarts =
        segments * std::expm1(in_segment) * how.restart * (1 + detail::mean_excess(in_restart));
  run.interruptions = run.total() / how.mtbf;
  return run;
}

/// Checkpoints at daly_interval.
///
///     daly_interval(delta, M)
///
///     delta  one checkpoint                       s, > 0
///     R      from a failure to computing again    s, >= 0
///     M      mean time between failures           s, > 0
///
/// Holds: as daly_interval; the restart plays no part.
///
/// Source: J. T. Daly, "A higher order estimate of the optimum checkpoint interval for restart
/// dumps", Future Generation Computer Systems 22 (2006) 303-312.
///
/// \throws invalid_input if restart < 0 s, or write or mtbf <= 0 s
inline checkpoint_policy best_checkpoint_policy(seconds write, seconds restart, seconds mtbf) {
  checkpoint_policy how{
      .interval = daly_interval(write, mtbf), .write = write, .restart = restart, .mtbf = mtbf};
  require_valid(how);
  return how;
}

/// A run as training_run has it, with what failures and checkpoints add to its time.
///
///     time, GPU time, costs and energy, each times total / work
///
/// GPUs are kept and paid while they restart.  The energy is an upper bound: waiting takes less
/// power.
///
/// Source: by definition.
///
/// \throws invalid_input if time.work is not run.time, to 1e-9
constexpr run_estimate with_failures(const run_estimate& run, const failing_run& time) {
  require(abs(time.work - run.time) <= 1e-9 * run.time,
          "with_failures: time.work must be run.time");
  const double longer = time.work > seconds{0} ? time.total() / time.work : 1;
  return {.steps = run.steps,
          .time = longer * run.time,
          .gpu_time = longer * run.gpu_time,
          .gpu_cost = longer * run.gpu_cost,
          .energy = longer * run.energy,
          .energy_cost = longer * run.energy_cost};
}

}  // namespace gpuplan
