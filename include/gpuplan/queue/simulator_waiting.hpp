#pragma once
/// \file
/// The jobs that wait in a simulated pool, by how many GPUs they ask for.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <gpuplan/queue/simulator_gang_queue.hpp>
#include <gpuplan/queue/simulator_policy.hpp>
#include <gpuplan/trace/job.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

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

}  // namespace gpuplan::detail
