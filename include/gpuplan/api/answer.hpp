#pragma once
/// \file
/// A request in JSON, an answer in JSON: the door for programs in C++.

#include <cstddef>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/api/error_answer.hpp>
#include <gpuplan/api/evaluate_question.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/json_shown.hpp>
#include <gpuplan/text/json_text.hpp>

namespace gpuplan::api {

/// The longest request, in bytes, with the texts of its files.
inline constexpr std::size_t longest_request = std::size_t{64} << 20;

/// Reads a request and has it answered; whatever stands in the way is an answer, too.
///
///     answered  makes the answer to the JSON of the request: a text
///
/// \throws std::bad_alloc
template <class Answered>
std::string answer_with(std::string_view request, Answered&& answered) {
  const place_in_request none = [](std::string_view) { return std::string{}; };
  try {
    return answered(parse_json(request, "request",
                               {.longest = longest_request, .longest_string = longest_request}));
  } catch (const bad_request& refused) {
    return answer_text(refused.answer());
  } catch (const invalid_input& refused) {
    return answer_text(error_answer(refused.what(), usage_code, none));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& fault) {
    return answer_text(
        error_answer(std::string("internal error: ") + fault.what(), internal_code, none));
  }
}

/// Answers a request such as
///
///     {"question": "evaluate", "model": "llama-3-8b", "parallelism": {"tensor": 8}}
///
/// with what the command line prints for it.  The question "evaluate" is the only one as yet;
/// libgpuplan answers all of the program's.  What cannot be answered is an answer, too:
/// {"error": {"what", "where", "allowed", "did_you_mean", "exit_code"}}, null where unknown.  No
/// file is read: a request brings those that it names.  Several threads may ask at once.
///
/// \throws std::bad_alloc
inline std::string answer(std::string_view request) {
  return answer_with(request, [](const nlohmann::json& asked) {
    if (!asked.is_object())
      throw bad_request{"a request must be a JSON object, not " + shown(asked), ""};
    const auto question = asked.find("question");
    if (question == asked.end())
      throw bad_request{"question is missing; it must be evaluate", "question", {"evaluate"}};
    if (*question != "evaluate")
      throw bad_request{
          "question must be evaluate, not " + shown(*question), "question", {"evaluate"}};
    return answer_evaluate(asked);
  });
}

}  // namespace gpuplan::api
