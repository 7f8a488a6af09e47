#pragma once
/// \file
/// The factors of a cluster, fitted to runs that files tell of.

#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/calibrate/profile.hpp>
#include <gpuplan/report/json.hpp>

#include "calibrate/file.hpp"
#include "calibrate/told_run.hpp"
#include "options.hpp"

namespace gpuplan::cli {

/// Sets "tensor=2,zero=1" of a job, by the names of columns.
/// \throws bad_usage if a name is unknown
void read_layout(job_options& typed, std::string_view text, std::string_view where);

/// What runs tell of a cluster beside a profile of it.
struct fitted_runs {
  cluster_profile profile;  ///< the belief, memory, and where they come from
  std::string said;
  report_json json;
};

/// Fits factors to runs, on the cluster as `known` has it; a belief in it is what was known before.
/// \throws bad_usage or invalid_input of one line that names the run: it cannot be read, is of
///         another GPU, or contradicts the others and doubtful runs are refused
fitted_runs fit_runs(const std::vector<told_run>& runs, const cluster_profile& known,
                     doubtful contradictions);

}  // namespace gpuplan::cli
