#pragma once
/// \file
/// Numbers and quantities as somebody typed them.

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/require.hpp>
#include <gpuplan/text/json_shown.hpp>
#include <gpuplan/units/parse.hpp>

namespace gpuplan::api {

/// A number from `least` to `most`, both among them: "0.5", "1e3", "2k".  One that lies between 0
/// and 1 may be a percentage: "5%".
///
///     option  begins the line of a refusal: "--level"
///
/// \throws invalid_input of a text that is no such number
inline double plain_number(std::string_view text, std::string_view option, double least,
                           double most) {
  const bool fraction = least >= 0 && most <= 1;
  const bool percent = fraction && text.ends_with('%');
  parsed<double> read = parse_count(percent ? text.substr(0, text.size() - 1) : text);
  if (percent) read.value /= 100;
  if (!read || !(read.value >= least && read.value <= most))
    throw invalid_input{std::string(option) + " must be a number from " +
                        nlohmann::json(least).dump() + " to " + nlohmann::json(most).dump() +
                        (fraction ? " or a percentage" : "") + ", not " +
                        shown(nlohmann::json(text))};
  return read.value;
}

/// A whole number between two bounds, both among them: "64", "1k", "1e3".
/// \throws invalid_input of a text that is no such number
inline std::int64_t whole_number(std::string_view text, std::string_view option, std::int64_t least,
                                 std::int64_t most) {
  const parsed<double> read = parse_count(text);
  const bool fits = read && read.value >= static_cast<double>(least) &&
                    read.value <= static_cast<double>(most) && read.value == std::floor(read.value);
  if (!fits)
    throw invalid_input{std::string(option) + " must be a whole number from " +
                        std::to_string(least) + " to " + std::to_string(most) + ", not " +
                        shown(nlohmann::json(text))};
  return static_cast<std::int64_t>(read.value);
}

/// A share from 0 to 1: "0.1", "10%".
/// \throws invalid_input of a text that is no such number
inline double share_of(std::string_view text, std::string_view option) {
  return plain_number(text, option, 0, 1);
}

/// A quantity with its unit: "80GiB".
/// \throws invalid_input of a text that is none
template <class Q>
Q quantity_of(std::string_view text, std::string_view option) {
  const parsed<Q> read = parse<Q>(text);
  if (!read)
    throw invalid_input{std::string(option) + ": '" + std::string(text) + "' " +
                        std::string(problem_of(read.fault)) + "; write it as " +
                        std::string(examples_of(Q::exponents))};
  return read.value;
}

}  // namespace gpuplan::api
