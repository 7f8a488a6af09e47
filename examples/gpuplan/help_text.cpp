/// \file
/// Lines of text in the columns there are.

#include "help_text.hpp"

#include <algorithm>
#include <vector>

#include <gpuplan/report/table.hpp>

namespace gpuplan::cli {
namespace {

/// Where the text of a line begins: after its indentation, or after two blanks that do not end a
/// sentence: "  --gpu TEXT   Name".
std::size_t column_of_text(std::string_view line) {
  const std::size_t indent = line.find_first_not_of(' ');
  if (indent == line.npos) return 0;
  const std::size_t gap = line.find("  ", indent);
  if (gap == line.npos || line[gap - 1] == '.' || line[gap - 1] == ':') return indent;
  const std::size_t after = line.find_first_not_of(' ', gap);
  return after == line.npos ? indent : after;
}

/// A command or a request, to be pasted as it is.
bool is_pasted(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return line.starts_with("gpuplan ") || line.starts_with("source ") || line.starts_with('{');
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return lines;
}

std::string without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == text.npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(' ') + 1 - first));
}

}  // namespace

std::string within_width(std::string_view text, std::size_t width) {
  constexpr std::size_t least = 20;  // of the text beside what stands before it
  const std::vector<std::string_view> lines = lines_of(text);
  std::string all;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    const std::size_t column = column_of_text(line);
    if (width_of(line) <= width || is_pasted(line) || column + least > width) {
      all += std::string(line) + "\n";
      continue;
    }
    std::string words(line.substr(column));
    for (; i + 1 < lines.size(); ++i) {
      const std::string_view next = lines[i + 1];
      const bool goes_on = next.find_first_not_of(' ') == column && column_of_text(next) == column;
      if (!goes_on || is_pasted(next)) break;
      words += " " + std::string(next.substr(column));
    }
    std::string before(line.substr(0, column));
    for (const std::string& part : wrapped_lines(words, width - column)) {
      all += before + without_blanks(part) + "\n";
      before.assign(column, ' ');
    }
  }
  if (!text.ends_with('\n') && !all.empty()) all.pop_back();
  return all;
}

}  // namespace gpuplan::cli
