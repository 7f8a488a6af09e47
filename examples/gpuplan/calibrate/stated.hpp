#pragma once
/// \file
/// What a log states of its run, beside what the user says of it.

#include <cstdint>
#include <string_view>

#include "calibrate/told_run.hpp"

namespace gpuplan::cli {

/// Takes the batch that a log prints with its steps; 0: none.
/// \throws bad_usage if the user says another
void take_batch(told_run& run, std::int64_t printed);

/// Takes degrees and batches that a log states where the user says nothing of them.
///
///     name  of the file, for the line of a refusal
///
/// \throws bad_usage by file and line if the user says another
void take_stated(told_run& run, std::string_view name, std::string_view text);

}  // namespace gpuplan::cli
