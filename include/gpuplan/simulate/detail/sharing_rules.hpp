#pragma once
/// \file
/// Who gets which GPUs, and how fast that is: the rules of pools whose jobs share.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <gpuplan/queue/share/marginal_gain.hpp>
#include <gpuplan/queue/share/opportunistic.hpp>
#include <gpuplan/queue/share/sia.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/scaling/amdahl.hpp>
#include <gpuplan/simulate/sharing_policy.hpp>
#include <gpuplan/simulate/simulated_waiting.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

/// A job that is there.
struct shared_job {
  std::size_t index = 0;
  std::int64_t gpus = 1;  ///< of the trace
  seconds submit{};
  seconds left{};  ///< of its duration on those, at `since`
  seconds since{};
  seconds end = never;  ///< if it goes on
  seconds waited{};
  seconds stopped{};
  double speed = 0;  ///< over that on the GPUs of the trace, from `since` on; 0: it waits
  std::int64_t held = 0;
  int restarts = 0;
  bool started = false;
  bool guaranteed = false;  ///< no other job slows it

  // As dealt.
  std::int64_t next_held = 0;
  double next_speed = 0;

  /// Of its duration, at a time up to its end.
  [[nodiscard]] seconds left_at(seconds now) const {
    return now > since && speed > 0 ? larger(left - speed * (now - since), seconds{0}) : left;
  }
};

/// Speeds of elastic jobs.
class elastic_speeds {
 public:
  elastic_speeds(const sharing_policy& policy, std::int64_t gpus) {
    const std::span<const double> measured = policy.speed_ups;
    for (std::int64_t n = 1; n <= gpus; ++n) {
      const auto rank = static_cast<std::size_t>(n) - 1;
      steps_.push_back(seconds{1} /
                       (measured.empty()
                            ? amdahl_speed_up(policy.parallel_part, static_cast<double>(n))
                            : measured[(std::min)(rank, measured.size() - 1)]));
    }
  }

  /// Of a step that one GPU takes a second for, with 1, 2, ... GPUs.
  [[nodiscard]] const std::vector<seconds>& steps() const { return steps_; }
  [[nodiscard]] seconds step(std::int64_t gpus) const {
    return steps_[static_cast<std::size_t>(gpus) - 1];
  }
  /// On so many GPUs, over that on those of the trace.
  [[nodiscard]] double of(const shared_job& job, std::int64_t gpus) const {
    return gpus == 0 ? 0 : step(job.gpus) / step(gpus);
  }

 private:
  std::vector<seconds> steps_;
};

/// Optimus: jobs in the order of their arrival have a GPU each, then the next goes where it gains
/// most.
class marginal_gain_rule {
 public:
  marginal_gain_rule(const sharing_policy& policy, std::int64_t gpus)
      : speeds_{policy, gpus}, gpus_{gpus} {}

  void deal(std::vector<shared_job>& jobs, seconds now) {
    jobs_.clear();
    for (const shared_job& job : jobs) {
      if (static_cast<std::int64_t>(jobs_.size()) == gpus_) break;  // one each, at least
      jobs_.push_back({job.left_at(now) / speeds_.step(job.gpus), speeds_.steps()});
    }
    units_.assign(jobs_.size(), 0);
    marginal_gain_allocation(jobs_, static_cast<int>(gpus_), units_);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      jobs[i].next_held = i < units_.size() ? units_[i] : 0;
      jobs[i].next_speed = speeds_.of(jobs[i], jobs[i].next_held);
    }
  }

 private:
  elastic_speeds speeds_;
  std::int64_t gpus_;
  std::vector<elastic_job> jobs_{};
  std::vector<int> units_{};
};

/// Sia on GPUs of one type, with 1, 2, 4, ... of them a job.
class goodput_rule {
 public:
  goodput_rule(const sharing_policy& policy, std::int64_t gpus)
      : speeds_{policy, gpus},
        gpus_{static_cast<int>(gpus)},
        weights_{.restart_time = policy.restart_time} {
    for (std::int64_t n = 1; n <= gpus; n *= 2) {
      ways_.push_back({.gpus = static_cast<int>(n)});
      goodput_.push_back(1 / speeds_.step(n));
    }
  }

  void deal(std::vector<shared_job>& jobs, seconds now) {
    asked_.clear();
    jobs_.clear();
    // Of those that wait no more can start than GPUs are left if all others hold one.
    std::size_t room = static_cast<std::size_t>(gpus_);
    for (const shared_job& job : jobs) room -= job.held > 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      jobs[i].next_held = 0;
      if (jobs[i].held > 0 || room > 0) asked_.push_back(i);
      if (jobs[i].held == 0 && room > 0) --room;
    }
    // Where costs are equal the last of a list goes first: those that came first.
    for (std::size_t k = asked_.size(); k-- > 0;) {
      const shared_job& job = jobs[asked_[k]];
      jobs_.push_back({.goodput = goodput_,
                       .current = job.held > 0 ? way_of(job.held) : -1,
                       .age = now - job.submit,
                       .restarts = job.restarts});
    }
    const int all[]{gpus_};
    const std::vector<int> chosen = sia_allocation(jobs_, ways_, all, weights_);
    for (std::size_t k = 0; k < asked_.size(); ++k) {
      const int way = chosen[asked_.size() - 1 - k];
      jobs[asked_[k]].next_held = way < 0 ? 0 : ways_[static_cast<std::size_t>(way)].gpus;
    }
    for (shared_job& job : jobs) job.next_speed = speeds_.of(job, job.next_held);
  }

 private:
  static int way_of(std::int64_t gpus) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(gpus))) - 1;
  }

  elastic_speeds speeds_;
  int gpus_;
  sia_weights weights_;
  std::vector<sia_configuration> ways_{};
  std::vector<per_second> goodput_{};
  std::vector<sia_job> jobs_{};
  std::vector<std::size_t> asked_{};
};

/// AntMan: first come, first served are guaranteed their GPUs; those that wait run meanwhile on
/// what is free, or else beside one guaranteed job on each GPU.
class opportunistic_rule {
 public:
  opportunistic_rule(const sharing_policy& policy, std::int64_t gpus)
      : gpus_{gpus},
        beside_{seconds{1} / opportunistic_step_time({.step = seconds{1},
                                                      .busy = 1 - policy.idle,
                                                      .host_bandwidth = bytes_per_second{1}},
                                                     {.idle = policy.idle})
                                 .total()} {}

  void deal(std::vector<shared_job>& jobs, seconds) {
    std::int64_t free = gpus_;
    for (const shared_job& job : jobs)
      if (job.guaranteed) free -= job.gpus;
    bool next = true;  // in the order of arrival, without backfill
    for (shared_job& job : jobs) {
      if (!job.guaranteed) {
        next = next && job.gpus <= free;
        job.guaranteed = next;
        if (next) free -= job.gpus;
      }
      job.next_held = job.gpus;
      job.next_speed = 1;
    }
    std::int64_t shared = beside_ > 0 ? gpus_ - free : 0;
    for (shared_job& job : jobs) {
      if (job.guaranteed) continue;
      std::int64_t& from = job.gpus <= free ? free : shared;
      job.next_speed = job.gpus > from ? 0 : &from == &free ? 1 : beside_;
      job.next_held = job.next_speed > 0 ? job.gpus : 0;
      from -= job.next_held;
    }
  }

 private:
  std::int64_t gpus_;
  double beside_;  ///< speed beside a guaranteed job
};

}  // namespace gpuplan::detail
