#pragma once
/// \file
/// Reads a JSON object by its table of fields.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/api/typed_field.hpp>
#include <gpuplan/api/typed_name.hpp>
#include <gpuplan/model/field.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/text/json_fields.hpp>

namespace gpuplan::api {

/// The value of a field that is there and not null; nullptr of others.
inline const nlohmann::json* find(const json_fields& fields, std::string_view key) {
  const auto found = fields.value().find(key);
  return found != fields.value().end() && !found->is_null() ? &*found : nullptr;
}

/// A number between two bounds, both among them.
/// \throws invalid_input if there is none, or another
inline double number_of(const json_fields& fields, std::string_view key, double least,
                        double most) {
  const nlohmann::json* found = find(fields, key);
  if (found == nullptr) fields.refuse(key, "is missing");
  if (!found->is_number()) fields.refuse(key, "must be a number, not " + shown(*found));
  const double value = found->get<double>();
  if (!(value >= least && value <= most))
    fields.refuse(key, "must be " + shown(nlohmann::json(least)) + " to " +
                           shown(nlohmann::json(most)) + ", not " + shown(*found));
  return value;
}

namespace detail {

/// Layers of each stage.
/// \throws invalid_input
inline layer_split stages_of(const json_fields& fields, std::string_view key, double most) {
  std::vector<std::int64_t> layers;
  for (const nlohmann::json& count : *fields.array(key)) {
    if (layers.size() == layer_split::most_stages)
      fields.refuse(key,
                    "must name at most " + std::to_string(layer_split::most_stages) + " stages");
    const double number = is_integer(count) ? count.get<double>() : -1;
    if (!(number >= 0 && number <= most))
      fields.refuse(key, "must hold integers from 0 to " + std::to_string(static_cast<int>(most)) +
                             ", not " + shown(count));
    layers.push_back(static_cast<std::int64_t>(number));
  }
  return layer_split{layers};
}

/// The bits of an array of names.
/// \throws invalid_input
template <class Owner>
double bits_of(const json_fields& fields, std::string_view key, const member_value<Owner>& value) {
  int bits = 0;
  for (const nlohmann::json& name : *fields.array(key)) {
    if (!name.is_string()) fields.refuse(key, "must hold names, not " + shown(name));
    const int chosen =
        choice(name.get<std::string>(), value.names, fields.where() + ": " + std::string(key));
    if ((bits & chosen) != 0) fields.refuse(key, "names " + name.get<std::string>() + " twice");
    bits |= chosen;
  }
  return bits;
}

/// The number that a field other than layers of stages holds, by its name in the object.
/// \throws invalid_input
template <class Owner>
double value_of(const json_fields& fields, std::string_view key, const member_value<Owner>& value) {
  const nlohmann::json& found = *find(fields, key);
  switch (value.kind) {
    case field_kind::count: return fields.integer(key, static_cast<int>(value.least));
    case field_kind::quantity:
      if (found.is_string() && value.unit != field_unit::none)
        return quantity_from(found.get<std::string>(), fields.where() + ": " + std::string(key),
                             value);
      [[fallthrough]];
    case field_kind::number: return number_of(fields, key, value.least, value.most);
    case field_kind::flag_or_probability:
      if (found.is_number()) return number_of(fields, key, value.least, value.most) > 0 ? 1 : 0;
      [[fallthrough]];
    case field_kind::flag: return fields.flag_or(key, false) ? 1 : 0;
    case field_kind::level:
      if (!found.is_string()) {
        const int level = fields.integer(key, 0);
        if (level <= value.most) return level;
        fields.refuse(key, "must be 0 to " + std::to_string(static_cast<int>(value.most)) +
                               ", not " + shown(found));
      }
      [[fallthrough]];
    case field_kind::choice: {
      const std::string typed = found.is_boolean() ? (found.get<bool>() ? "true" : "false")
                                                   : std::string(fields.text(key));
      return choice(typed, value.names, fields.where() + ": " + std::string(key));
    }
    case field_kind::set_of_choices: return bits_of(fields, key, value);
    case field_kind::layers_of_stages:
    case field_kind::catalog_name: break;
  }
  return 0;
}

/// The name of an object within which a field lies, and its name there: "overlap" and "data" of
/// "overlap.data".
struct field_path {
  std::string_view object{};
  std::string_view name{};
};

constexpr field_path path_of(std::string_view key) {
  const auto dot = key.find('.');
  return dot == key.npos ? field_path{.name = key}
                         : field_path{key.substr(0, dot), key.substr(dot + 1)};
}

/// Reads the rows of a table that lie in an object, those that are there; names of catalogues are
/// left to the caller.
/// \throws invalid_input
template <class Rows, class Owner>
void read_rows(const json_fields& fields, const Rows& rows, std::string_view object, Owner& to) {
  std::vector<named<int>> known;
  for (const field<Owner>& row : rows) {
    const field_path path = path_of(row.key);
    if (path.object == object)
      known.push_back({path.name});
    else if (object.empty())
      known.push_back({path.object});
  }
  fields.refuse_unknown(known);
  for (const field<Owner>& row : rows) {
    const field_path path = path_of(row.key);
    if (path.object != object || row.value.kind == field_kind::catalog_name ||
        !fields.has(path.name))
      continue;
    if (row.value.kind == field_kind::layers_of_stages)
      to.*row.value.stages = stages_of(fields, path.name, row.value.most);
    else
      row.value.set(to, value_of(fields, path.name, row.value));
  }
}

}  // namespace detail

/// Sets the members of `to` that an object names by the keys of a table, in objects within the
/// object, too ("overlap.data"); the others stay.  Names of catalogues are left to the caller.
/// \throws invalid_input of an unknown field, or a value that its row does not allow
template <class Rows, class Owner>
void read_fields(const json_fields& fields, const Rows& rows, Owner& to) {
  detail::read_rows(fields, rows, {}, to);
  std::string_view last;
  for (const field<Owner>& row : rows) {
    const std::string_view object = detail::path_of(row.key).object;
    if (object.empty() || object == last) continue;
    last = object;
    if (const nlohmann::json* found = find(fields, object); found != nullptr)
      detail::read_rows(json_fields{*found, fields.where() + ": " + std::string(object)}, rows,
                        object, to);
  }
}

}  // namespace gpuplan::api
