#pragma once
/// \file
/// The units of the registry, as its rows write them, and inputs read in them.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <gpuplan/registry/formula.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/lookup.hpp>
#include <gpuplan/text/row_fault.hpp>
#include <gpuplan/units/parse.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

/// What a unit of a row measures; `known` is false for a text that is no unit here.
struct unit_meaning {
  dimension exponents{};
  bool known = true;
};

namespace detail {

struct base_unit {
  std::string_view name;
  dimension exponents;
};
inline constexpr std::array base_units{base_unit{"count", {}},
                                       base_unit{"1", {}},
                                       base_unit{"erlang", {}},
                                       base_unit{"B", bytes::exponents},
                                       base_unit{"FLOP", flop::exponents},
                                       base_unit{"s", seconds::exponents},
                                       base_unit{"s^2", square_seconds::exponents},
                                       base_unit{"J", joules::exponents},
                                       base_unit{"W", watts::exponents},
                                       base_unit{"dollar", dollars::exponents},
                                       base_unit{"token", tokens::exponents},
                                       base_unit{"g", grams::exponents}};

constexpr unit_meaning base_meaning(std::string_view name) {
  for (const base_unit& unit : base_units)
    if (unit.name == name) return {unit.exponents};
  return {.known = false};
}

}  // namespace detail

/// What a unit of a row measures: "B/s" is bytes per second, "count" a number.
constexpr unit_meaning meaning_of_unit(std::string_view unit) {
  const auto slash = unit.find('/');
  const unit_meaning over = detail::base_meaning(unit.substr(0, slash));
  if (slash == unit.npos) return over;
  const unit_meaning under = detail::base_meaning(unit.substr(slash + 1));
  return {over.exponents / under.exponents, over.known && under.known};
}

/// The largest count that a double holds exactly, with every smaller one.
inline constexpr double largest_count = 0x1p53;

/// The i-th name of a symbol that is one of an enumeration; empty where there is none.
constexpr std::string_view choice_of(const symbol& of, std::size_t i) {
  std::string_view rest = of.choices;
  for (; i > 0 && !rest.empty(); --i)
    rest.remove_prefix((std::min)(rest.find(' '), rest.size() - 1) + 1);
  return rest.substr(0, rest.find(' '));
}

/// An input that was read, or why it was not.
struct input_text {
  double value = 0;
  std::string fault{};  ///< what is wrong, and which unit is wanted; empty where nothing is
};

namespace detail {

/// What is wanted of an input without dimension, to be said after what is wrong.
constexpr std::string_view wanted_number(std::string_view unit) {
  if (unit == "count") return "a count is wanted, as 8, 1536 or 7B";
  if (unit == "erlang") return "erlang is wanted, as 4, 0.25 or 4erlang";
  return "a number without unit is wanted, as 0.25, 25% or 3e11";
}

/// A number without the unit behind it that measures nothing: "4" of "4 erlang".
constexpr std::string_view without_name(std::string_view text, std::string_view unit) {
  const bool named = unit != "1" && meaning_of_unit(unit).exponents == dimension{};
  return named && text.ends_with(unit) ? text.substr(0, text.size() - unit.size()) : text;
}

}  // namespace detail

/// One input of a row as somebody typed it, in the base unit of its symbol: "1GB" of m is 1e9.
///
/// Units are those of parse.hpp, and count and erlang, which need not be written; a count must be
/// whole; a number of unit 1 may be a percentage; a sign may stand before the number; one of an
/// enumeration may be named.
///
/// \throws invalid_input if the symbol's unit is none that is known here
inline input_text read_input(const symbol& of, std::string_view text) {
  const unit_meaning unit = meaning_of_unit(of.unit);
  require(unit.known, "read_input: the symbol's unit must be known");
  const bool is_count = of.unit == "count";
  const auto fault = [&](std::string_view problem) {
    constexpr std::size_t shown = 40;
    const std::string_view examples = examples_of(unit.exponents);
    std::string why = "'" + shown_field(text.substr(0, shown)) + "' " + std::string(problem) + "; ";
    if (!of.choices.empty()) return why + "one of " + std::string(of.choices) + " is wanted";
    if (unit.exponents == dimension{}) return why + std::string(detail::wanted_number(of.unit));
    why += std::string(of.unit) + " is wanted, as ";
    return why + (examples == "a number and its unit" ? "1e-9 " + std::string(of.unit)
                                                      : std::string(examples));
  };
  for (std::size_t i = 0; !choice_of(of, i).empty(); ++i)
    if (same_name(choice_of(of, i), text.substr(0, folded_name::capacity)))
      return {.value = static_cast<double>(i)};
  const bool negative = text.starts_with('-');
  const bool percent = of.unit == "1" && of.choices.empty() && text.ends_with('%');
  const std::string_view number = detail::without_name(text.substr(negative ? 1 : 0), of.unit);
  parsed<double> read =
      parse_in_base_units(percent ? number.substr(0, number.size() - 1) : number, unit.exponents);
  if (!read) return {.fault = fault(problem_of(read.fault))};
  if (percent) read.value /= 100;
  if (is_count && read.value > largest_count) return {.fault = fault("is too large to count")};
  if (is_count && read.value != static_cast<double>(static_cast<long long>(read.value)))
    return {.fault = fault("is not whole")};
  return {.value = negative ? -read.value : read.value};
}

}  // namespace gpuplan::registry
