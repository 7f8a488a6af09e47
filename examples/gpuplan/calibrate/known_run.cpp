/// \file
/// A run whose job is resolved, and those that were told before.

#include "calibrate/known_run.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <gpuplan/plan/layout_fault.hpp>
#include <gpuplan/units/format.hpp>

#include "program.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

/// Two columns of a run that tell its step may differ so much, by rounding.
constexpr double most_rounding = 1.01;

/// What a figure of speed means for the step of its job.
seconds step_by(const told_speed& told, const job& asked) {
  const double samples = asked.recipe.global_batch_size;
  const double tokens = samples * asked.recipe.sequence_length;
  switch (told.what) {
    case told_figure::seconds: return seconds{told.value};
    case told_figure::milliseconds: return seconds{told.value / 1e3};
    case told_figure::steps: return seconds{1 / told.value};
    case told_figure::samples: return seconds{samples / told.value};
    case told_figure::tokens: return seconds{tokens / told.value};
    case told_figure::gpu_tokens:
      return seconds{tokens / (static_cast<double>(asked.parallelism.gpus()) * told.value)};
  }
  return {};
}

/// The step of a run by the first of its figures; 0: none is told.
/// \throws invalid_input naming two columns that contradict each other
seconds step_of(const told_run& told, const job& asked) {
  seconds step{};
  for (const told_speed& one : told.speeds) {
    const seconds by = step_by(one, asked);
    if (step == seconds{0}) step = by;
    const double ratio = by / step;
    if (ratio > most_rounding || 1 / ratio > most_rounding)
      throw invalid_input{fmt::format(
          "the columns '{}' and '{}' contradict each other: {} a step and {}; leave one out",
          told.speeds.front().column, one.column, format_duration(step), format_duration(by))};
  }
  return step;
}

/// The 64-bit FNV-1a hash of a text, in hexadecimal digits.
///
/// Source: G. Fowler, L. C. Noll, K.-P. Vo, D. Eastlake, "The FNV Non-Cryptographic Hash Algorithm",
/// IETF draft-eastlake-fnv (2019).
std::string mark_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3U;
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace

known_run resolved_run(const told_run& told, const cluster_profile& known) {
  job_options typed = told.typed;
  typed.measured = {.file = "calibrate", .profile = known};
  typed.measured.profile.steps = {};
  typed.measured.profile.beside_model = {};
  typed.measured.profile.gpu.clear();
  if (typed.cluster["gpu"].empty() && !known.gpu.empty()) typed.cluster["gpu"] = known.gpu;
  if (typed.cluster["gpu"].empty())
    throw bad_usage{told.name + ": no GPU is told; add a column gpu, or give --gpu"};
  try {
    const job asked = typed.resolved();
    if (!known.gpu.empty() && asked.asked.gpu != known.gpu)
      throw invalid_input{"is of " + asked.asked.gpu + ", and what is before it of " + known.gpu +
                          ": a profile is of one GPU"};
    const reject no = layout_fault(asked.model, asked.pool.gpus(), asked.recipe, asked.parallelism);
    if (no) throw invalid_input{"the layout cannot run: " + refusal_in_words(no)};
    known_run run{.name = told.name,
                  .job = {.model = asked.model,
                          .pool = asked.pool,
                          .recipe = asked.recipe,
                          .parallelism = asked.parallelism,
                          .workspace = asked.workspace},
                  .step = step_of(told, asked),
                  .peaks = told.peaks,
                  .gpu = asked.asked.gpu,
                  .echo = json_of(asked).dump()};
    std::string measured = fmt::format("{} {}", run.echo, run.step.in_base_units());
    for (const told_peak& one : run.peaks)
      measured += fmt::format(" {} {}", static_cast<int>(one.by), one.size.in_base_units());
    run.mark = mark_of(measured);
    return run;
  } catch (const std::exception& refusal) {  // bad_usage or invalid_input
    throw bad_usage{told.name + ": " + refusal.what()};
  }
}

std::vector<repeated_run> take_repeats(std::vector<known_run>& runs,
                                       const std::vector<std::string>& marks) {
  const std::set<std::string> before(marks.begin(), marks.end());
  std::map<std::string, std::string> names;  // of the first run of each mark
  std::vector<known_run> fresh;
  std::vector<repeated_run> repeats;
  for (known_run& run : runs) {
    if (before.contains(run.mark)) {
      repeats.push_back({run.name, ""});
    } else if (const auto [first, is_new] = names.emplace(run.mark, run.name); is_new) {
      fresh.push_back(std::move(run));
    } else {
      repeats.push_back({run.name, first->second});
    }
  }
  runs = std::move(fresh);
  return repeats;
}

std::string in_words(const std::vector<repeated_run>& repeats) {
  constexpr std::size_t most_named = 3;
  std::vector<std::string> firsts;
  std::map<std::string, std::vector<std::string>> of;
  for (const repeated_run& one : repeats) {
    std::vector<std::string>& names = of[one.of];
    if (names.empty()) firsts.push_back(one.of);
    names.push_back(one.name);
  }
  std::string lines;
  for (const std::string& first : firsts) {
    const std::vector<std::string>& names = of[first];
    std::string list;
    for (std::size_t i = 0; i < names.size() && i < most_named; ++i)
      list += (i == 0 ? "" : ", ") + names[i];
    if (names.size() > most_named) list += fmt::format(" and {} more", names.size() - most_named);
    lines += fmt::format("  repeated: {}, the same job and numbers as {}; counted once\n", list,
                         first.empty() ? "runs that the profile has" : first);
  }
  return lines;
}

report_json json_of_repeats(const std::vector<repeated_run>& repeats) {
  report_json rows = report_json::array();
  for (const repeated_run& one : repeats)
    rows.push_back(
        {{"name", one.name}, {"of", one.of.empty() ? report_json(nullptr) : report_json(one.of)}});
  return rows;
}

}  // namespace gpuplan::cli
