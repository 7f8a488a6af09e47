#pragma once
/// \file
/// Evaluates a row of the registry for inputs as people type them.

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/symbol_name.hpp>
#include <gpuplan/registry/symbol_range.hpp>
#include <gpuplan/registry/symbol_unit.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan::registry {

/// An input as typed: bandwidth=300GB/s.
struct assignment {
  std::string_view name;
  std::string_view value;
};

/// A row and what came out of it.
struct evaluation {
  const formula* row = nullptr;
  std::array<double, 12>
      values{};      ///< of the inputs, in base units and in the order of the symbols
  double value = 0;  ///< in the unit of the row's result; may be infinite, never NaN

  [[nodiscard]] inputs given() const { return {values.data(), row->symbols.size()}; }
};

namespace detail {

/// Ends with one line: "<row>: <why>".
[[noreturn]] inline void refuse_row(const formula& row, const std::string& why) {
  refuse((std::string(row.name) + ": " + why).c_str());
}

inline std::string titles_of(const formula& row, const meant_symbols& which) {
  std::string all;
  for (std::size_t i = 0; i < which.size(); ++i)
    all += (i == 0 ? "" : i + 1 < which.size() ? ", " : " and ") + title_of(row.symbols[which[i]]);
  return all;
}

inline std::size_t symbol_called(const formula& row, std::string_view typed) {
  const meant_symbols meant = symbols_called(row, typed);
  if (meant.size() == 1) return meant[0];
  const std::string quoted = "'" + std::string(typed.substr(0, folded_name::capacity)) + "'";
  if (!meant.empty()) refuse_row(row, quoted + " may be " + titles_of(row, meant) + "; say which");
  meant_symbols all;
  for (std::size_t i = 0; i < row.symbols.size(); ++i) all.add(i);
  refuse_row(row, "has no input " + quoted + "; it takes " + titles_of(row, all));
}

}  // namespace detail

/// Checks inputs in base units against the ranges of their symbols, and evaluates.
///
/// \throws invalid_input if one is out of its range, there is not one for each symbol, or the
///         formula has no value there
inline evaluation evaluate(const formula& row, inputs values) {
  require(values.size() == row.symbols.size(), "evaluate: there must be an input for each symbol");
  evaluation answer{.row = &row};
  for (std::size_t i = 0; i < values.size(); ++i) answer.values[i] = values[i];
  for (std::size_t i = 0; i < values.size(); ++i) {
    const range_fit fit = fit_of(row, i, values);
    require(fit != range_fit::unknown, "evaluate: the range of each symbol must be readable");
    if (fit == range_fit::within) continue;
    const symbol& of = row.symbols[i];
    const bool between = of.range.find(" to ") != of.range.npos;
    const bool plain = meaning_of_unit(of.unit).exponents == dimension{};
    detail::refuse_row(row, title_of(of) + (between ? " must be from " : " must be ") +
                                std::string(of.range) + (plain ? "" : " " + std::string(of.unit)));
  }
  answer.value = row.evaluate(answer.given());
  if (answer.value != answer.value) detail::refuse_row(row, "has no value for these inputs");
  return answer;
}

/// Reads inputs, which may be named by letter or by word, and evaluates.
///
/// \throws invalid_input, one line, if a name means no input or more than one, an input is missing
///         or given twice, has no unit or that of something else, is out of its range, or a count
///         is not whole; and as the formula itself
inline evaluation evaluate(const formula& row, std::span<const assignment> given) {
  std::array<double, 12> values{};
  std::array<bool, 12> is_given{};
  for (const assignment& one : given) {
    const std::size_t i = detail::symbol_called(row, one.name);
    const std::string title = title_of(row.symbols[i]);
    if (is_given[i]) detail::refuse_row(row, title + " is given twice");
    is_given[i] = true;
    const input_text read = read_input(row.symbols[i], one.value);
    if (!read.fault.empty()) detail::refuse_row(row, title + ": " + read.fault);
    values[i] = read.value;
  }
  meant_symbols missing;
  for (std::size_t i = 0; i < row.symbols.size(); ++i)
    if (!is_given[i]) missing.add(i);
  if (!missing.empty())
    detail::refuse_row(row, "needs " + detail::titles_of(row, missing) + " too");
  return evaluate(row, inputs{values.data(), row.symbols.size()});
}

}  // namespace gpuplan::registry
