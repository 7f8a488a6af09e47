#pragma once
/// \file
/// Shows values and names of JSON in error messages: short, in ASCII, on one line.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace gpuplan {

/// A value as an error line shows it: JSON in ASCII, shortened; objects and arrays in words.
inline std::string shown(const nlohmann::json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  constexpr std::size_t longest = 48;
  if (text.size() > longest) text = text.substr(0, longest) + "...";
  return value.is_string() ? "the string " + text : text;
}

/// A field's name as an error line shows it: as it is where it is plain and of at most 80
/// characters, else quoted, and cut after these.
inline std::string shown_name(std::string_view name) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  constexpr std::size_t longest = 80;
  const std::string_view start = name.substr(0, longest);
  if (!name.empty() && start == name && std::all_of(name.begin(), name.end(), is_plain))
    return std::string(name);
  return nlohmann::json(start).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

}  // namespace gpuplan
