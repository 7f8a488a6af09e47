#pragma once
/// \file
/// What the files of gpuplan formula share.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/registry/evaluation.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/report/json.hpp>

namespace gpuplan::cli {

/// The lines of a row's formula, each after so many spaces.
std::string formula_lines(const registry::formula& row, std::size_t margin);

/// Every row.  The one file that compiles them says where they are.
std::span<const registry::table> formula_tables();

/// The rows of a name, which may have its header before it.
std::vector<const registry::formula*> rows_called(std::string_view typed);
/// The only row of a name.
/// \throws bad_usage with those that may have been meant
const registry::formula& find_row(std::string_view typed);
/// How a row is called on the command line: with its header where the name alone is not enough.
const std::string& row_title(const registry::formula& row);
/// The room of a row's header.
std::string_view room_of(const registry::formula& row);

/// "5" and "GB/s" of m=5GB/s: an input on the command line.
/// \throws bad_usage if there is no = in it
registry::assignment assignment_of(std::string_view word);

/// Evaluates a row, or throws a bad_usage of one line.
registry::evaluation evaluated(const registry::formula& row,
                               std::span<const registry::assignment> given);
/// Evaluates the words of a call: its row, and an assignment each.
registry::evaluation evaluated_call(std::string_view call);

/// A value for people, in a unit of the registry: 5.90333 ms, 1557611200, infinite.
std::string shown_value(double value, std::string_view unit);
/// A value as one would type it, and as parse.hpp reads it back: 300GB/s.
std::string typed_value(double value, std::string_view unit);
/// The same for an input, which may be one of an enumeration: adam.
std::string shown_input(const registry::symbol& of, double value);
std::string typed_input(const registry::symbol& of, double value);
/// "erlang_c servers=3 offered_load=2": how to ask for these inputs.
std::string call_of(const registry::formula& row, registry::inputs values);

void show_formulas(std::span<const registry::formula* const> rows);
void show_formula(const registry::formula& row);
void show_evaluation(const registry::evaluation& answer);

report_json json_of_formulas(std::span<const registry::formula* const> rows);
report_json json_of_formula(const registry::formula& row);
/// value, unit, and the reason where there is no finite value.
report_json json_of_evaluation(const registry::evaluation& answer);

/// Answers requests of standard input; false if one was refused.
bool answer_formula_stream();

/// The pages docs/reference.md and docs/errata.md.
std::string formula_reference();
std::string formula_errata();

}  // namespace gpuplan::cli
