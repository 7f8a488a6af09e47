/// \file
/// The pages docs/reference.md and docs/errata.md, made from the registry.

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/api/formula_question.hpp>
#include <gpuplan/registry/errata.hpp>
#include <gpuplan/registry/search.hpp>
#include <gpuplan/registry/symbol_name.hpp>

#include "formula/formula.hpp"
#include "program.hpp"

namespace gpuplan::cli {
namespace {

/// Text in which nothing means markup.
std::string prose(std::string_view text) {
  std::string all;
  for (const char c : text) {
    if (std::string_view{"\\`*_[]<>|#$~"}.find(c) != std::string_view::npos) all += '\\';
    all += c;
  }
  return all;
}

/// Text as code, also in a cell of a table.
std::string code(std::string_view text) {
  std::string all = "`";
  for (const char c : text) {
    if (c == '|') all += '\\';
    all += c;
  }
  return all + '`';
}

/// The link that a heading gets: small letters, digits, _ and - stay, blanks are -.
std::string anchor_of(std::string_view heading) {
  std::string anchor;
  for (const char c : heading) {
    if (c >= 'A' && c <= 'Z')
      anchor += static_cast<char>(c - 'A' + 'a');
    else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-')
      anchor += c;
    else if (c == ' ')
      anchor += '-';
  }
  return anchor;
}

std::string command_of(const registry::erratum& one) {
  return "gpuplan " + std::string(registry::is_formula(one) ? "formula " : "") +
         std::string(one.call);
}

/// What the call of an erratum prints.
std::string value_of(const registry::erratum& one) {
  if (!registry::is_formula(one)) return std::string(one.right);
  const registry::evaluation answer = evaluated_call(one.call);
  if (one.term.empty()) return shown_value(answer.value, answer.row->result);
  for (const registry::result_term& term : answer.row->terms)
    if (term.name == one.term) return shown_value(term.evaluate(answer.given()), term.unit);
  throw invalid_input{"formula: the call of erratum " + std::string(one.id) + " has no such term"};
}

std::string section_of(const registry::formula& row) {
  const std::string title = row_title(row);
  std::string all = fmt::format("### {}\n\n{}.\n\n```math\n{}\n```\n\n{}\n\n", prose(title),
                                prose(row.meaning), row.latex, formula_lines(row, 4));
  all += "| | Input | Unit | Range | |\n|---|---|---|---|---|\n";
  for (const registry::symbol& of : row.symbols)
    all += fmt::format("| {} | {} | {} | {} | {} |\n", code(of.letter), code(registry::name_of(of)),
                       prose(of.unit), prose(of.range), prose(of.meaning));
  all += row.result == "1" || row.result == "count"
             ? fmt::format("\nResult: a {}", row.result == "1" ? "number" : "count")
             : fmt::format("\nResult in {}", prose(row.result));
  for (const registry::result_term& term : row.terms)
    all += fmt::format(", {} in {}", code(term.name), prose(term.unit));
  all += fmt::format(". Holds: {}. Source: {}.\n", prose(row.validity), prose(row.source));
  if (!row.errata.empty()) all += fmt::format("\n**Beware**: {}\n", prose(row.errata));
  for (const registry::erratum& one : registry::errata)
    if (registry::is_about(one, title))
      all += fmt::format("\n[Erratum](errata.md#{}): {} of {} printed as {}; {}.\n", one.id,
                         prose(one.what), prose(one.source), prose(one.printed), prose(one.right));
  for (const registry::worked_example& one : row.examples) {
    const registry::inputs given{one.inputs.begin(), one.inputs.size()};
    all += fmt::format("\n`gpuplan formula {}` gives {} ({}).\n", api::call_of(row, given),
                       prose(shown_value(row.evaluate(given), row.result)), prose(one.source));
  }
  return all + fmt::format("\n`#include <gpuplan/{}>`\n\n", row.header);
}

}  // namespace

std::string formula_reference() {
  const std::vector<const registry::formula*> rows = registry::rows_of(formula_tables());
  std::string contents;
  std::string sections;
  std::string_view room;
  for (const registry::formula* row : rows) {
    if (room_of(*row) != room) {
      room = room_of(*row);
      contents += fmt::format("\n**[{0}](#{0})**\n\n", room);
      sections += fmt::format("## {}\n\n", room);
    }
    const std::string title = row_title(*row);
    contents +=
        fmt::format("- [{}](#{}): {}\n", prose(title), anchor_of(title), prose(row->meaning));
    sections += section_of(*row);
  }
  return "# Formula reference\n\n"
         "`./run docs` makes this page from the registry; the tests compute every example. To look "
         "up or\n"
         "compute a formula, use `gpuplan formula`. Wrong numbers of other publications are in\n"
         "[errata.md](errata.md).\n" +
         contents + "\n" + sections;
}

std::string formula_errata() {
  std::string all =
      "# Errata\n\n"
      "Worked numbers of guides, articles and a textbook chapter that are wrong, and those that\n"
      "follow another convention than this library. Each shows what is printed, what is right and\n"
      "why, and the call that says so. Made from the registry by `./run docs`; the tests run "
      "every\n"
      "call.\n";
  for (const registry::erratum_kind kind :
       {registry::erratum_kind::wrong, registry::erratum_kind::other_convention}) {
    all += kind == registry::erratum_kind::wrong ? "\n## Wrong\n" : "\n## Another convention\n";
    for (const registry::erratum& one : registry::errata) {
      if (one.kind != kind) continue;
      all += fmt::format(
          "\n### <a id=\"{}\"></a>{}\n\n- Where: {}\n- Printed: {}\n- Right: {}\n- Why: {}\n\n",
          one.id, prose(one.what), prose(one.source), prose(one.printed), prose(one.right),
          prose(one.why));
      all += fmt::format("```console\n$ {}\n{}{}\n```\n", command_of(one),
                         one.term.empty() ? "" : fmt::format("{} = ", one.term), value_of(one));
    }
  }
  all +=
      "\n## To beware of\n\n"
      "What else is said otherwise elsewhere, by the formula that it concerns.\n\n";
  for (const registry::formula* row : registry::rows_of(formula_tables()))
    if (!row->errata.empty())
      all += fmt::format("- [{}](reference.md#{}): {}\n", prose(row_title(*row)),
                         anchor_of(row_title(*row)), prose(row->errata));
  return all;
}

}  // namespace gpuplan::cli
