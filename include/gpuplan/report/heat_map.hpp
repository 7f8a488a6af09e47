#pragma once
/// \file
/// A value for each pair of two choices, by colour; where there is none, hatched with the reason.

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <gpuplan/report/axis_rows.hpp>
#include <gpuplan/report/heat_map_cells.hpp>
#include <gpuplan/report/plotted_value.hpp>
#include <gpuplan/report/svg.hpp>
#include <gpuplan/report/svg_palette.hpp>

namespace gpuplan {

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
