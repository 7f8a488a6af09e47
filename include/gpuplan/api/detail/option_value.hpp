#pragma once
/// \file
/// Values and names of a request as an option has them.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/api/error_answer.hpp>
#include <gpuplan/api/request_fields.hpp>
#include <gpuplan/model/field.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/json_fields.hpp>
#include <gpuplan/text/json_shown.hpp>
#include <gpuplan/text/lookup.hpp>

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

/// Whether a value is the word for what a search varies, where no other text may stand.
template <class Owner>
bool is_searched(const field<Owner>& row, const nlohmann::json& value) {
  const field_kind kind = row.value.kind;
  return (kind == field_kind::count || kind == field_kind::flag) && value.is_string() &&
         same_name(value.get_ref<const std::string&>(), "any");
}

/// What type a value of a field must have, as "an integer", where it has another one; empty where
/// it has that type.  Bounds and names are left to who reads the value.
template <class Owner>
std::string_view type_needed(const field<Owner>& row, const nlohmann::json& value) {
  const auto unless = [](bool holds, std::string_view type) {
    return holds ? std::string_view{} : type;
  };
  switch (row.value.kind) {
    case field_kind::count: return unless(is_integer(value), "an integer");
    case field_kind::number: return unless(value.is_number(), "a number");
    case field_kind::quantity:
      if (row.value.unit == field_unit::none) return unless(value.is_number(), "a number");
      return unless(value.is_number() || value.is_string(), "a number, or a text with its unit");
    case field_kind::flag: return unless(value.is_boolean(), "true or false");
    case field_kind::flag_or_probability:
      return unless(value.is_boolean() || value.is_number(), "true or false");
    case field_kind::level: return unless(value.is_string() || is_integer(value), "an integer");
    case field_kind::choice: return unless(value.is_string() || value.is_boolean(), "a string");
    case field_kind::catalog_name: return unless(value.is_string(), "a string");
    case field_kind::set_of_choices:
    case field_kind::layers_of_stages: {
      const bool numbers = row.value.kind == field_kind::layers_of_stages;
      if (!value.is_array()) return "an array";
      const bool hold = std::all_of(value.begin(), value.end(), [&](const nlohmann::json& one) {
        return numbers ? is_integer(one) : one.is_string();
      });
      return unless(hold, numbers ? "an array of integers" : "an array of names");
    }
  }
  return {};
}

/// Refuses a value of another type than the field has, as `evaluate` does.
///
///     is_list  whether several values may stand in its place, which are compared
///
/// \throws invalid_input, bad_request of an empty list
template <class Owner>
void require_type(const field<Owner>& row, const nlohmann::json& value, bool is_list,
                  const std::string& place) {
  if (is_list && value.is_array()) {
    if (value.empty()) throw bad_request{place + " must not be empty", place};
    for (const nlohmann::json& one : value) require_type(row, one, false, place);
    return;
  }
  const std::string_view type = type_needed(row, value);
  if (type.empty() || is_searched(row, value)) return;
  throw invalid_input{place + " must be " + std::string(type) + (is_list ? ", or a list" : "") +
                      ", not " + shown(value)};
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
