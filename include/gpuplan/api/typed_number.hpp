#pragma once
/// \file
/// Numbers as somebody typed them.

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/require.hpp>
#include <gpuplan/text/json_shown.hpp>
#include <gpuplan/units/parse.hpp>

namespace gpuplan::api {

/// A number from `least` to `most`, both among them: "0.5", "1e3", "2k".
///
///     option  begins the line of a refusal: "--level"
///
/// \throws invalid_input of a text that is no such number
inline double plain_number(std::string_view text, std::string_view option, double least,
                           double most) {
  const parsed<double> read = parse_count(text);
  if (!read || !(read.value >= least && read.value <= most))
    throw invalid_input{std::string(option) + " must be a number from " +
                        nlohmann::json(least).dump() + " to " + nlohmann::json(most).dump() +
                        ", not " + shown(nlohmann::json(text))};
  return read.value;
}

}  // namespace gpuplan::api
