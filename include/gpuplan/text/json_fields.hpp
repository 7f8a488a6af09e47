#pragma once
/// \file
/// The fields of a JSON object, each with its type and range checked as it is read.

#include <array>
#include <cmath>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <gpuplan/require.hpp>
#include <gpuplan/text/json_text.hpp>
#include <gpuplan/text/lookup.hpp>

namespace gpuplan {

/// "; did you mean mistral or mixtral?", or nothing.
template <class Entries>
std::string did_you_mean(std::string_view typed, const Entries& entries) {
  std::string hint;
  for (const std::string_view name : closest_names(typed, entries))
    hint += (hint.empty() ? "; did you mean " : " or ") + std::string(name);
  return hint.empty() ? hint : hint + "?";
}

/// Whether a value is a number without a fraction: 8, and 8.0, as JSON Schema counts it.
inline bool is_integer(const nlohmann::json& value) {
  if (value.is_number_integer()) return true;
  return value.is_number_float() && std::floor(value.get<double>()) == value.get<double>();
}

/// A field that must be there is null.
class null_field : public invalid_input {
 public:
  using invalid_input::invalid_input;
};

/// Reads the fields of one object.  Null counts as absent.  Every refusal is an invalid_input of
/// one line, "<where>: <field> ...".  The object must outlive the reader.
class json_fields {
 public:
  /// The largest integer that a field may hold; far above any size, and sums of two stay an int.
  static constexpr int largest = 1'000'000'000;

  /// \throws invalid_input if `value` is no object
  json_fields(const nlohmann::json& value, std::string_view where) : value_{value}, where_{where} {
    if (!value.is_object()) refuse("must be a JSON object, not " + shown(value));
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw invalid_input{where_ + ": " + why};
  }
  [[nodiscard]] const std::string& where() const { return where_; }
  [[nodiscard]] const nlohmann::json& value() const { return value_; }

  /// Whether the field is there and not null.
  [[nodiscard]] bool has(std::string_view field) const { return find(field) != nullptr; }
  /// Whether the field is there, be it null.
  [[nodiscard]] bool names(std::string_view field) const { return value_.contains(field); }

  [[nodiscard]] int integer(std::string_view field, int least = 1) const {
    return integer_of(need(field), field, least);
  }
  [[nodiscard]] int integer_or(std::string_view field, int otherwise, int least = 1) const {
    const nlohmann::json* found = find(field);
    return found != nullptr ? integer_of(*found, field, least) : otherwise;
  }
  /// Of several names of one thing, those that are there; they must agree.
  [[nodiscard]] int integer(std::initializer_list<std::string_view> names, int least = 1) const {
    const std::string_view known = name_in_use(names);
    return integer(known.empty() ? *names.begin() : known, least);
  }
  [[nodiscard]] int integer_or(std::initializer_list<std::string_view> names, int otherwise,
                               int least = 1) const {
    const std::string_view known = name_in_use(names);
    return known.empty() ? otherwise : integer(known, least);
  }

  /// A number from `least` to `most`; `allowed` says so in words.
  [[nodiscard]] double number(std::string_view field, double least, double most,
                              std::string_view allowed) const {
    const nlohmann::json& found = need(field);
    const double value = found.is_number() ? found.get<double>() : least - 1;
    if (!(found.is_number() && value >= least && value <= most))
      refuse(field, "must be " + std::string(allowed) + ", not " + shown(found));
    return value;
  }

  [[nodiscard]] bool flag_or(std::string_view field, bool otherwise) const {
    const nlohmann::json* found = find(field);
    if (found == nullptr) return otherwise;
    if (!found->is_boolean()) refuse(field, "must be true or false, not " + shown(*found));
    return found->get<bool>();
  }

  [[nodiscard]] std::string_view text(std::string_view field) const {
    return text_of(need(field), field);
  }
  [[nodiscard]] std::string_view text_or(std::string_view field, std::string_view otherwise) const {
    const nlohmann::json* found = find(field);
    return found != nullptr ? text_of(*found, field) : otherwise;
  }

  /// The value that a table gives to the field's text.
  template <class Table, class T>
  [[nodiscard]] T choice_or(std::string_view field, const Table& table, T otherwise) const {
    const nlohmann::json* found = find(field);
    if (found == nullptr) return otherwise;
    const std::string_view typed = text_of(*found, field);
    for (const auto& row : table)
      if (row.name == typed) return row.value;
    std::string known;
    for (const auto& row : table) known += (known.empty() ? "" : ", ") + std::string(row.name);
    refuse(field,
           "must be one of " + known + ", not " + shown(*found) + did_you_mean(typed, table));
  }

  /// An array, or null where there is none.
  [[nodiscard]] const nlohmann::json* array(std::string_view field) const {
    const nlohmann::json* found = find(field);
    if (found != nullptr && !found->is_array())
      refuse(field, "must be an array, not " + shown(*found));
    return found;
  }

  /// Refuses fields that a table of rows with `name` does not have.
  template <class Table>
  void refuse_unknown(const Table& table) const {
    for (const auto& [field, ignored] : value_.items()) {
      bool known = false;
      for (const auto& row : table) known = known || row.name == field;
      if (!known) refuse(field, "is not a known field" + did_you_mean(field, table));
    }
  }

  [[noreturn]] void refuse(std::string_view field, const std::string& why) const {
    refuse(shown_name(field) + " " + why);
  }

 private:
  [[nodiscard]] const nlohmann::json* find(std::string_view field) const {
    const auto found = value_.find(field);
    return found != value_.end() && !found->is_null() ? &*found : nullptr;
  }
  [[nodiscard]] const nlohmann::json& need(std::string_view field) const {
    const nlohmann::json* found = find(field);
    if (found != nullptr) return *found;
    if (names(field)) throw null_field{where_ + ": " + shown_name(field) + " must not be null"};
    refuse(field, "is missing");
  }

  [[nodiscard]] int integer_of(const nlohmann::json& found, std::string_view field,
                               int least) const {
    const auto refuse_as = [&](const std::string& why) {
      refuse(field, why + ", not " + shown(found));
    };
    if (!is_integer(found)) refuse_as("must be an integer");
    const auto number = found.get<double>();
    if (number > largest) refuse_as("must be <= " + std::to_string(largest));
    if (number < least) refuse_as("must be >= " + std::to_string(least));
    return static_cast<int>(number);
  }

  [[nodiscard]] std::string_view text_of(const nlohmann::json& found,
                                         std::string_view field) const {
    if (!found.is_string()) refuse(field, "must be a string, not " + shown(found));
    return found.get_ref<const std::string&>();
  }

  [[nodiscard]] std::string_view name_in_use(std::initializer_list<std::string_view> names) const {
    std::string_view used;
    for (const std::string_view name : names) {
      if (!has(name)) continue;
      if (used.empty()) used = name;
      if (*find(name) != *find(used)) refuse(name, "is not what " + std::string(used) + " says");
    }
    return used;
  }

  const nlohmann::json& value_;
  std::string where_;
};

}  // namespace gpuplan
