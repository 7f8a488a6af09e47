#pragma once
/// \file
/// What plan and scale search, from the options of a job.

#include <cstdint>
#include <span>

#include <gpuplan/plan/search_space.hpp>

#include "command_words.hpp"
#include "options.hpp"
#include "program.hpp"

namespace gpuplan::cli {

/// Sequences of a step where none are given, before they are made a multiple of the GPUs.
constexpr std::int64_t default_sequences = 1024;

/// The fields that a search may vary.
std::span<const searched_field> fields_searched();

/// What is searched: all that is absent or "any", which is taken out of the options.
space space_of(job_options& job);

/// Whether other kinds of recomputation are tried.
constexpr recompute_choice recompute_of(const space& vary) {
  return vary.recompute ? recompute_choice::searched : recompute_choice::fixed;
}

/// Sets the options that leave to a search what it varies and another does not.
void set_freed(command_words& words, const space& before, const space& after);

report_json json_of(const space& vary);

}  // namespace gpuplan::cli
