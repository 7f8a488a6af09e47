#pragma once
/// \file
/// A question that a request asks by options, and its answer.

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/api/error_answer.hpp>
#include <gpuplan/api/json_output.hpp>
#include <gpuplan/api/option_words.hpp>
#include <gpuplan/api/question_options.hpp>
#include <gpuplan/api/request_files.hpp>
#include <gpuplan/api/request_words.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/json_shown.hpp>
#include <gpuplan/text/visible.hpp>

namespace gpuplan::api {

/// The parts of a job that a request may have, each an object of fields.
inline constexpr std::array<std::string_view, 4> job_parts{"cluster", "recipe", "parallelism",
                                                           "workspace"};

/// What a model is called that a request gives as an object: the file that holds it.
inline constexpr std::string_view file_of_model = "config.json";

/// Reads a request: its model, its parts and its options into words, its model into files where it
/// is an object.
/// \throws bad_request of a member that is unknown, or that the question has no use for
inline void read_question(const nlohmann::json& request, request_words& words,
                          request_files& files) {
  std::vector<std::string> known{"question", "model"};
  known.insert(known.end(), job_parts.begin(), job_parts.end());
  known.insert(known.end(), {"options", "files"});
  refuse_unknown_members(request, known);
  for (const auto& [key, value] : request.items()) {
    if (key == "question" || key == "files" || value.is_null()) continue;
    if (key == "model" && value.is_object()) {
      const std::string file{file_of_model};
      if (!files.emplace(file, value.dump()).second)
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

/// The answer in the place of one that a question refuses, in lines, with what the request names in
/// their place: {"error": {"what", "where", "allowed", "did_you_mean", "exit_code"}}.
inline std::string refused_answer(const std::vector<std::string>& lines, int exit_code,
                                  const nlohmann::json& request, const request_words& words,
                                  const request_files& files) {
  std::string why;
  for (const std::string& line : lines) why += (why.empty() ? "" : "; ") + line;
  return answer_text(
      error_answer(words.as_given(why), exit_code, [&](std::string_view name) -> std::string {
        if (!files.contains(name)) return words.place_of(name);
        const auto model = request.find("model");
        const bool is_model = name == file_of_model && model != request.end() && model->is_object();
        return is_model ? std::string("model") : "files." + std::string(name);
      }));
}

/// The exit code of a program whose answer is not what --assert says.
inline constexpr int assertion_code = 3;

/// What a question says: its answer, or why it has none.
struct question_result {
  report_json json{};
  std::vector<std::string> said{};  ///< notes, for the user; of what is refused, why
  int exit_code = 0;                ///< of the command line; 0: there is an answer
};

/// Answers a request that asks a question by options.
///
///     question  its name: "formula"
///     options   its rows
///     answer    makes a question_result of what was typed and the request's files; it may throw
///               invalid_input, after it has said notes
///
/// \throws bad_request of a member that is unknown or of another type
template <class Owner, class Rows, class Answer>
std::string answer_by_options(const nlohmann::json& request, std::string_view question,
                              const Rows& options, Answer&& answer) {
  request_words words{std::string(question), forms_of(options)};
  request_files files = files_of(request);
  read_question(request, words, files);
  question_result result;
  try {
    answer(typed_options<Owner>(words, options), files, result);
  } catch (const invalid_input& refused) {
    result.said.emplace_back(refused.what());
    result.exit_code = usage_code;
  }
  if (result.exit_code == 0) return printed(result.json, json_layout::indent) + '\n';
  for (std::string& line : result.said) line = visible(line);
  return refused_answer(result.said, result.exit_code, request, words, files);
}

}  // namespace gpuplan::api
