#pragma once
/// \file
/// Answers as tables for spreadsheets.

#include <string>

#include "program.hpp"

namespace gpuplan::cli {

/// A field of a table with commas, in quotes where it must be or else is not read back as it is.
std::string quoted_field(const std::string& text);

/// A row for each object of an array, under the keys of all: those of an object within as
/// parallelism.data; a list in one field, one of objects left out.  Nulls are empty, and so are the
/// members of an object that is null in one row alone; fields as RFC 4180 has them.
std::string csv_of(const report_json& rows);

/// The members of an object, all null: one of unknown values, for a column each.
report_json without_values(report_json object);

/// Refuses --csv beside --json.
/// \throws bad_usage
void refuse_two_formats(bool as_csv, bool as_json);

}  // namespace gpuplan::cli
