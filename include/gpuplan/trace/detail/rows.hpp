#pragma once
/// \file
/// Reads a row of a trace as a job, or classifies it as something else.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <gpuplan/text/delimited_table.hpp>
#include <gpuplan/text/field_value.hpp>
#include <gpuplan/text/row_fault.hpp>
#include <gpuplan/trace/detail/header.hpp>
#include <gpuplan/trace/job.hpp>

namespace gpuplan::detail {

constexpr double most_trace_gpus = 1e9;

/// How many GPUs: a whole number, or what Slurm allots, "cpu=8,gres/gpu=4,gres/gpu:a100=4".
inline field_number gpus_in(std::string_view text) {
  if (text.find('=') == text.npos) return whole_in(text, 0, most_trace_gpus);
  double of_types = 0;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const trace_filter part = parse_trace_filter(text.substr(0, comma));
    text = comma == text.npos ? std::string_view{} : text.substr(comma + 1);
    const bool all = part.column == "gres/gpu";
    if (!all && !part.column.starts_with("gres/gpu:")) continue;
    const field_number read = whole_in(part.value, 0, most_trace_gpus);
    if (read.problem || all) return read;
    of_types += read.value;
  }
  if (of_types > most_trace_gpus) return {.problem = field_problem::too_large};
  return {.value = of_types};
}

enum class trace_row_kind { job, faulty, filtered, step, without_gpus, not_started };

struct trace_row {
  trace_row_kind kind = trace_row_kind::faulty;
  trace_job job{};
};

/// What may stand in a field.
constexpr std::string_view allowed_instant = "seconds from -1e12 to 1e12, or YYYY-MM-DD HH:MM:SS";
constexpr std::string_view allowed_open =
    "a time; where jobs still run, a column of durations (Elapsed) beside it";
constexpr std::string_view allowed_duration = "seconds from 0 to 1e12, or D-HH:MM:SS";
constexpr std::string_view allowed_gpus = "a whole number from 0 to 1e9, or gres/gpu=N";
constexpr std::string_view allowed_priority = "a whole number from -2147483648 to 4294967295";
constexpr std::string_view allowed_fields = "as many fields as the header has";

/// The rows of a table, each judged.
class trace_rows {
 public:
  trace_rows(std::string_view text, const trace_columns& columns, const trace_filter& only,
             trace_priorities priorities = trace_priorities::if_there)
      : text_{without_byte_order_mark(text)}, only_{only}, table_{text_, separator_of(text_)} {
    const bool of_slurm = separator_of(text_) == '|';
    header_ = header_names(columns, only, of_slurm, priorities);
    std::optional<trace_header_fault> wrong;
    if (table_.next()) {
      line_ = table_.line_number();
      wrong = find_columns(header_, table_);
      const auto missing = missing_columns(header_, columns, priorities);
      if (!wrong && !missing.empty())
        wrong = {listed_columns(missing), problem_of_missing(missing.size())};
    } else {
      wrong = {"the header", field_problem::empty};
    }
    if (!wrong) return;
    of_header_ = wrong->name;
    problem_ = wrong->problem;
    readable_ = false;
  }

  /// Whether the header has what is needed; else fault() says what it lacks.
  [[nodiscard]] bool readable() const { return readable_; }

  /// What is wrong with the last row that was faulty.
  [[nodiscard]] row_fault fault() const {
    return {line_, readable_ ? std::string(column_) : of_header_, shown_field(field_), problem_,
            allowed_};
  }

  [[nodiscard]] field_problem problem() const { return problem_; }

  /// No more jobs than this: each has a line, two separators and three fields that are not empty.
  [[nodiscard]] std::size_t most_jobs() const {
    const auto lines = std::count(text_.begin(), text_.end(), '\n') + 1;
    return (std::min)(static_cast<std::size_t>(lines), text_.size() / 6 + 1);
  }

  /// Bytes that were gone over in vain: see delimited_table.
  [[nodiscard]] std::size_t read_again() const { return table_.read_again(); }

  bool next() { return table_.next(); }

  /// Judges the row that `next` went to.
  trace_row read() {
    line_ = table_.line_number();
    fields_ = {};
    const auto broken =
        table_.row_of(header_.columns, [&](std::size_t index, const table_field& field) {
          for (std::size_t role = 0; role < trace_roles; ++role)
            if (header_.places[role] == index) fields_[role] = field;
        });
    if (!broken) return judged();
    const bool miscounted =
        *broken == field_problem::too_few_fields || *broken == field_problem::too_many_fields;
    return wrong({}, {}, *broken, miscounted ? allowed_fields : std::string_view{});
  }

 private:
  /// By the first line that is not blank.
  static char separator_of(std::string_view text) {
    const std::size_t begin = (std::min)(text.size(), text.find_first_not_of(" \t\r\n"));
    const std::string_view line = text.substr(begin, text.substr(begin).find('\n'));
    for (const char separator : {'|', ',', '\t'})
      if (line.find(separator) != std::string_view::npos) return separator;
    return ',';
  }

  /// A time that sacct does not know.
  static bool is_unknown(std::string_view text) {
    return text.empty() || text == "Unknown" || text == "None";
  }

  [[nodiscard]] std::string_view text_of(trace_role role) const { return fields_[role].text; }

  trace_row judged() {
    for (const trace_role role : {job_role, raw_job_role})
      if (text_of(role).find('.') != std::string_view::npos) return {trace_row_kind::step};
    if (header_.has(filter_role) && !(fields_[filter_role] == only_.value))
      return {trace_row_kind::filtered};

    const std::string_view state = text_of(state_role);
    if (state.starts_with("PENDING")) return {trace_row_kind::not_started};
    if (header_.has(start_role) && is_unknown(text_of(start_role)))
      return {trace_row_kind::not_started};

    trace_row row{trace_row_kind::job};
    const bool unallotted = text_of(gpus_role).empty() && header_.has(requested_role);
    const trace_role gpus_from = unallotted ? requested_role : gpus_role;
    const field_number gpus = gpus_in(text_of(gpus_from));
    if (gpus.problem) return wrong(gpus_from, *gpus.problem, allowed_gpus);
    if (gpus.value == 0) return {trace_row_kind::without_gpus};
    row.job.gpus = static_cast<std::int64_t>(gpus.value);

    const field_number submit = submits_.instant(text_of(submit_role));
    if (submit.problem)
      return wrong(submit_role, *submit.problem, allowed_time(*submit.problem, allowed_instant));
    row.job.submit = seconds{submit.value};

    const bool open = header_.has(end_role) && is_unknown(text_of(end_role));
    row.job.finished = !(open || state.starts_with("RUNNING") || state.starts_with("SUSPENDED"));
    if (header_.has(duration_role)) {
      const field_number duration = duration_in(text_of(duration_role));
      if (duration.problem) return wrong(duration_role, *duration.problem, allowed_duration);
      row.job.duration = seconds{duration.value};
    } else {
      const field_number start = runs_.instant(text_of(start_role));
      if (start.problem)
        return wrong(start_role, *start.problem, allowed_time(*start.problem, allowed_instant));
      const field_number end = runs_.instant(text_of(end_role));
      if (end.problem)
        return wrong(end_role, *end.problem,
                     allowed_time(*end.problem, open ? allowed_open : allowed_instant));
      if (end.value < start.value)
        return wrong(end_role, field_problem::ends_before_start, "a time at or after the start");
      row.job.duration = seconds{end.value - start.value};
    }
    if (unallotted && row.job.duration == seconds{0}) return {trace_row_kind::not_started};

    if (header_.has(priority_role)) {
      constexpr double least = std::numeric_limits<std::int32_t>::min();
      constexpr double most = std::numeric_limits<std::uint32_t>::max();  // as Slurm counts them
      const field_number priority = whole_in(text_of(priority_role), least, most);
      if (priority.problem) return wrong(priority_role, *priority.problem, allowed_priority);
      row.job.priority = static_cast<std::int64_t>(priority.value);
    }
    return row;
  }

  /// What a time may be that has this problem.
  static constexpr std::string_view allowed_time(field_problem problem, std::string_view usual) {
    return field_clock::is_other_kind(problem) ? field_clock::allowed : usual;
  }

  trace_row wrong(trace_role role, field_problem problem, std::string_view allowed) {
    return wrong(header_.names[role], text_of(role), problem, allowed);
  }
  trace_row wrong(std::string_view column, std::string_view field, field_problem problem,
                  std::string_view allowed) {
    column_ = column;
    field_ = field;
    problem_ = problem;
    allowed_ = allowed;
    return {trace_row_kind::faulty};
  }

  std::string_view text_;
  trace_filter only_;
  delimited_table table_;
  trace_header header_{};
  std::array<table_field, trace_roles> fields_{};
  field_clock submits_{};
  field_clock runs_{};  // of starts and ends, of which only the differences are used
  bool readable_ = true;
  std::string of_header_{};  // what is wrong with the header, where it is not readable

  std::int64_t line_ = 1;  // of the last row, and what is wrong with it
  std::string_view column_{};
  std::string_view field_{};
  field_problem problem_{};
  std::string_view allowed_{};
};

}  // namespace gpuplan::detail
