/// \file
/// gpuplan formula: the formulas of the library, looked up and evaluated.

#include "formula/formula.hpp"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include <gpuplan/api/formula_question.hpp>
#include <gpuplan/text/json_shown.hpp>

#include "program.hpp"
#include "question_words.hpp"

namespace gpuplan::cli {
namespace {

constexpr const char* after_formula_options =
    "Without words, lists every formula by room; with a name, prints its symbols, units, ranges,\n"
    "validity, source and pitfalls; with inputs too, its value.  Name inputs by letter or word,\n"
    "with units: message=1GB bandwidth=300GB/s, what has no unit also in percent: share=10%.\n"
    "Words that are not a name are searched for.\n"
    "\n"
    "--json-lines reads {\"formula\": \"erlang_c\", \"inputs\": {\"servers\": 5, \"a\": 4}} from\n"
    "standard input, one a line, and answers each: value and unit, null with a reason where it is\n"
    "infinite, or {\"line\": n, \"error\": {\"what\", \"where\", \"allowed\", "
    "\"did_you_mean\",\n"
    "\"exit_code\"}}.  Exit code 0 if every line was answered, else 2.\n"
    "\n"
    "Examples:\n"
    "  gpuplan formula erlang_c servers=5 offered=4\n"
    "  gpuplan formula ring_all_reduce ranks=8 message=1GB start=5us bandwidth=300GB/s\n"
    "  gpuplan formula checkpoint interval\n"
    "  gpuplan formula all_gather:cost_of\n";

struct formula_words : api::formula_request {
  std::string markdown;
  bool as_json = false;
  bool as_stream = false;
};

void print_answer(const api::formula_answer& answer, bool as_json) {
  if (as_json)
    print_json(api::json_of(answer));
  else if (answer.value)
    show_evaluation(*answer.value);
  else if (answer.row != nullptr)
    show_formula(*answer.row);
  else
    show_formulas(answer.rows);
}

exit_code answer(const formula_words& asked) {
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
  } else {
    print_answer(api::answer_of(asked), asked.as_json);
  }
  return exit_done;
}

}  // namespace

command formula_command(CLI::App& program) {
  CLI::App* options = program.add_subcommand("formula", "Look up a formula, or compute it");
  options->alias("formulas");
  options->footer(after_formula_options);
  const auto typed = std::make_shared<formula_words>();
  add_question_options(*options, api::formula_options, *typed);
  options->add_flag("--json", typed->as_json, "As JSON, for programs");
  options->add_flag("--json-lines", typed->as_stream, "Answer requests of standard input");
  options->add_option("--markdown", typed->markdown, "The whole page: reference or errata");
  return {options, [typed] { return answer(*typed); }};
}

}  // namespace gpuplan::cli
