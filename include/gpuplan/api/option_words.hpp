#pragma once
/// \file
/// Values of a request's options as the words that a command line would have.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/api/error_answer.hpp>
#include <gpuplan/text/json_shown.hpp>

namespace gpuplan::api {

/// A word of a value that has no parts: a text, a number, or on and off of a flag.
///
///     place  in the request, of a refusal: "options.level"
///
/// \throws bad_request of an empty text, a byte 0, or another value
inline std::string word_of(const nlohmann::json& value, const std::string& place) {
  if (value.is_string()) {
    const std::string& text = value.get_ref<const std::string&>();
    if (text.empty()) throw bad_request{place + " must not be empty", place};
    if (text.find('\0') != text.npos) throw bad_request{place + " must not hold a byte 0", place};
    return text;
  }
  if (value.is_boolean()) return value.get<bool>() ? "on" : "off";
  if (value.is_number()) return value.dump();
  throw bad_request{place + " must be a string, a number or a flag, not " + shown(value), place};
}

/// The words of an array, or of a single value.
/// \throws bad_request
inline std::vector<std::string> words_of(const nlohmann::json& value, const std::string& place) {
  std::vector<std::string> all;
  if (!value.is_array()) return {word_of(value, place)};
  for (const nlohmann::json& one : value) all.push_back(word_of(one, place));
  return all;
}

/// Words with commas between them.
inline std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& one : words) all += (all.empty() ? "" : ",") + one;
  return all;
}

/// Refuses a field of a part of a request, with the closest of those that there are.
/// \throws bad_request
[[noreturn]] inline void refuse_unknown(const std::string& part, const std::string& key,
                                        std::vector<std::string> allowed) {
  refuse_name(part + ": " + shown_name(key) + " is not a known field", key,
              part + "." + shown_name(key), std::move(allowed));
}

/// Refuses members of a request that a question does not know.
/// \throws bad_request with the closest of those that it knows
inline void refuse_unknown_members(const nlohmann::json& request,
                                   const std::vector<std::string>& known) {
  for (const auto& [key, ignored] : request.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      refuse_name("request: " + shown_name(key) + " is not a known field", key, shown_name(key),
                  known);
}

}  // namespace gpuplan::api
