#pragma once
/// \file
/// A request of one line in JSON, an answer of one line in JSON: what `gpuplan evaluate` prints.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <gpuplan/api/cluster_request.hpp>
#include <gpuplan/api/error_answer.hpp>
#include <gpuplan/api/evaluation.hpp>
#include <gpuplan/api/job_reader.hpp>
#include <gpuplan/api/json_output.hpp>
#include <gpuplan/api/request_place.hpp>
#include <gpuplan/plan/estimate_band.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan::api {

/// The least and the most share of runs that the bands of an answer may be asked to hold.
inline constexpr double least_level = 0.001;
inline constexpr double most_level = 1 - least_level;

/// What holds for every request of a stream.
struct line_terms {
  double level = usual_level;   ///< share of runs that the bands of answers hold
  measured_cluster measured{};  ///< in the place of what datasheets say
};

/// An answer, or why there is none.
struct line_answer {
  report_json json{};
  bool answered = false;  ///< whether the layout fits or not
};

namespace detail {

/// Places nothing: a line has no options and no files.
inline std::string placed_nowhere(std::string_view) {
  return {};
}

}  // namespace detail

/// The answer in the place of one that cannot be given: {"line": n, "error": {...}}, whose error is
/// that of error_answer.
inline line_answer refused_line(std::string_view why, std::int64_t line,
                                const place_in_request& place = detail::placed_nowhere) {
  report_json json{{"line", line}};
  json.update(error_answer(why, usage_code, place));
  return {.json = std::move(json)};
}

namespace detail {

/// A place in a text of one line needs no number of the line.
inline std::string without_line(std::string why) {
  constexpr std::string_view place = "line 1, ";
  const auto found = why.rfind(place);
  return found == why.npos ? why : why.erase(found, place.size());
}

}  // namespace detail

/// The answer that `make` makes of a request, JSON; or, where it throws invalid_input, why not.
///
///     line   the number of the request, which a refusal repeats
///     place  of names that a refusal may begin with
template <class Make>
line_answer answered_or_refused(std::int64_t line, Make&& make,
                                const place_in_request& place = detail::placed_nowhere) {
  try {
    return {.json = std::forward<Make>(make)(), .answered = true};
  } catch (const invalid_input& refused) {
    return refused_line(detail::without_line(refused.what()), line, place);
  } catch (const nlohmann::json::exception& refused) {
    return refused_line(refused.what(), line, place);
  }
}

/// Answers a request as job_reader.hpp reads it; whatever is wrong with it is an answer, too.
///
///     line   its number, which the answer repeats
///     place  of the options and the files that hold for all lines
inline line_answer answer_line(std::string_view request, const line_terms& terms = {},
                               std::int64_t line = 1,
                               const place_in_request& place = detail::placed_nowhere) {
  return answered_or_refused(
      line,
      [&] { return json_of(evaluate(parse_job(request, terms.measured)), line, terms.level); },
      place);
}

/// An answer as text: one line, without its end.
inline std::string text_of(const line_answer& answer) {
  return printed(answer.json, json_layout::line);
}

/// Answers a request in JSON with a line of JSON, without the end of the line:
///
///     evaluate(R"({"model": "llama-3-8b", "parallelism": {"tensor": 8}})")
///
/// gives what `gpuplan evaluate` prints for it.  A request that cannot be answered gives
/// {"line": n, "error": {"what", "where", "allowed", "did_you_mean", "exit_code"}}.
inline std::string evaluate(std::string_view request, const line_terms& terms = {},
                            std::int64_t line = 1) {
  return text_of(answer_line(request, terms, line));
}

}  // namespace gpuplan::api
