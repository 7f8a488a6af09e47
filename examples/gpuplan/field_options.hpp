#pragma once
/// \file
/// The options of a table of fields.

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include <gpuplan/model/field.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/units/units.hpp>

#include "field_text.hpp"
#include "inputs.hpp"

namespace gpuplan::cli {

/// Which rows of a table become options.
enum class field_rows { usual, seldom };

/// A quantity in base units from "80GiB", or a plain number where it has no unit.
/// \throws bad_usage or invalid_input
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
    throw bad_usage{option + " must be " + nlohmann::json(value.least).dump() + " to " +
                    nlohmann::json(value.most).dump() + " in base units, not " + typed};
  return x;
}

/// The bits of "core_attn,layernorm"; none of "none".
/// \throws bad_usage
template <class Owner>
double bits_from(const std::string& typed, const std::string& option,
                 const member_value<Owner>& value) {
  if (typed == "none") return 0;
  int bits = 0;
  std::string_view rest = typed;
  for (;;) {
    const auto comma = rest.find(',');
    bits |= choice(std::string(rest.substr(0, comma)), value.names, option);
    if (comma == rest.npos) return bits;
    rest.remove_prefix(comma + 1);
  }
}

/// "9,8,8,7".
/// \throws bad_usage or invalid_input
inline layer_split stages_from(const std::string& typed, const std::string& option, double most) {
  std::vector<std::int64_t> layers;
  std::string_view rest = typed;
  for (;;) {
    const auto comma = rest.find(',');
    layers.push_back(whole_number(rest.substr(0, comma), option + ": each stage", 0,
                                  static_cast<std::int64_t>(most)));
    if (comma == rest.npos) return layer_split{layers};
    rest.remove_prefix(comma + 1);
  }
}

inline bool switch_from(const std::string& typed, const std::string& option) {
  static constexpr auto switches =
      std::to_array<named<bool>>({{"on", true}, {"off", false}, {"true", true}, {"false", false}});
  return choice(typed, switches, option);
}

/// The options of the rows of a table, as typed; empty where not given.
template <class Owner>
class typed_fields {
 public:
  explicit typed_fields(std::span<const field<Owner>> rows) : rows_{rows}, typed_(rows.size()) {}

  [[nodiscard]] std::span<const field<Owner>> rows() const { return rows_; }
  /// By its key in JSON.
  [[nodiscard]] std::string& operator[](std::string_view key) {
    return typed_.at(place_of_field(rows_, key));
  }
  [[nodiscard]] const std::string& operator[](std::string_view key) const {
    return typed_.at(place_of_field(rows_, key));
  }

  /// Adds one option; an empty group is that of the command itself.
  void add(CLI::App& command, std::string_view key, const std::string& group,
           std::string_view usual) {
    const field<Owner>& row = rows_[place_of_field(rows_, key)];
    CLI::Option* added =
        command.add_option(std::string(row.option), (*this)[key], help_of(row, usual));
    if (!group.empty()) added->group(group);
  }
  void add(CLI::App& command, std::string_view key, const std::string& group) {
    add(command, key, group, usual_in_words(rows_[place_of_field(rows_, key)]));
  }
  void add(CLI::App& command, field_rows which, const std::string& group) {
    for (const field<Owner>& row : rows_)
      if (row.seldom == (which == field_rows::seldom)) add(command, row.key, group);
  }

  /// Sets what was given; names of catalogues are left to the caller.
  /// \throws bad_usage or invalid_input
  void read(Owner& to) const {
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (!typed_[i].empty()) read(rows_[i], typed_[i], to);
  }

 private:
  static void read(const field<Owner>& row, const std::string& typed, Owner& to) {
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
      case field_kind::quantity: value.set(to, quantity_from(typed, option, value)); break;
      case field_kind::flag:
      case field_kind::flag_or_probability:
        value.set(to, switch_from(typed, option) ? 1 : 0);
        break;
      case field_kind::choice:
      case field_kind::level: value.set(to, choice(typed, value.names, option)); break;
      case field_kind::set_of_choices: value.set(to, bits_from(typed, option, value)); break;
      case field_kind::layers_of_stages:
        to.*value.stages = stages_from(typed, option, value.most);
        break;
      case field_kind::catalog_name: break;
    }
  }

  std::span<const field<Owner>> rows_;
  std::vector<std::string> typed_;
};

}  // namespace gpuplan::cli
