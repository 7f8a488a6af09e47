/// \file
/// A request in JSON, an answer in JSON.

#include "answer.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <gpuplan/text/json_text.hpp>

#include "error_answer.hpp"
#include "redirection.hpp"
#include "request_words.hpp"
#include "run.hpp"

namespace gpuplan {
namespace bindings {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 4> job_parts{"cluster", "recipe", "parallelism",
                                                    "workspace"};

std::string text_of(const report_json& object) {
  return object.dump(2, ' ', false, report_json::error_handler_t::replace) + '\n';
}

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
  refuse_name("question must be one of " + list + ", not " + shown(*asked),
              asked->is_string() ? asked->get<std::string>() : std::string{}, "question",
              std::move(known));
}

void refuse_unknown_members(const json& request, const std::vector<std::string>& known) {
  for (const auto& [key, ignored] : request.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      refuse_name("request: " + shown_name(key) + " is not a known field", key, shown_name(key),
                  known);
}

void take_files(const json& request, cli::redirection& io) {
  const auto files = request.find("files");
  if (files == request.end() || files->is_null()) return;
  if (!files->is_object())
    throw bad_request{"files must be an object of names and texts, not " + shown(*files), "files"};
  for (const auto& [name, text] : files->items()) {
    if (!text.is_string())
      throw bad_request{"files: " + shown_name(name) + " must be a string, not " + shown(text),
                        "files." + shown_name(name)};
    io.files.emplace(name, text.get_ref<const std::string&>());
  }
}

/// The requests of "evaluate" as standard input has them, one a line.
std::string lines_of(const json& request) {
  if (const auto several = request.find("requests"); several != request.end()) {
    if (several->is_string()) return several->get<std::string>();
    if (!several->is_array())
      throw bad_request{
          "requests must be an array, or a text of a request a line, not " + shown(*several),
          "requests"};
    std::string lines;
    for (const json& one : *several) lines += one.dump() + '\n';
    return lines;
  }
  json one = request;
  for (const char* member : {"question", "options", "files"}) one.erase(member);
  return one.dump() + '\n';
}

/// What a request gives the program: words, and files.
void read_evaluate(const json& request, request_words& words, cli::redirection& io) {
  if (request.contains("requests"))
    refuse_unknown_members(request, {"question", "requests", "options", "files"});
  if (const auto options = request.find("options"); options != request.end() && !options->is_null())
    words.add_part("options", *options);
  io.files["-"] = lines_of(request);
}

void read_job(const json& request, request_words& words, cli::redirection& io) {
  std::vector<std::string> known{"question", "model"};
  known.insert(known.end(), job_parts.begin(), job_parts.end());
  known.insert(known.end(), {"options", "files"});
  refuse_unknown_members(request, known);
  for (const auto& [key, value] : request.items()) {
    if (key == "question" || key == "files" || value.is_null()) continue;
    if (key == "model" && value.is_object()) {
      constexpr const char* file = "config.json";
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

/// The line in which evaluate refuses its one request; empty where it answers.
std::string refusal_of_line(const std::string& output) {
  const report_json line = report_json::parse(output, nullptr, false);
  const bool refused = line.is_object() && line.contains("error") && line["error"].is_string();
  return refused ? line["error"].get<std::string>() : std::string{};
}

/// Lines as the members of an array.
std::string array_of(std::string lines) {
  while (lines.ends_with('\n')) lines.pop_back();
  std::string all = "[";
  for (const char c : lines) all += c == '\n' ? std::string(",\n") : std::string(1, c);
  return all + "]\n";
}

/// What a framework is launched with, which is no JSON; null where nothing fits.
std::string launch_answer(const std::string& output, cli::exit_code code) {
  report_json answer{{"schema_version", report_schema_version}, {"launch", nullptr}};
  if (code == cli::exit_done) answer["launch"] = output;
  return text_of(answer);
}

std::string answer_to(const json& request) {
  if (!request.is_object())
    throw bad_request{"a request must be a JSON object, not " + shown(request), ""};
  const cli::subcommand& question = question_of(request);
  const cli::assembled_program program = cli::assembled({&question, 1});
  request_words words{std::string(question.name), *program.commands.front().options};
  cli::redirection io;
  take_files(request, io);
  const bool is_evaluate = question.name == "evaluate";
  if (is_evaluate)
    read_evaluate(request, words, io);
  else
    read_job(request, words, io);

  const cli::redirected_scope redirected{io};
  const cli::exit_code code = cli::run(program, words.words());
  const place_in_request place = [&](std::string_view name) { return words.place_of(name); };
  const bool several = is_evaluate && request.contains("requests");
  if (is_evaluate && !several && code == cli::exit_usage && !io.output.empty())
    return text_of(error_answer(refusal_of_line(io.output), code, place));
  const bool answered = code == cli::exit_done || code == cli::exit_infeasible ||
                        (several && code == cli::exit_usage && io.said.empty());
  if (answered && words.prints_launch()) return launch_answer(io.output, code);
  if (answered) return several ? array_of(std::move(io.output)) : std::move(io.output);
  std::string why;
  for (const std::string& line : io.said) why += (why.empty() ? "" : "; ") + line;
  return text_of(error_answer(why, code, place));
}

}  // namespace
}  // namespace bindings

std::string answer(std::string_view request) {
  using namespace bindings;
  const place_in_request none = [](std::string_view) { return std::string{}; };
  try {
    return answer_to(parse_json(request, "request",
                                {.longest = longest_request, .longest_string = longest_request}));
  } catch (const bad_request& error) {
    return text_of(error.answer());
  } catch (const invalid_input& error) {
    return text_of(error_answer(error.what(), cli::exit_usage, none));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return text_of(
        error_answer(std::string("internal error: ") + error.what(), cli::exit_internal, none));
  }
}

}  // namespace gpuplan
