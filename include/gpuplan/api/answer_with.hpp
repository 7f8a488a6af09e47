#pragma once
/// \file
/// A request in JSON that somebody answers.

#include <cstddef>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/api/error_answer.hpp>
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

/// The place of the question of a request among those that there are, by their names.
/// \throws bad_request of what asks none of them, with the closest
inline std::size_t question_among(const nlohmann::json& request,
                                  const std::vector<std::string>& known) {
  if (!request.is_object())
    throw bad_request{"a request must be a JSON object, not " + shown(request), "request"};
  std::string list;
  for (const std::string& one : known) list += (list.empty() ? "" : ", ") + one;
  const auto asked = request.find("question");
  if (asked == request.end())
    throw bad_request{"question is missing; it must be one of " + list, "question", known};
  for (std::size_t i = 0; i < known.size(); ++i)
    if (*asked == known[i]) return i;
  refuse_name("question must be one of " + list + ", not " + shown(*asked),
              asked->is_string() ? asked->get<std::string>() : std::string{}, "question", known);
}

}  // namespace gpuplan::api
