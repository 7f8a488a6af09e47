#pragma once
/// \file
/// How many GPUs of a simulated pool are free from when on, as promised so far.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

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

}  // namespace gpuplan::detail
