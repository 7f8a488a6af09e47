#pragma once
/// \file
/// A rank of a job, as the known faults of the formulas look at it.

#include <vector>

#include "memory/walk/job.hpp"
#include "memory/walk/layer.hpp"
#include "memory/walk/schedule.hpp"

namespace gpuplan::testing {

/// What decides whether a fault concerns a rank of a job.
struct rank_of_job {
  const walked_job& job;
  bool has_head = false;
};

inline rank_of_job rank_of(const walked_job& job, int rank) {
  rank_of_job at{.job = job};
  const std::vector<piece> all = pieces_of(job, pieces_cut(job));
  for (const int i : order_of(job, rank).pieces)
    at.has_head = at.has_head || all[static_cast<std::size_t>(i)].has_head;
  return at;
}

}  // namespace gpuplan::testing
