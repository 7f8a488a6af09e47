#pragma once
/// \file
/// Reads a JSON object by its table of fields.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/model/field.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/text/json_fields.hpp>

#include "inputs.hpp"

namespace gpuplan::cli {

static_assert(largest_count == json_fields::largest);

/// The value of a field that is there and not null.
inline const nlohmann::json* find(const json_fields& fields, std::string_view key) {
  const auto found = fields.value().find(key);
  return found != fields.value().end() && !found->is_null() ? &*found : nullptr;
}

/// A number between two bounds.
/// \throws invalid_input
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

/// Layers of each stage.
/// \throws invalid_input
inline layer_split stages_of(const json_fields& fields, std::string_view key, double most) {
  std::vector<std::int64_t> layers;
  for (const nlohmann::json& count : *fields.array(key)) {
    if (layers.size() == layer_split::most_stages)
      fields.refuse(key,
                    "must name at most " + std::to_string(layer_split::most_stages) + " stages");
    if (!count.is_number_integer() || count < 0 || count > most)
      fields.refuse(key, "must hold integers from 0 to " + std::to_string(static_cast<int>(most)) +
                             ", not " + shown(count));
    layers.push_back(count.get<std::int64_t>());
  }
  return layer_split{layers};
}

/// The number that a field other than layers of stages holds.
/// \throws invalid_input
template <class Owner>
double value_of(const json_fields& fields, const field<Owner>& row) {
  const member_value<Owner>& value = row.value;
  const nlohmann::json& found = *find(fields, row.key);
  switch (value.kind) {
    case field_kind::count: return fields.integer(row.key, static_cast<int>(value.least));
    case field_kind::number:
    case field_kind::quantity: return number_of(fields, row.key, value.least, value.most);
    case field_kind::flag_or_probability:
      if (found.is_number()) return number_of(fields, row.key, value.least, value.most) > 0 ? 1 : 0;
      [[fallthrough]];
    case field_kind::flag: return fields.flag_or(row.key, false) ? 1 : 0;
    case field_kind::level:
      if (!found.is_string()) {
        const int level = fields.integer(row.key, 0);
        if (level <= value.most) return level;
        fields.refuse(row.key, "must be 0 to " + std::to_string(static_cast<int>(value.most)) +
                                   ", not " + shown(found));
      }
      [[fallthrough]];
    case field_kind::choice:
      return choice(fields.text(row.key), value.names,
                    fields.where() + ": " + std::string(row.key));
    case field_kind::layers_of_stages:
    case field_kind::catalog_name: break;
  }
  return 0;
}

/// Refuses unknown fields, and reads those of the table that are there; names of catalogues are
/// left to the caller.
/// \throws invalid_input
template <class Rows, class Owner>
void read_fields(const json_fields& fields, const Rows& rows, Owner& to) {
  std::vector<named<int>> known;
  for (const field<Owner>& row : rows) known.push_back({row.key});
  fields.refuse_unknown(known);
  for (const field<Owner>& row : rows) {
    if (row.value.kind == field_kind::catalog_name || !fields.has(row.key)) continue;
    if (row.value.kind == field_kind::layers_of_stages)
      to.*row.value.stages = stages_of(fields, row.key, row.value.most);
    else
      row.value.set(to, value_of(fields, row));
  }
}

}  // namespace gpuplan::cli
