#pragma once
/// \file
/// A probe's report, written as JSON.

#include <cmath>
#include <cstdint>
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
#include <gpuplan/units/quantity.hpp>

namespace gpuplan {
namespace detail {

/// Adds fields to an object, in the order they come.
class probe_writer {
 public:
  template <class T>
  void operator()(const char* name, const T& field) {
    object_[name] = value_of(field);
  }
  void operator()(const char* name, const std::string& field) {
    object_[name] = field.empty() ? json{} : json(field);
  }
  [[nodiscard]] nlohmann::ordered_json take() { return std::move(object_); }

 private:
  using json = nlohmann::ordered_json;

  static json value_of(const std::string& field) { return field; }
  static json value_of(bool field) { return field; }
  static json value_of(int field) { return field; }
  /// Whole numbers without a point.
  static json value_of(double field) {
    require(field >= 0 && field <= 1.7e308, "json_of: a number of the report must be >= 0");
    constexpr double largest_whole = 0x1p53;
    if (field < largest_whole && field == std::trunc(field))
      return static_cast<std::int64_t>(field);
    return field;
  }
  template <dimension D>
  static json value_of(const quantity<D, double>& field) {
    return value_of(field.in_base_units());
  }
  template <class T>
  requires std::is_enum_v<T>
  static json value_of(T field) { return std::string(spelled(names_of(T{}), field)); }
  template <class T>
  static json value_of(const std::optional<T>& field) {
    return field ? value_of(*field) : json{};
  }
  template <class T>
  static json value_of(const std::vector<T>& field) {
    json list = json::array();
    for (const auto& one : field) list.push_back(value_of(one));
    return list;
  }
  template <class T>
  static json value_of(const std::map<std::string, T>& field) {
    json object = json::object();
    for (const auto& [name, value] : field) object[name] = value_of(value);
    return object;
  }
  template <class T>
  requires std::is_class_v<T>
  static json value_of(const T& field) {
    probe_writer fields;
    each_field(field, fields);
    return fields.take();
  }

  json object_ = json::object();
};

}  // namespace detail

/// The report in SI units, every field in its place; null where nothing was measured.
///
/// \throws invalid_input if a number is not >= 0 and finite
inline nlohmann::ordered_json json_of(const probe_report& report) {
  detail::probe_writer fields;
  fields("schema", std::string(probe_schema));
  detail::each_field(report, fields);
  return fields.take();
}

/// The text of json_of: two spaces a level, a line break at its end. Numbers are read back as they
/// were; what is no UTF-8 in a name is replaced.
inline std::string probe_report_json(const probe_report& report) {
  return json_of(report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace gpuplan
