#pragma once
/// \file
/// The files that a request brings.

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/api/error_answer.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/json_shown.hpp>
#include <gpuplan/text/json_text.hpp>

namespace gpuplan::api {

/// The texts of a request's files, by their names.
using request_files = std::map<std::string, std::string, std::less<>>;

/// The files that a request brings: {"files": {"NAME": "TEXT"}}.
/// \throws bad_request of what is no text
inline request_files files_of(const nlohmann::json& request) {
  request_files all;
  const auto files = request.find("files");
  if (files == request.end() || files->is_null()) return all;
  if (!files->is_object())
    throw bad_request{"files must be an object of names and texts, not " + shown(*files), "files"};
  for (const auto& [name, text] : files->items()) {
    if (!text.is_string())
      throw bad_request{"files: " + shown_name(name) + " must be a string, not " + shown(text),
                        "files." + shown_name(name)};
    all.emplace(name, text.get_ref<const std::string&>());
  }
  return all;
}

/// The text of a file that is to be a "config.json" or a "profile".
/// \throws invalid_input if there is none of that name, or it is longer than any
inline const std::string& text_of(const request_files& files, const std::string& name,
                                  std::string_view what) {
  const auto found = files.find(name);
  if (found == files.end()) throw invalid_input{name + ": there is no such file"};
  if (found->second.size() > largest_json_text)
    throw invalid_input{name + ": is longer than " + std::to_string(largest_json_text >> 20) +
                        " MiB, so it is no " + std::string(what)};
  return found->second;
}

}  // namespace gpuplan::api
