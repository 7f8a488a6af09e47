#pragma once
/// \file
/// A simulated pool where jobs wait in a fixed order, and those that fit may go before.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <gpuplan/queue/simulator_policy.hpp>
#include <gpuplan/queue/simulator_result.hpp>
#include <gpuplan/queue/simulator_running.hpp>
#include <gpuplan/queue/simulator_waiting.hpp>
#include <gpuplan/trace/job.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

/// The first that waits keeps its reservation until it starts, or another comes before it: those
/// started meanwhile end before, or take what it leaves.  So a job that could not start when it was
/// looked at can start no sooner than the next job ends.
class backfilled_pool {
 public:
  backfilled_pool(std::span<const trace_job> jobs, std::int64_t gpus, const pool_policy& policy,
                  std::span<simulated_job> each)
      : jobs_(jobs),
        each_(each),
        gpus_(gpus),
        backfill_(policy.backfill),
        running_(gpus),
        waiting_(jobs, gpus, policy.order) {}

  /// The answer is the longest queue.
  std::int64_t run() {
    std::int64_t longest = 0;
    for (std::size_t next = 0; next < jobs_.size() || waiting_.size() > 0;) {
      const seconds arrival = next < jobs_.size() ? jobs_[next].submit : never;
      if (waiting_.size() > 0 && running_.next_end() < arrival) {
        now_ = running_.next_end();
        running_.release_until(now_);
        start_those_that_may();
        continue;
      }
      now_ = arrival;
      const bool ended = !running_.empty() && running_.next_end() <= now_;
      running_.release_until(now_);
      const std::size_t first = next;
      while (next < jobs_.size() && jobs_[next].submit == now_) ++next;
      arrive(first, next, ended);
      longest = (std::max)(longest, waiting_.size());
    }
    return longest;
  }

 private:
  void arrive(std::size_t from, std::size_t to, bool ended) {
    const bool alone = to - from == 1 && !(ended && waiting_.size() > 0);
    for (std::size_t i = from; i < to; ++i) {
      const auto job = static_cast<job_index>(i);
      if (jobs_[job].gpus > gpus_)
        each_[job] = {never, never, never};
      else if (alone && may_start_at_once(job))
        start(job);
      else
        waiting_.push(job);
    }
    if (!alone || waiting_.first() < head_) start_those_that_may();
  }

  /// Of a job that comes alone, when nothing else has changed.
  bool may_start_at_once(job_index job) {
    if (jobs_[job].gpus > running_.free()) return false;
    if (waiting_.size() == 0 || backfill_ == backfilling::first_fit) return true;
    if (backfill_ == backfilling::none || waiting_.rank_of(job) < head_) return false;
    if (now_ + jobs_[job].duration <= reserved_.start) return true;
    if (jobs_[job].gpus > reserved_.spare) return false;
    reserved_.spare -= jobs_[job].gpus;
    return true;
  }

  void start_those_that_may() {
    if (backfill_ != backfilling::first_fit && !start_heads()) return;
    if (backfill_ == backfilling::none) return;
    const bool easy = backfill_ == backfilling::easy;
    const seconds room = easy ? time_to(reserved_.start) : seconds{};
    for (;;) {
      const std::int64_t spare = easy ? reserved_.spare : running_.free();
      const job_index rank = waiting_.first_of(running_.free(), spare, room);
      if (rank == no_job) return;
      const job_index job = waiting_.job_at(rank);
      if (easy && jobs_[job].duration > room) reserved_.spare -= jobs_[job].gpus;
      waiting_.erase(job);
      start(job);
    }
  }

  /// Starts the first as long as it fits, then reserves for it, unless it was the first before.  Is
  /// there one that does not fit?
  bool start_heads() {
    for (;;) {
      const job_index before = head_;
      head_ = waiting_.first();
      if (head_ == no_job) return false;
      const job_index job = waiting_.job_at(head_);
      if (jobs_[job].gpus > running_.free()) {
        if (head_ != before && backfill_ == backfilling::easy)
          reserved_ = running_.reserve(jobs_[job].gpus, now_);
        return true;
      }
      waiting_.erase(job);
      start(job);
    }
  }

  void start(job_index job) {
    const seconds end = now_ + jobs_[job].duration;
    each_[job] = {now_, end, now_ - jobs_[job].submit};
    running_.start(jobs_[job].gpus, end);
  }

  /// The longest that starts now and ends by then.
  [[nodiscard]] seconds time_to(seconds then) const {
    seconds room = then - now_;
    while (now_ + room > then) room = seconds{std::nextafter(room.in_base_units(), 0)};
    return room;
  }

  std::span<const trace_job> jobs_;
  std::span<simulated_job> each_;
  std::int64_t gpus_;
  backfilling backfill_;
  running_gangs running_;
  waiting_gangs waiting_;
  seconds now_{};
  job_index head_ = no_job;  ///< rank of the first that waits
  gang_reservation reserved_{};
};

}  // namespace gpuplan::detail
