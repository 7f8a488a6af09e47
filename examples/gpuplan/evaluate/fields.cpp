/// \file
/// What a request of evaluate may hold, for people and for programs.

#include "evaluate/fields.hpp"

#include <string_view>

#include <gpuplan/api/cluster_fields.hpp>
#include <gpuplan/memory/workspace_fields.hpp>
#include <gpuplan/model/recipe_fields.hpp>

#include "field_text.hpp"

namespace gpuplan::cli {
namespace {

/// Calls visit(part, rows, what the part is) for each part of a request.
template <class Visit>
void for_each_part(Visit&& visit) {
  visit("cluster", api::cluster_fields);
  visit("recipe", recipe_fields);
  visit("parallelism", parallelism_fields);
  visit("workspace", workspace_fields);
}

/// Words in lines of at most 100 columns, the first of which has a title.
std::string with_title(std::string_view title, std::string_view words) {
  constexpr std::size_t indent = 31;
  constexpr std::size_t width = 100 - indent;
  std::string text = "  " + std::string(title);
  text.resize(indent, ' ');
  while (words.size() > width) {
    const std::size_t end = words.rfind(' ', width);
    text += std::string(words.substr(0, end)) + "\n" + std::string(indent, ' ');
    words.remove_prefix(end + 1);
  }
  return text + std::string(words) + "\n";
}

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

constexpr std::string_view name_of(field_unit unit) {
  switch (unit) {
    case field_unit::none: return "";
    case field_unit::byte: return "B";
    case field_unit::byte_per_second: return "B/s";
    case field_unit::second: return "s";
    case field_unit::watt: return "W";
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

}  // namespace

std::string fields_in_words() {
  std::string text;
  for_each_part([&](std::string_view part, const auto& rows) {
    text += std::string(part) + "\n";
    for (const auto& row : rows) text += with_title(row.key, help_of(row, usual_in_words(row)));
  });
  return text;
}

report_json fields_as_json() {
  report_json parts = report_json::object();
  for_each_part([&](std::string_view part, const auto& rows) {
    report_json& list = parts[std::string(part)] = report_json::array();
    for (const auto& row : rows) list.push_back(row_of(row));
  });
  return parts;
}

}  // namespace gpuplan::cli
