#pragma once
/// \file
/// Shares of what hardware could have done: bandwidth, operations and time of GPUs; jobs a second.

#include <span>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Share of the peak bandwidth of memory that a kernel or a run used.
///
///     U = m / (W T)
///
///     m  bytes moved                  B, >= 0
///     W  peak bandwidth of memory     B/s, > 0
///     T  time                         s, > 0
///
/// Above 1 the bytes did not all come from that memory, or one of the three is wrong: compare
/// streaming_share, the most that streaming kernels reach.
///
/// Holds: bytes of the level whose bandwidth is given.
///
/// Source: definition; S. Williams, A. Waterman and D. Patterson, "Roofline", Commun. ACM 52 (2009)
/// 65-76.
///
/// \throws invalid_input if moved < 0 B, bandwidth <= 0 B/s or time <= 0 s
constexpr double bandwidth_utilization(bytes moved, bytes_per_second bandwidth, seconds time) {
  require(moved >= bytes{0}, "bandwidth_utilization: moved must be >= 0 B");
  require(bandwidth > bytes_per_second{0}, "bandwidth_utilization: bandwidth must be > 0 B/s");
  require(time > seconds{0}, "bandwidth_utilization: time must be > 0 s");
  return moved / (bandwidth * time);
}

/// What a job does and what its GPUs could do.
struct job_rate {
  flop_per_second actual{};  ///< >= 0
  flop_per_second peak{};    ///< of all its GPUs, in its number format; > 0
};

/// Share of the peak of all jobs' GPUs that the jobs reach: the mean of their utilisations weighted
/// by their peaks.
///
///     E = sum F_j / sum P_j
///
///     F_j  rate that job j reaches          FLOP/s, >= 0
///     P_j  peak of the GPUs of job j        FLOP/s, > 0
///
/// No mean of the jobs' own ratios: a small job that does well does not make up for a large one.
///
/// Holds: peaks in the format that each job computes in.
///
/// Source: definition.
///
/// \throws invalid_input if there are no jobs, an actual rate is < 0 or a peak is <= 0
constexpr double flop_utilization(std::span<const job_rate> jobs) {
  require(!jobs.empty(), "flop_utilization: jobs must be >= 1");
  flop_per_second actual{};
  flop_per_second peak{};
  for (const job_rate& job : jobs) {
    require(job.actual >= flop_per_second{0}, "job_rate.actual must be >= 0 FLOP/s");
    require(job.peak > flop_per_second{0}, "job_rate.peak must be > 0 FLOP/s");
    actual += job.actual;
    peak += job.peak;
  }
  return actual / peak;
}

/// Share of a window in which GPUs were active.
///
///     U = sum a_i / (n T)
///
///     a_i  active time of GPU i in the window    s, 0 to T
///     n    GPUs                                  count, >= 1
///     T    the window                            s, > 0
///
/// Active is not busy: a GPU with one kernel of one block is active.  See flop_utilization for what
/// it does with the time, and mean_utilization for holds of a schedule.
///
/// Holds: one window for all GPUs.
///
/// Source: definition.
///
/// \throws invalid_input if there are no GPUs, the window is <= 0 s, or an active time is < 0 s or
///         longer than the window
constexpr double gpu_utilization(std::span<const seconds> active, seconds window) {
  require(!active.empty(), "gpu_utilization: active must be >= 1 GPUs");
  require(window > seconds{0}, "gpu_utilization: window must be > 0 s");
  seconds sum{};
  for (const seconds& one : active) {
    require(one >= seconds{0} && one <= window, "gpu_utilization: active must be 0 s to window");
    sum += one;
  }
  return sum / (static_cast<double>(active.size()) * window);
}

/// Jobs completed in a unit of time.
///
///     N / T
///
///     N  jobs completed in the window    count, >= 0
///     T  the window                      s, > 0
///
/// Holds: long windows: jobs at its ends count whole or not at all.
///
/// Source: definition.
///
/// \throws invalid_input if completed < 0 or window <= 0 s
constexpr per_second job_throughput(double completed, seconds window) {
  require(completed >= 0, "job_throughput: completed must be >= 0");
  require(window > seconds{0}, "job_throughput: window must be > 0 s");
  return completed / window;
}

}  // namespace gpuplan
