#pragma once
/// \file
/// Lists that are typed with commas.

#include <string>
#include <string_view>
#include <vector>

#include "program.hpp"

namespace gpuplan::cli {

/// "a,b" as {"a", "b"}; an option that is given again goes on in a new line.
/// \throws bad_usage naming the option, if a part is empty
inline std::vector<std::string_view> list_parts(std::string_view typed, std::string_view option) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = typed.find_first_of(",\n");
    parts.push_back(typed.substr(0, end));
    if (parts.back().empty()) throw bad_usage{std::string(option) + " must not have an empty part"};
    if (end == typed.npos) return parts;
    typed.remove_prefix(end + 1);
  }
}

}  // namespace gpuplan::cli
