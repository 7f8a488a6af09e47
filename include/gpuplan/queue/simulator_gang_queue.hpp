#pragma once
/// \file
/// The jobs of one size that wait in a simulated pool, in their order, the short ones quick to
/// find.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

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

}  // namespace gpuplan::detail
