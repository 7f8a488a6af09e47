#pragma once
/// \file
/// A probe's report, read from its JSON.

#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/calibrate/detail/probe_report_fields.hpp>
#include <gpuplan/calibrate/probe_report.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/json_fields.hpp>
#include <gpuplan/text/json_text.hpp>
#include <gpuplan/units/quantity.hpp>

namespace gpuplan {
namespace detail {

/// Where a value stands in a text; a name is made of it only when one is refused.
struct json_place {
  const json_place* above = nullptr;
  std::string_view name{};
  std::size_t index = 0;  ///< of an element, where there is no name

  [[nodiscard]] std::string text() const {
    if (above == nullptr) return std::string(name);
    return above->text() +
           (name.empty() ? "[" + std::to_string(index) + "]" : "." + shown_name(name));
  }
  [[noreturn]] void refuse(const nlohmann::json& found, const std::string& must_be) const {
    throw invalid_input{text() + " must be " + must_be + ", not " + shown(found)};
  }
};

/// Fills the fields of one object.
class probe_reader {
 public:
  probe_reader(const nlohmann::json& object, const json_place& place)
      : object_{object}, place_{place} {
    if (!object.is_object()) place.refuse(object, "an object");
  }

  /// A field that is absent or null: texts, lists, parts and what is optional stay empty.
  template <class T>
  void operator()(std::string_view name, T& field) const {
    const auto found = object_.find(name);
    const json_place here{&place_, name};
    if (found != object_.end() && !found->is_null())
      read(*found, here, field);
    else if constexpr (needed<T>)
      throw invalid_input{here.text() + " is missing"};
  }

 private:
  template <class T>
  static constexpr bool needed = is_quantity<T> || std::is_arithmetic_v<T> || std::is_enum_v<T> ||
                                 std::is_same_v<T, measured_time>;

  static void read(const nlohmann::json& found, const json_place& here, std::string& field) {
    if (!found.is_string()) here.refuse(found, "a string");
    field = found.get_ref<const std::string&>();
  }
  static void read(const nlohmann::json& found, const json_place& here, bool& field) {
    if (!found.is_boolean()) here.refuse(found, "true or false");
    field = found.get<bool>();
  }
  static void read(const nlohmann::json& found, const json_place& here, double& field) {
    if (!found.is_number() || !(found.get<double>() >= 0)) here.refuse(found, "a number >= 0");
    field = found.get<double>();
  }
  static void read(const nlohmann::json& found, const json_place& here, int& field) {
    constexpr int most = json_fields::largest;
    const double value = found.is_number() ? found.get<double>() : -1;
    if (!(value >= 0 && value <= most) || value != std::trunc(value))
      here.refuse(found, "a whole number from 0 to " + std::to_string(most));
    field = static_cast<int>(value);
  }
  template <dimension D>
  static void read(const nlohmann::json& found, const json_place& here,
                   quantity<D, double>& field) {
    double value = 0;
    read(found, here, value);
    field = quantity<D, double>{value};
  }
  template <class T>
  requires std::is_enum_v<T>
  static void read(const nlohmann::json& found, const json_place& here, T& field) {
    std::string known;
    for (const auto& row : names_of(T{})) {
      if (found == row.name) {
        field = row.value;
        return;
      }
      known += (known.empty() ? "" : ", ") + std::string(row.name);
    }
    here.refuse(found, "one of " + known);
  }
  template <class T>
  static void read(const nlohmann::json& found, const json_place& here, std::optional<T>& field) {
    read(found, here, field.emplace());
  }
  /// A time alone is a median whose spread is not told.
  static void read(const nlohmann::json& found, const json_place& here, measured_time& field) {
    if (found.is_number())
      read(found, here, field.median);
    else
      each_field(field, probe_reader{found, here});
  }
  template <class T>
  static void read(const nlohmann::json& found, const json_place& here, std::vector<T>& field) {
    if (!found.is_array()) here.refuse(found, "a list");
    field.reserve(found.size());
    for (const nlohmann::json& one : found) {
      const json_place at{&here, {}, field.size()};
      T element{};
      read(one, at, element);
      field.push_back(std::move(element));
    }
  }
  template <class T>
  static void read(const nlohmann::json& found, const json_place& here,
                   std::map<std::string, T>& field) {
    if (!found.is_object()) here.refuse(found, "an object");
    for (const auto& [name, value] : found.items())
      read(value, json_place{&here, name}, field[name]);
  }
  template <class T>
  requires std::is_class_v<T>
  static void read(const nlohmann::json& found, const json_place& here, T& field) {
    each_field(field, probe_reader{found, here});
  }

  const nlohmann::json& object_;
  const json_place& place_;
};

}  // namespace detail

/// Reads a probe's report. Fields that are not known are ignored, as older and newer probes have
/// more; what is null or absent was not measured.
///
/// \throws invalid_input of one line that names the field, "probe.json.devices[0].l2_bytes must be
///         ...", if the text is no JSON, of another schema, or a field is of another type or out of
///         range
inline probe_report read_probe_report(std::string_view text, std::string_view name) {
  const nlohmann::json read = parse_json(text, name);
  const detail::json_place top{.name = name};
  const detail::probe_reader fields{read, top};
  std::string schema;
  fields("schema", schema);
  if (schema != probe_schema)
    throw invalid_input{top.text() + ".schema must be " + std::string(probe_schema) +
                        (schema.empty() ? "" : ", not " + shown(read["schema"]))};
  probe_report report;
  detail::each_field(report, fields);
  return report;
}

}  // namespace gpuplan
