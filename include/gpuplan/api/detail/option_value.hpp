#pragma once
/// \file
/// Values and names of a request as an option has them.

#include <algorithm>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/api/request_fields.hpp>
#include <gpuplan/model/field.hpp>

namespace gpuplan::api::detail {

/// A value of a field as its option takes it.
template <class Owner>
nlohmann::json as_typed(const field<Owner>& row, const nlohmann::json& value) {
  const field_kind kind = row.value.kind;
  if (value.is_number() && kind == field_kind::quantity)
    return value.dump() + std::string(name_of(row.value.unit));
  if (value.is_number() && kind == field_kind::flag_or_probability) {
    const auto number = value.get<double>();
    if (number >= 0 && number <= 1) return number > 0 ? "on" : "off";
  }
  if (value.is_boolean() && kind == field_kind::choice) return value.get<bool>() ? "true" : "false";
  if (value.is_array() && value.empty() && kind == field_kind::set_of_choices) return "none";
  return value;
}

/// The name of an option in a request.
inline std::string key_of_option(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// The name of a positional in a request.
inline std::string key_of_positional(std::string_view name) {
  std::string key;
  for (const char c : name) key += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return key;
}

}  // namespace gpuplan::api::detail
