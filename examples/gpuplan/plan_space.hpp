#pragma once
/// \file
/// What plan and scale search, from the options of a job.

#include <gpuplan/plan/search_space.hpp>

#include "options.hpp"
#include "program.hpp"

namespace gpuplan::cli {

/// What is searched: all that is absent or "any", which is taken out of the options.
space space_of(job_options& job);

report_json json_of(const space& vary);

}  // namespace gpuplan::cli
