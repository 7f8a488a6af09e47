/// \file
/// Reading of traces.

#include "queue/trace_file.hpp"

#include <string_view>

#include <fmt/format.h>

#include <gpuplan/text/lookup.hpp>

#include "program.hpp"
#include "table_file.hpp"

namespace gpuplan::cli {
namespace {

/// Is it what sacct prints?  Its header has |.
bool has_bars(std::string_view text) {
  return text.substr(0, text.find('\n')).find('|') != std::string_view::npos;
}

/// Does the header lack what is needed?
bool is_of_columns(field_problem problem) {
  return problem == field_problem::missing_column || problem == field_problem::missing_columns;
}

/// What to do about a header that lacks a column, or several.
std::string advice_on_columns(const std::string& text, const row_fault& lacks,
                              const trace_source& source) {
  const std::string_view header = std::string_view{text}.substr(0, text.find('\n'));
  if (header.find(';') != header.npos && header.find_first_of(",\t|") == header.npos)
    return "; columns are separated by commas, not by ;";
  const std::string& option = source.columns_option;
  if (!source.needs_priority.empty() && same_name(lacks.column, "priority"))
    return fmt::format("; {} needs a column: {} priority=NAME", source.needs_priority, option);
  return "; " + option + " submit=NAME,gpus=NAME,duration=NAME takes others";
}

}  // namespace

job_trace read_trace_file(const trace_source& source) {
  trace_options options;
  if (!source.columns.empty()) {
    const parsed_trace_columns read = parse_trace_columns(source.columns);
    if (!read)
      throw bad_usage{
          fmt::format("{}: cannot read '{}'; write submit=NAME,gpus=NAME,duration=NAME; "
                      "start, end, state, job and priority also exist",
                      source.columns_option, read.wrong)};
    options.columns = read.value;
  }
  if (!source.filter.empty()) {
    options.only = parse_trace_filter(source.filter);
    if (options.only.column.empty())
      throw bad_usage{fmt::format("{}: '{}' must be COLUMN=VALUE, such as vc=5",
                                  source.filter_option, source.filter)};
  }
  options.priorities =
      source.needs_priority.empty() ? trace_priorities::ignored : trace_priorities::required;
  const std::string name = name_of_table(source.path);
  const std::string text = table_text(source.path);
  if (source.of_sacct && !has_bars(text))
    throw bad_usage{name + ": has no | in its first line; sacct --parsable2 prints such tables"};

  job_trace read = read_trace(text, options);
  require_one_clock(name, read.other_clock);
  const std::string first =
      read.faults.empty() ? std::string() : description_of(read.faults.front());
  if (read.jobs.empty()) {
    const std::int64_t rows = read.counts.total();
    const bool no_column = !read.faults.empty() && is_of_columns(read.faults.front().problem);
    if (!first.empty())
      throw bad_usage{
          fmt::format("{}: no job: {}{}", name, first,
                      no_column ? advice_on_columns(text, read.faults.front(), source) : "")};
    throw bad_usage{fmt::format(
        "{}: no job in {} rows{}", name, rows,
        read.counts.filtered > 0 ? " that " + source.filter_option + " keeps" : std::string{})};
  }
  check_rows_of(name,
                {.first = read.faults,
                 .count = read.counts.faulty,
                 .of = read.counts.total() - read.counts.filtered},
                source.bad_rows, source.bad_rows_option);
  return read;
}

}  // namespace gpuplan::cli
