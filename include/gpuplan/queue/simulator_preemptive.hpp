#pragma once
/// \file
/// A simulated pool whose jobs make room for those that go before them.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <gpuplan/queue/simulator_attained.hpp>
#include <gpuplan/queue/simulator_policy.hpp>
#include <gpuplan/queue/simulator_result.hpp>
#include <gpuplan/queue/trace_job.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

/// At every event the GPUs are given anew, all or none to each job in its order.  An event costs
/// O(A) of A jobs that are there.
class preemptive_pool {
 public:
  preemptive_pool(std::span<const trace_job> jobs, std::int64_t gpus, const pool_policy& policy,
                  std::span<simulated_job> each)
      : jobs_(jobs), each_(each), gpus_(gpus), levels_(policy), policy_(policy) {}

  /// The answer is the longest queue.
  std::int64_t run() {
    std::int64_t longest = 0;
    std::size_t next = 0;
    while (next < jobs_.size() || !running_.empty()) {
      now_ = next_event(next);
      end_those_that_have();
      note_progress();
      for (; next < jobs_.size() && jobs_[next].submit <= now_; ++next) arrive(next);
      give_gpus();
      longest = (std::max)(longest, static_cast<std::int64_t>(waiting_.size()));
    }
    return longest;
  }

 private:
  [[nodiscard]] seconds next_event(std::size_t next) const {
    seconds event = next < jobs_.size() ? jobs_[next].submit : never;
    for (const active_job& job : running_) event = smaller(event, job.end);
    if (policy_.order != job_order::least_attained_service || waiting_.empty()) return event;
    const std::int64_t least = waiting_.front().level;
    for (const active_job& job : running_)
      event = smaller(event, levels_.entry(job, (std::max)(job.level + 1, least)));
    for (const active_job& job : waiting_) event = smaller(event, levels_.promotion(job));
    return event;
  }

  void end_those_that_have() {
    std::erase_if(running_, [&](const active_job& job) {
      if (job.end > now_) return false;
      each_[job.index].end = job.end;
      each_[job.index].wait = job.waited;
      return true;
    });
  }

  /// Brings the order of those that run and, where they starve, of those that wait up to date.
  void note_progress() {
    if (policy_.order == job_order::shortest_remaining_time)
      for (active_job& job : running_) job.key = (job.end - now_).in_base_units();
    if (policy_.order != job_order::least_attained_service) return;
    for (active_job& job : running_) levels_.follow(job, now_);
    if (policy_.starvation_knob < never.in_base_units()) {
      for (active_job& job : waiting_)
        if (levels_.promotion(job) <= now_) levels_.promote(job, now_);
      std::sort(waiting_.begin(), waiting_.end());
    }
  }

  void arrive(std::size_t index) {
    const trace_job& job = jobs_[index];
    if (job.gpus > gpus_) {
      each_[index] = {never, never, never};
      return;
    }
    active_job added{.index = index, .gpus = job.gpus, .remaining = job.duration};
    added.stopped = job.submit;
    added.entered = job.submit;
    switch (policy_.order) {
      case job_order::priority: added.key = -double{1} * job.priority; break;
      case job_order::shortest_job:
      case job_order::shortest_remaining_time: added.key = job.duration.in_base_units(); break;
      case job_order::arrival:
      case job_order::least_attained_service: break;
    }
    each_[index].start = never;
    wait(added);
  }

  void wait(const active_job& job) {
    waiting_.insert(std::upper_bound(waiting_.begin(), waiting_.end(), job), job);
  }

  /// Those that run and those that wait, together in their order.
  void give_gpus() {
    std::sort(running_.begin(), running_.end());
    chosen_.clear();
    stopped_.clear();
    std::int64_t free = gpus_;
    std::size_t kept = 0;
    auto waiting = waiting_.begin();
    auto still_waiting = waiting_.begin();
    for (auto running = running_.begin(); running != running_.end() || waiting != waiting_.end();) {
      if (free == 0) break;
      const bool runs =
          waiting == waiting_.end() || (running != running_.end() && *running < *waiting);
      active_job& job = runs ? *running++ : *waiting++;
      const bool fits = job.gpus <= free;
      if (fits) free -= job.gpus;
      if (fits && !runs) start(job);
      if (!fits && runs) stop(job);
      if (fits)
        chosen_.push_back(job);
      else if (runs)
        stopped_.push_back(job);
      else
        *still_waiting++ = job;
      kept = static_cast<std::size_t>(running - running_.begin());
    }
    for (std::size_t i = kept; i < running_.size(); ++i) {
      stop(running_[i]);
      stopped_.push_back(running_[i]);
    }
    waiting_.erase(still_waiting, waiting);
    std::swap(running_, chosen_);
    for (const active_job& job : stopped_) wait(job);
  }

  void start(active_job& job) {
    job.waited += now_ - job.stopped;
    job.started = now_;
    job.end = now_ + job.remaining;
    if (each_[job.index].start == never) each_[job.index].start = now_;
  }
  void stop(active_job& job) {
    job.ran += now_ - job.started;
    job.attained += static_cast<double>(job.gpus) * (now_ - job.started);
    job.remaining = job.end - now_;
    job.stopped = now_;
  }

  std::span<const trace_job> jobs_;
  std::span<simulated_job> each_;
  std::int64_t gpus_;
  attained_levels levels_;
  const pool_policy& policy_;
  seconds now_{};
  std::vector<active_job> running_;
  std::vector<active_job> waiting_;  ///< in their order
  std::vector<active_job> chosen_;
  std::vector<active_job> stopped_;
};

}  // namespace gpuplan::detail
