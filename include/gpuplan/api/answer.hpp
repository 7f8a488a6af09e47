#pragma once
/// \file
/// A request in JSON, an answer in JSON: the door for programs in C++.
///
/// Brings every question that it answers, the registry of formulas among them, which takes twice
/// as long to compile as all else; api/evaluate_question.hpp and the like bring one question each.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/api/answer_with.hpp>
#include <gpuplan/api/catalog_question.hpp>
#include <gpuplan/api/evaluate_question.hpp>
#include <gpuplan/api/formula_question.hpp>
#include <gpuplan/api/model_question.hpp>

namespace gpuplan::api {

/// A question by its name, and what answers it.
struct known_question {
  std::string_view name;
  std::string (*answer)(const nlohmann::json& request);
};

/// Those that the library answers; libgpuplan answers all of the program's.
inline constexpr std::array known_questions{
    known_question{"model", answer_model}, known_question{"evaluate", answer_evaluate},
    known_question{"catalog", answer_catalog}, known_question{"formula", answer_formula}};

/// Answers a request such as
///
///     {"question": "evaluate", "model": "llama-3-8b", "parallelism": {"tensor": 8}}
///
/// with what the command line prints for it, one of known_questions.  What cannot be answered is an
/// answer, too: {"error": {"what", "where", "allowed", "did_you_mean", "exit_code"}}, null where
/// unknown.  No file is read: a request brings those that it names.  Several threads may ask at
/// once.
///
/// \throws std::bad_alloc
inline std::string answer(std::string_view request) {
  return answer_with(request, [](const nlohmann::json& asked) {
    std::vector<std::string> names;
    for (const known_question& one : known_questions) names.emplace_back(one.name);
    return known_questions[question_among(asked, names)].answer(asked);
  });
}

}  // namespace gpuplan::api
