#pragma once
/// \file
/// Bars in parts, one below the other, against a limit: what memory goes to.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gpuplan/report/axis_rows.hpp>
#include <gpuplan/report/figure.hpp>
#include <gpuplan/report/figure_legend.hpp>
#include <gpuplan/report/plotted_value.hpp>
#include <gpuplan/report/svg.hpp>
#include <gpuplan/report/svg_palette.hpp>
#include <gpuplan/report/svg_text_width.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// One bar; its parts in the order of the chart's.
struct stacked_bar {
  std::string name;
  std::vector<plotted_value> parts;  ///< each finite and >= 0

  [[nodiscard]] plotted_value total() const {
    plotted_value sum = parts.empty() ? plotted_value{} : parts.front();
    for (std::size_t i = 1; i < parts.size(); ++i) sum.base += parts[i].base;
    return sum;
  }
};

/// A line that bars should not cross.
struct bar_limit {
  std::string name;
  plotted_value value{};
};

/// Bars whose parts are the same things.
struct stacked_bars {
  chart_words words;
  std::string of;                  ///< what the bars are: "Stage"
  std::string value_title;         ///< what they measure: "Memory"
  std::vector<std::string> parts;  ///< names, as long as each bar's parts
  std::vector<stacked_bar> bars;
  std::optional<bar_limit> limit{};
};

namespace detail {

inline void require_valid(const stacked_bars& chart) {
  for (const stacked_bar& bar : chart.bars) {
    require(bar.parts.size() == chart.parts.size(),
            "stacked_bars: parts of a bar must be as many as names");
    for (const plotted_value& part : bar.parts)
      require(part.finite() && part.base >= 0, "stacked_bars: parts must be finite and >= 0");
  }
}

}  // namespace detail

/// Draws the bars, their sums beside them and the limit across.
///
/// \throws invalid_input if a part is negative or not finite, or of another dimension than others
inline void draw_chart(const stacked_bars& chart, svg_canvas& canvas, const std::string&) {
  detail::require_valid(chart);
  if (chart.bars.empty()) return draw_nothing(canvas);
  std::vector<legend_entry> entries;
  for (std::size_t i = 0; i < chart.parts.size(); ++i)
    entries.push_back({.text = chart.parts[i], .style = class_of_series(i)});
  if (chart.limit)
    entries.push_back({.text = chart.limit->name + ": " + text_of(chart.limit->value),
                       .style = "",
                       .line_style = "limit",
                       .kind = legend_mark::line});
  const double top = draw_legend(entries, canvas);

  std::vector<plotted_value> values;
  std::vector<std::string> names;
  constexpr double gap = 6;
  double sums = 0;
  for (const stacked_bar& bar : chart.bars) {
    values.push_back(bar.total());
    names.push_back(chart.of + ' ' + bar.name);
    sums = (std::max)(sums, text_width(text_of(bar.total()), picture_text));
  }
  if (chart.limit) values.push_back(chart.limit->value);
  const bar_rows rows =
      lay_out_rows(names, {chart.value_title}, values, sums + gap + 2, top, canvas);
  for (std::size_t i = 0; i < chart.bars.size(); ++i) {
    const stacked_bar& bar = chart.bars[i];
    plotted_value from = bar.total();
    from.base = 0;
    for (std::size_t k = 0; k < bar.parts.size(); ++k) {
      plotted_value to = from;
      to.base += bar.parts[k].base;
      if (bar.parts[k].base > 0)
        canvas.rectangle(rows.bar(i, from, to), class_of_series(k),
                         names[i] + ", " + chart.parts[k] + ": " + text_of(bar.parts[k]));
      from = to;
    }
    const std::string sum = text_of(from);
    double x = rows.x_of(from) + gap;
    if (chart.limit) {  // not across the line
      const double line = rows.x_of(chart.limit->value);
      if (x < line + gap && x + text_width(sum, picture_text) > line - gap) x = line + gap;
    }
    canvas.text({x, rows.base_of(i)}, text_anchor::start, "sum", sum);
  }
  if (chart.limit) {  // over bars that cross it
    const double x = rows.x_of(chart.limit->value);
    canvas.line({x, rows.top}, {x, rows.bottom()}, "limit");
  }
}

/// The bars as rows: each part, and the sum.
inline figure_table table_of(const stacked_bars& chart) {
  detail::require_valid(chart);
  figure_table rows{{{chart.of}}};
  for (const std::string& part : chart.parts) rows.columns.push_back({part, column_side::right});
  rows.columns.push_back({"Total", column_side::right});
  if (chart.limit) rows.columns.push_back({chart.limit->name, column_side::right});
  for (const stacked_bar& bar : chart.bars) {
    std::vector<figure_cell> cells{bar.name};
    for (const plotted_value& part : bar.parts) cells.emplace_back(part);
    cells.emplace_back(bar.total());
    if (chart.limit) cells.emplace_back(chart.limit->value);
    rows.row(std::move(cells));
  }
  return rows;
}

}  // namespace gpuplan
