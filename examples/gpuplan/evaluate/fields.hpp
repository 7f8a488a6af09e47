#pragma once
/// \file
/// What a request of evaluate may hold, for people and for programs.

#include <string>

#include "program.hpp"

namespace gpuplan::cli {

/// A line or two for each field of a request, from the tables of fields.
std::string fields_in_words();

/// The same as JSON: a list of rows for each part of a request.
report_json fields_as_json();

}  // namespace gpuplan::cli
