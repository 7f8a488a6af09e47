/// \file
/// Formulas for people.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <gpuplan/api/formula_question.hpp>
#include <gpuplan/registry/errata.hpp>
#include <gpuplan/registry/symbol_name.hpp>
#include <gpuplan/report/table.hpp>

#include "formula/formula.hpp"
#include "program.hpp"

namespace gpuplan::cli {
namespace {

/// A labelled paragraph: lines that break between words, under each other.
std::string paragraph(std::string_view label, std::string_view text) {
  if (text.empty()) return "";
  constexpr std::size_t margin = 10;
  const std::string before(margin, ' ');
  std::string all;
  for (const std::string& line : wrapped_lines(text, width_of_output() - margin))
    all += (all.empty() ? fmt::format("{:<{}}", label, margin) : before) + line + '\n';
  return all;
}

std::string result_in(std::string_view unit) {
  if (unit == "1") return "a number";
  return unit == "count" ? "a count" : fmt::format("in {}", unit);
}

/// What the row says beside its symbols.
std::string remarks_on(const registry::formula& row) {
  return paragraph("Holds", row.validity) + paragraph("Source", row.source) +
         paragraph("Beware", row.errata);
}

/// What others print wrong, or otherwise, that this row puts right.
std::string errata_of(const registry::formula& row) {
  std::string all;
  for (const registry::erratum& one : registry::errata)
    if (registry::is_about(one, row_title(row)))
      all += paragraph(all.empty() ? "Errata" : "",
                       fmt::format("{}: printed {}, right {} ({}).", one.what, one.printed,
                                   one.right, one.source));
  return all;
}

std::string header_of(const registry::formula& row) {
  return paragraph("Header", fmt::format("gpuplan/{}", row.header));
}

std::string results_of(const registry::evaluation& answer) {
  std::string all;
  for (const registry::result_term& term : answer.row->terms)
    all += fmt::format("  {} = {}\n", term.name,
                       shown_value(term.evaluate(answer.given()), term.unit));
  return all;
}

}  // namespace

std::string formula_lines(const registry::formula& row, std::size_t margin) {
  std::string all(margin, ' ');
  for (const char c : row.text) {
    all += c;
    if (c == '\n') all.append(margin, ' ');
  }
  return all;
}

void show_formulas(std::span<const registry::formula* const> rows) {
  const text_style style = style_of_output();
  std::string all;
  std::string_view room;
  table list{{{""}, {""}}};
  const auto end_room = [&] {
    if (!list.empty())
      all += (all.empty() ? "" : "\n") + bold(room, style) + "\n" +
             list.text_within(width_of_output(), style, "  ");
    list = table{{{""}, {""}}};
  };
  for (const registry::formula* row : rows) {
    if (room_of(*row) != room) end_room();
    room = room_of(*row);
    list.row({row_title(*row), std::string(row->meaning)});
  }
  end_room();
  print(all);
}

void show_formula(const registry::formula& row) {
  const text_style style = style_of_output();
  std::string all = bold(row_title(row), style) + "\n" + wrapped(row.meaning, width_of_output()) +
                    "\n\n" + formula_lines(row, 2) + "\n\n";
  table symbols{{{"Input"}, {"Name"}, {"Unit"}, {"Range"}, {"Meaning"}}};
  for (const registry::symbol& of : row.symbols)
    symbols.row({std::string(of.letter), registry::name_of(of), std::string(of.unit),
                 std::string(of.range), std::string(of.choices.empty() ? of.meaning : of.choices)});
  all += symbols.text_within(width_of_output(), style) + "\n" +
         paragraph("Result", result_in(row.result));
  for (const registry::result_term& term : row.terms)
    all += paragraph("", fmt::format("{} in {}", term.name, term.unit));
  all += remarks_on(row) + errata_of(row) + header_of(row);
  for (const registry::worked_example& one : row.examples) {
    const registry::inputs given{one.inputs.begin(), one.inputs.size()};
    all += fmt::format("{:<10}gpuplan formula {}\n", "Example", api::call_of(row, given)) +
           paragraph("", fmt::format("{} ({})", shown_value(row.evaluate(given), row.result),
                                     one.source));
  }
  print(all);
}

void show_evaluation(const registry::evaluation& answer) {
  const registry::formula& row = *answer.row;
  const text_style style = style_of_output();
  const std::string value = shown_value(answer.value, row.result);
  std::string all = bold(fmt::format("{} = {}", row_title(row), value), style) + "\n" +
                    results_of(answer) + wrapped(row.meaning, width_of_output()) + "\n\n" +
                    formula_lines(row, 2) + "\n\n";
  table symbols{{{""}, {""}, {"", column_side::right}}};
  for (std::size_t i = 0; i < row.symbols.size(); ++i)
    symbols.row({std::string(row.symbols[i].letter), registry::name_of(row.symbols[i]),
                 shown_input(row.symbols[i], answer.values[i])});
  print(all + symbols.text_within(width_of_output(), style, "  ") + "\n" + remarks_on(row) +
        header_of(row));
}

}  // namespace gpuplan::cli
