#pragma once
/// \file
/// Fields of a recipe, a layout or a cluster as somebody typed them: the value of an option.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/api/typed_name.hpp>
#include <gpuplan/api/typed_number.hpp>
#include <gpuplan/model/field.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/lookup.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::api {

/// On or off, true or false.
/// \throws invalid_input
inline bool switch_from(std::string_view typed, std::string_view option) {
  static constexpr auto switches =
      std::to_array<named<bool>>({{"on", true}, {"off", false}, {"true", true}, {"false", false}});
  return choice(typed, switches, option);
}

namespace detail {

/// A quantity in base units from "80GiB", or a plain number where it has no unit.
/// \throws invalid_input
template <class Owner>
double quantity_from(const std::string& typed, const std::string& option,
                     const member_value<Owner>& value) {
  if (value.unit == field_unit::none) return plain_number(typed, option, value.least, value.most);
  const double x =
      value.unit == field_unit::byte     ? quantity_of<bytes>(typed, option).in_base_units()
      : value.unit == field_unit::second ? quantity_of<seconds>(typed, option).in_base_units()
      : value.unit == field_unit::watt
          ? quantity_of<watts>(typed, option).in_base_units()
          : quantity_of<bytes_per_second>(typed, option).in_base_units();
  if (!(x >= value.least && x <= value.most))
    throw invalid_input{option + " must be " + nlohmann::json(value.least).dump() + " to " +
                        nlohmann::json(value.most).dump() + " " + std::string(name_of(value.unit)) +
                        ", not " + typed};
  return x;
}

/// The bits of "core_attn,layernorm"; none of "none".
/// \throws invalid_input
template <class Owner>
double bits_from(const std::string& typed, const std::string& option,
                 const member_value<Owner>& value) {
  if (typed == "none") return 0;
  int bits = 0;
  std::string_view rest = typed;
  for (;;) {
    const auto comma = rest.find(',');
    const std::string_view name = rest.substr(0, comma);
    const int chosen = choice(name, value.names, option);
    if ((bits & chosen) != 0)
      throw invalid_input{option + ": " + std::string(name) + " is named twice"};
    bits |= chosen;
    if (comma == rest.npos) return bits;
    rest.remove_prefix(comma + 1);
  }
}

/// "9,8,8,7".
/// \throws invalid_input
inline layer_split stages_from(std::string_view typed, const std::string& option, double most) {
  std::vector<std::int64_t> layers;
  for (;;) {
    const auto comma = typed.find(',');
    layers.push_back(whole_number(typed.substr(0, comma), option + ": each stage", 0,
                                  static_cast<std::int64_t>(most)));
    if (comma == typed.npos) return layer_split{layers};
    typed.remove_prefix(comma + 1);
  }
}

}  // namespace detail

/// Sets the member of a row to what was typed for its option; a name of a catalogue is left to the
/// caller.
/// \throws invalid_input of a value that the row does not allow
template <class Owner>
void read_typed(const field<Owner>& row, const std::string& typed, Owner& to) {
  const member_value<Owner>& value = row.value;
  const std::string option{row.main_option()};
  switch (value.kind) {
    case field_kind::count:
      value.set(to, static_cast<double>(whole_number(typed, option,
                                                     static_cast<std::int64_t>(value.least),
                                                     static_cast<std::int64_t>(value.most))));
      break;
    case field_kind::number:
      value.set(to, plain_number(typed, option, value.least, value.most));
      break;
    case field_kind::quantity: value.set(to, detail::quantity_from(typed, option, value)); break;
    case field_kind::flag:
    case field_kind::flag_or_probability: value.set(to, switch_from(typed, option) ? 1 : 0); break;
    case field_kind::choice:
    case field_kind::level: value.set(to, choice(typed, value.names, option)); break;
    case field_kind::set_of_choices: value.set(to, detail::bits_from(typed, option, value)); break;
    case field_kind::layers_of_stages:
      to.*value.stages = detail::stages_from(typed, option, value.most);
      break;
    case field_kind::catalog_name: break;
  }
}

}  // namespace gpuplan::api
