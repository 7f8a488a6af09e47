#pragma once
/// \file
/// Simulated pools whose jobs grow, shrink or share GPUs: the events, whatever the rule.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <gpuplan/require.hpp>
#include <gpuplan/simulate/detail/sharing_rules.hpp>
#include <gpuplan/simulate/sharing_policy.hpp>
#include <gpuplan/simulate/simulated_waiting.hpp>
#include <gpuplan/trace/job.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

/// GPUs are dealt anew by the rule when jobs have come or ended, and the interval is over: O(A) an
/// event of A jobs that are there, beside what the rule takes.
template <class Rule>
class sharing_pool {
 public:
  sharing_pool(std::span<const trace_job> jobs, std::int64_t gpus, const sharing_policy& policy,
               std::span<simulated_job> each)
      : jobs_{jobs}, each_{each}, gpus_{gpus}, policy_{policy}, rule_{policy, gpus} {}

  /// The answer is the longest queue.
  std::int64_t run() {
    std::int64_t longest = 0;
    seconds free_to_deal = -never;
    bool changed = false;
    for (std::size_t next = 0; next < jobs_.size() || !active_.empty();) {
      const seconds arrival = next < jobs_.size() ? jobs_[next].submit : never;
      const seconds round = changed ? free_to_deal : never;
      now_ = smaller(arrival, smaller(next_end_, round));
      require(now_ < never, "sharing_pool: a rule must let a job run");
      if (now_ == next_end_) {
        end_those_that_have();
        changed = true;
      }
      for (; next < jobs_.size() && jobs_[next].submit == now_; ++next) arrive(next);
      changed = (changed || arrived_) && !active_.empty();
      arrived_ = false;
      if (changed && now_ >= free_to_deal) {
        rule_.deal(active_, now_);
        apply();
        free_to_deal = now_ + policy_.interval;
        changed = false;
      }
      longest = (std::max)(longest, waiting());
    }
    return longest;
  }

 private:
  void arrive(std::size_t index) {
    const trace_job& job = jobs_[index];
    each_[index] = {never, never, never};
    if (job.gpus > gpus_) return;
    arrived_ = true;
    active_.push_back({.index = index,
                       .gpus = job.gpus,
                       .submit = job.submit,
                       .left = job.duration,
                       .since = job.submit,
                       .stopped = job.submit});
  }

  void end_those_that_have() {
    next_end_ = never;
    std::erase_if(active_, [&](const shared_job& job) {
      if (job.end > now_) {
        next_end_ = smaller(next_end_, job.end);
        return false;
      }
      each_[job.index].end = job.end;
      each_[job.index].wait = job.waited;
      return true;
    });
  }

  void apply() {
    next_end_ = never;
    for (shared_job& job : active_) {
      if (job.next_held != job.held || job.next_speed != job.speed) change(job);
      next_end_ = smaller(next_end_, job.end);
    }
  }

  /// A job goes on as it was dealt.
  void change(shared_job& job) {
    job.left = job.left_at(now_);
    if (job.speed > 0 && now_ < job.since) job.waited -= job.since - now_;  // in a restart
    if (job.speed == 0) job.waited += now_ - job.stopped;
    job.held = job.next_held;
    job.speed = job.next_speed;
    job.end = never;
    job.since = job.stopped = now_;
    if (job.speed == 0) return;
    if (job.started) {
      ++job.restarts;
      job.since += policy_.restart_time;
      job.waited += policy_.restart_time;
    } else {
      job.started = true;
      each_[job.index].start = now_;
    }
    job.end = job.since + job.left / job.speed;
  }

  [[nodiscard]] std::int64_t waiting() const {
    return std::count_if(active_.begin(), active_.end(),
                         [](const shared_job& job) { return job.speed == 0; });
  }

  std::span<const trace_job> jobs_;
  std::span<simulated_job> each_;
  std::int64_t gpus_;
  sharing_policy policy_;
  Rule rule_;
  seconds now_{};
  seconds next_end_ = never;
  bool arrived_ = false;
  std::vector<shared_job> active_{};  ///< in the order of their arrival
};

}  // namespace gpuplan::detail
