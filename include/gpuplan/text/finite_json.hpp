#pragma once
/// \file
/// JSON as Python writes it, with numbers that JSON does not have.

#include <array>
#include <string>
#include <string_view>

namespace gpuplan {

/// The text with null in the place of Infinity, -Infinity and NaN, which stand in some published
/// configurations; what stands in strings stays.
inline std::string finite_json(std::string_view text) {
  constexpr std::array<std::string_view, 3> words{"-Infinity", "Infinity", "NaN"};
  std::string finite;
  finite.reserve(text.size());
  bool quoted = false;
  for (std::size_t i = 0; i < text.size();) {
    if (!quoted) {
      std::string_view found;
      for (const std::string_view word : words)
        if (found.empty() && text.substr(i).starts_with(word)) found = word;
      if (!found.empty()) {
        finite += "null";
        i += found.size();
        continue;
      }
    }
    if (quoted && text[i] == '\\' && i + 1 < text.size())
      finite += text[i++];
    else if (text[i] == '"')
      quoted = !quoted;
    finite += text[i++];
  }
  return finite;
}

}  // namespace gpuplan
