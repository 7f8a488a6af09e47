#pragma once
/// \file
/// Every field that a request may have, as JSON.

#include <string>
#include <string_view>

#include <gpuplan/api/cluster_fields.hpp>
#include <gpuplan/memory/workspace_fields.hpp>
#include <gpuplan/model/field.hpp>
#include <gpuplan/model/recipe_fields.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/text/lookup.hpp>

namespace gpuplan::api {

/// Calls visit(part, rows) for each part of a request: cluster, recipe, parallelism, workspace.
template <class Visit>
void for_each_part(Visit&& visit) {
  visit("cluster", cluster_fields);
  visit("recipe", recipe_fields);
  visit("parallelism", parallelism_fields);
  visit("workspace", workspace_fields);
}

/// What stands for a field that is absent: "adamw", "off", "0.04".
template <class Owner>
std::string usual_in_words(const field<Owner>& row) {
  if (!row.usual.empty() || row.value.get == nullptr) return std::string(row.usual);
  const double x = row.value.get(Owner{});
  switch (row.value.kind) {
    case field_kind::flag:
    case field_kind::flag_or_probability: return x != 0 ? "on" : "off";
    case field_kind::choice:
    case field_kind::level: return std::string(spelled(row.value.names, static_cast<int>(x)));
    case field_kind::set_of_choices: return "none";
    default: break;
  }
  std::string digits = std::to_string(x);
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return digits;
}

namespace detail {

/// A kind in words.
constexpr std::string_view kind_of(field_kind kind) {
  switch (kind) {
    case field_kind::count: return "integer";
    case field_kind::number:
    case field_kind::quantity: return "number";
    case field_kind::flag: return "flag";
    case field_kind::flag_or_probability: return "flag or probability";
    case field_kind::choice: return "name";
    case field_kind::level: return "number or name";
    case field_kind::set_of_choices: return "array of names";
    case field_kind::layers_of_stages: return "array of integers";
    case field_kind::catalog_name: return "name of the catalogue";
  }
  return "unknown";
}

/// Every name of a choice with the name that answers print for it.
template <class Owner>
report_json names_of(const field<Owner>& row) {
  report_json names = report_json::object();
  for (const named<int>& one : row.value.names)
    names[std::string(one.name)] = spelled(row.value.names, one.value);
  return names;
}

/// A row as JSON.
template <class Owner>
report_json row_of(const field<Owner>& row) {
  const bool bounded = row.value.kind != field_kind::catalog_name;
  return json_object{11}
      .add("key", row.key)
      .add("option", row.option)
      .add("kind", kind_of(row.value.kind))
      .add("unit", name_of(row.value.unit))
      .add("least", bounded ? json_number(row.value.least) : report_json(nullptr))
      .add("most", bounded ? json_number(row.value.most) : report_json(nullptr))
      .add("names", names_of(row))
      .add("usual", usual_in_words(row))
      .add("help", row.help)
      .add("idle", row.effect.idle_because)
      .add("idle_is_refused", row.effect.where != nullptr && row.effect.idle == idle_value::refused)
      .take();
}

}  // namespace detail

/// For each part of a request a list of its fields: key, option, kind, unit, bounds, names, what
/// stands for one that is absent, help, and when it has no effect.
inline report_json fields_as_json() {
  report_json parts = report_json::object();
  for_each_part([&](std::string_view part, const auto& rows) {
    report_json& list = parts[std::string(part)] = report_json::array();
    for (const auto& row : rows) list.push_back(detail::row_of(row));
  });
  return parts;
}

}  // namespace gpuplan::api
