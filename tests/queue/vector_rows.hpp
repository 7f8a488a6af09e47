#pragma once
/// \file
/// Rows of erlang.json: inputs are numbers, exact results are texts of twenty digits.

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include <nlohmann/json.hpp>

#include "support/vectors.hpp"

namespace gpuplan::testing {

inline constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// The rows of a section.
inline nlohmann::json queue_rows(const char* section) {
  return load_vectors("erlang").at("sections").at(section);
}

/// A number, also where it is written as text; below 1e-308 it is 0 or has lost digits.
inline double number(const nlohmann::json& value) {
  return value.is_string() ? std::strtod(value.get<std::string>().c_str(), nullptr)
                           : value.get<double>();
}
inline double number(const nlohmann::json& row, const char* name) {
  return number(row.at(name));
}

/// Can a double hold it to its last digit?
inline bool holds_digits(double x) {
  return std::abs(x) > 1e-300;
}

/// |got - want| over |want|; 0 where they are equal.
inline double relative_error(double got, double want) {
  return got == want ? 0 : std::abs(got - want) / std::abs(want);
}

}  // namespace gpuplan::testing
