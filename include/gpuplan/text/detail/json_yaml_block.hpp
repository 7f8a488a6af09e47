#pragma once
/// \file
/// Blocks of text of YAML: the lines under | or >.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/text/json_scalar.hpp>

namespace gpuplan::detail {

/// Which ends of lines a block keeps behind its last line of text.
enum class yaml_block_end { one, none, all };

/// What stands beside the name of a block: |, >, |-, >+, |2-.
struct yaml_block_header {
  bool folds = false;                        ///< >: lines are joined by blanks
  yaml_block_end end = yaml_block_end::one;  ///< -: none, +: all
  std::size_t indent = 0;                    ///< columns more than its name; 0: as its first line
};

/// Nothing where it is no such header.
inline std::optional<yaml_block_header> yaml_block_header_of(std::string_view rest) {
  if (rest.empty() || (rest.front() != '|' && rest.front() != '>')) return std::nullopt;
  yaml_block_header read{.folds = rest.front() == '>'};
  rest.remove_prefix(1);
  bool has_end = false;
  for (; !rest.empty() && !is_blank(rest.front()); rest.remove_prefix(1)) {
    const char sign = rest.front();
    const bool is_end = sign == '-' || sign == '+';
    if (is_end && !has_end)
      read.end = sign == '-' ? yaml_block_end::none : yaml_block_end::all;
    else if (sign >= '1' && sign <= '9' && read.indent == 0)
      read.indent = static_cast<std::size_t>(sign - '0');
    else
      return std::nullopt;
    has_end = has_end || is_end;
  }
  rest = trimmed(rest);
  if (!rest.empty() && rest.front() != '#') return std::nullopt;
  return read;
}

/// Leading blanks of a line.
inline std::size_t yaml_indent(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

/// The text of a block.
///
///     lines  of the block, without their indentation; those of blanks alone are empty
///
/// Source: O. Ben-Kiki, C. Evans and I. dot Net, "YAML Ain't Markup Language 1.1" (2005), 9.3; a
/// line that begins with a blank is not joined with those beside it.
inline std::string yaml_block_text(const std::vector<std::string_view>& lines,
                                   const yaml_block_header& how) {
  std::string text;
  std::size_t ends = 0;  // of lines, behind the last that has text
  bool joins = false;    // whether that line may be joined with the next
  bool begun = false;
  for (const std::string_view line : lines) {
    if (line.empty()) {
      ++ends;
      continue;
    }
    const bool is_flush = !is_blank(line.front());
    const bool is_joined = how.folds && joins && is_flush;
    if (is_joined && ends == 1)
      text += ' ';
    else
      text.append(is_joined ? ends - 1 : ends, '\n');
    text += line;
    ends = 1;
    joins = is_flush;
    begun = true;
  }
  if (how.end == yaml_block_end::all) text.append(ends, '\n');
  if (how.end == yaml_block_end::one && begun) text += '\n';
  return text;
}

}  // namespace gpuplan::detail
