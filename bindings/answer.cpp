/// \file
/// A request in JSON, an answer in JSON.

#include "answer.hpp"

#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <gpuplan/api/answer_with.hpp>
#include <gpuplan/api/evaluate_question.hpp>
#include <gpuplan/api/question_reader.hpp>
#include <gpuplan/api/request_words.hpp>
#include <gpuplan/report/json.hpp>

#include "redirection.hpp"
#include "run.hpp"

namespace gpuplan {
namespace bindings {
namespace {

using nlohmann::json;

/// The question of a request by its name.
const cli::subcommand& question_of(const json& request) {
  std::vector<std::string> names;
  std::vector<const cli::subcommand*> known;
  for (const cli::subcommand& one : cli::subcommands()) {
    if (!one.has_json) continue;
    names.emplace_back(one.name);
    known.push_back(&one);
  }
  return *known[api::question_among(request, names)];
}

/// An option of the command line as requests give it values.
api::option_form form_of(const CLI::Option& option) {
  const bool is_flag = option.get_items_expected_max() == 0;
  const bool is_single = option.get_items_expected_max() == 1 &&
                         option.get_multi_option_policy() != CLI::MultiOptionPolicy::TakeAll;
  return {.names = option.get_lnames(),
          .positional = option.get_positional() ? option.get_name(true) : std::string{},
          .takes = is_flag     ? api::option_values::none
                   : is_single ? api::option_values::one
                               : api::option_values::several,
          .compares = option.get_multi_option_policy() == CLI::MultiOptionPolicy::Join};
}

std::vector<api::option_form> forms_of(const CLI::App& command) {
  std::vector<api::option_form> all;
  for (const CLI::Option* option : command.get_options()) all.push_back(form_of(*option));
  return all;
}

/// What a framework is launched with, which is no JSON; null where nothing fits.
std::string launch_answer(const std::string& output, cli::exit_code code) {
  report_json answer{{"schema_version", report_schema_version}, {"launch", nullptr}};
  if (code == cli::exit_done) answer["launch"] = output;
  return api::answer_text(answer);
}

/// A page of pictures, which is no JSON.
std::string page_answer(const std::string& page) {
  return api::answer_text({{"schema_version", report_schema_version}, {"page", page}});
}

std::string answer_to(const json& request) {
  const cli::subcommand& question = question_of(request);
  if (question.name == "evaluate") return api::answer_evaluate(request);
  const cli::assembled_program program = cli::assembled({&question, 1});
  api::request_words words{std::string(question.name), forms_of(*program.commands.front().options)};
  cli::redirection io;
  io.files = api::files_of(request);
  api::read_question(request, words, io.files);
  io.fields = words.fields();
  if (words.makes_page() && words.prints_launch())
    throw api::bad_request{"options.html has no effect: options.emit prints a launch",
                           "options.html"};
  if (words.makes_page()) io.page_path = api::file_of_page;

  const cli::redirected_scope redirected{io};
  const cli::exit_code code = cli::run(program, words.words());
  const bool is_answered = code == cli::exit_done || code == cli::exit_infeasible;
  if (is_answered && words.makes_page()) return page_answer(io.page);
  if (is_answered)
    return words.prints_launch() ? launch_answer(io.output, code) : std::move(io.output);
  return api::refused_answer(io.said, code, request, words, io.files);
}

}  // namespace
}  // namespace bindings

std::string answer(std::string_view request) {
  return api::answer_with(request, bindings::answer_to);
}

}  // namespace gpuplan
