#pragma once
/// \file
/// Jobs of a simulated pool that can be stopped, and the levels of least attained service.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>

#include <gpuplan/queue/simulator_policy.hpp>
#include <gpuplan/queue/simulator_result.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

/// A job that runs or waits, as of the last time that it started or stopped.
struct active_job {
  std::size_t index = 0;
  std::int64_t gpus = 0;
  double key = 0;          ///< less is first
  std::int64_t level = 0;  ///< of attained service
  seconds entered{};       ///< that level
  seconds remaining{};
  seconds attained{};  ///< GPU s, since it was last promoted
  seconds ran{};       ///< since then
  seconds waited{};
  seconds started{};
  seconds stopped{};
  seconds end = never;  ///< if it goes on

  friend bool operator<(const active_job& a, const active_job& b) {
    if (a.key != b.key) return a.key < b.key;
    if (a.level != b.level) return a.level < b.level;
    if (!(a.entered == b.entered)) return a.entered < b.entered;
    return a.index < b.index;
  }
};

/// What levels there are, and when a job goes from one to another.
class attained_levels {
 public:
  explicit attained_levels(const pool_policy& policy)
      : thresholds_(policy.thresholds), quantum_(policy.quantum), knob_(policy.starvation_knob) {}

  /// When a job that runs comes to a level.
  [[nodiscard]] seconds entry(const active_job& job, std::int64_t level) const {
    const seconds threshold = begin_of(level);
    if (!(threshold < never)) return never;
    return job.started + (threshold - job.attained) / static_cast<double>(job.gpus);
  }

  /// Puts a job that runs into the level that it has come to.
  void follow(active_job& job, seconds now) const {
    std::int64_t level = job.level;
    if (thresholds_.empty()) {
      const seconds attained = job.attained + static_cast<double>(job.gpus) * (now - job.started);
      level = (std::max)(level, static_cast<std::int64_t>(attained / quantum_) - 1);
    }
    while (entry(job, level + 1) <= now) ++level;
    if (level == job.level) return;
    job.entered = entry(job, level);
    job.level = level;
  }

  /// When a job that waits goes back to the first level.
  [[nodiscard]] seconds promotion(const active_job& job) const {
    if (job.level == 0 || !(knob_ < never.in_base_units())) return never;
    return job.stopped + knob_ * job.ran;
  }
  static void promote(active_job& job, seconds now) {
    job.level = 0;
    job.entered = now;
    job.attained = seconds{0};
    job.ran = seconds{0};
  }

 private:
  /// GPU s at which a level begins; the first is 0.
  [[nodiscard]] seconds begin_of(std::int64_t level) const {
    if (thresholds_.empty()) return static_cast<double>(level) * quantum_;
    const auto index = static_cast<std::size_t>(level) - 1;
    return level == 0 ? seconds{0} : index < thresholds_.size() ? thresholds_[index] : never;
  }

  std::span<const seconds> thresholds_;
  seconds quantum_;
  double knob_;
};

}  // namespace gpuplan::detail
