#pragma once
/// \file
/// Reading a field of a row: absent and null are the same, and a fault names the field.

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/text/decimal_number.hpp>
#include <gpuplan/text/lookup.hpp>

#include "accuracy/job.hpp"

namespace gpuplan::accuracy {

/// The field, or null where there is none.
inline const nlohmann::json& field(const nlohmann::json& row, std::string_view name) {
  static const nlohmann::json null;
  const auto found = row.find(name);
  return found == row.end() ? null : *found;
}

inline bool has(const nlohmann::json& row, std::string_view name) {
  return !field(row, name).is_null();
}

/// Begins the reason of a check that names an entry which is not there.
inline const std::string no_entry = "published.json has no entry ";

/// A number, also where it is written as text.
/// \throws unmapped naming the field if it is something else
inline std::optional<double> number(const nlohmann::json& row, std::string_view name) {
  const nlohmann::json& value = field(row, name);
  if (value.is_null()) return std::nullopt;
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) {
    const std::string& text = value.get_ref<const std::string&>();
    double parsed = 0;
    const auto [end, fault] = decimal_from_chars(text.data(), text.data() + text.size(), parsed);
    if (fault == std::errc{} && end == text.data() + text.size()) return parsed;
  }
  throw unmapped{std::string(name) + " is no number: " + value.dump()};
}

/// \throws unmapped naming the field if it is absent, or no number
inline double number_of(const nlohmann::json& row, std::string_view name) {
  if (const auto value = number(row, name)) return *value;
  throw unmapped{std::string(name) + " is not given"};
}

inline std::optional<int> whole(const nlohmann::json& row, std::string_view name) {
  const std::optional<double> value = number(row, name);
  return value ? std::optional{static_cast<int>(*value)} : std::nullopt;
}

/// \throws unmapped naming the field if it is absent, or no number
inline int whole_of(const nlohmann::json& row, std::string_view name) {
  return static_cast<int>(number_of(row, name));
}

inline std::string text_of(const nlohmann::json& row, std::string_view name,
                           std::string_view otherwise = {}) {
  const nlohmann::json& value = field(row, name);
  return value.is_string() ? value.get<std::string>() : std::string(otherwise);
}

/// The value that a table has by a name.
/// \throws unmapped naming the field if it has none
template <class Table>
auto named_choice(const nlohmann::json& row, std::string_view name, const Table& table) {
  const auto* found = find_spelling(text_of(row, name), table);
  if (found == nullptr) throw unmapped{std::string(name) + " is unknown: " + text_of(row, name)};
  return found->value;
}

/// True where the field is true; absent, null and false are false.
inline bool flag(const nlohmann::json& row, std::string_view name) {
  const nlohmann::json& value = field(row, name);
  return value.is_boolean() ? value.get<bool>() : !value.is_null();
}

inline bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace gpuplan::accuracy
