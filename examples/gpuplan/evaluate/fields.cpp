/// \file
/// What a request of evaluate may hold, for people.

#include "evaluate/fields.hpp"

#include <string_view>

#include <gpuplan/api/request_fields.hpp>

#include "field_text.hpp"

namespace gpuplan::cli {
namespace {

/// Words in lines of at most 100 columns, the first of which has a title.
std::string with_title(std::string_view title, std::string_view words) {
  constexpr std::size_t indent = 31;
  constexpr std::size_t width = 100 - indent;
  std::string text = "  " + std::string(title);
  text.resize(indent, ' ');
  while (words.size() > width) {
    const std::size_t end = words.rfind(' ', width);
    text += std::string(words.substr(0, end)) + "\n" + std::string(indent, ' ');
    words.remove_prefix(end + 1);
  }
  return text + std::string(words) + "\n";
}

}  // namespace

std::string fields_in_words() {
  std::string text;
  api::for_each_part([&](std::string_view part, const auto& rows) {
    text += std::string(part) + "\n";
    for (const auto& row : rows) text += with_title(row.key, help_of(row, usual_in_words(row)));
  });
  return text;
}

}  // namespace gpuplan::cli
