#pragma once
/// \file
/// Pools of GPUs that promise starts in the order of arrival: first come first served, and
/// conservative backfill over the GPUs that are free at each time.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <span>
#include <vector>

#include <gpuplan/simulate/pool_policy.hpp>
#include <gpuplan/simulate/running_gangs.hpp>
#include <gpuplan/simulate/simulated_waiting.hpp>
#include <gpuplan/trace/job.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

/// Fills `each`; the answer is the longest queue.  Jobs start in their order, so that each is
/// placed as it comes: O(log r) of r that run.
inline std::int64_t run_first_come(std::span<const trace_job> jobs, std::int64_t gpus,
                                   std::span<simulated_job> each) {
  running_gangs running{gpus};
  seconds now = jobs.empty() ? seconds{} : jobs.front().submit;
  std::int64_t waiting = 0;  // started after the job that comes
  std::int64_t longest = 0;
  std::size_t next = 0;  // the first of them, or one before them
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const trace_job& job = jobs[i];
    if (job.gpus > gpus) {
      each[i] = {never, never, never};
      continue;
    }
    now = larger(now, job.submit);
    running.release_until(now);
    while (running.free() < job.gpus) {
      now = running.next_end();
      running.release_until(now);
    }
    running.start(job.gpus, now + job.duration);
    each[i] = {now, now + job.duration, now - job.submit};

    if (!(now > job.submit)) {
      waiting = 0;
      next = i + 1;
      continue;
    }
    ++waiting;
    for (; !(each[next].start > job.submit) || jobs[next].gpus > gpus; ++next)
      if (jobs[next].gpus <= gpus) --waiting;
    longest = (std::max)(longest, waiting);
  }
  return longest;
}

/// Steps of free GPUs over time, in blocks that know their least and most.  Of P steps ahead, a
/// place is found in O(P / block + steps too short for it).
class free_profile {
 public:
  free_profile(std::int64_t gpus, seconds from, std::size_t steps_of_a_block = 128)
      : most_steps_(steps_of_a_block), blocks_(1) {
    blocks_[0].steps.push_back({from, gpus});
    blocks_[0].sum_up();
  }

  /// The earliest start, at `now` or later, at which so many GPUs are free for so long; takes them.
  /// They must not be more than the pool has.
  seconds take(std::int64_t gpus, seconds now, seconds duration) {
    forget_before(now);
    const seconds start = find(gpus, now, duration);
    if (duration > seconds{0}) {
      split(start);
      split(start + duration);
      subtract(gpus, start, start + duration);
    }
    return start;
  }

 private:
  struct step {
    seconds from{};
    std::int64_t free = 0;  ///< less what was taken from the whole block
  };
  struct block {
    std::vector<step> steps;
    std::int64_t taken = 0;  ///< of every step
    std::int64_t least = 0;
    std::int64_t most = 0;

    void sum_up() {
      least = most = steps.front().free;
      for (const step& each : steps) {
        least = (std::min)(least, each.free);
        most = (std::max)(most, each.free);
      }
    }
  };
  struct position {
    std::size_t block = 0;
    std::size_t step = 0;
  };

  /// The step that a time is in.
  [[nodiscard]] position at(seconds time) const {
    const auto after =
        std::upper_bound(blocks_.begin() + static_cast<std::ptrdiff_t>(first_), blocks_.end(), time,
                         [](seconds t, const block& each) { return t < each.steps.front().from; });
    const auto index = static_cast<std::size_t>(after - blocks_.begin()) - 1;
    const std::vector<step>& steps = blocks_[index].steps;
    const auto next = std::upper_bound(steps.begin(), steps.end(), time,
                                       [](seconds t, const step& each) { return t < each.from; });
    return {index, static_cast<std::size_t>(next - steps.begin()) - 1};
  }

  void forget_before(seconds now) {
    const position current = at(now);
    first_ = current.block;
    std::vector<step>& steps = blocks_[first_].steps;
    if (current.step > most_steps_ / 2)
      steps.erase(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(current.step));
    if (first_ <= blocks_.size() / 2) return;
    blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }

  /// The first step from a place on for which `wanted` holds, in blocks of which it may hold for
  /// one; past the last block if there is none in those that begin by `end`.
  template <class InBlock, class Wanted>
  position scan(position from, seconds end, InBlock in_block, Wanted wanted) const {
    for (; from.block < blocks_.size(); ++from.block, from.step = 0) {
      const block& here = blocks_[from.block];
      if (here.steps.front().from > end) break;
      if (!in_block(here)) continue;
      for (; from.step < here.steps.size(); ++from.step)
        if (wanted(here.steps[from.step].free - here.taken)) return from;
    }
    return {blocks_.size(), 0};
  }

  [[nodiscard]] seconds find(std::int64_t gpus, seconds now, seconds duration) const {
    const auto any_below = [&](const block& of) { return of.least - of.taken < gpus; };
    const auto any_enough = [&](const block& of) { return of.most - of.taken >= gpus; };
    const auto below = [&](std::int64_t free) { return free < gpus; };
    const auto enough = [&](std::int64_t free) { return free >= gpus; };
    position place = at(now);
    for (seconds start = now;;) {
      const seconds end = start + duration;
      place = scan(place, end, any_below, below);
      if (place.block == blocks_.size()) return start;
      if (from_of(place) > start && !(from_of(place) < end)) return start;
      place = scan(place, end_of_time, any_enough, enough);
      start = from_of(place);
    }
  }
  [[nodiscard]] seconds from_of(position place) const {
    return blocks_[place.block].steps[place.step].from;
  }

  /// Makes a step begin at a time.
  void split(seconds time) {
    const position place = at(time);
    block& here = blocks_[place.block];
    const step before = here.steps[place.step];
    if (before.from == time) return;
    here.steps.insert(here.steps.begin() + static_cast<std::ptrdiff_t>(place.step) + 1,
                      {time, before.free});
    if (here.steps.size() <= most_steps_) return;
    block upper;
    upper.taken = here.taken;
    const auto middle = here.steps.begin() + static_cast<std::ptrdiff_t>(most_steps_ / 2);
    upper.steps.assign(middle, here.steps.end());
    here.steps.erase(middle, here.steps.end());
    here.sum_up();
    upper.sum_up();
    blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(place.block) + 1, upper);
  }

  void subtract(std::int64_t gpus, seconds from, seconds end) {
    for (position place = at(from); place.block < blocks_.size(); ++place.block, place.step = 0) {
      block& here = blocks_[place.block];
      if (!(here.steps.front().from < end)) return;
      const bool next_begins_before =
          place.block + 1 < blocks_.size() && blocks_[place.block + 1].steps.front().from <= end;
      if (place.step == 0 && next_begins_before) {
        here.taken += gpus;
        continue;
      }
      for (std::size_t i = place.step; i < here.steps.size() && here.steps[i].from < end; ++i)
        here.steps[i].free -= gpus;
      here.sum_up();
    }
  }

  static constexpr seconds end_of_time{std::numeric_limits<double>::infinity()};

  std::size_t most_steps_;  ///< of a block
  std::vector<block> blocks_;
  std::size_t first_ = 0;  ///< those before are past
};

/// The most jobs that wait at once for their first start.
inline std::int64_t longest_queue_of(std::span<const trace_job> jobs,
                                     std::span<const simulated_job> each) {
  std::vector<seconds> starts;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (each[i].start > jobs[i].submit && each[i].start < never) starts.push_back(each[i].start);
  std::sort(starts.begin(), starts.end());
  std::int64_t waiting = 0;
  std::int64_t longest = 0;
  std::size_t started = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    waiting += each[i].start > jobs[i].submit && each[i].start < never;
    for (; started < starts.size() && starts[started] <= jobs[i].submit; ++started) --waiting;
    longest = (std::max)(longest, waiting);
  }
  return longest;
}

/// Fills `each`; the answer is the longest queue.  As jobs run just as long as is known, no promise
/// is ever improved: a job is placed once, in O(P / 128 + h) of P starts and ends ahead, at most
/// twice the reservations and the jobs that run, and h gaps that are too short for it.
inline std::int64_t run_conservative(std::span<const trace_job> jobs, std::int64_t gpus,
                                     const pool_policy& policy, std::span<simulated_job> each) {
  if (jobs.empty()) return 0;
  const auto later = [](seconds a, seconds b) { return a > b; };
  std::priority_queue<seconds, std::vector<seconds>, decltype(later)> promised(later);
  free_profile profile{gpus, jobs.front().submit};
  seconds now = jobs.front().submit;
  const auto go_to = [&](seconds time) {
    now = larger(now, time);
    while (!promised.empty() && promised.top() <= now) promised.pop();
  };

  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const trace_job& job = jobs[i];
    if (job.gpus > gpus) {
      each[i] = {never, never, never};
      continue;
    }
    go_to(job.submit);
    while (promised.size() >= static_cast<std::size_t>(policy.reservations)) go_to(promised.top());
    const seconds start = profile.take(job.gpus, now, job.duration);
    each[i] = {start, start + job.duration, start - job.submit};
    if (start > now) promised.push(start);
  }
  return longest_queue_of(jobs, each);
}

}  // namespace gpuplan::detail
