/// \file
/// gpuplan formula: the formulas of the library, looked up and evaluated.

#include "formula/formula.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include <gpuplan/registry/search.hpp>
#include <gpuplan/text/json_fields.hpp>

#include "inputs.hpp"
#include "program.hpp"

namespace gpuplan::cli {
namespace {

constexpr const char* after_formula_options =
    "Without words, lists every formula by room; with a name, prints its symbols, units, ranges,\n"
    "validity, source and pitfalls; with inputs too, its value.  Name inputs by letter or word,\n"
    "with units: message=1GB bandwidth=300GB/s.  Words that are not a name are searched for.\n"
    "\n"
    "--json-lines reads {\"formula\": \"erlang_c\", \"inputs\": {\"servers\": 5, \"a\": 4}} from\n"
    "standard input, one a line, and answers each: value and unit, null with a reason where it is\n"
    "infinite, or {\"line\": n, \"error\": \"...\"}.  Exit code 0 if every line was answered, else "
    "2.\n"
    "\n"
    "Examples:\n"
    "  gpuplan formula erlang_c servers=5 offered=4\n"
    "  gpuplan formula ring_all_reduce ranks=8 message=1GB start=5us bandwidth=300GB/s\n"
    "  gpuplan formula checkpoint interval\n"
    "  gpuplan formula all_gather:cost_of\n";

struct formula_request {
  std::vector<std::string> words;
  std::string search, markdown;
  bool as_json = false;
  bool as_stream = false;
};

void print_formulas(std::span<const registry::formula* const> rows, const formula_request& asked) {
  if (!asked.as_json) return show_formulas(rows);
  print_json(json_object{3}
                 .add("schema_version", report_schema_version)
                 .add("formulas", json_of_formulas(rows))
                 .take());
}

void search_for(std::span<const std::string> typed, const formula_request& asked) {
  std::vector<std::string_view> words;
  for (const std::string& text : typed) {
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::string_view word = rest.substr(0, rest.find(' '));
      if (!word.empty()) words.push_back(word);
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    }
  }
  auto found = registry::search(formula_tables(), words);
  if (found.empty() && words.size() == 1) find_row(words.front());  // says what was meant
  if (found.empty()) throw bad_usage{"formula: no formula has all of these words"};
  print_formulas(found, asked);
}

void answer_one(const formula_request& asked) {
  const std::string& name = asked.words.front();
  const auto called = rows_called(name);
  const bool has_inputs =
      std::any_of(asked.words.begin(), asked.words.end(),
                  [](const std::string& word) { return word.find('=') != word.npos; });
  if (!has_inputs && (called.empty() || asked.words.size() > 1))
    return search_for(asked.words, asked);
  if (!has_inputs && called.size() > 1) return print_formulas(called, asked);

  const registry::formula& row = find_row(name);
  report_json fields;
  if (!has_inputs) {
    if (!asked.as_json) return show_formula(row);
    fields = json_of_formula(row);
  } else {
    std::vector<registry::assignment> given;
    for (std::size_t i = 1; i < asked.words.size(); ++i)
      given.push_back(assignment_of(asked.words[i]));
    const registry::evaluation answer = evaluated(row, given);
    if (!asked.as_json) return show_evaluation(answer);
    fields = json_of_evaluation(answer);
  }
  print_json(
      json_object{20}.add("schema_version", report_schema_version).add(std::move(fields)).take());
}

exit_code answer(const formula_request& asked) {
  if (asked.as_stream) {
    if (!asked.words.empty() || !asked.search.empty() || !asked.markdown.empty() || asked.as_json)
      throw bad_usage{
          "formula: --json-lines takes no other words; requests come on standard input"};
    return answer_formula_stream() ? exit_done : exit_usage;
  }
  if (!asked.markdown.empty() && (asked.as_json || !asked.search.empty() || !asked.words.empty()))
    throw bad_usage{"formula: --markdown takes no words, no --search and no --json"};
  if (!asked.markdown.empty()) {
    if (asked.markdown != "reference" && asked.markdown != "errata")
      throw bad_usage{"formula: --markdown must be reference or errata, not " +
                      shown(nlohmann::json(asked.markdown))};
    print(asked.markdown == "reference" ? formula_reference() : formula_errata());
  } else if (!asked.search.empty()) {
    std::vector<std::string> words{asked.search};
    words.insert(words.end(), asked.words.begin(), asked.words.end());
    search_for(words, asked);
  } else if (asked.words.empty()) {
    print_formulas(registry::rows_of(formula_tables()), asked);
  } else {
    answer_one(asked);
  }
  return exit_done;
}

}  // namespace

command formula_command(CLI::App& program) {
  CLI::App* options = program.add_subcommand("formula", "Look up a formula, or compute it");
  options->alias("formulas");
  options->footer(after_formula_options);
  const auto typed = std::make_shared<formula_request>();
  options->add_option("WORDS", typed->words, "A name and its inputs, or words to search for");
  options->add_option("--search", typed->search, "Words of names, meanings, symbols and sources");
  options->add_flag("--json", typed->as_json, "As JSON, for programs");
  options->add_flag("--json-lines", typed->as_stream, "Answer requests of standard input");
  options->add_option("--markdown", typed->markdown, "The whole page: reference or errata");
  return {options, [typed] { return answer(*typed); }};
}

}  // namespace gpuplan::cli
