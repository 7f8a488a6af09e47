#pragma once
/// \file
/// A run as a table or a log tells it.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/calibrate/framework_memory_fit.hpp>
#include <gpuplan/units/units.hpp>

#include "options.hpp"

namespace gpuplan::cli {

/// A peak of memory, as it was seen.
struct told_peak {
  peak_seen_by by = peak_seen_by::device;
  bytes size{};
};

/// One run: what describes its job, as options are typed, and what was measured of it.
struct told_run {
  std::string name;  ///< "steps.csv:4", or the file of a log
  job_options typed;
  seconds step{};  ///< 0: not told
  double samples_a_second = 0;
  double gpu_tokens_a_second = 0;  ///< of one GPU
  std::vector<told_peak> peaks{};
};

/// Columns of a table that hold what was measured, by their names.
inline constexpr std::array<std::string_view, 3> step_columns{"seconds", "step_time_s",
                                                              "step_seconds"};

struct peak_column {
  std::string_view name;
  peak_seen_by by;
};

inline constexpr std::array peak_columns{
    peak_column{"peak_memory_bytes", peak_seen_by::device},
    peak_column{"peak_memory", peak_seen_by::device},
    peak_column{"max_reserved_bytes", peak_seen_by::reserve},
    peak_column{"max_allocated_bytes", peak_seen_by::allocator}};

/// Columns of a header that tell of runs.
struct run_header {
  int of_jobs = 0;   ///< fields of a job
  int measured = 0;  ///< what was measured of it
};

run_header run_header_of(std::string_view head, char separator);

}  // namespace gpuplan::cli
