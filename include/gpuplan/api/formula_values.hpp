#pragma once
/// \file
/// Inputs of formulas as one would type them, and what comes out.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/registry/evaluation.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/symbol_name.hpp>
#include <gpuplan/registry/symbol_range.hpp>
#include <gpuplan/registry/symbol_unit.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/parse.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::api {

/// "5" and "GB/s" of m=5GB/s: an input as it is typed.
/// \throws invalid_input if there is no = in it
inline registry::assignment assignment_of(std::string_view word) {
  const auto equals = word.find('=');
  if (equals == word.npos || equals == 0)
    throw invalid_input{"formula: an input is NAME=VALUE, such as message=1GB, not '" +
                        std::string(word) + "'"};
  return {word.substr(0, equals), word.substr(equals + 1)};
}

/// Evaluates a row.
/// \throws invalid_input of one line that begins with its name
inline registry::evaluation evaluated(const registry::formula& row,
                                      std::span<const registry::assignment> given) {
  try {
    return registry::evaluate(row, given);
  } catch (const invalid_input& refusal) {
    const std::string why = refusal.what();
    const std::string name = std::string(row.name) + ": ";
    throw invalid_input{why.starts_with(name) ? why : name + why};
  }
}

/// The name of the input for which a row is refused, as it was given, or where it is missing as the
/// row calls it; empty where it is none.
inline std::string refused_input(const registry::formula& row,
                                 std::span<const registry::assignment> given) {
  std::array<double, 12> values{};
  std::array<std::string_view, 12> names{};
  for (const registry::assignment& one : given) {
    const registry::meant_symbols meant = registry::symbols_called(row, one.name);
    if (meant.size() != 1) return std::string(one.name);
    const std::size_t i = meant[0];
    const registry::input_text read = registry::read_input(row.symbols[i], one.value);
    if (!names[i].empty() || !read.fault.empty()) return std::string(one.name);
    names[i] = one.name;
    values[i] = read.value;
  }
  for (std::size_t i = 0; i < row.symbols.size(); ++i)
    if (names[i].empty()) return registry::name_of(row.symbols[i]);
  const registry::inputs all{values.data(), row.symbols.size()};
  for (std::size_t i = 0; i < row.symbols.size(); ++i)
    if (registry::fit_of(row, i, all) != registry::range_fit::within) return std::string(names[i]);
  return {};
}

namespace detail {

struct unit_prefix {
  std::string_view name;
  double factor;
};
inline constexpr std::array large_prefixes{unit_prefix{"T", 1e12}, unit_prefix{"G", 1e9},
                                           unit_prefix{"M", 1e6}, unit_prefix{"k", 1e3}};
inline constexpr std::array small_prefixes{unit_prefix{"m", 1e-3}, unit_prefix{"u", 1e-6},
                                           unit_prefix{"n", 1e-9}};

/// A number in few digits that read back as the same: 300, 0.1, 1e-05.
inline std::string digits_of(double value) {
  std::string text = nlohmann::json(value).dump();
  if (text.ends_with(".0")) text.erase(text.size() - 2);
  return text;
}

inline bool reads_back(const std::string& text, dimension exponents, double value) {
  const parsed<double> read = parse_in_base_units(text, exponents);
  return read && read.value == value;
}

}  // namespace detail

/// A value as one would type it, and as parse.hpp reads it back: 300GB/s.
inline std::string typed_value(double value, std::string_view unit) {
  const dimension exponents = registry::meaning_of_unit(unit).exponents;
  if (exponents == dimension{} || exponents == tokens::exponents) return detail::digits_of(value);
  std::string symbol{unit};
  if (unit.starts_with("dollar")) symbol.replace(0, 6, "USD");
  if (unit.starts_with("1/")) symbol.erase(0, 1);
  const std::string plain = detail::digits_of(value) + symbol;
  const bool is_rate_of_time = unit.starts_with("1/") || unit.starts_with("dollar");
  const double magnitude = std::abs(value);
  std::string best = plain;
  const auto attempt = [&](const detail::unit_prefix& prefix) {
    const std::string text =
        detail::digits_of(value / prefix.factor) + std::string(prefix.name) + symbol;
    if (text.size() <= plain.size() && detail::reads_back(text, exponents, value)) best = text;
    return best == text;
  };
  if (is_rate_of_time || value < 0) return plain;
  if (exponents.byte > 0 || exponents.flop > 0)
    for (const detail::unit_prefix& prefix : detail::large_prefixes)
      if (magnitude >= prefix.factor && attempt(prefix)) break;
  if (exponents == seconds::exponents && magnitude > 0 && magnitude < 1)
    for (const detail::unit_prefix& prefix : detail::small_prefixes)
      if (magnitude >= prefix.factor && attempt(prefix)) break;
  return best;
}

/// The name of an input that is one of an enumeration: "adam"; empty of others.
inline std::string_view choice_of_input(const registry::symbol& of, double value) {
  constexpr double most = 1e3;
  return value >= 0 ? registry::choice_of(of, static_cast<std::size_t>((std::min)(value, most)))
                    : std::string_view{};
}

/// An input as one would type it, which may be one of an enumeration: adam.
inline std::string typed_input(const registry::symbol& of, double value) {
  const std::string_view choice = choice_of_input(of, value);
  return choice.empty() ? typed_value(value, of.unit) : std::string(choice);
}

}  // namespace gpuplan::api
