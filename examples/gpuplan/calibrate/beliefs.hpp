#pragma once
/// \file
/// What several profiles have of runs, made into one belief beside the rates of all.

#include <cstddef>
#include <string>
#include <vector>

#include <gpuplan/calibrate/profile.hpp>
#include <gpuplan/report/json.hpp>

namespace gpuplan::cli {

/// A profile that has factors or memory of runs, as it was read.
struct told_belief {
  std::string file;
  std::size_t log = 0;  ///< its place among the files
  cluster_profile profile;
};

/// Whether a profile has anything that was measured.
bool is_empty(cluster_profile profile);

/// What a file measured, without what it has of runs and without sources that are known already.
cluster_profile rates_of(cluster_profile of, const std::vector<profile_source>& known);

/// Puts what beliefs tell together into a profile of rates.  Each is moved to these rates, where it
/// was fitted beside others, which `said` and the entry of its file in `logs` then say.
///
/// \throws bad_usage of one line that names the file: some of its runs are those of another, it
///         cannot be moved, or the two cannot be combined
void combine_beliefs(const std::vector<told_belief>& beliefs, cluster_profile& rates,
                     std::string& said, report_json& logs);

}  // namespace gpuplan::cli
