/// \file
/// Inputs and results of formulas for people, and what comes out of a call.

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/api/formula_values.hpp>
#include <gpuplan/registry/symbol_unit.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/format.hpp>

#include "formula/formula.hpp"

namespace gpuplan::cli {
registry::evaluation evaluated_call(std::string_view call) {
  const registry::formula* row = nullptr;
  std::vector<registry::assignment> given;
  while (!call.empty()) {
    const std::string_view word = call.substr(0, call.find(' '));
    if (row == nullptr)
      row = &find_row(word);
    else
      given.push_back(api::assignment_of(word));
    call.remove_prefix(std::min(call.size(), word.size() + 1));
  }
  if (row == nullptr) throw invalid_input{"formula: a name is missing"};
  return api::evaluated(*row, given);
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

std::string shown_input(const registry::symbol& of, double value) {
  const std::string_view choice = api::choice_of_input(of, value);
  return choice.empty() ? shown_value(value, of.unit) : std::string(choice);
}

}  // namespace gpuplan::cli
