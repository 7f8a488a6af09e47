#pragma once
/// \file
/// Text in aligned columns, for people.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/require.hpp>

namespace gpuplan {

/// On which side the cells of a column stand.
enum class column_side { left, right };

/// The head of a column.
struct column {
  std::string title;
  column_side side = column_side::left;
};

/// Whether escape sequences may make text bold; for terminals only.
enum class text_style { plain, terminal };

/// What begins and what ends bold text on a terminal.
inline constexpr std::array<std::string_view, 2> bold_marks{"\033[1m", "\033[0m"};

/// Bold on a terminal, as it is elsewhere.
inline std::string bold(std::string_view text, text_style style) {
  if (style != text_style::terminal) return std::string(text);
  return fmt::format("{}{}{}", bold_marks[0], text, bold_marks[1]);
}

/// Columns a text takes on a terminal: one for each code point of UTF-8.
constexpr std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

/// The lines of a text, each at most `width` columns wide; a longer word stands alone.
inline std::vector<std::string> wrapped_lines(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (true) {
    const std::size_t end = text.find(' ');
    const std::string_view word = text.substr(0, end);
    if (lines.empty() || width_of(lines.back()) + 1 + width_of(word) > width)
      lines.emplace_back(word);
    else
      lines.back() += fmt::format(" {}", word);
    if (end == text.npos) return lines;
    text.remove_prefix(end + 1);
  }
}

/// The same as one text, every line after the first indented.
inline std::string wrapped(std::string_view text, std::size_t width, std::string_view indent = "") {
  std::string all;
  for (const std::string& line : wrapped_lines(text, width - (std::min)(width, indent.size())))
    all += fmt::format("{}{}", all.empty() ? "" : fmt::format("\n{}", indent), line);
  return all;
}

/// Rows of cells under titles; as wide as the widest cell of each column, two blanks between them.
class table {
 public:
  explicit table(std::vector<column> columns) : columns_{std::move(columns)} {}

  /// \throws invalid_input if there are more cells than columns
  void row(std::vector<std::string> cells) {
    require(cells.size() <= columns_.size(), "table.row: cells must be <= columns");
    cells.resize(columns_.size());
    rows_.push_back(std::move(cells));
  }
  /// A line across, between the rows before and after.
  void line() { rows_.emplace_back(); }

  [[nodiscard]] bool empty() const { return rows_.empty(); }
  /// Rows so far, lines across among them.
  [[nodiscard]] std::size_t rows() const { return rows_.size(); }

  /// Lines that end in no blanks; titles are left out where all are empty.
  [[nodiscard]] std::string text(text_style style = text_style::plain,
                                 std::string_view indent = "") const {
    const std::vector<std::size_t> widths = widths_of_columns();
    std::vector<std::string> titles;
    for (const column& one : columns_) titles.push_back(one.title);
    std::string all;
    const bool titled =
        std::any_of(titles.begin(), titles.end(), [](const auto& t) { return !t.empty(); });
    if (titled) all += fmt::format("{}{}\n", indent, bold(aligned(titles, widths), style));
    for (const auto& cells : rows_)
      all += fmt::format("{}{}\n", indent, cells.empty() ? dashes(widths) : aligned(cells, widths));
    return all;
  }

  /// The same in at most `width` columns, as far as the last column can be wrapped; where little
  /// room is left beside the others, it stands below each row.
  [[nodiscard]] std::string text_within(std::size_t width,
                                        text_style style = text_style::plain) const {
    constexpr std::size_t least = 20;
    const std::vector<std::size_t> widths = widths_of_columns();
    std::size_t all = 2 * (widths.size() - 1);
    for (const std::size_t w : widths) all += w;
    if (all <= width) return text(style);
    const std::size_t before = all - widths.back();
    if (width >= before + (std::min)(least, widths.back())) {
      table narrow{columns_};
      for (const auto& cells : rows_) narrow.add_wrapped(cells, width - before);
      return narrow.text(style);
    }
    table above{std::vector<column>(columns_.begin(), columns_.end() - 1)};
    for (const auto& cells : rows_)
      if (cells.empty())
        above.line();
      else
        above.row(std::vector<std::string>(cells.begin(), cells.end() - 1));
    return above.with_lines_below(*this, width, style);
  }

 private:
  [[nodiscard]] std::vector<std::size_t> widths_of_columns() const {
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      std::size_t width = width_of(columns_[i].title);
      for (const auto& cells : rows_)
        if (!cells.empty()) width = (std::max)(width, width_of(cells[i]));
      widths.push_back(width);
    }
    return widths;
  }

  /// A row, its last cell on as many lines as it needs.
  void add_wrapped(const std::vector<std::string>& cells, std::size_t width) {
    if (cells.empty()) return line();
    std::vector<std::string> now = cells;
    for (const std::string& part : wrapped_lines(cells.back(), width)) {
      now.back() = part;
      row(now);
      now.assign(cells.size(), "");
    }
  }

  /// The rows, each followed by the last cell of the same row of another table.
  [[nodiscard]] std::string with_lines_below(const table& last, std::size_t width,
                                             text_style style) const {
    const std::string lines = text(style);
    std::string all;
    std::size_t begin = 0;
    const bool titled = std::any_of(columns_.begin(), columns_.end(),
                                    [](const column& one) { return !one.title.empty(); });
    for (std::size_t i = titled ? 0 : 1; i <= rows_.size(); ++i) {
      const std::size_t end = lines.find('\n', begin) + 1;
      all += lines.substr(begin, end - begin);
      begin = end;
      const std::string& below = i == 0                      ? last.columns_.back().title
                                 : last.rows_[i - 1].empty() ? std::string{}
                                                             : last.rows_[i - 1].back();
      if (!below.empty()) all += fmt::format("    {}\n", wrapped(below, width, "    "));
    }
    return all;
  }

  [[nodiscard]] std::string aligned(const std::vector<std::string>& cells,
                                    const std::vector<std::size_t>& widths) const {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string blanks(widths[i] - width_of(cells[i]), ' ');
      if (i > 0) line += "  ";
      line += columns_[i].side == column_side::right ? blanks + cells[i] : cells[i] + blanks;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
  }

  static std::string dashes(const std::vector<std::size_t>& widths) {
    std::size_t width = 2 * (widths.size() - 1);
    for (const std::size_t w : widths) width += w;
    return std::string(width, '-');
  }

  std::vector<column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace gpuplan
