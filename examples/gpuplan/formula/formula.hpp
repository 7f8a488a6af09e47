#pragma once
/// \file
/// What the files of gpuplan formula share.

#include <span>
#include <string>
#include <string_view>

#include <gpuplan/api/formula_rows.hpp>
#include <gpuplan/registry/evaluation.hpp>
#include <gpuplan/registry/formula.hpp>

namespace gpuplan::cli {

/// The lines of a row's formula, each after so many spaces.
std::string formula_lines(const registry::formula& row, std::size_t margin);

using api::find_row;
using api::formula_tables;
using api::room_of;
using api::row_title;

/// Evaluates the words of a call: its row, and an assignment each.
registry::evaluation evaluated_call(std::string_view call);

/// A value for people, in a unit of the registry: 5.90333 ms, 1557611200, infinite.
std::string shown_value(double value, std::string_view unit);
/// The same for an input, which may be one of an enumeration: adam.
std::string shown_input(const registry::symbol& of, double value);

void show_formulas(std::span<const registry::formula* const> rows);
void show_formula(const registry::formula& row);
void show_evaluation(const registry::evaluation& answer);

/// Answers requests of standard input; false if one was refused.
bool answer_formula_stream();

/// The pages docs/reference.md and docs/errata.md.
std::string formula_reference();
std::string formula_errata();

}  // namespace gpuplan::cli
