#pragma once
/// \file
/// A figure of a page: a picture, its words, and its numbers as a table.

#include <concepts>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gpuplan/report/plotted_value.hpp>
#include <gpuplan/report/svg.hpp>
#include <gpuplan/report/table.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// How an entry is drawn.
enum class legend_mark { area, line, line_with_mark, mark };

/// A colour, line or mark, and what it means.
struct legend_entry {
  std::string text;
  std::string style;         ///< class of an area or a mark
  std::string line_style{};  ///< class of a line
  legend_mark kind = legend_mark::area;
  mark_shape shape = mark_shape::circle;
};

/// Draws entries side by side, in as many rows as they need; returns where what follows may begin.
inline double draw_legend(const std::vector<legend_entry>& entries, svg_canvas& canvas,
                          double top = 0) {
  constexpr double swatch = 18;
  constexpr double gap = 6;
  constexpr double between = 16;
  double left = 0;
  double base = top + 14;
  for (const legend_entry& entry : entries) {
    const std::string text = shortened(entry.text, picture_text, canvas.width() - swatch - gap);
    const double width = swatch + gap + text_width(text, picture_text);
    if (left > 0 && left + width > canvas.width()) {
      left = 0;
      base += picture_line;
    }
    const picture_point middle{left + swatch / 2, base - 4};
    if (entry.kind == legend_mark::area)
      canvas.rectangle({left + 3, base - 10, 12, 12}, entry.style);
    if (entry.kind == legend_mark::line || entry.kind == legend_mark::line_with_mark)
      canvas.line({left, middle.y}, {left + swatch, middle.y}, entry.line_style);
    if (entry.kind == legend_mark::mark || entry.kind == legend_mark::line_with_mark)
      canvas.mark(middle, entry.shape, entry.style);
    canvas.text({left + swatch + gap, base}, text_anchor::start, "key", text);
    left += width + between;
  }
  return entries.empty() ? top : base + 10;
}

/// A cell of a figure's table: what people read, and the number behind it for programs.
struct figure_cell {
  std::string text;
  std::optional<double> value{};  ///< in base units; none of words and of what is not finite

  figure_cell() = default;
  figure_cell(std::string words) : text{std::move(words)} {}
  figure_cell(const char* words) : text{words} {}
  template <std::convertible_to<plotted_value> Value>
  figure_cell(const Value& shown, value_reading reading = value_reading::count)
      : text{text_of(shown, reading)} {
    if (const plotted_value number = shown; number.finite()) value = number.base;
  }
};

/// A cell with a share of a whole, as a percentage.
inline figure_cell share_cell(double share) {
  return {share, value_reading::percent};
}

/// Rows of cells under titles.
struct figure_table {
  std::vector<column> columns;
  std::vector<std::vector<figure_cell>> rows{};

  /// \throws invalid_input if there are not as many cells as columns
  void row(std::vector<figure_cell> cells) {
    require(cells.size() == columns.size(),
            "figure_table.row: there must be a cell for each column");
    rows.push_back(std::move(cells));
  }
};

/// What every chart has.
struct chart_words {
  std::string title;
  std::string description;  ///< what to see in it, for those who do not see it, too
};

/// Widths in which a picture is drawn, each with the same size of text: for a telephone, and for a
/// screen or paper.
inline constexpr double narrow_picture = 340;
inline constexpr double wide_picture = 760;

/// A drawn chart.  `name` is its own on the page: letters, digits and hyphens.
struct figure {
  std::string name;
  chart_words words{};
  std::string narrow{};  ///< SVG; empty: a table alone
  std::string wide{};
  figure_table table{};
};

namespace detail {

/// Letters, digits and hyphens.
inline bool is_name(const std::string& text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == text.npos;
}

}  // namespace detail

/// A chart drawn in both widths, with its table: draw_chart(chart, canvas, id) and table_of(chart)
/// are found by its type.
///
/// \throws invalid_input if the name has other characters than a to z, 0 to 9 and hyphens, or the
///         chart is not valid
template <class Chart>
figure figure_of(const std::string& name, const Chart& chart) {
  require(detail::is_name(name), "figure_of: name must consist of a to z, 0 to 9 and hyphens");
  figure drawn{.name = name, .words = chart.words};
  const auto picture = [&](double width, const std::string& id) {
    svg_canvas canvas{width};
    draw_chart(chart, canvas, id);
    return canvas.markup(id, chart.words.title, chart.words.description);
  };
  drawn.narrow = picture(narrow_picture, name + "-narrow");
  drawn.wide = picture(wide_picture, name + "-wide");
  drawn.table = table_of(chart);
  return drawn;
}

}  // namespace gpuplan
