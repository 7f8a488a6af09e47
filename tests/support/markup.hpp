#pragma once
/// \file
/// What tests ask of markup: is it well formed, what does it hold?

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace gpuplan::testing {

/// Why a text of elements is not well formed; empty if it is.  Each tag is closed in order,
/// attributes are quoted, and < and & stand for markup alone.
inline std::string markup_fault(std::string_view text) {
  std::vector<std::string> open;
  while (!text.empty()) {
    if (text.front() == '&') {
      const auto end = text.find(';');
      constexpr std::string_view known[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};
      const std::string_view entity = text.substr(0, end == text.npos ? 1 : end + 1);
      if (std::find(std::begin(known), std::end(known), entity) == std::end(known))
        return "an & that begins no entity: " + std::string(text.substr(0, 20));
    }
    if (text.front() != '<') {
      text.remove_prefix(1);
      continue;
    }
    bool is_quoted = false;
    std::size_t end = 1;
    for (; end < text.size() && (is_quoted || text[end] != '>'); ++end) {
      if (text[end] == '"') is_quoted = !is_quoted;
      if (text[end] == '<') return "a < inside of a tag: " + std::string(text.substr(0, end));
    }
    if (end == text.size()) return "a tag that does not end: " + std::string(text.substr(0, 40));
    const std::string_view tag = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) return "closes " + std::string(tag);
      open.pop_back();
    } else if (!tag.ends_with('/') && !tag.starts_with('!') && !tag.starts_with("meta")) {
      open.emplace_back(tag.substr(0, tag.find(' ')));
    }
  }
  return open.empty() ? "" : "does not close " + open.back();
}

/// How often a part stands in a text.
inline int count_of(std::string_view part, std::string_view text) {
  int count = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

/// Numbers that are none.
inline bool has_no_number(std::string_view text) {
  return text.find("\"nan") != text.npos || text.find("\"inf") != text.npos ||
         text.find("\"-inf") != text.npos || text.find("\"-nan") != text.npos;
}

}  // namespace gpuplan::testing
