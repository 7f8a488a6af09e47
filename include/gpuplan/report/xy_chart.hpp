#pragma once
/// \file
/// Lines and points over two axes.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gpuplan/report/axis.hpp>
#include <gpuplan/report/axis_frame.hpp>
#include <gpuplan/report/figure.hpp>
#include <gpuplan/report/plotted_value.hpp>
#include <gpuplan/report/svg.hpp>
#include <gpuplan/report/svg_palette.hpp>

namespace gpuplan {

/// A pair of values, and what is said of it.
struct xy_point {
  plotted_value x{};
  plotted_value y{};                    ///< one that is not finite is left out of the picture
  std::string label{};                  ///< beside the point where there is room; empty: none
  std::string tip{};                    ///< what the point is, where it is pointed at
  std::optional<plotted_value> low{};   ///< the ends of a whisker through the point, along y: both
  std::optional<plotted_value> high{};  ///< of them or none
};

/// How a series is drawn.
enum class series_kind {
  line,    ///< with a mark at each point
  points,  ///< marks alone
  guide    ///< a dashed line without marks: what would be ideal, a bound
};

/// Points that belong together.
struct xy_series {
  std::string name;  ///< empty: not in the legend
  series_kind kind = series_kind::line;
  std::vector<xy_point> points;
};

/// Whether both axes are as long for as much: so that a line of equals is the diagonal.
enum class xy_shape { wide, square };

/// Series over one pair of axes.
struct xy_chart {
  chart_words words;
  axis x;
  axis y;
  std::vector<xy_series> series;
  figure_table table{};  ///< empty: a row for each point
  xy_shape shape = xy_shape::wide;
};

/// The chart's own table, else each point of each series that is no guide: name, x and y.
inline figure_table table_of(const xy_chart& chart) {
  if (!chart.table.columns.empty()) return chart.table;
  figure_table rows{
      {{"Series"}, {chart.x.title, column_side::right}, {chart.y.title, column_side::right}}};
  for (const xy_series& series : chart.series)
    for (const xy_point& point : series.points)
      if (series.kind != series_kind::guide)
        rows.row({series.name, figure_cell{point.x, chart.x.reading},
                  figure_cell{point.y, chart.y.reading}});
  return rows;
}

namespace detail {

/// How a series looks.  Guides take no colour, and one without a name looks as the one before.
struct series_look {
  std::string mark;
  std::string line;
  mark_shape shape = mark_shape::circle;
};

inline std::vector<series_look> looks_of(const std::vector<xy_series>& all) {
  std::vector<series_look> looks;
  std::size_t coloured = 0;
  std::size_t guides = 0;
  for (const xy_series& series : all) {
    if (series.kind == series_kind::guide) {
      if (!series.name.empty()) ++guides;
      looks.push_back({"", guides % 2 == 1 ? "guide" : "guide dotted"});
      continue;
    }
    const std::string colour = class_of_series(coloured);
    looks.push_back(
        {colour, "l" + colour.substr(1), static_cast<mark_shape>(coloured % mark_shapes)});
    ++coloured;
  }
  return looks;
}

/// Half of the bar at each end of a whisker.
inline constexpr double whisker_cap = 4;

/// From the low to the high value of a point, with a bar at each end; none where an end is not
/// finite.
inline void draw_whisker(const xy_point& point, const std::string& style, const xy_frame& frame,
                         svg_canvas& canvas) {
  if (!point.low || !point.high) return;
  if (!frame.shows(point.x, *point.low) || !frame.shows(point.x, *point.high)) return;
  const picture_point low = frame.point(point.x, *point.low);
  const picture_point high = frame.point(point.x, *point.high);
  canvas.line(low, high, style);
  for (const picture_point& end : {low, high})
    canvas.line({end.x - whisker_cap, end.y}, {end.x + whisker_cap, end.y}, style);
}

inline void draw_series(const xy_series& series, const series_look& look, const xy_frame& frame,
                        svg_canvas& canvas) {
  if (series.kind != series_kind::points) {
    std::vector<picture_point> run;  // broken where a point cannot be drawn
    for (const xy_point& point : series.points) {
      if (frame.shows(point.x, point.y)) {
        run.push_back(frame.point(point.x, point.y));
        continue;
      }
      canvas.polyline(run, look.line);
      run.clear();
    }
    canvas.polyline(run, look.line);
  }
  if (series.kind == series_kind::guide) return;
  for (const xy_point& point : series.points) draw_whisker(point, look.line, frame, canvas);
  for (const xy_point& point : series.points)
    if (frame.shows(point.x, point.y))
      canvas.mark(frame.point(point.x, point.y), look.shape, look.mark,
                  point.tip.empty() ? point.label : point.tip);
}

/// Labels at the first side of their point that is free; none where no side is.
inline void draw_labels(const xy_series& series, const xy_frame& frame, svg_canvas& canvas) {
  for (const xy_point& point : series.points) {
    if (point.label.empty() || !frame.shows(point.x, point.y)) continue;
    const picture_point at = frame.point(point.x, point.y);
    const auto tried = [&](double x, double y, text_anchor anchor) {
      const picture_box box = box_of_text({x, y}, anchor, point.label);
      if (box.top < frame.plot.top - 4 || box.bottom() > frame.plot.bottom()) return false;
      if (box.left < frame.plot.left) return false;
      return canvas.text({x, y}, anchor, "label", point.label);
    };
    const auto beside = [&] {
      return tried(at.x + 8, at.y + 4, text_anchor::start) ||
             tried(at.x - 8, at.y + 4, text_anchor::end);
    };
    const auto above_or_below = [&] {
      return tried(at.x, at.y - 9, text_anchor::middle) ||
             tried(at.x, at.y + 18, text_anchor::middle) ||
             tried(at.x + 5, at.y - 9, text_anchor::start) ||
             tried(at.x - 5, at.y - 9, text_anchor::end) ||
             tried(at.x + 5, at.y + 18, text_anchor::start) ||
             tried(at.x - 5, at.y + 18, text_anchor::end);
    };
    const bool is_line = series.kind == series_kind::line;  // which runs through what is beside
    if (is_line ? above_or_below() : beside()) continue;
    is_line ? beside() : above_or_below();
  }
}

}  // namespace detail

/// Draws series over each other in their order, guides below.
///
/// \throws invalid_input if the values of an axis differ in dimension
inline void draw_chart(const xy_chart& chart, svg_canvas& canvas, const std::string&) {
  std::vector<plotted_value> x_values;
  std::vector<plotted_value> y_values;
  bool is_empty = true;
  for (const xy_series& series : chart.series)
    for (const xy_point& point : series.points) {
      if (series.kind != series_kind::guide) is_empty = false;
      if (!chart.x.shows(point.x) || !chart.y.shows(point.y)) continue;
      x_values.push_back(point.x);
      y_values.push_back(point.y);
      for (const auto& end : {point.low, point.high})
        if (end && chart.y.shows(*end)) y_values.push_back(*end);
    }
  if (is_empty) return draw_nothing(canvas);

  const std::vector<detail::series_look> looks = detail::looks_of(chart.series);
  std::vector<legend_entry> entries;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const xy_series& series = chart.series[i];
    if (series.name.empty()) continue;
    const legend_mark kind = series.kind == series_kind::guide    ? legend_mark::line
                             : series.kind == series_kind::points ? legend_mark::mark
                                                                  : legend_mark::line_with_mark;
    entries.push_back({series.name, looks[i].mark, looks[i].line, kind, looks[i].shape});
  }
  const double top = draw_legend(entries, canvas);
  const bool is_narrow = canvas.width() < 500;
  const bool is_square = chart.shape == xy_shape::square;
  const double height = is_narrow ? 250 : is_square ? 0.72 * canvas.width() : 330;
  const xy_frame frame = draw_frame(chart.x, x_values, chart.y, y_values, top, height, canvas);

  for (const bool guides : {true, false})
    for (std::size_t i = 0; i < chart.series.size(); ++i)
      if ((chart.series[i].kind == series_kind::guide) == guides)
        detail::draw_series(chart.series[i], looks[i], frame, canvas);
  for (const xy_series& series : chart.series) detail::draw_labels(series, frame, canvas);
}

}  // namespace gpuplan
