#pragma once
/// \file
/// The answer in the place of one that cannot be given.

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gpuplan/api/refusal.hpp>
#include <gpuplan/api/request_place.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/text/lookup.hpp>

namespace gpuplan::api {
namespace detail {

inline report_json list_or_null(const std::vector<std::string>& names) {
  return names.empty() ? report_json(nullptr) : report_json(names);
}

inline report_json error_object(std::string_view what, report_json where, report_json allowed,
                                report_json meant, int exit_code) {
  return {{"error",
           {{"what", what},
            {"where", std::move(where)},
            {"allowed", std::move(allowed)},
            {"did_you_mean", std::move(meant)},
            {"exit_code", exit_code}}}};
}

}  // namespace detail

/// The exit code of a program that is asked what cannot be asked, and of one that has a fault.
inline constexpr int usage_code = 2;
inline constexpr int internal_code = 1;

/// The text of an answer that fills several lines.
inline std::string answer_text(const report_json& answer) {
  return answer.dump(2, ' ', false, report_json::error_handler_t::replace) + '\n';
}

/// What a request cannot ask, with the place in it: "options.level".
class bad_request : public std::runtime_error {
 public:
  bad_request(const std::string& what, std::string where, std::vector<std::string> allowed = {},
              std::vector<std::string> meant = {})
      : std::runtime_error{what},
        where_{std::move(where)},
        allowed_{std::move(allowed)},
        meant_{std::move(meant)} {}

  /// {"error": {"what", "where", "allowed", "did_you_mean", "exit_code"}}, null where unknown.
  [[nodiscard]] report_json answer() const {
    return detail::error_object(what(), where_.empty() ? report_json(nullptr) : report_json(where_),
                                detail::list_or_null(allowed_), detail::list_or_null(meant_),
                                usage_code);
  }

 private:
  std::string where_;
  std::vector<std::string> allowed_, meant_;
};

/// Refuses a name that is not among those allowed, with the closest of them:
/// "WHAT; did you mean A?"
/// \throws bad_request
[[noreturn]] inline void refuse_name(const std::string& what, std::string_view typed,
                                     std::string where, std::vector<std::string> allowed) {
  struct name_only {
    std::string_view name;
  };
  std::vector<name_only> known;
  for (const std::string& one : allowed) known.push_back({one});
  constexpr std::size_t longest_name = 256;
  std::vector<std::string> meant;
  std::string hint;
  for (const std::string_view one : closest_names(typed.substr(0, longest_name), known)) {
    meant.emplace_back(one);
    hint += (hint.empty() ? "; did you mean " : " or ") + std::string(one);
  }
  throw bad_request{what + (hint.empty() ? hint : hint + "?"), std::move(where), std::move(allowed),
                    std::move(meant)};
}

/// The answer in the place of one that was refused with a line of the program, whose parts are told
/// apart as refusal_of does: {"error": {"what", "where", "allowed", "did_you_mean", "exit_code"}},
/// null where unknown.  `where` is a path in the request, and `what` has the request's names.
inline report_json error_answer(std::string_view line, int exit_code,
                                const place_in_request& place) {
  const refusal why = refusal_of(line);
  std::string where = path_in_request(why.where, place);
  constexpr std::string_view of_request = "request: ";
  const std::string_view key =
      std::string_view{why.where}.substr(why.where.starts_with(of_request) ? of_request.size() : 0);
  if (detail::is_positional(key) && line.find(" is not a known field") != line.npos) where = key;
  report_json allowed = detail::list_or_null(why.allowed);
  if (why.allowed_in_words) allowed = *why.allowed_in_words;
  return detail::error_object(
      in_request_words(line, place), where.empty() ? report_json(nullptr) : report_json(where),
      std::move(allowed), detail::list_or_null(why.did_you_mean), exit_code);
}

}  // namespace gpuplan::api
