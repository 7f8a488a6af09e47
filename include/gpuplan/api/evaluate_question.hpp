#pragma once
/// \file
/// The question "evaluate": one request or several, each a line of `gpuplan evaluate`.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/api/error_answer.hpp>
#include <gpuplan/api/json_output.hpp>
#include <gpuplan/api/line_answer.hpp>
#include <gpuplan/api/option_words.hpp>
#include <gpuplan/api/request_fields.hpp>
#include <gpuplan/api/request_files.hpp>
#include <gpuplan/api/typed_number.hpp>
#include <gpuplan/calibrate/link_limits.hpp>
#include <gpuplan/calibrate/profile_reader.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/json_shown.hpp>
#include <gpuplan/text/json_text.hpp>
#include <gpuplan/text/visible.hpp>

namespace gpuplan::api {

namespace detail {

/// The options of the question, as words.
struct evaluate_options {
  std::string profile{};  ///< the name of a file; empty: none
  std::string level{};    ///< empty: as usual
  bool fields = false;    ///< print every field of a request
};

/// The word of an option that has one.
/// \throws bad_request
inline std::string only_word(const nlohmann::json& value, const std::string& place) {
  if (value.is_array() && value.empty()) throw bad_request{place + " must not be empty", place};
  return joined(words_of(value, place));
}

/// Takes one option.
/// \throws bad_request
inline void take_option(evaluate_options& to, const std::string& key, const nlohmann::json& value) {
  std::string name = key;
  std::replace(name.begin(), name.end(), '_', '-');
  const std::string place = "options." + shown_name(key);
  if (is_of_the_command_line(name))
    throw bad_request{place + " is of the command line: an answer is JSON, and is returned", place};
  if (name == "fields") {
    if (!value.is_boolean())
      throw bad_request{
          place + " must be true or false, not " + shown(value), place, {"true", "false"}};
    to.fields = value.get<bool>();
  } else if (name == "profile") {
    to.profile = only_word(value, place);
  } else if (name == "level") {
    to.level = only_word(value, place);
  } else {
    refuse_unknown("options", key, {"profile", "level", "fields"});
  }
}

/// \throws bad_request
inline evaluate_options options_of(const nlohmann::json& request) {
  evaluate_options all;
  const auto options = request.find("options");
  if (options == request.end() || options->is_null()) return all;
  if (!options->is_object())
    throw bad_request{"options must be a JSON object, not " + shown(*options), "options"};
  for (const auto& [key, value] : options->items())
    if (!value.is_null()) take_option(all, key, value);
  return all;
}

/// A profile among the files of a request.
/// \throws invalid_input
inline measured_cluster measured_by(const std::string& name, const request_files& files) {
  measured_cluster measured{name, read_profile(text_of(files, name, "profile"), name)};
  require_possible_links(measured.profile, name);
  return measured;
}

/// \throws invalid_input
inline line_terms terms_of(const evaluate_options& asked, const request_files& files) {
  line_terms terms;
  if (!asked.level.empty())
    terms.level = plain_number(asked.level, "--level", least_level, most_level);
  if (!asked.profile.empty()) terms.measured = measured_by(asked.profile, files);
  return terms;
}

/// \throws invalid_input of an option that has no effect beside `fields`
inline std::string answer_fields(const evaluate_options& asked) {
  if (!asked.profile.empty())
    throw invalid_input{"--profile has no effect: --fields answers no request"};
  if (!asked.level.empty())
    throw invalid_input{"--level has no effect: --fields answers no request"};
  return printed(fields_as_json(), json_layout::indent) + '\n';
}

/// One request as a line; one that is too long is refused unread.
inline line_answer answer_bounded(std::string_view request, const line_terms& terms,
                                  std::int64_t line, const place_in_request& place) {
  if (request.size() <= largest_json_text) return answer_line(request, terms, line, place);
  return refused_line("longer than " + std::to_string(largest_json_text >> 20) + " MiB", line);
}

/// Answers to a text of a request a line, as an array; a blank line has none.
inline std::string answer_lines(std::string_view requests, const line_terms& terms,
                                const place_in_request& place) {
  std::string all = "[";
  std::int64_t line = 0;
  while (!requests.empty()) {
    const std::size_t end = (std::min)(requests.find('\n'), requests.size());
    const std::string_view one = requests.substr(0, end);
    requests.remove_prefix((std::min)(end + 1, requests.size()));
    ++line;
    if (one.find_first_not_of(" \t\r") == one.npos) continue;
    if (all.size() > 1) all += ",\n";
    all += text_of(answer_bounded(one, terms, line, place));
  }
  return all + "]\n";
}

/// Answers to the member `requests`: an array of requests, or a text of a request a line.
/// \throws bad_request of another value
inline std::string answer_several(const nlohmann::json& requests, const line_terms& terms,
                                  const place_in_request& place) {
  if (requests.is_string())
    return answer_lines(requests.get_ref<const std::string&>(), terms, place);
  std::string lines;
  for (const nlohmann::json& one : requests) lines += one.dump() + '\n';
  return answer_lines(lines, terms, place);
}

/// The answer to a request that is itself the one to evaluate, but for what says how.
inline std::string answer_single(nlohmann::json request, const line_terms& terms,
                                 const place_in_request& place) {
  for (const char* member : {"question", "options", "files"}) request.erase(member);
  line_answer answer = answer_bounded(request.dump(), terms, 1, place);
  if (answer.answered) return text_of(answer) + '\n';
  answer.json.erase("line");
  return answer_text(answer.json);
}

}  // namespace detail

/// Answers {"question": "evaluate", ...}: one request, whose members stand beside the question,
/// with one answer; or several, {"requests": [...]} or a text of a request a line, with an array of
/// answers.  `options` may hold `level` and `profile`, the name of a file among `files`; or
/// `fields`, which answers with all fields of a request.
///
/// \throws bad_request of a member that is unknown or of another type
inline std::string answer_evaluate(const nlohmann::json& request) {
  const request_files files = files_of(request);
  const bool several = request.contains("requests");
  if (several) refuse_unknown_members(request, {"question", "requests", "options", "files"});
  const detail::evaluate_options asked = detail::options_of(request);
  if (several && !request["requests"].is_string() && !request["requests"].is_array())
    throw bad_request{"requests must be an array, or a text of a request a line, not " +
                          shown(request["requests"]),
                      "requests"};
  const place_in_request place = [&](std::string_view name) {
    if (files.contains(name)) return "files." + std::string(name);
    if (!asked.profile.empty() && name == asked.profile) return std::string("options.profile");
    const bool is_own = name == "--level" || name == "--profile" || name == "--fields";
    return is_own ? place_in_options(name) : std::string{};
  };
  try {
    if (asked.fields) return detail::answer_fields(asked);
    const line_terms terms = detail::terms_of(asked, files);
    return several ? detail::answer_several(request["requests"], terms, place)
                   : detail::answer_single(request, terms, place);
  } catch (const invalid_input& refused) {
    return answer_text(error_answer(visible(refused.what()), usage_code, place));
  }
}

}  // namespace gpuplan::api
