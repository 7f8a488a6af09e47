/// \file
/// Tables of runs and logs of training, as gpuplan calibrate takes them.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/calibrate/formats/megatron_log.hpp>
#include <gpuplan/calibrate/formats/run_table.hpp>
#include <gpuplan/calibrate/formats/trainer_state.hpp>
#include <gpuplan/calibrate/formats/training_log.hpp>
#include <gpuplan/text/field_value.hpp>
#include <gpuplan/text/lookup.hpp>
#include <gpuplan/units/format.hpp>

#include "calibrate/file.hpp"
#include "calibrate/runs.hpp"
#include "calibrate/stated.hpp"
#include "inputs.hpp"
#include "program.hpp"
#include "summary.hpp"
#include "table_file.hpp"

namespace gpuplan::cli {
namespace {

/// Whether a row of a table of fields has this name: its key, or one of its options.
template <class Owner>
bool is_called(const field<Owner>& row, std::string_view name) {
  if (same_name(row.key, name)) return true;
  std::string_view options = row.option;
  for (;;) {
    const auto comma = options.find(',');
    if (same_name(options.substr(0, comma), name)) return true;
    if (comma == options.npos) return false;
    options.remove_prefix(comma + 1);
  }
}

/// The place for what is typed of a field of any table; null where no table has it.
std::string* place_of(job_options& typed, std::string_view name) {
  if (same_name(name, "model")) return &typed.model;
  std::string* place = nullptr;
  const auto look = [&](auto& fields) {
    for (const auto& row : fields.rows())
      if (place == nullptr && is_called(row, name)) place = &fields[row.key];
  };
  look(typed.layout);
  look(typed.recipe);
  look(typed.cluster);
  look(typed.workspace);
  return place;
}

/// A name of any table, for suggestions.
struct known_name {
  std::string_view name;
};

[[noreturn]] void refuse_name(std::string_view name, const std::string& where) {
  job_options all;
  std::vector<known_name> known{{"model"}, {"name"}};
  const auto add = [&](const auto& fields) {
    for (const auto& row : fields.rows()) known.push_back({row.key});
  };
  add(all.layout);
  add(all.recipe);
  add(all.cluster);
  for (const speed_column& column : speed_columns) known.push_back({column.name});
  for (const peak_column& column : peak_columns) known.push_back({column.name});
  throw bad_usage{where + " '" + shown_field(name) +
                  "' is not a field of a recipe, a layout or a cluster, nor one that was measured" +
                  did_you_mean(bounded_name(name), known)};
}

/// A number > 0 of a measured column.
double measured_number(const std::string& text, std::string_view column, const std::string& where,
                       double most) {
  const field_number read = number_in(text, 0, most);
  if (read.problem || !(read.value > 0))
    throw bad_usage{fmt::format("{}: {} '{}' {}; allowed: a number > 0", where, column,
                                shown_field(text),
                                problem_of(read.problem.value_or(field_problem::not_positive)))};
  return read.value;
}

/// A size as bytes, or with its unit.
bytes measured_size(const std::string& text, std::string_view column, const std::string& where) {
  if (text.find_first_not_of("0123456789.eE+") == text.npos)
    return bytes{measured_number(text, column, where, 1e12)};
  const parsed<bytes> read = parse<bytes>(text);
  if (!read || !(read.value > bytes{0}) || !(read.value <= 1 * units::TB))
    throw bad_usage{fmt::format("{}: {} '{}' is not a size; allowed: 71GiB, or bytes > 0 to 1e12",
                                where, column, shown_field(text))};
  return read.value;
}

/// A time as a number in the column's unit, or with its own.
told_speed measured_time(const std::string& text, const speed_column& column,
                         const std::string& where) {
  if (const parsed<seconds> read = parse<seconds>(text);
      read && read.value > seconds{0} && read.value <= seconds{1e8})
    return {.what = told_figure::seconds, .value = read.value.in_base_units()};
  constexpr double most = 1e11;
  return {.what = column.what, .value = measured_number(text, column.name, where, most)};
}

told_speed measured_speed(const std::string& text, const speed_column& column,
                          const std::string& where) {
  constexpr double most = 1e15;
  const bool time = column.what == told_figure::seconds || column.what == told_figure::milliseconds;
  told_speed read = time ? measured_time(text, column, where)
                         : told_speed{.what = column.what,
                                      .value = measured_number(text, column.name, where, most)};
  read.column = column.name;
  return read;
}

/// Whether a column says how a row is called.
bool names_row(std::string_view column) {
  return same_name(column, "name") || same_name(column, "id");
}

/// Puts a field of a row where it belongs.
void take_field(told_run& run, const std::string& column, const std::string& text,
                const std::string& where) {
  if (names_row(column)) {
    if (!text.empty()) run.name += " (" + shown_field(text) + ")";
    return;
  }
  for (const speed_column& one : speed_columns) {
    if (!same_name(column, one.name)) continue;
    if (!text.empty()) run.speeds.push_back(measured_speed(text, one, where));
    return;
  }
  for (const peak_column& one : peak_columns) {
    if (!same_name(column, one.name)) continue;
    if (!text.empty())
      run.peaks.push_back({.by = one.by,
                           .size = measured_size(text, column, where),
                           .column = std::string(one.name)});
    return;
  }
  std::string* place = place_of(run.typed, column);  // never null: require_clear_columns
  if (text.empty()) return;
  *place = text;
  if (place == &run.typed.model) run.typed.model_said_by = "column " + column;
}

/// What a column tells: of columns that tell the same, the same address.
const void* meaning_of(job_options& typed, const std::string& column) {
  for (const speed_column& one : speed_columns) {
    if (!same_name(column, one.name)) continue;
    return std::find_if(speed_columns.begin(), speed_columns.end(),
                        [&](const speed_column& other) { return other.what == one.what; });
  }
  for (const peak_column& one : peak_columns) {
    if (!same_name(column, one.name)) continue;
    return std::find_if(peak_columns.begin(), peak_columns.end(),
                        [&](const peak_column& other) { return other.by == one.by; });
  }
  return place_of(typed, column);
}

/// \throws bad_usage naming a column that tells nothing known, or two that tell the same
void require_clear_columns(const run_table& table, const std::string& name) {
  job_options typed;
  std::map<const void*, std::string> seen;
  for (const std::string& column : table.columns) {
    if (names_row(column)) continue;
    const void* what = meaning_of(typed, column);
    if (what == nullptr) refuse_name(column, fmt::format("{}:{}: column", name, table.header_line));
    const auto [before, fresh] = seen.emplace(what, column);
    if (!fresh)
      throw bad_usage{fmt::format("{}: the columns '{}' and '{}' tell the same; leave one out",
                                  name, shown_field(before->second), shown_field(column))};
  }
}

/// Sizes of one peak that contradict each other by more than rounding: tensors are part of what the
/// allocator reserves, and that of what the device shows.
/// \throws bad_usage naming both columns
void require_nested(const std::vector<told_peak>& peaks, const std::string& where) {
  constexpr double rounding = 1.01;
  for (const told_peak& inner : peaks)
    for (const told_peak& outer : peaks)
      if (inner.by < outer.by && inner.size > rounding * outer.size)
        throw bad_usage{fmt::format(
            "{}: {} of {} is more than {} of {}, which it is part of; leave out the wrong one",
            where, inner.column, sized(inner.size), outer.column, sized(outer.size))};
}

/// How a log's figure tells the step.
told_speed speed_of(const training_log& log) {
  const double figure = log.typical();
  switch (log.pattern->figure) {
    case log_figure::seconds_of_step: return {told_figure::seconds, figure};
    case log_figure::steps: return {told_figure::steps, figure};
    case log_figure::samples: return {told_figure::samples, figure};
    case log_figure::gpu_tokens: return {told_figure::gpu_tokens, figure};
  }
  return {};
}

std::string_view unit_of(log_figure figure) {
  switch (figure) {
    case log_figure::seconds_of_step: return "s a step";
    case log_figure::steps: return "steps a second";
    case log_figure::samples: return "samples a second";
    case log_figure::gpu_tokens: return "tokens a second and GPU";
  }
  return "";
}

report_json size_or_none(bytes size) {
  return size > bytes{0} ? json_number(size) : report_json(nullptr);
}

constexpr std::string_view without_job =
    "; the profile takes nothing from it without --model and --layout\n";

bool describes_job(const sweep_hint& hint) {
  return hint.job != nullptr && !hint.job->model.empty();
}

}  // namespace

run_header run_header_of(std::string_view head, char separator) {
  job_options typed;
  run_header found;
  for (;;) {
    const std::size_t end = head.find(separator);
    const std::string_view column = head.substr(0, end);
    const bool measured =
        std::any_of(speed_columns.begin(), speed_columns.end(),
                    [&](const speed_column& one) { return same_name(column, one.name); }) ||
        std::any_of(peak_columns.begin(), peak_columns.end(),
                    [&](const peak_column& one) { return same_name(column, one.name); });
    found.measured += measured;
    found.of_jobs += !measured && place_of(typed, column) != nullptr;
    if (end == head.npos) return found;
    head.remove_prefix(end + 1);
  }
}

void read_layout(job_options& typed, std::string_view text, std::string_view where) {
  std::string* place = nullptr;
  std::vector<const std::string*> told;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(", \t");
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    if (equals == part.npos) {  // goes on: recompute-modules=core_attn,layernorm
      if (place == nullptr)
        throw bad_usage{fmt::format("{}: '{}' must be name=value, as tensor=2,pipeline=4", where,
                                    shown_field(part))};
      *place += "," + std::string(part);
      continue;
    }
    place = place_of(typed, part.substr(0, equals));
    if (place == nullptr) refuse_name(part.substr(0, equals), std::string(where) + ":");
    if (std::find(told.begin(), told.end(), place) != told.end())
      throw bad_usage{
          fmt::format("{}: {} is told twice", where, shown_field(part.substr(0, equals)))};
    told.push_back(place);
    *place = part.substr(equals + 1);
    if (place == &typed.model) typed.model_said_by = std::string(part.substr(0, equals));
  }
}

measured_file take_run_table(const std::string& name, std::string_view text,
                             const sweep_hint& hint) {
  const run_table table = read_run_table(text, name);
  require_clear_columns(table, name);
  measured_file taken{.kind = "runs", .said = {}, .json = {}, .profile = {}};
  for (const run_row& row : table.rows) {
    const std::string where = fmt::format("{}:{}", name, row.line);
    told_run run{.name = where, .typed = hint.job != nullptr ? *hint.job : job_options{}};
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      take_field(run, table.columns[i], row.fields[i], where);
    if (run.typed.model.empty())
      throw bad_usage{where + ": no model is told; add a column model, or give --model"};
    if (run.speeds.empty() && run.peaks.empty())
      throw bad_usage{where + ": neither a step time nor a peak of memory is told"};
    require_nested(run.peaks, where);
    taken.runs.push_back(std::move(run));
  }
  taken.said =
      fmt::format("{}: {}\n", name, counted(static_cast<std::int64_t>(taken.runs.size()), "run"));
  taken.json = {{"file", name}, {"kind", taken.kind}, {"runs", taken.runs.size()}};
  return taken;
}

namespace {

/// Of how many lines the middle figure is, where the first could not be left out; empty where they
/// were.
std::string warm_up_in_words(std::size_t lines) {
  if (left_out_lines(lines) > 0) return {};
  return fmt::format(", the first among {}: too few to leave out those that warm up",
                     lines == 1 ? "it" : "them");
}

/// A log that has figures: summed up, and a run where its job is told.
measured_file take_figures(const std::string& name, const training_log& log, const sweep_hint& hint,
                           std::string_view text) {
  measured_file taken{.kind = "training", .said = {}, .json = {}, .profile = {}};
  const std::size_t lines = log.figures.size();
  taken.said = fmt::format("{}: {} of {}, {:.4g} {}{}", name,
                           counted(static_cast<std::int64_t>(lines), "line"), log.pattern->software,
                           log.typical(), unit_of(log.pattern->figure),
                           log.pattern->of_run ? "" : warm_up_in_words(lines));
  taken.json = {{"file", name},
                {"kind", taken.kind},
                {"software", log.pattern->software},
                {"lines", lines},
                {"lines_used", lines - left_out_lines(lines)},
                {"figure", unit_of(log.pattern->figure)},
                {"typical", json_number(log.typical())},
                {"max_reserved_bytes", size_or_none(log.reserved)},
                {"max_allocated_bytes", size_or_none(log.allocated)}};
  if (!describes_job(hint)) {
    taken.said += without_job;
    return taken;
  }
  told_run run{.name = name, .typed = *hint.job, .speeds = {speed_of(log)}};
  take_stated(run, name, text);
  if (log.reserved > bytes{0})
    run.peaks.push_back({.by = peak_seen_by::reserve, .size = log.reserved});
  if (log.allocated > bytes{0})
    run.peaks.push_back({.by = peak_seen_by::allocator, .size = log.allocated});
  taken.runs.push_back(std::move(run));
  taken.said += "\n";
  return taken;
}

}  // namespace

measured_file take_training_log(const std::string& name, std::string_view text,
                                const sweep_hint& hint) {
  const training_log log = read_training_log(text);
  if (log.pattern == nullptr) throw bad_usage{name + ": has no figure that can be read"};
  return take_figures(name, log, hint, text);
}

measured_file take_trainer_state(const std::string& name, std::string_view text,
                                 const sweep_hint& hint) {
  const training_log log = read_trainer_state(text, name);
  if (log.pattern == nullptr)
    throw bad_usage{name +
                    ": log_history has no train_steps_per_second > 0, which the Trainer adds when "
                    "training ends; a checkpoint's state has none"};
  return take_figures(name, log, hint, {});  // its train_batch_size is of one device
}

measured_file take_training(const std::string& name, std::string_view text,
                            const sweep_hint& hint) {
  const megatron_log log = read_megatron_log(text);
  if (log.iterations.empty()) throw bad_usage{name + ": has no iteration that can be read"};
  say_faults(name, log.faults, log.faulty);
  const std::size_t lines = log.iterations.size();
  const seconds step = log.typical_time(left_out_lines(lines));
  bytes most{};
  for (const megatron_memory& one : log.memory) most = std::max(most, one.max_allocated);
  measured_file taken{.kind = "megatron", .said = {}, .json = {}, .profile = {}};
  taken.said =
      fmt::format("{}: {} of {}{}", name, counted(static_cast<std::int64_t>(lines), "iteration"),
                  format_duration(step), warm_up_in_words(lines));
  if (most > bytes{0}) taken.said += fmt::format(", at most {} allocated", sized(most));
  taken.json = {{"file", name},
                {"kind", taken.kind},
                {"iterations", lines},
                {"lines_used", lines - left_out_lines(lines)},
                {"faulty_lines", log.faulty},
                {"step_time_s", json_number(step)},
                {"max_allocated_bytes", size_or_none(most)}};
  if (!describes_job(hint)) {
    taken.said += without_job;
    return taken;
  }
  told_run run{
      .name = name, .typed = *hint.job, .speeds = {{told_figure::seconds, step.in_base_units()}}};
  take_batch(run, log.iterations.back().global_batch_size);
  take_stated(run, name, text);
  if (most > bytes{0}) run.peaks.push_back({.by = peak_seen_by::allocator, .size = most});
  taken.runs.push_back(std::move(run));
  taken.said += "\n";
  return taken;
}

}  // namespace gpuplan::cli
