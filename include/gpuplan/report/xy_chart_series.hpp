#pragma once
/// \file
/// Series of points, the axes over which they stand, and their table.

#include <string>
#include <vector>

#include <gpuplan/report/axis.hpp>
#include <gpuplan/report/figure.hpp>
#include <gpuplan/report/plotted_value.hpp>

namespace gpuplan {

/// A pair of values, and what is said of it.
struct xy_point {
  plotted_value x{};
  plotted_value y{};    ///< one that is not finite is left out of the picture
  std::string label{};  ///< beside the point where there is room; empty: none
  std::string tip{};    ///< what the point is, where it is pointed at
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

}  // namespace gpuplan
