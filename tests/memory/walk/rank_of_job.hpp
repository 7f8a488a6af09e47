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
  std::vector<piece> held;   ///< by the rank
  bool pieces_alike = true;  ///< all pieces of the model have the same layers
  bool has_head = false;
};

inline rank_of_job rank_of(const walked_job& job, int rank) {
  rank_of_job at{.job = job, .held = {}};
  const std::vector<piece> all = pieces_of(job, pieces_cut(job));
  for (const piece& one : all)
    at.pieces_alike = at.pieces_alike && one.layers == all.front().layers;
  for (const int i : order_of(job, rank).pieces) {
    at.held.push_back(all[static_cast<std::size_t>(i)]);
    at.has_head = at.has_head || at.held.back().has_head;
  }
  return at;
}

namespace detail {

inline bool runs(const rank_of_job& at, pipeline_schedule schedule) {
  return at.job.parallelism.pipeline > 1 && at.job.recipe.schedule == schedule;
}

/// Whether modules of layers are computed again one by one.
inline bool drops_modules(const rank_of_job& at) {
  const recipe& how = at.job.recipe;
  return how.recompute_modules.bits != 0 &&
         (how.recompute == recompute::none || how.recompute == recompute::selective);
}

}  // namespace detail

}  // namespace gpuplan::testing
