#pragma once
/// \file
/// The best that each pair of tensor and pipeline parallelism can do.

#include <gpuplan/report/heat_map.hpp>

#include "plan/study.hpp"

namespace gpuplan::cli {

/// Powers of two, what divides the heads, and the best plan's own; all else is left to the search.
/// Where nothing fits the cell says which rule was broken, or how much memory is missing.
heat_map layout_map(const plan_question& asked, const plan_study& study);

}  // namespace gpuplan::cli
