#pragma once
/// \file
/// JSON as text, as it is printed.

#include <algorithm>
#include <string>

#include <gpuplan/report/json.hpp>
#include <gpuplan/text/visible.hpp>

namespace gpuplan::api {

/// How much room JSON takes.
enum class json_layout {
  line,   ///< one line
  indent  ///< two spaces for each level
};

/// JSON as text.  What a terminal would obey or not show, and bytes that are no UTF-8, come out as
/// escapes, so that the text may be printed.
inline std::string printed(const report_json& value, json_layout layout) {
  std::string text = value.dump(layout == json_layout::line ? -1 : 2, ' ', false,
                                report_json::error_handler_t::replace);
  const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= ' ' && c <= '~') || line_characters.find(c) != line_characters.npos;
  });
  return is_plain ? text : visible(text, line_characters);
}

}  // namespace gpuplan::api
