#pragma once
/// \file
/// Jobs of which the closed formulas are known to be wrong, and why.

#include <array>
#include <string_view>

#include "memory/walk/job.hpp"
#include "memory/walk/rank_of_job.hpp"

namespace gpuplan::testing {

/// A fault of the formulas.
struct known_fault {
  std::string_view what;
  bool (*concerns)(const rank_of_job&);
};

inline constexpr std::array known_faults{known_fault{
    "interleaved: heads that wait because a group is cut short have their backward passes "
    "later than when the layers are fullest",
    [](const rank_of_job& at) {
      const int group = at.job.recipe.interleave_group;
      return at.has_head && at.job.parallelism.interleave > 1 && group > 0 &&
             micro_batches(at.job) % group != 0;
    }}};

}  // namespace gpuplan::testing
