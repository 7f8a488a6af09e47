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

  /// The same in at most `width` columns, as far as the last column and the widest other one of
  /// texts can be wrapped; where little room is left beside the others, the last stands below each
  /// row.
  [[nodiscard]] std::string text_within(std::size_t width, text_style style = text_style::plain,
                                        std::string_view indent = "") const {
    constexpr std::size_t least = 20;
    const std::vector<std::size_t> widths = widths_of_columns();
    std::size_t all = indent.size() + 2 * (widths.size() - 1);
    for (const std::size_t w : widths) all += w;
    if (all <= width) return text(style, indent);
    const std::size_t over = all - width;
    const std::size_t last = widths.size() - 1;
    std::vector<std::size_t> narrow = widths;
    narrow[last] = widths[last] - (std::min)(over, widths[last] - (std::min)(least, widths[last]));
    const std::size_t left = over - (widths[last] - narrow[last]);
    if (left == 0) return wrapped_to(narrow).text(style, indent);
    if (const std::size_t at = widest_of_texts(widths);
        at < last && widths[at] >= least + left && longest_word(at) <= widths[at] - left) {
      narrow[at] = widths[at] - left;
      return wrapped_to(narrow).text(style, indent);
    }
    return indent.empty() ? stacked_within(width, style) : text(style, indent);
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

  /// The widest column of texts before the last; the last where there is none.
  [[nodiscard]] std::size_t widest_of_texts(const std::vector<std::size_t>& widths) const {
    std::size_t widest = columns_.size() - 1;
    for (std::size_t i = 0; i + 1 < columns_.size(); ++i)
      if (columns_[i].side == column_side::left &&
          (widest + 1 == columns_.size() || widths[i] > widths[widest]))
        widest = i;
    return widest;
  }

  /// The lines of a row whose cells are wrapped to these widths.
  static std::vector<std::vector<std::string>> lines_of(const std::vector<std::string>& cells,
                                                        const std::vector<std::size_t>& widths) {
    std::vector<std::vector<std::string>> lines;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::vector<std::string> parts = wrapped_lines(cells[i], widths[i]);
      if (parts.size() > lines.size())
        lines.resize(parts.size(), std::vector<std::string>(cells.size()));
      for (std::size_t part = 0; part < parts.size(); ++part) lines[part][i] = parts[part];
    }
    return lines;
  }

  /// The same with cells on as many lines as they need in columns of these widths.
  [[nodiscard]] table wrapped_to(const std::vector<std::size_t>& widths) const {
    table narrow{columns_};
    for (const auto& cells : rows_) {
      if (cells.empty()) {
        narrow.line();
        continue;
      }
      for (std::vector<std::string>& line : lines_of(cells, widths)) narrow.row(std::move(line));
    }
    return narrow;
  }

  /// Columns of the longest word in the cells and the title of a column.
  [[nodiscard]] std::size_t longest_word(std::size_t place) const {
    std::size_t longest = width_of(columns_[place].title);
    for (const auto& cells : rows_)
      if (!cells.empty())
        for (const std::string& word : wrapped_lines(cells[place], 1))
          longest = (std::max)(longest, width_of(word));
    return longest;
  }

  /// The rows without their last cell, which stands below each.
  [[nodiscard]] std::string stacked_within(std::size_t width, text_style style) const {
    table above{std::vector<column>(columns_.begin(), columns_.end() - 1)};
    for (const auto& cells : rows_)
      above.rows_.emplace_back(cells.begin(), cells.end() - (cells.empty() ? 0 : 1));
    std::vector<std::size_t> widths = above.widths_of_columns();
    std::size_t all = 2 * (widths.size() - 1);
    for (const std::size_t w : widths) all += w;
    const std::size_t at = above.widest_of_texts(widths);
    const std::size_t over = all - (std::min)(all, width);
    if (above.columns_[at].side == column_side::left && over < widths[at])
      widths[at] = (std::max)(widths[at] - over, above.longest_word(at));

    const auto below = [&](std::string_view cell) {
      return cell.empty() ? std::string{} : fmt::format("    {}\n", wrapped(cell, width, "    "));
    };
    std::vector<std::string> titles;
    for (const column& one : above.columns_) titles.push_back(one.title);
    std::string lines;
    if (std::any_of(columns_.begin(), columns_.end(),
                    [](const column& c) { return !c.title.empty(); }))
      lines = bold(above.aligned(titles, widths), style) + "\n" + below(columns_.back().title);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (rows_[row].empty()) {
        lines += dashes(widths) + "\n";
        continue;
      }
      for (const auto& cells : lines_of(above.rows_[row], widths))
        lines += above.aligned(cells, widths) + "\n";
      lines += below(rows_[row].back());
    }
    return lines;
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
