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
    std::vector<std::size_t> widths;
    std::vector<std::string> titles;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      std::size_t width = width_of(columns_[i].title);
      for (const auto& cells : rows_)
        if (!cells.empty()) width = (std::max)(width, width_of(cells[i]));
      widths.push_back(width);
      titles.push_back(columns_[i].title);
    }
    std::string all;
    const bool titled =
        std::any_of(titles.begin(), titles.end(), [](const auto& t) { return !t.empty(); });
    if (titled) all += fmt::format("{}{}\n", indent, bold(aligned(titles, widths), style));
    for (const auto& cells : rows_)
      all += fmt::format("{}{}\n", indent, cells.empty() ? dashes(widths) : aligned(cells, widths));
    return all;
  }

 private:
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
