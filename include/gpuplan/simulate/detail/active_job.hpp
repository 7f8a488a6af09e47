#pragma once
/// \file
/// A job of a simulated pool with preemption, its place in the order, and levels of service.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <gpuplan/simulate/pool_policy.hpp>
#include <gpuplan/simulate/simulated_waiting.hpp>
#include <gpuplan/trace/job.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

/// A job that runs or waits, as of the last time that it started or stopped.
struct active_job {
  double key = 0;     ///< less is first: of attained service the level, of turns the last one
  seconds entered{};  ///< that level; equals go in the order of that, then of the trace
  std::size_t index = 0;
  std::int64_t gpus = 0;
  seconds end = never;  ///< if it goes on
  seconds remaining{};
  seconds attained{};  ///< GPU s, since it was last promoted
  seconds ran{};       ///< since then
  seconds waited{};
  seconds started{};  ///< to work: after the switch
  seconds stopped{};
  bool marked = false;  ///< to be started or stopped

  friend bool operator<(const active_job& a, const active_job& b) {
    if (a.key != b.key) return a.key < b.key;
    if (!(a.entered == b.entered)) return a.entered < b.entered;
    return a.index < b.index;
  }
};

inline active_job arrival_of(const trace_job& job, std::size_t index, job_order order) {
  active_job added;
  added.entered = added.stopped = job.submit;
  added.index = index;
  added.gpus = job.gpus;
  added.remaining = job.duration;
  if (order == job_order::priority) added.key = -static_cast<double>(job.priority);
  if (order == job_order::shortest_job || order == job_order::shortest_remaining_time)
    added.key = job.duration.in_base_units();
  return added;
}

/// By insertion: what is nearly in order takes little more than a look.
inline void sort_nearly_sorted(std::vector<active_job>& jobs) {
  for (std::size_t i = 1; i < jobs.size(); ++i) {
    if (!(jobs[i] < jobs[i - 1])) continue;
    const active_job job = jobs[i];
    std::size_t hole = i;
    for (; hole > 0 && job < jobs[hole - 1]; --hole) jobs[hole] = jobs[hole - 1];
    jobs[hole] = job;
  }
}

/// What levels there are, and when a job goes from one to another.
class attained_levels {
 public:
  explicit attained_levels(const pool_policy& policy)
      : thresholds_(policy.thresholds), quantum_(policy.quantum), knob_(policy.starvation_knob) {}

  /// When a job that runs comes to a level.
  [[nodiscard]] seconds entry(const active_job& job, double level) const {
    const seconds threshold = begin_of(level);
    if (!(threshold < never)) return never;
    return job.started + (threshold - job.attained) / static_cast<double>(job.gpus);
  }

  [[nodiscard]] bool promotes() const { return knob_ < never.in_base_units(); }

  /// When a job that waits goes back to the first level.
  [[nodiscard]] seconds promotion(const active_job& job) const {
    if (job.key == 0 || !promotes()) return never;
    return job.stopped + knob_ * job.ran;
  }

  /// Puts jobs into the levels that they have come to.
  void follow(std::vector<active_job>& running, std::vector<active_job>& waiting,
              seconds now) const {
    for (active_job& job : running) follow(job, now);
    if (!promotes()) return;
    for (active_job& job : waiting)
      if (promotion(job) <= now) promote(job, now);
    sort_nearly_sorted(waiting);
  }

 private:
  void follow(active_job& job, seconds now) const {
    double level = job.key;
    if (entry(job, level + 1) > now) return;
    if (thresholds_.empty()) {
      const seconds attained = job.attained + static_cast<double>(job.gpus) * (now - job.started);
      level = (std::max)(level, std::floor(attained / quantum_) - 1);
    }
    while (entry(job, level + 1) <= now) ++level;
    job.entered = entry(job, level);
    job.key = level;
  }
  static void promote(active_job& job, seconds now) {
    job.key = 0;
    job.entered = now;
    job.attained = seconds{0};
    job.ran = seconds{0};
  }

  /// GPU s at which a level begins; the first is 0.
  [[nodiscard]] seconds begin_of(double level) const {
    if (thresholds_.empty()) return level * quantum_;
    if (level == 0) return seconds{0};
    const auto index = static_cast<std::size_t>(level) - 1;
    return index < thresholds_.size() ? thresholds_[index] : never;
  }

  std::span<const seconds> thresholds_;
  seconds quantum_;
  double knob_;
};

}  // namespace gpuplan::detail
