#pragma once
/// \file
/// Pools of GPUs that let later jobs start before earlier ones: the waiting jobs by size and rank,
/// and EASY backfill and first fit over them.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include <gpuplan/simulate/pool_policy.hpp>
#include <gpuplan/simulate/running_gangs.hpp>
#include <gpuplan/simulate/simulated_waiting.hpp>
#include <gpuplan/trace/job.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

/// A job, by its place in the trace, or by its rank in the order of a policy.
using job_index = std::uint32_t;
inline constexpr job_index no_job = std::numeric_limits<job_index>::max();

/// Jobs of one size of gang, as leaves of a tree of least durations in the order of a policy.
class gang_queue {
 public:
  explicit gang_queue(std::int64_t gpus) : gpus_(gpus) {}

  [[nodiscard]] std::int64_t gpus() const { return gpus_; }
  /// Rank of the first that waits, or no_job.
  [[nodiscard]] job_index front() const { return front_; }

  /// One that may come, after all those added before.
  job_index add(job_index rank) {
    ranks_.push_back(rank);
    return static_cast<job_index>(ranks_.size() - 1);
  }
  void close() {
    leaves_ = 1;
    while (leaves_ < ranks_.size()) leaves_ *= 2;
    least_.assign(2 * leaves_, nobody);
  }

  void push(job_index leaf, seconds duration) {
    for (std::size_t node = leaves_ + leaf; node > 0 && duration < least_[node]; node /= 2)
      least_[node] = duration;
    front_ = (std::min)(front_, ranks_[leaf]);
  }
  void erase(job_index leaf) {
    std::size_t node = leaves_ + leaf;
    least_[node] = nobody;
    for (node /= 2; node > 0; node /= 2) {
      const seconds least = smaller(least_[2 * node], least_[2 * node + 1]);
      if (least == least_[node]) break;
      least_[node] = least;
    }
    if (ranks_[leaf] == front_) front_ = first(longest);
  }
  /// Rank of the first that waits and takes no longer than that, or no_job.
  [[nodiscard]] job_index first(seconds duration) const {
    if (!(least_[1] <= duration)) return no_job;
    std::size_t node = 1;
    while (node < leaves_) {
      node *= 2;
      if (!(least_[node] <= duration)) ++node;
    }
    return ranks_[node - leaves_];
  }

  static constexpr seconds longest{std::numeric_limits<double>::max()};

 private:
  static constexpr seconds nobody{std::numeric_limits<double>::infinity()};

  std::int64_t gpus_;
  job_index front_ = no_job;
  std::vector<job_index> ranks_;  ///< of the leaves
  std::size_t leaves_ = 1;
  std::vector<seconds> least_;  ///< node n over 2 n and 2 n + 1
};

/// Jobs in the order of a policy: the rank of each.  Empty for the order of arrival, where the rank
/// is the place in the trace.
inline std::vector<job_index> ranks_of(std::span<const trace_job> jobs, job_order order) {
  if (order == job_order::arrival) return {};
  std::vector<job_index> sorted(jobs.size());
  std::iota(sorted.begin(), sorted.end(), job_index{0});
  std::stable_sort(sorted.begin(), sorted.end(), [&](job_index a, job_index b) {
    return order == job_order::priority ? jobs[a].priority > jobs[b].priority
                                        : jobs[a].duration < jobs[b].duration;
  });
  std::vector<job_index> ranks(jobs.size());
  for (std::size_t rank = 0; rank < sorted.size(); ++rank)
    ranks[sorted[rank]] = static_cast<job_index>(rank);
  return ranks;
}

/// All that wait.  Of K sizes of gangs and n jobs, a question costs O(K log n).
class waiting_gangs {
 public:
  waiting_gangs(std::span<const trace_job> jobs, std::int64_t pool, job_order order)
      : jobs_(jobs), ranks_(ranks_of(jobs, order)), places_(jobs.size()) {
    for (const trace_job& job : jobs)
      if (job.gpus <= pool) queue_of(job.gpus);
    by_rank_.resize(ranks_.size());
    for (std::size_t i = 0; i < ranks_.size(); ++i) by_rank_[ranks_[i]] = static_cast<job_index>(i);
    for (std::size_t rank = 0; rank < jobs.size(); ++rank) {
      const job_index job = job_at(static_cast<job_index>(rank));
      if (jobs[job].gpus > pool) continue;
      const auto index = static_cast<std::uint32_t>(queue_of(jobs[job].gpus));
      places_[job] = {index, queues_[index].add(static_cast<job_index>(rank))};
    }
    for (gang_queue& queue : queues_) queue.close();
  }

  [[nodiscard]] std::int64_t size() const { return size_; }
  [[nodiscard]] job_index rank_of(job_index job) const {
    return ranks_.empty() ? job : ranks_[job];
  }
  [[nodiscard]] job_index job_at(job_index rank) const {
    return by_rank_.empty() ? rank : by_rank_[rank];
  }

  void push(job_index job) {
    queues_[places_[job].queue].push(places_[job].leaf, jobs_[job].duration);
    ++size_;
  }
  void erase(job_index job) {
    queues_[places_[job].queue].erase(places_[job].leaf);
    --size_;
  }

  /// Rank of the first of all, or no_job.
  [[nodiscard]] job_index first() const {
    job_index rank = no_job;
    for (const gang_queue& queue : queues_) rank = (std::min)(rank, queue.front());
    return rank;
  }
  /// Rank of the first that asks for no more than `free` GPUs, and either for no more than `spare`
  /// or for no longer than `duration`; or no_job.
  [[nodiscard]] job_index first_of(std::int64_t free, std::int64_t spare, seconds duration) const {
    job_index rank = no_job;
    for (const gang_queue& queue : queues_) {
      if (queue.gpus() > free) break;
      if (queue.front() >= rank) continue;
      rank = (std::min)(rank, queue.gpus() <= spare ? queue.front() : queue.first(duration));
    }
    return rank;
  }

 private:
  struct place {
    std::uint32_t queue = 0;
    job_index leaf = 0;
  };

  /// Queues are in the order of their GPUs.
  std::size_t queue_of(std::int64_t gpus) {
    const auto found = std::lower_bound(
        queues_.begin(), queues_.end(), gpus,
        [](const gang_queue& queue, std::int64_t of) { return queue.gpus() < of; });
    const auto index = static_cast<std::size_t>(found - queues_.begin());
    if (found == queues_.end() || found->gpus() != gpus) queues_.emplace(found, gpus);
    return index;
  }

  std::span<const trace_job> jobs_;
  std::vector<job_index> ranks_;
  std::vector<job_index> by_rank_;
  std::vector<place> places_;
  std::vector<gang_queue> queues_;
  std::int64_t size_ = 0;
};

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
