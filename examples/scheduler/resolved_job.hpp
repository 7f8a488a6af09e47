#pragma once
/// \file
/// A job as the library takes it: every default found, every value checked.

#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/search_space.hpp>

#include "gpuplan_admission.h"
#include "words.hpp"

namespace gpuplan::scheduler {

/// The most GPUs of a job.
inline constexpr int most_gpus = 1 << 20;

/// A job as the library takes it.
struct resolved_job {
  gpuplan_job declared{};
  const gpuplan::transformer* model = nullptr;
  cluster pool{};
  gpuplan::recipe recipe{};
  gpuplan::parallelism parallelism{};
  gpuplan::workspace workspace{};
  space vary{};                 ///< what is not declared, context apart
  bool varies_context = false;  ///< tried where nothing fits without
  bool searches = false;        ///< whether anything varies
};

/// Resolves a job; false, and why, where it makes no sense.
///
/// \throws invalid_input where the library refuses what the tables of fields do not
bool resolve(const gpuplan_job& job, resolved_job& to, words& why);

}  // namespace gpuplan::scheduler
