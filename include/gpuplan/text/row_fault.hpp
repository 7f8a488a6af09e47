#pragma once
/// \file
/// What is wrong with a row of a table, and what the field may hold.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <gpuplan/text/visible.hpp>

namespace gpuplan {

/// What is wrong with a row.
enum class field_problem {
  missing_column,   ///< of the header
  missing_columns,  ///< several of them
  repeated_column,  ///< of the header
  unclosed_quote,
  text_after_quote,
  too_few_fields,
  too_many_fields,
  empty,
  not_understood,
  not_finite,
  negative,
  not_positive,
  too_large,
  not_whole,
  ends_before_start,
  seconds_among_dates,
  date_among_seconds
};

/// A row that is no job, and why.
struct row_fault {
  std::int64_t line = 0;       ///< of the text, the first is 1; of the row's first, if it has more
  std::string column{};        ///< as the table names it; empty where it is the whole row
  std::string field{};         ///< what stands there, cut after 60 bytes; as `visible` has it
  field_problem problem{};     ///< what is wrong with it
  std::string_view allowed{};  ///< what may stand there
};

/// What stands in a field, as a message shows it: whole characters of its first 60 bytes, and as
/// escapes what is not seen.
inline std::string shown_field(std::string_view field) {
  constexpr std::size_t most = 60;
  std::size_t end = 0;
  while (end < field.size()) {
    const std::size_t size = first_character(field.substr(end)).size;
    if (end + (size == 0 ? 1 : size) > most) break;
    end += size == 0 ? 1 : size;
  }
  return visible(field.substr(0, end));
}

/// The columns that a header lacks, as one name: "submit_s, gpus and duration_s".
inline std::string listed_columns(std::span<const std::string_view> names) {
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) list += i + 1 < names.size() ? ", " : " and ";
    list += names[i];
  }
  return list;
}

/// The problem of a header that lacks so many columns.
constexpr field_problem problem_of_missing(std::size_t columns) {
  return columns == 1 ? field_problem::missing_column : field_problem::missing_columns;
}

/// What is wrong, to be said after the column and the field: "gpus 'x' is not understood".
constexpr std::string_view problem_of(field_problem problem) {
  switch (problem) {
    case field_problem::missing_column: return "is not a column of the header";
    case field_problem::missing_columns: return "are not columns of the header";
    case field_problem::repeated_column: return "is twice in the header";
    case field_problem::unclosed_quote: return "has a quote that is not closed";
    case field_problem::text_after_quote: return "has text after its closing quote";
    case field_problem::too_few_fields: return "has fewer fields than the header";
    case field_problem::too_many_fields: return "has more fields than the header";
    case field_problem::empty: return "is empty";
    case field_problem::not_understood: return "is not understood";
    case field_problem::not_finite: return "is not finite";
    case field_problem::negative: return "is negative";
    case field_problem::not_positive: return "must be > 0";
    case field_problem::too_large: return "is too large";
    case field_problem::not_whole: return "is not whole";
    case field_problem::ends_before_start: return "is before the start";
    case field_problem::seconds_among_dates:
      return "is in seconds, where a time before it is a date";
    case field_problem::date_among_seconds:
      return "is a date, where a time before it is in seconds";
  }
  return "is not understood";
}

/// A fault in one line: "line 7: gpus 'x' is not understood; allowed: a whole number >= 0".
inline std::string description_of(const row_fault& fault) {
  std::string text = "line " + std::to_string(fault.line) + ": ";
  text += fault.column.empty() ? "the row" : fault.column;
  if (!fault.field.empty()) text.append(" '").append(fault.field).append("'");
  text.append(" ").append(problem_of(fault.problem));
  if (!fault.allowed.empty()) text.append("; allowed: ").append(fault.allowed);
  return text;
}

}  // namespace gpuplan
