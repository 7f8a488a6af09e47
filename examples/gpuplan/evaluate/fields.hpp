#pragma once
/// \file
/// What a request of evaluate may hold, for people.

#include <string>

namespace gpuplan::cli {

/// A line or two for each field of a request, from the tables of fields.
std::string fields_in_words();

}  // namespace gpuplan::cli
