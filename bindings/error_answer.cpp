/// \file
/// Why a request is not answered, as data.

#include "error_answer.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <gpuplan/text/lookup.hpp>

namespace gpuplan::bindings {
namespace {

/// The parts of a text between separators.
std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + separator.size());
  }
}

report_json list_or_null(const std::vector<std::string>& names) {
  return names.empty() ? report_json(nullptr) : report_json(names);
}

std::optional<std::string_view> between(std::string_view text, std::string_view begin,
                                        std::string_view end) {
  const auto from = text.find(begin);
  if (from == text.npos) return std::nullopt;
  const auto to = text.find(end, from + begin.size());
  if (to == text.npos) return std::nullopt;
  return text.substr(from + begin.size(), to - from - begin.size());
}

/// "--gpu" of "--gpu must be ..." or "--gpu: ...", "recipe: zero" of "recipe: zero must be ...".
std::string_view where_of(std::string_view line) {
  if (line.starts_with("--")) return line.substr(0, line.find_first_of(" :,"));
  constexpr std::string_view relations[] = {" must ", " is not a known field", " is missing",
                                            " has no effect", " is required"};
  for (const std::string_view relation : relations)
    if (const auto at = line.find(relation); at != line.npos) return line.substr(0, at);
  const auto at = line.find(": ");
  return at != line.npos ? line.substr(0, at) : std::string_view{};
}

report_json allowed_of(std::string_view line) {
  if (const auto names = between(line, " must be one of ", ", not ")) {
    std::vector<std::string> all = split(*names, ", ");
    if (const auto last = split(all.back(), " or "); last.size() == 2) {
      all.back() = last[0];
      all.push_back(last[1]);
    }
    return all;
  }
  if (auto words = between(line, " must be ", ", not ")) {
    for (const std::string_view article : {"a ", "an "})
      if (words->starts_with(article)) {
        words->remove_prefix(article.size());
        break;
      }
    return *words;
  }
  if (const auto at = line.find("; write it as "); at != line.npos)
    return line.substr(at + std::string_view{"; write it as "}.size());
  return nullptr;
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
  const std::string_view name = where_of(line);
  const std::string known = place(name);
  report_json where = nullptr;
  if (!known.empty())
    where = known;
  else if (!name.empty())
    where = name;
  report_json meant = nullptr;
  if (const auto names = between(line, "; did you mean ", "?")) meant = split(*names, " or ");
  return error_object(line, std::move(where), allowed_of(line), std::move(meant), exit_code);
}

}  // namespace gpuplan::bindings
