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
  std::string column{};  ///< of a table
};

/// What a figure of a run's speed counts.
enum class told_figure {
  seconds,       ///< of a step
  milliseconds,  ///< likewise
  steps,         ///< a second
  samples,       ///< a second, of all GPUs
  tokens,        ///< likewise
  gpu_tokens     ///< a second, of one GPU
};

/// A figure from which the time of a step follows.
struct told_speed {
  told_figure what = told_figure::seconds;
  double value = 0;      ///< > 0
  std::string column{};  ///< of a table
};

/// One run: what describes its job, as options are typed, and what was measured of it.
struct told_run {
  std::string name;  ///< "steps.csv:4", or the file of a log
  job_options typed;
  std::vector<told_speed> speeds{};  ///< none: not told
  std::vector<told_peak> peaks{};
};

/// Columns of a table that hold what was measured, by their names.
struct speed_column {
  std::string_view name;
  told_figure what;
};

inline constexpr std::array speed_columns{
    speed_column{"seconds", told_figure::seconds},
    speed_column{"step_time_s", told_figure::seconds},
    speed_column{"step_seconds", told_figure::seconds},
    speed_column{"milliseconds", told_figure::milliseconds},
    speed_column{"step_time_ms", told_figure::milliseconds},
    speed_column{"samples_per_s", told_figure::samples},
    speed_column{"samples_per_second", told_figure::samples},
    speed_column{"tokens_per_s", told_figure::tokens},
    speed_column{"tokens_per_second", told_figure::tokens},
    speed_column{"tokens_per_s_of_gpu", told_figure::gpu_tokens},
    speed_column{"tokens_per_second_per_gpu", told_figure::gpu_tokens}};

struct peak_column {
  std::string_view name;
  peak_seen_by by;
};

inline constexpr std::array peak_columns{
    peak_column{"peak_memory_bytes", peak_seen_by::device},
    peak_column{"peak_memory", peak_seen_by::device},
    peak_column{"device_bytes", peak_seen_by::device},
    peak_column{"max_reserved_bytes", peak_seen_by::reserve},
    peak_column{"reserved_bytes", peak_seen_by::reserve},
    peak_column{"max_allocated_bytes", peak_seen_by::allocator},
    peak_column{"allocated_bytes", peak_seen_by::allocator}};

/// Columns of a header that tell of runs.
struct run_header {
  int of_jobs = 0;   ///< fields of a job
  int measured = 0;  ///< what was measured of it
};

run_header run_header_of(std::string_view head, char separator);

}  // namespace gpuplan::cli
