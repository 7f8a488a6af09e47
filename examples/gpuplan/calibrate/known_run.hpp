#pragma once
/// \file
/// A run whose job is resolved, and those that were told before.

#include <string>
#include <vector>

#include <gpuplan/calibrate/profile.hpp>
#include <gpuplan/calibrate/step_prediction.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/units/units.hpp>

#include "calibrate/told_run.hpp"

namespace gpuplan::cli {

/// A run whose job is resolved.
struct known_run {
  std::string name;
  step_job job{};
  seconds step{};  ///< 0: not told
  std::vector<told_peak> peaks;
  std::string gpu;
  std::string echo;    ///< the job as text: equal for equal jobs
  std::string mark{};  ///< of the job and what was measured: equal where both are
};

/// The job of a run on the cluster of a profile.
/// \throws bad_usage that begins with the name of the run: of what cannot be read, or of columns
///         that contradict each other
known_run resolved_run(const told_run& told, const cluster_profile& known);

/// A run of which another, or a profile, tells already.
struct repeated_run {
  std::string name;
  std::string of;  ///< the run that it repeats; empty: one of the profile
};

/// Takes the runs out that repeat another, or one whose mark is known.
std::vector<repeated_run> take_repeats(std::vector<known_run>& runs,
                                       const std::vector<std::string>& marks);

/// A line for each run that is repeated.
std::string in_words(const std::vector<repeated_run>& repeats);
report_json json_of_repeats(const std::vector<repeated_run>& repeats);

}  // namespace gpuplan::cli
