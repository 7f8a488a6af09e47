#pragma once
/// \file
/// The question "formula": formulas of the library, looked up and evaluated.  Brings the registry
/// with it.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/api/formula_rows.hpp>
#include <gpuplan/api/formula_values.hpp>
#include <gpuplan/api/question_options.hpp>
#include <gpuplan/api/question_reader.hpp>
#include <gpuplan/registry/errata.hpp>
#include <gpuplan/registry/evaluation.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/search.hpp>
#include <gpuplan/registry/symbol_name.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan::api {

/// What is asked of formulas.
struct formula_request {
  std::vector<std::string> words{};  ///< a name and its inputs, or words to search for
  std::string search{};
};

inline constexpr std::array formula_options{
    question_option<formula_request>{.names = "WORDS",
                                     .help = "A name and its inputs, or words to search for",
                                     .texts = &formula_request::words},
    question_option<formula_request>{.names = "--search",
                                     .help = "Words of names, meanings, symbols and sources",
                                     .text = &formula_request::search}};

/// The answer: a value, or one formula, or a list of them.
struct formula_answer {
  std::optional<registry::evaluation> value{};
  const registry::formula* row = nullptr;
  std::vector<const registry::formula*> rows{};  ///< where it is neither
};

/// "erlang_c servers=3 offered_load=2": how to ask for these inputs.
inline std::string call_of(const registry::formula& row, registry::inputs values) {
  std::string call = row_title(row);
  for (std::size_t i = 0; i < values.size(); ++i)
    call += ' ' + registry::name_of(row.symbols[i]) + '=' + typed_input(row.symbols[i], values[i]);
  return call;
}

namespace detail {

/// \throws invalid_input if no row has all of the words
inline formula_answer searched(std::span<const std::string> typed) {
  std::vector<std::string_view> words;
  for (const std::string& text : typed) {
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::string_view word = rest.substr(0, rest.find(' '));
      if (!word.empty()) words.push_back(word);
      rest.remove_prefix((std::min)(rest.size(), word.size() + 1));
    }
  }
  auto found = registry::search(formula_tables(), words);
  if (found.empty() && words.size() == 1) find_row(words.front());  // says what was meant
  if (found.empty()) throw invalid_input{"formula: no formula has all of these words"};
  return {.rows = std::move(found)};
}

inline report_json json_of_symbols(const registry::formula& row) {
  report_json symbols = report_json::array();
  for (const registry::symbol& of : row.symbols) {
    symbols.push_back({{"letter", of.letter},
                       {"name", registry::name_of(of)},
                       {"meaning", of.meaning},
                       {"unit", of.unit},
                       {"range", of.range}});
    for (std::size_t k = 0; !registry::choice_of(of, k).empty(); ++k)
      symbols.back()["choices"].push_back(registry::choice_of(of, k));
  }
  return symbols;
}

inline report_json json_of_examples(const registry::formula& row) {
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
  return examples;
}

inline report_json json_of_errata(const registry::formula& row) {
  report_json printed = report_json::array();
  for (const registry::erratum& one : registry::errata)
    if (registry::is_about(one, row_title(row)))
      printed.push_back({{"what", one.what},
                         {"printed", one.printed},
                         {"right", one.right},
                         {"why", one.why},
                         {"source", one.source},
                         {"call", one.call}});
  return printed;
}

}  // namespace detail

/// Looks formulas up, or evaluates one: a name, a name and its inputs, or words to search for;
/// nothing asks for all.
/// \throws invalid_input of a name that no formula has, or inputs that it does not take
inline formula_answer answer_of(const formula_request& asked) {
  const std::vector<std::string>& words = asked.words;
  if (!asked.search.empty()) {
    std::vector<std::string> all{asked.search};
    all.insert(all.end(), words.begin(), words.end());
    return detail::searched(all);
  }
  if (words.empty()) return {.rows = registry::rows_of(formula_tables())};
  auto called = rows_called(words.front());
  const bool has_inputs = std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word.find('=') != word.npos;
  });
  if (!has_inputs && (called.empty() || words.size() > 1)) return detail::searched(words);
  if (!has_inputs && called.size() > 1) return {.rows = std::move(called)};
  const registry::formula& row = find_row(words.front());
  if (!has_inputs) return {.row = &row};
  std::vector<registry::assignment> given;
  for (std::size_t i = 1; i < words.size(); ++i) given.push_back(assignment_of(words[i]));
  return {.value = evaluated(row, given)};
}

/// A formula: name, header, meaning, text, symbols, validity, source, errata and examples.
inline report_json json_of(const registry::formula& row) {
  return json_object{16}
      .add("name", row_title(row))
      .add("room", room_of(row))
      .add("header", "gpuplan/" + std::string(row.header))
      .add("meaning", row.meaning)
      .add("text", row.text)
      .add("latex", row.latex)
      .add("symbols", detail::json_of_symbols(row))
      .add("unit", row.result)
      .add("validity", row.validity)
      .add("source", row.source)
      .add("errata", row.errata)
      .add("printed_elsewhere", detail::json_of_errata(row))
      .add("examples", detail::json_of_examples(row))
      .take();
}

/// formula, value, unit, the reason where there is no finite value, terms, inputs.
inline report_json json_of(const registry::evaluation& answer) {
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

/// The answer as `gpuplan formula --json` prints it.
inline report_json json_of(const formula_answer& answer) {
  json_object all{20};
  all.add("schema_version", report_schema_version);
  if (answer.value) return all.add(json_of(*answer.value)).take();
  if (answer.row != nullptr) return all.add(json_of(*answer.row)).take();
  report_json list = report_json::array();
  for (const registry::formula* row : answer.rows) list.push_back(json_of(*row));
  return all.add("formulas", std::move(list)).take();
}

/// Answers {"question": "formula", "options": {"words": ["erlang_c", "servers=5", "offered=4"]}}.
/// \throws bad_request of a member that is unknown or of another type
inline std::string answer_formula(const nlohmann::json& request) {
  return answer_by_options<formula_request>(
      request, "formula", formula_options,
      [](const formula_request& asked, const request_files&, question_result& result) {
        result.json = json_of(answer_of(asked));
      });
}

}  // namespace gpuplan::api
