#pragma once
/// \file
/// A coloured value for each pair of two choices; where there is none, hatched with the reason.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <gpuplan/report/axis_frame.hpp>
#include <gpuplan/report/figure.hpp>
#include <gpuplan/report/plotted_value.hpp>
#include <gpuplan/report/svg.hpp>
#include <gpuplan/report/svg_palette.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// The value of a pair, or why there is none.
struct heat_cell {
  std::optional<plotted_value> value{};
  std::string reason{};  ///< why there is no value; drawn as a letter that is explained below
  std::string tip{};
};

/// Which values are the ones to look for; they are the bright ones.
enum class heat_order { low_is_good, high_is_good };

/// Pairs of a row and a column, and the value of each.
struct heat_map {
  chart_words words;
  std::string row_title;     ///< "Tensor parallel"
  std::string column_title;  ///< "Pipeline stages"
  std::string value_title;   ///< "Step"
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  std::vector<heat_cell> cells;  ///< row by row
  value_reading reading = value_reading::count;
  heat_order order = heat_order::low_is_good;

  [[nodiscard]] const heat_cell& at(std::size_t row, std::size_t column) const {
    return cells[row * columns.size() + column];
  }
};

namespace detail {

/// The range of the values, and the reasons in the order in which they are met.
struct heat_legend {
  std::vector<plotted_value> values{};
  std::vector<std::string> reasons{};
  plotted_unit unit{};  ///< of every cell

  explicit heat_legend(const heat_map& chart) {
    for (const heat_cell& cell : chart.cells)
      if (cell.value)
        values.push_back(*cell.value);
      else if (std::find(reasons.begin(), reasons.end(), cell.reason) == reasons.end())
        reasons.push_back(cell.reason);
    std::sort(values.begin(), values.end(),
              [](const auto& a, const auto& b) { return a.base < b.base; });
    if (!values.empty()) unit = unit_for(values.back().of, values.back().base, chart.reading);
  }
  /// A value without its unit, short enough for a cell.
  [[nodiscard]] std::string text(const plotted_value& value) const {
    return number_text(value.base / unit.size, 3);
  }
  /// "A" of the first reason, ... "Z", "A2" where there are more.
  [[nodiscard]] std::string letter(const std::string& reason) const {
    const auto at = static_cast<std::size_t>(std::find(reasons.begin(), reasons.end(), reason) -
                                             reasons.begin());
    return std::string(1, static_cast<char>('A' + at % 26)) +
           (at < 26 ? "" : std::to_string(at / 26 + 1));
  }
  /// 0 of the least value, 1 of the most.
  [[nodiscard]] double share(const plotted_value& value) const {
    const double least = values.front().base;
    const double most = values.back().base;
    return most > least ? (value.base - least) / (most - least) : 0;
  }
};

inline void require_valid(const heat_map& chart) {
  require(chart.cells.size() == chart.rows.size() * chart.columns.size(),
          "heat_map: cells must be rows x columns");
  for (const heat_cell& cell : chart.cells)
    require(!cell.value || cell.value->finite(), "heat_map: values must be finite");
}

}  // namespace detail

/// A row for each cell.
inline figure_table table_of(const heat_map& chart) {
  detail::require_valid(chart);
  figure_table all{{{chart.row_title, column_side::right},
                    {chart.column_title, column_side::right},
                    {chart.value_title, column_side::right},
                    {"What it is"}}};
  for (std::size_t i = 0; i < chart.rows.size(); ++i)
    for (std::size_t k = 0; k < chart.columns.size(); ++k) {
      const heat_cell& one = chart.at(i, k);
      all.row({chart.rows[i], chart.columns[k],
               one.value ? figure_cell{*one.value, chart.reading} : figure_cell{"none"},
               one.value || !one.tip.empty() ? one.tip : one.reason});
    }
  return all;
}

namespace detail {

/// A bar from the worst colour to the best, and what they are.
inline double draw_scale(const heat_map& chart, const heat_legend& legend, double top,
                         svg_canvas& canvas) {
  if (legend.values.empty()) return top;
  const bool low = chart.order == heat_order::low_is_good;
  const auto& worst = low ? legend.values.back() : legend.values.front();
  const auto& best = low ? legend.values.front() : legend.values.back();
  const std::string title =
      chart.value_title + (legend.unit.symbol.empty() ? "" : " (" + legend.unit.symbol + ")");
  const std::string lead = title + ": " + legend.text(worst);
  const double base = top + 14;
  canvas.text({text_margin, base}, text_anchor::start, "key", lead);
  double left = text_margin + text_width(lead, picture_text) + 8;
  constexpr int steps = 24;
  constexpr double step = 4;
  for (int i = 0; i < steps; ++i)
    canvas.tile({left + i * step, base - 10, step, 12},
                hexadecimal(scale_colour((i + 0.5) / steps)), {}, "step");
  left += steps * step + 8;
  canvas.text({left, base}, text_anchor::start, "key", legend.text(best) + " (best)");
  return base + 10;
}

}  // namespace detail

/// Draws the map; a value or letter that does not fit into its cell is left to the table.
///
/// \throws invalid_input if there are not rows x columns cells, or a value is not finite
inline void draw_chart(const heat_map& chart, svg_canvas& canvas, const std::string& id) {
  detail::require_valid(chart);
  if (chart.cells.empty()) return draw_nothing(canvas);
  const detail::heat_legend legend{chart};
  double top = detail::draw_scale(chart, legend, 0, canvas);

  double left = 0;
  for (const std::string& row : chart.rows)
    left = (std::max)(left, text_width(row, picture_text) + 8);
  const double cell =
      (std::min)((canvas.width() - left) / static_cast<double>(chart.columns.size()), 110.0);
  constexpr double high = 30;
  canvas.text({text_margin, top + 14}, text_anchor::start, "axis",
              shortened(chart.row_title + " (down), " + chart.column_title + " (across)",
                        picture_text, canvas.width() - text_margin));
  top += picture_line + 4;
  for (std::size_t i = 0; i < chart.columns.size(); ++i)
    canvas.text({left + (static_cast<double>(i) + 0.5) * cell, top + 14}, text_anchor::middle,
                "axis", chart.columns[i]);
  top += picture_line + 6;

  const std::string pattern = id + "-hatch";
  canvas.define("<pattern id=\"" + pattern +
                "\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" "
                "patternTransform=\"rotate(45)\"><rect class=\"hatched\" width=\"7\" height=\"7\"/>"
                "<line class=\"hatch\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"7\"/></pattern>");
  const bool low = chart.order == heat_order::low_is_good;
  for (std::size_t i = 0; i < chart.rows.size(); ++i) {
    const double y = top + static_cast<double>(i) * high;
    canvas.text({left - 8, y + 19}, text_anchor::end, "axis", chart.rows[i]);
    for (std::size_t k = 0; k < chart.columns.size(); ++k) {
      const heat_cell& one = chart.at(i, k);
      const picture_box box{left + static_cast<double>(k) * cell, y, cell, high};
      const picture_point middle{box.left + cell / 2, y + 19};
      const auto fits = [&](const std::string& text) {
        return text_width(text, picture_text) + 4 <= cell;
      };
      if (!one.value) {
        canvas.tile(box, "url(#" + pattern + ")", one.tip.empty() ? one.reason : one.tip);
        const std::string letter = legend.letter(one.reason);
        if (fits(letter)) canvas.text(middle, text_anchor::middle, "letter", letter);
        continue;
      }
      const double share = legend.share(*one.value);
      const rgb_colour fill = scale_colour(low ? 1 - share : share);
      canvas.tile(box, hexadecimal(fill), one.tip);
      const bool dark = contrast_ratio(fill, {0, 0, 0}) > contrast_ratio(fill, {255, 255, 255});
      const std::string text = legend.text(*one.value);
      if (fits(text)) canvas.text(middle, text_anchor::middle, dark ? "dark" : "bright", text);
    }
  }
  double base = top + static_cast<double>(chart.rows.size()) * high + 20;
  for (const std::string& reason : legend.reasons)
    for (const std::string& line : wrapped(legend.letter(reason) + ": " + reason, picture_text,
                                           canvas.width() - text_margin)) {
      canvas.text({text_margin, base}, text_anchor::start, "axis", line);
      base += picture_line;
    }
}

}  // namespace gpuplan
