/// \file
/// Why a request is not answered, as data.

#include "error_answer.hpp"

#include <utility>

#include <gpuplan/api/refusal.hpp>
#include <gpuplan/text/lookup.hpp>

namespace gpuplan::bindings {
namespace {

report_json list_or_null(const std::vector<std::string>& names) {
  return names.empty() ? report_json(nullptr) : report_json(names);
}

report_json error_object(std::string_view what, report_json where, report_json allowed,
                         report_json meant, int exit_code) {
  return {{"error",
           {{"what", what},
            {"where", std::move(where)},
            {"allowed", std::move(allowed)},
            {"did_you_mean", std::move(meant)},
            {"exit_code", exit_code}}}};
}

}  // namespace

bad_request::bad_request(const std::string& what, std::string where,
                         std::vector<std::string> allowed, std::vector<std::string> meant)
    : std::runtime_error{what},
      where_{std::move(where)},
      allowed_{std::move(allowed)},
      meant_{std::move(meant)} {}

report_json bad_request::answer() const {
  constexpr int usage = 2;
  return error_object(what(), where_.empty() ? report_json(nullptr) : report_json(where_),
                      list_or_null(allowed_), list_or_null(meant_), usage);
}

void refuse_name(const std::string& what, std::string_view typed, std::string where,
                 std::vector<std::string> allowed) {
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

report_json error_answer(std::string_view line, int exit_code, const place_in_request& place) {
  const api::refusal why = api::refusal_of(line);
  const std::string known = place(why.where);
  const std::string& where = known.empty() ? why.where : known;
  report_json allowed = list_or_null(why.allowed);
  if (why.allowed_in_words) allowed = *why.allowed_in_words;
  return error_object(line, where.empty() ? report_json(nullptr) : report_json(where),
                      std::move(allowed), list_or_null(why.did_you_mean), exit_code);
}

}  // namespace gpuplan::bindings
