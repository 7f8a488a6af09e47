#pragma once
/// \file
/// Pools simulated the slow way, a tick at a time, each thing as it is said and nothing kept: what
/// the simulator is held against.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <gpuplan/simulate/simulate.hpp>

namespace gpuplan::testing {

/// Jobs of whole seconds under a policy without preemption: when each starts.
class ticking_pool {
 public:
  ticking_pool(const std::vector<trace_job>& jobs, std::int64_t gpus, const pool_policy& policy)
      : jobs_(jobs), gpus_(gpus), policy_(policy), starts_(jobs.size(), never) {
    for (int now = 0; now < horizon; ++now)
      while (step(now)) {
      }
  }
  [[nodiscard]] const std::vector<int>& starts() const { return starts_; }

  static constexpr int never = std::numeric_limits<int>::max();

 private:
  static constexpr int horizon = 2000;

  [[nodiscard]] int submit(std::size_t i) const {
    return static_cast<int>(jobs_[i].submit.in_base_units());
  }
  [[nodiscard]] int duration(std::size_t i) const {
    return static_cast<int>(jobs_[i].duration.in_base_units());
  }
  /// GPUs free at a time, as promised so far; a job that takes no time is gone when it starts.
  [[nodiscard]] std::int64_t free_at(int time) const {
    std::int64_t free = gpus_;
    for (std::size_t i = 0; i < jobs_.size(); ++i)
      if (starts_[i] <= time && time < starts_[i] + duration(i)) free -= jobs_[i].gpus;
    return free;
  }
  [[nodiscard]] bool fits_throughout(std::size_t i, int from) const {
    for (int time = from; time < from + (std::max)(duration(i), 1); ++time)
      if (free_at(time) < jobs_[i].gpus) return false;
    return true;
  }
  /// Those that have come and not started, in the order of the policy.
  [[nodiscard]] std::vector<std::size_t> waiting(int now) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < jobs_.size(); ++i)
      if (submit(i) <= now && starts_[i] == never && jobs_[i].gpus <= gpus_) found.push_back(i);
    std::stable_sort(found.begin(), found.end(), [&](std::size_t a, std::size_t b) {
      if (policy_.order == job_order::priority) return jobs_[a].priority > jobs_[b].priority;
      return policy_.order == job_order::shortest_job && jobs_[a].duration < jobs_[b].duration;
    });
    return found;
  }

  /// Starts one job, or promises it a start.  Is there one?
  bool step(int now) {
    const auto queue = waiting(now);
    if (queue.empty()) return false;
    const std::size_t head = queue.front();
    if (policy_.backfill == backfilling::conservative) return promise(head, now);
    int reserved = now;
    while (free_at(reserved) < jobs_[head].gpus) ++reserved;
    for (const std::size_t i : queue) {
      if (policy_.backfill == backfilling::none && i != head) break;
      if (jobs_[i].gpus > free_at(now)) continue;
      starts_[i] = now;
      if (i == head || policy_.backfill == backfilling::first_fit) return true;
      if (free_at(reserved) >= jobs_[head].gpus) return true;
      starts_[i] = never;  // the first could no longer start when it was to
    }
    return false;
  }
  bool promise(std::size_t head, int now) {
    std::int64_t promised = 0;
    for (const int start : starts_) promised += start != never && start > now;
    if (promised >= policy_.reservations) return false;
    int start = now;
    while (!fits_throughout(head, start)) ++start;
    starts_[head] = start;
    return true;
  }

  const std::vector<trace_job>& jobs_;
  std::int64_t gpus_;
  pool_policy policy_;
  std::vector<int> starts_;
};

/// Jobs of whole seconds on 1, 2 or 4 GPUs, stopped by those before them, in ticks of a quarter of
/// a second: then every threshold of whole GPU s is met at a tick.
class ticking_preemptive_pool {
 public:
  struct record {
    int start = -1;
    int end = -1;
    int wait = 0;
  };
  static constexpr int second = 4;  ///< ticks

  ticking_preemptive_pool(const std::vector<trace_job>& jobs, std::int64_t gpus,
                          const pool_policy& policy)
      : gpus_(gpus), policy_(policy), jobs_(jobs.size()) {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      jobs_[i].of = jobs[i];
      jobs_[i].submit = ticks(jobs[i].submit);
      jobs_[i].entered = jobs_[i].submit;
      jobs_[i].left = ticks(jobs[i].duration);
    }
    for (int now = 0; now < 4000 * second; ++now) tick(now);
  }
  [[nodiscard]] const record& of(std::size_t i) const { return jobs_[i].made; }

 private:
  struct state {
    trace_job of{};
    int submit = 0;
    int left = 0;
    int attained = 0;  ///< GPU ticks
    int ran = 0;
    int waits = 0;  ///< since it was stopped
    int level = 0;
    int entered = 0;
    int switching = 0;  ///< ticks to go until it works again
    bool runs = false;
    record made{};
  };
  static int ticks(seconds time) { return static_cast<int>(time.in_base_units() * second); }

  [[nodiscard]] int level_of(int attained) const {
    const seconds service{static_cast<double>(attained) / second};
    if (policy_.thresholds.empty()) return static_cast<int>(service / policy_.quantum);
    int level = 0;
    for (const seconds threshold : policy_.thresholds) level += threshold <= service;
    return level;
  }
  [[nodiscard]] double key(const state& job) const {
    switch (policy_.order) {
      case job_order::priority: return -static_cast<double>(job.of.priority);
      case job_order::shortest_job: return job.of.duration.in_base_units();
      case job_order::shortest_remaining_time: return job.left;
      case job_order::least_attained_service:
      case job_order::round_robin: return job.level;
      case job_order::arrival: break;
    }
    return 0;
  }

  void tick(int now) {
    const bool by_level = policy_.order == job_order::least_attained_service;
    const bool by_turns = policy_.order == job_order::round_robin;
    for (state& job : jobs_)
      if (by_turns && job.submit == now) job.level = turns_;
    if (by_turns && now == turn_end_) ++turns_;
    std::vector<state*> here;
    for (state& job : jobs_) {
      if (job.submit > now || job.made.end >= 0 || job.of.gpus > gpus_) continue;
      if (job.left == 0) {
        job.made.end = now;
        continue;
      }
      here.push_back(&job);
      if (by_turns && job.runs && now == turn_end_) {
        job.level = turns_;
        job.entered = now;
      }
      if (by_level && job.runs && level_of(job.attained) != job.level) {
        job.level = level_of(job.attained);
        job.entered = now;
      }
      if (by_level && !job.runs && job.level > 0 &&
          job.waits >= policy_.starvation_knob * job.ran) {
        job.level = job.attained = job.ran = 0;
        job.entered = now;
      }
    }
    std::stable_sort(here.begin(), here.end(), [&](const state* a, const state* b) {
      return key(*a) != key(*b) ? key(*a) < key(*b) : a->entered < b->entered;
    });
    give(here, now);
    const bool waits = std::any_of(here.begin(), here.end(), [](state* job) { return !job->runs; });
    if (!waits) turn_end_ = -1;
    if (waits && turn_end_ <= now) turn_end_ = now + ticks(policy_.quantum);
  }

  void give(const std::vector<state*>& here, int now) {
    std::int64_t free = gpus_;
    for (state* job : here) {
      const bool ran = job->runs;
      job->waits = job->runs ? 0 : job->waits;
      job->runs = job->of.gpus <= free;
      if (!job->runs) {
        ++job->waits;
        ++job->made.wait;
        continue;
      }
      free -= job->of.gpus;
      if (!ran) job->switching = job->made.start < 0 ? 0 : ticks(policy_.switch_time);
      if (job->made.start < 0) job->made.start = now;
      if (job->switching > 0) {
        --job->switching;
        ++job->made.wait;
        continue;
      }
      job->attained += static_cast<int>(job->of.gpus);
      ++job->ran;
      --job->left;
    }
  }

  std::int64_t gpus_;
  pool_policy policy_;
  int turns_ = 0;
  int turn_end_ = -1;
  std::vector<state> jobs_;
};

}  // namespace gpuplan::testing
