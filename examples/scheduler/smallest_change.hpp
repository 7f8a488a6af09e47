#pragma once
/// \file
/// What would make a refused job fit.

#include "resolved_job.hpp"
#include "words.hpp"

namespace gpuplan::scheduler {

/// Layouts that are looked at for changes, at most.
inline constexpr int most_looked_at = 10'000;

/// Adds the smallest change that would do to the words of a refusal: "; it fits with zero=3".  What
/// costs but time goes before other number formats, those before other training; beside the latter,
/// or where nothing else does, it names how many GPUs would do.
void add_smallest_change(const resolved_job& q, words& to);

}  // namespace gpuplan::scheduler
