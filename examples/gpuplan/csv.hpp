#pragma once
/// \file
/// Answers as tables for spreadsheets.

#include <string>

#include "program.hpp"

namespace gpuplan::cli {

/// A row for each object of an array, under the keys of all: those of an object within as
/// parallelism.data, what is no single value left out.  Nulls are empty; fields as RFC 4180 has
/// them.
std::string csv_of(const report_json& rows);

/// Refuses --csv beside --json.
/// \throws bad_usage
void refuse_two_formats(bool as_csv, bool as_json);

}  // namespace gpuplan::cli
