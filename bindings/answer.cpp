/// \file
/// A request in JSON, an answer in JSON.

#include "answer.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <gpuplan/api/answer.hpp>
#include <gpuplan/api/error_answer.hpp>
#include <gpuplan/api/evaluate_question.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/text/json_shown.hpp>

#include "redirection.hpp"
#include "request_words.hpp"
#include "run.hpp"

namespace gpuplan {
namespace bindings {
namespace {

using api::bad_request;
using nlohmann::json;

/// The file of a model that a request gives as an object.
constexpr std::string_view file_of_model = "config.json";

constexpr std::array<std::string_view, 4> job_parts{"cluster", "recipe", "parallelism",
                                                    "workspace"};

/// The question of a request by its name.
const cli::subcommand& question_of(const json& request) {
  std::vector<std::string> known;
  std::string list;
  for (const cli::subcommand& one : cli::subcommands()) {
    if (!one.has_json) continue;
    known.emplace_back(one.name);
    list += (list.empty() ? "" : ", ") + known.back();
  }
  const auto asked = request.find("question");
  if (asked == request.end())
    throw bad_request{"question is missing; it must be one of " + list, "question", known};
  if (asked->is_string())
    for (const cli::subcommand& one : cli::subcommands())
      if (one.has_json && one.name == asked->get_ref<const std::string&>()) return one;
  api::refuse_name("question must be one of " + list + ", not " + shown(*asked),
                   asked->is_string() ? asked->get<std::string>() : std::string{}, "question",
                   std::move(known));
}

void read_job(const json& request, request_words& words, cli::redirection& io) {
  std::vector<std::string> known{"question", "model"};
  known.insert(known.end(), job_parts.begin(), job_parts.end());
  known.insert(known.end(), {"options", "files"});
  api::refuse_unknown_members(request, known);
  for (const auto& [key, value] : request.items()) {
    if (key == "question" || key == "files" || value.is_null()) continue;
    if (key == "model" && value.is_object()) {
      const std::string file{file_of_model};
      if (!io.files.emplace(file, value.dump()).second)
        throw bad_request{"files: config.json is the model that is given as an object",
                          "files.config.json"};
      words.add_model(file);
    } else if (key == "model" && value.is_string()) {
      words.add_model(value.get_ref<const std::string&>());
    } else if (key == "model") {
      throw bad_request{"model must be a name or a config.json object, not " + shown(value),
                        "model"};
    } else {
      words.add_part(key, value);
    }
  }
}

/// What a framework is launched with, which is no JSON; null where nothing fits.
std::string launch_answer(const std::string& output, cli::exit_code code) {
  report_json answer{{"schema_version", report_schema_version}, {"launch", nullptr}};
  if (code == cli::exit_done) answer["launch"] = output;
  return api::answer_text(answer);
}

std::string answer_to(const json& request) {
  if (!request.is_object())
    throw bad_request{"a request must be a JSON object, not " + shown(request), ""};
  const cli::subcommand& question = question_of(request);
  if (question.name == "evaluate") return api::answer_evaluate(request);
  const cli::assembled_program program = cli::assembled({&question, 1});
  request_words words{std::string(question.name), *program.commands.front().options};
  cli::redirection io;
  io.files = api::files_of(request);
  read_job(request, words, io);

  const cli::redirected_scope redirected{io};
  const cli::exit_code code = cli::run(program, words.words());
  if (code == cli::exit_done || code == cli::exit_infeasible)
    return words.prints_launch() ? launch_answer(io.output, code) : std::move(io.output);
  std::string why;
  for (const std::string& line : io.said) why += (why.empty() ? "" : "; ") + line;
  return api::answer_text(
      api::error_answer(words.as_given(why), code, [&](std::string_view name) -> std::string {
        if (!io.files.contains(name)) return words.place_of(name);
        const auto model = request.find("model");
        const bool is_model = name == file_of_model && model != request.end() && model->is_object();
        return is_model ? std::string("model") : "files." + std::string(name);
      }));
}

}  // namespace
}  // namespace bindings

std::string answer(std::string_view request) {
  return api::answer_with(request, bindings::answer_to);
}

}  // namespace gpuplan
