/// \file
/// Formulas as JSON, and requests of standard input.

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gpuplan/registry/errata.hpp>
#include <gpuplan/registry/symbol_name.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/json_fields.hpp>
#include <gpuplan/text/json_text.hpp>

#include "formula/formula.hpp"
#include "program.hpp"
#include "request_stream.hpp"

namespace gpuplan::cli {
namespace {

struct field_name {
  std::string_view name;
};
constexpr std::array request_fields{field_name{"formula"}, field_name{"inputs"}};

/// A number or a text as one would type it.
std::string typed_text(const nlohmann::json& value, const std::string& name) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_number())
    throw bad_usage{"inputs: " + shown_name(name) + " must be a number or a text, not " +
                    shown(value)};
  return value.dump();
}

report_json answer_to(const nlohmann::json& request) {
  const json_fields fields{request, "request"};
  fields.refuse_unknown(request_fields);
  const registry::formula& row = find_row(fields.text("formula"));
  std::vector<std::pair<std::string, std::string>> texts;
  if (fields.has("inputs")) {
    const nlohmann::json& given = request["inputs"];
    if (!given.is_object()) fields.refuse("inputs", "must be an object, not " + shown(given));
    for (const auto& [name, value] : given.items())
      texts.emplace_back(name, typed_text(value, name));
  }
  std::vector<registry::assignment> given;
  for (const auto& [name, value] : texts) given.push_back({name, value});
  return json_of_evaluation(evaluated(row, given));
}

}  // namespace

report_json json_of_formula(const registry::formula& row) {
  report_json symbols = report_json::array();
  for (const registry::symbol& of : row.symbols)
    symbols.push_back({{"letter", of.letter},
                       {"name", registry::name_of(of)},
                       {"meaning", of.meaning},
                       {"unit", of.unit},
                       {"range", of.range}});
  for (std::size_t i = 0; i < row.symbols.size(); ++i)
    for (std::size_t k = 0; !registry::choice_of(row.symbols[i], k).empty(); ++k)
      symbols[i]["choices"].push_back(registry::choice_of(row.symbols[i], k));
  report_json examples = report_json::array();
  for (const registry::worked_example& one : row.examples) {
    const registry::inputs given{one.inputs.begin(), one.inputs.size()};
    report_json inputs = report_json::object();
    for (std::size_t i = 0; i < given.size(); ++i)
      inputs[registry::name_of(row.symbols[i])] = typed_input(row.symbols[i], given[i]);
    examples.push_back({{"call", call_of(row, given)},
                        {"inputs", inputs},
                        {"expected", json_number(one.expected)},
                        {"tolerance", json_number(one.tolerance)},
                        {"source", one.source}});
  }
  report_json printed = report_json::array();
  for (const registry::erratum& one : registry::errata)
    if (registry::is_about(one, row_title(row)))
      printed.push_back({{"what", one.what},
                         {"printed", one.printed},
                         {"right", one.right},
                         {"why", one.why},
                         {"source", one.source},
                         {"call", one.call}});
  return json_object{16}
      .add("name", row_title(row))
      .add("room", room_of(row))
      .add("header", "gpuplan/" + std::string(row.header))
      .add("meaning", row.meaning)
      .add("text", row.text)
      .add("latex", row.latex)
      .add("symbols", std::move(symbols))
      .add("unit", row.result)
      .add("validity", row.validity)
      .add("source", row.source)
      .add("errata", row.errata)
      .add("printed_elsewhere", std::move(printed))
      .add("examples", std::move(examples))
      .take();
}

report_json json_of_evaluation(const registry::evaluation& answer) {
  const registry::formula& row = *answer.row;
  report_json inputs = report_json::object();
  for (std::size_t i = 0; i < row.symbols.size(); ++i)
    inputs[registry::name_of(row.symbols[i])] = {{"letter", row.symbols[i].letter},
                                                 {"value", json_number(answer.values[i])},
                                                 {"unit", row.symbols[i].unit}};
  json_object object{8};
  object.add("formula", row_title(row))
      .add("value", json_number(answer.value))
      .add("unit", row.result);
  if (std::isinf(answer.value))
    object.add("reason", "infinite here; holds: " + std::string(row.validity));
  if (!row.terms.empty()) {
    report_json terms = report_json::object();
    for (const registry::result_term& term : row.terms)
      terms[std::string(term.name)] = {{"value", json_number(term.evaluate(answer.given()))},
                                       {"unit", term.unit}};
    object.add("terms", std::move(terms));
  }
  return object.add("inputs", std::move(inputs)).take();
}

report_json json_of_formulas(std::span<const registry::formula* const> rows) {
  report_json list = report_json::array();
  for (const registry::formula* row : rows) list.push_back(json_of_formula(*row));
  return list;
}

bool answer_formula_stream() {
  return answer_lines([](std::string_view request, std::int64_t line) {
    return api::answered_or_refused(line, [&] {
      return json_object{8}.add("line", line).add(answer_to(parse_json(request, "request"))).take();
    });
  });
}

}  // namespace gpuplan::cli
