/// \file
/// Inputs and results of formulas as text, and what comes out of a call.

#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/registry/symbol_name.hpp>
#include <gpuplan/registry/symbol_unit.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/format.hpp>
#include <gpuplan/units/parse.hpp>

#include "formula/formula.hpp"
#include "program.hpp"

namespace gpuplan::cli {
namespace {

struct unit_prefix {
  std::string_view name;
  double factor;
};
constexpr std::array large_prefixes{unit_prefix{"T", 1e12}, unit_prefix{"G", 1e9},
                                    unit_prefix{"M", 1e6}, unit_prefix{"k", 1e3}};
constexpr std::array small_prefixes{unit_prefix{"m", 1e-3}, unit_prefix{"u", 1e-6},
                                    unit_prefix{"n", 1e-9}};

bool reads_back(const std::string& text, dimension exponents, double value) {
  const parsed<double> read = parse_in_base_units(text, exponents);
  return read && read.value == value;
}

}  // namespace

registry::assignment assignment_of(std::string_view word) {
  const auto equals = word.find('=');
  if (equals == word.npos || equals == 0)
    throw bad_usage{"formula: an input is NAME=VALUE, such as message=1GB, not '" +
                    std::string(word) + "'"};
  return {word.substr(0, equals), word.substr(equals + 1)};
}

registry::evaluation evaluated(const registry::formula& row,
                               std::span<const registry::assignment> given) {
  try {
    return registry::evaluate(row, given);
  } catch (const invalid_input& refusal) {
    const std::string why = refusal.what();
    const std::string name = std::string(row.name) + ": ";
    throw bad_usage{why.starts_with(name) ? why : name + why};
  }
}

registry::evaluation evaluated_call(std::string_view call) {
  const registry::formula* row = nullptr;
  std::vector<registry::assignment> given;
  while (!call.empty()) {
    const std::string_view word = call.substr(0, call.find(' '));
    if (row == nullptr)
      row = &find_row(word);
    else
      given.push_back(assignment_of(word));
    call.remove_prefix(std::min(call.size(), word.size() + 1));
  }
  if (row == nullptr) throw bad_usage{"formula: a name is missing"};
  return evaluated(*row, given);
}

std::string shown_value(double value, std::string_view unit) {
  if (std::isinf(value)) return value < 0 ? "minus infinite" : "infinite";
  const dimension exponents = registry::meaning_of_unit(unit).exponents;
  if (exponents == dimension{}) {
    const bool whole = value == std::trunc(value) && std::abs(value) < 0x1p53;
    return whole ? fmt::format("{:.0f}", value == 0 ? 0 : value) : fmt::format("{:.6g}", value);
  }
  if (exponents == dollars::exponents) return fmt::format("${:.2f}", value);
  std::string text = format_quantity(value, symbol_of(exponents), prefixes_of(exponents), ".6g");
  if (exponents == seconds::exponents && std::abs(value) >= 60)
    text = fmt::format("{:.6g} s ({})", value, format_duration(seconds{value}));
  if (exponents == per_second::exponents && value != 0 && std::abs(value) < 1)
    text += fmt::format(" ({:.6g}/h)", per_second{value} * units::hour);
  if (exponents == joules::exponents && std::abs(value) >= units::Wh.in(units::joule))
    text += fmt::format(" ({:.6g} {})", joules{value} / units::kWh, "kWh");
  return text;
}

std::string typed_value(double value, std::string_view unit) {
  const dimension exponents = registry::meaning_of_unit(unit).exponents;
  if (exponents == dimension{} || exponents == tokens::exponents) {
    const bool whole = value == std::trunc(value) && std::abs(value) < 1e6;
    return whole ? fmt::format("{:.0f}", value) : fmt::format("{}", value);
  }
  std::string symbol{unit};
  if (unit.starts_with("dollar")) symbol.replace(0, 6, "USD");
  if (unit.starts_with("1/")) symbol.erase(0, 1);
  const std::string plain = fmt::format("{}{}", value, symbol);
  const bool is_rate_of_time = unit.starts_with("1/") || unit.starts_with("dollar");
  const double magnitude = std::abs(value);
  std::string best = plain;
  const auto attempt = [&](const unit_prefix& prefix) {
    const std::string text = fmt::format("{}{}{}", value / prefix.factor, prefix.name, symbol);
    if (text.size() <= plain.size() && reads_back(text, exponents, value)) best = text;
    return best == text;
  };
  if (is_rate_of_time || value < 0) return plain;
  if (exponents.byte > 0 || exponents.flop > 0)
    for (const unit_prefix& prefix : large_prefixes)
      if (magnitude >= prefix.factor && attempt(prefix)) break;
  if (exponents == seconds::exponents && magnitude > 0 && magnitude < 1)
    for (const unit_prefix& prefix : small_prefixes)
      if (magnitude >= prefix.factor && attempt(prefix)) break;
  return best;
}

std::string shown_input(const registry::symbol& of, double value) {
  const std::string_view choice =
      value >= 0 ? registry::choice_of(of, static_cast<std::size_t>(std::min(value, 1e3))) : "";
  return choice.empty() ? shown_value(value, of.unit) : std::string(choice);
}

std::string typed_input(const registry::symbol& of, double value) {
  const std::string_view choice =
      value >= 0 ? registry::choice_of(of, static_cast<std::size_t>(std::min(value, 1e3))) : "";
  return choice.empty() ? typed_value(value, of.unit) : std::string(choice);
}

std::string call_of(const registry::formula& row, registry::inputs values) {
  std::string call = row_title(row);
  for (std::size_t i = 0; i < values.size(); ++i)
    call += ' ' + registry::name_of(row.symbols[i]) + '=' + typed_input(row.symbols[i], values[i]);
  return call;
}

}  // namespace gpuplan::cli
