#pragma once
/// \file
/// Opportunistic jobs on the GPU time that others leave, as in AntMan, and their slowdown.

#include <limits>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A job that runs in what a guaranteed job leaves.
struct opportunistic_job {
  seconds step{};                     ///< alone on the GPU; > 0
  bytes memory{};                     ///< that its step touches; >= 0
  double busy = 1;                    ///< share of the step in which it computes; > 0 and <= 1
  bytes_per_second host_bandwidth{};  ///< one way, to the memory of the host; > 0
};

/// What a guaranteed job leaves.
struct leftover {
  bytes memory{};   ///< beside its peak; >= 0
  double idle = 0;  ///< share of the time in which it launches nothing; 0 to 1
};

/// The time of an opportunistic job's step, by cause.
struct opportunistic_step {
  seconds work{};   ///< the step, stretched to what is idle
  seconds spill{};  ///< memory that is not left goes to the host and back

  [[nodiscard]] constexpr seconds total() const { return work + spill; }
};

/// Time of a step that runs in what is left of a GPU.
///
///     work = T max(1, b / i),   spill = 2 max(0, m - m_left) / W
///
///     T, m, b, W  step, memory, busy, host_bandwidth of the job
///     m_left, i   memory, idle of what is left
///
/// A coarse model: launches of the guaranteed job go first and keep their speed, spilled tensors go
/// out and come back once in a step, and nothing overlaps.  Infinite where nothing is idle.
///
/// Holds: coarse: nothing overlaps.
///
/// Source: W. Xiao et al., "AntMan: Dynamic Scaling on GPU Clusters for Deep Learning", OSDI
/// (2020), which gives the mechanism and no closed form.
///
/// \throws invalid_input if an argument is invalid
constexpr opportunistic_step opportunistic_step_time(const opportunistic_job& job,
                                                     const leftover& left) {
  require(job.step > seconds{0}, "opportunistic_job.step must be > 0 s");
  require(job.memory >= bytes{0}, "opportunistic_job.memory must be >= 0 B");
  require(job.busy > 0 && job.busy <= 1, "opportunistic_job.busy must be > 0 and <= 1");
  require(job.host_bandwidth > bytes_per_second{0},
          "opportunistic_job.host_bandwidth must be > 0 B/s");
  require(left.memory >= bytes{0}, "leftover.memory must be >= 0 B");
  require(left.idle >= 0 && left.idle <= 1, "leftover.idle must be from 0 to 1");
  opportunistic_step time{.work = job.step, .spill = seconds{0}};
  if (left.idle < job.busy)
    time.work = left.idle > 0 ? job.step * (job.busy / left.idle)
                              : seconds{std::numeric_limits<double>::infinity()};
  if (job.memory > left.memory) time.spill = 2 * (job.memory - left.memory) / job.host_bandwidth;
  return time;
}

/// Speed of jobs that share a GPU, over that alone: Gandiva's packing.
///
///     s = min(1, 1 / sum of busy)
///
///     busy  share of the time that each would use alone, summed   1, > 0
///
/// Coarse: no interference but for time.  Packing pays while the sum of the speeds is above 1.
///
/// Source: W. Xiao et al., "Gandiva: Introspective Cluster Scheduling for Deep Learning", OSDI
/// (2018), section 3.2, which measures it; the form is by definition.
///
/// \throws invalid_input if total_busy <= 0
constexpr double packed_speed(double total_busy) {
  require(total_busy > 0, "packed_speed: total_busy must be > 0");
  return total_busy <= 1 ? 1 : 1 / total_busy;
}

}  // namespace gpuplan
