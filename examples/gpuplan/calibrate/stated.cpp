/// \file
/// What a log states of its run, beside what the user says of it.

#include "calibrate/stated.hpp"

#include <string>

#include <fmt/format.h>

#include <gpuplan/calibrate/formats/log_degrees.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/row_fault.hpp>

#include "inputs.hpp"
#include "program.hpp"

namespace gpuplan::cli {
namespace {

/// What the user says of a field of a layout; a refusal is of --layout, not of the file.
/// \throws bad_usage
std::int64_t typed_count(const std::string& typed, std::string_view key) {
  try {
    return whole_number(typed, fmt::format("--layout: {}", key), 1, most_ranks);
  } catch (const invalid_input& refused) {
    throw bad_usage{refused.what()};
  }
}

/// How a field is called that a log states.
constexpr std::string_view key_of(stated_degree what) {
  switch (what) {
    case stated_degree::gpus: return "gpus";
    case stated_degree::data: return "data";
    case stated_degree::tensor: return "tensor";
    case stated_degree::pipeline: return "pipeline";
    case stated_degree::context: return "context";
    case stated_degree::expert: return "expert";
    case stated_degree::micro_batch: return "micro_batch_size";
    case stated_degree::global_batch: return "global_batch_size";
    case stated_degree::sequence: return "sequence_length";
  }
  return "";
}

/// Where what is typed of it is kept.
std::string& place_for(job_options& typed, stated_degree what) {
  const std::string_view key = key_of(what);
  switch (what) {
    case stated_degree::gpus: return typed.cluster[key];
    case stated_degree::global_batch:
    case stated_degree::sequence: return typed.recipe[key];
    default: return typed.layout[key];
  }
}

}  // namespace

void take_batch(told_run& run, std::int64_t printed) {
  if (printed <= 0) return;
  std::string& batch = run.typed.recipe["global_batch_size"];
  if (batch.empty()) batch = std::to_string(printed);
  if (typed_count(batch, "global_batch_size") != printed)
    throw bad_usage{fmt::format("{}: prints a global batch of {}, and --layout says {}", run.name,
                                printed, shown_field(batch))};
}

void take_stated(told_run& run, std::string_view name, std::string_view text) {
  for (const log_degree& one : read_log_degrees(text)) {
    std::string& typed = place_for(run.typed, one.what);
    const std::string_view key = key_of(one.what);
    if (typed.empty()) {
      if (one.what != stated_degree::gpus) typed = std::to_string(one.value);
      continue;
    }
    if (typed_count(typed, key) == one.value) continue;
    throw bad_usage{fmt::format("{}:{}: states {} {}, and --layout says {}={}", name, one.line,
                                one.named, one.value, key, shown_field(typed))};
  }
}

}  // namespace gpuplan::cli
