#pragma once
/// \file
/// Values of fields as text: read, written, and what is allowed.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <gpuplan/model/field.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/text/lookup.hpp>
#include <gpuplan/units/parse.hpp>

#include "job_fields.hpp"
#include "words.hpp"

namespace gpuplan::scheduler {

inline constexpr auto switches =
    std::to_array<named<int>>({{"on", 1}, {"off", 0}, {"true", 1}, {"false", 0}});

constexpr dimension dimension_of(field_unit unit) {
  switch (unit) {
    case field_unit::byte: return bytes::exponents;
    case field_unit::byte_per_second: return bytes_per_second::exponents;
    case field_unit::second: return seconds::exponents;
    case field_unit::watt: return watts::exponents;
    case field_unit::none: break;
  }
  return {};
}

/// "must be one of 0, 1, 2, 3": each value by the name to print.
template <class Owner>
void say_allowed(const member_value<Owner>& value, words& why) {
  const auto range = [&] { why << value.least << " to " << value.most; };
  switch (value.kind) {
    case field_kind::count:
      why << "must be a whole number, ";
      range();
      return;
    case field_kind::number:
      why << "must be a number, ";
      range();
      return;
    case field_kind::quantity:
      why << "must be ";
      range();
      if (value.unit != field_unit::none)
        why << " in base units, as " << examples_of(dimension_of(value.unit));
      return;
    case field_kind::flag:
    case field_kind::flag_or_probability: why << "must be on or off"; return;
    case field_kind::layers_of_stages:
      why << "must be the layers of each of up to " << double{layer_split::most_stages}
          << " stages, as 9,8,8,7";
      return;
    default: break;
  }
  why << (value.kind == field_kind::set_of_choices ? "must be none or some of "
                                                   : "must be one of ");
  bool first = true;
  for (const named<int>& name : value.names) {
    if (spelled(value.names, name.value) != name.name) continue;
    why << (first ? "" : ", ") << name.name;
    first = false;
  }
}

/// Writes an allowed value as read_value reads it.
template <class Owner>
void write_value(const member_value<Owner>& value, double x, words& to) {
  switch (value.kind) {
    case field_kind::flag:
    case field_kind::flag_or_probability: to << (x != 0 ? "on" : "off"); return;
    case field_kind::choice:
    case field_kind::level: to << spelled(value.names, static_cast<int>(x)); return;
    case field_kind::set_of_choices: {
      bool any = false;
      for (const named<int>& name : value.names) {
        if ((static_cast<int>(x) & name.value) == 0) continue;
        to << (any ? "," : "") << name.name;
        any = true;
      }
      if (!any) to << "none";
      return;
    }
    default: break;
  }
  to << x;
  if (value.kind == field_kind::quantity) to << name_of(value.unit);
}

/// A value of a field from text; false where it says none that is allowed.
template <class Owner>
bool read_value(const member_value<Owner>& value, std::string_view text, double& x) {
  const auto choice = [](std::string_view typed, const auto& names, double& found) {
    const auto* row = find_spelling(typed, names);
    if (row == nullptr) return false;
    found = row->value;
    return true;
  };
  switch (value.kind) {
    case field_kind::flag: return choice(text, switches, x);
    case field_kind::choice:
    case field_kind::level: return choice(text, value.names, x);
    case field_kind::set_of_choices: {
      int bits = 0;
      if (same_name(text, "none")) return x = 0, true;
      for (std::size_t comma = 0; comma != text.npos;) {
        comma = text.find(',');
        double bit = 0;
        if (!choice(text.substr(0, comma), value.names, bit)) return false;
        bits |= static_cast<int>(bit);
        if (comma != text.npos) text.remove_prefix(comma + 1);
      }
      return x = bits, true;
    }
    default: break;
  }
  if (value.kind == field_kind::flag_or_probability && choice(text, switches, x)) return true;
  const parsed<double> read = parse_in_base_units(text, dimension_of(value.unit));
  if (!read) return false;
  x = read.value;
  if (value.kind != field_kind::flag_or_probability) return is_allowed(value, x);
  if (!(x >= 0 && x <= 1)) return false;
  x = x > 0 ? 1 : 0;
  return true;
}

/// Layers of stages from "9,8,8,7"; false where the text is not such.
inline bool read_stages(std::string_view text, double most, gpuplan_declared& to) {
  gpuplan_declared read = to;
  read.stages = 0;
  for (std::size_t comma = 0; comma != text.npos;) {
    comma = text.find(',');
    const parsed<double> layers = parse_count(text.substr(0, comma));
    if (!layers || layers.value > most || read.stages == layer_split::most_stages) return false;
    const auto whole = static_cast<std::uint16_t>(layers.value);
    if (whole != layers.value) return false;
    read.layers_of_stage[read.stages++] = whole;
    if (comma != text.npos) text.remove_prefix(comma + 1);
  }
  to = read;
  return true;
}

}  // namespace gpuplan::scheduler
