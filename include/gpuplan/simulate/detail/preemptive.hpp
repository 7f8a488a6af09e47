#pragma once
/// \file
/// Simulated pools with preemption: jobs give way by rank or by attained service.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <gpuplan/simulate/detail/active_job.hpp>
#include <gpuplan/simulate/pool_policy.hpp>
#include <gpuplan/simulate/simulated_waiting.hpp>
#include <gpuplan/trace/job.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

/// The GPUs are given anew, all or none to each job in its order, when that can change who runs:
/// O(A) of A jobs that are there.  It cannot where all that come fit beside those that run, nor
/// where one ends and nobody waits.
class preemptive_pool {
 public:
  preemptive_pool(std::span<const trace_job> jobs, std::int64_t gpus, const pool_policy& policy,
                  std::span<simulated_job> each)
      : jobs_(jobs),
        each_(each),
        gpus_(gpus),
        free_(gpus),
        order_(policy.order),
        levels_(policy),
        turn_(policy.quantum),
        switch_(policy.switch_time) {}

  /// The answer is the longest queue.
  std::int64_t run() {
    std::size_t longest = 0;
    for (std::size_t next = 0; next < jobs_.size() || !running_.empty();) {
      const seconds arrival = next < jobs_.size() ? jobs_[next].submit : never;
      now_ = smaller(arrival, smaller(next_end_, next_turn_));
      bool may_change = now_ == next_turn_;
      if (now_ == next_end_) {
        end_those_that_have();
        may_change = !waiting_.empty();
      }
      std::int64_t wanted = 0;
      arrived_.clear();
      for (; next < jobs_.size() && jobs_[next].submit == now_; ++next) wanted += arrive(next);
      if (may_change || wanted > free_) {
        for (const active_job& job : arrived_) insert(waiting_, job);
        give_gpus();
      } else {
        for (active_job& job : arrived_) start(job);
      }
      longest = (std::max)(longest, waiting_.size());
    }
    return static_cast<std::int64_t>(longest);
  }

 private:
  using active_jobs = std::vector<active_job>;

  static void insert(active_jobs& jobs, const active_job& job) {
    jobs.insert(std::upper_bound(jobs.begin(), jobs.end(), job), job);
  }

  /// The answer is the GPUs that it asks for.
  std::int64_t arrive(std::size_t index) {
    const trace_job& job = jobs_[index];
    if (job.gpus > gpus_) {
      each_[index] = {never, never, never};
      return 0;
    }
    each_[index].start = never;
    arrived_.push_back(arrival_of(job, index, order_));
    if (order_ == job_order::round_robin) arrived_.back().key = turns_;
    return job.gpus;
  }

  void end_those_that_have() {
    next_end_ = never;
    std::erase_if(running_, [&](const active_job& job) {
      if (job.end > now_) {
        next_end_ = smaller(next_end_, job.end);
        return false;
      }
      free_ += job.gpus;
      each_[job.index].end = job.end;
      each_[job.index].wait = job.waited;
      return true;
    });
  }

  void give_gpus() {
    if (order_ == job_order::shortest_remaining_time)
      for (active_job& job : running_) job.key = (job.end - now_).in_base_units();
    if (order_ == job_order::least_attained_service) levels_.follow(running_, waiting_, now_);
    if (order_ == job_order::round_robin && now_ == next_turn_) end_turn();
    sort_nearly_sorted(running_);
    choose();
    if (!started_.empty() || !stopped_.empty()) apply();

    if (order_ == job_order::round_robin) {
      const bool goes_on = next_turn_ > now_ && next_turn_ < never;
      next_turn_ = waiting_.empty() ? never : goes_on ? next_turn_ : now_ + turn_;
      return;
    }
    next_turn_ = never;
    if (order_ != job_order::least_attained_service || waiting_.empty()) return;
    for (const active_job& job : running_) note_turn(job);
    for (const active_job& job : waiting_) next_turn_ = smaller(next_turn_, levels_.promotion(job));
  }

  /// Those that have run go behind those that wait.
  void end_turn() {
    ++turns_;
    for (active_job& job : running_) job.key = turns_;
  }

  /// A job that comes to the level of one that waits, or to the next, goes behind it.
  void note_turn(const active_job& job) {
    const double level = (std::max)(job.key + 1, waiting_.front().key);
    next_turn_ = smaller(next_turn_, levels_.entry(job, level));
  }

  /// Goes through those that run and those that wait, together in their order.
  void choose() {
    started_.clear();
    stopped_.clear();
    std::int64_t left = gpus_;
    auto running = running_.begin();
    auto waiting = waiting_.begin();
    while (left > 0 && (running != running_.end() || waiting != waiting_.end())) {
      const bool runs =
          waiting == waiting_.end() || (running != running_.end() && *running < *waiting);
      const active_job& job = runs ? *running : *waiting;
      const bool fits = job.gpus <= left;
      if (fits) left -= job.gpus;
      if (fits != runs) (runs ? stopped_ : started_).push_back(job);
      if (fits != runs) (runs ? running : waiting)->marked = true;
      ++(runs ? running : waiting);
    }
    for (; running != running_.end(); ++running) {
      stopped_.push_back(*running);
      running->marked = true;
    }
  }

  void apply() {
    const auto is_marked = [](const active_job& job) { return job.marked; };
    std::erase_if(running_, is_marked);
    std::erase_if(waiting_, is_marked);
    for (active_job& job : stopped_) stop(job);
    for (active_job& job : started_) start(job);
    next_end_ = never;
    for (const active_job& job : running_) next_end_ = smaller(next_end_, job.end);
  }

  void start(active_job& job) {
    const bool goes_on = each_[job.index].start < never;
    free_ -= job.gpus;
    job.started = goes_on ? now_ + switch_ : now_;
    job.waited += job.started - job.stopped;
    job.end = job.started + job.remaining;
    if (!goes_on) each_[job.index].start = now_;
    next_end_ = smaller(next_end_, job.end);
    running_.push_back(job);
    if (order_ == job_order::least_attained_service && !waiting_.empty()) note_turn(job);
  }
  void stop(active_job& job) {
    free_ += job.gpus;
    if (now_ < job.started) {
      job.waited -= job.started - now_;
    } else {
      job.ran += now_ - job.started;
      job.attained += static_cast<double>(job.gpus) * (now_ - job.started);
      job.remaining = job.end - now_;
    }
    job.stopped = now_;
    insert(waiting_, job);
  }

  std::span<const trace_job> jobs_;
  std::span<simulated_job> each_;
  std::int64_t gpus_;
  std::int64_t free_;
  job_order order_;
  attained_levels levels_;
  seconds turn_;
  seconds switch_;
  double turns_ = 0;  ///< that have ended
  seconds now_{};
  seconds next_end_ = never;   ///< of those that run
  seconds next_turn_ = never;  ///< when service attained changes the order
  active_jobs running_;        ///< in their order when GPUs were last given
  active_jobs waiting_;        ///< in their order
  active_jobs arrived_;
  active_jobs started_;
  active_jobs stopped_;
};

}  // namespace gpuplan::detail
