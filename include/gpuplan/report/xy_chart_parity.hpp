#pragma once
/// \file
/// Predicted against measured values.

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/report/xy_chart.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// One measurement.
struct parity_row {
  std::string group;  ///< rows of one group have one colour
  std::string name;
  plotted_value measured{};  ///< finite and > 0, both
  plotted_value predicted{};

  /// What the prediction is off by, over what was measured.
  [[nodiscard]] double error() const { return predicted.base / measured.base - 1; }
};

/// Points on two logarithmic axes, the line on which both are equal, and those on which they differ
/// by `band`, a share: 0.1 for ten percent.
///
/// \throws invalid_input if a value is not finite and > 0, or band is not above 0 and below 1
inline xy_chart parity_chart(chart_words words, const std::string& what,
                             const std::vector<parity_row>& rows, double band) {
  require(band > 0 && band < 1, "parity_chart: band must be above 0 and below 1");
  xy_chart chart{.words = std::move(words),
                 .x = {what + ", measured", axis_scale::logarithmic},
                 .y = {what + ", predicted", axis_scale::logarithmic},
                 .series = {},
                 .table = {{{"Run"},
                            {"Source"},
                            {"Measured", column_side::right},
                            {"Predicted", column_side::right},
                            {"Error", column_side::right}}},
                 .shape = xy_shape::square};
  if (rows.empty()) return chart;
  const auto less = [](const auto& a, const auto& b) { return a.measured.base < b.measured.base; };
  const auto ends = std::minmax_element(rows.begin(), rows.end(), less);
  const auto guide = [&](std::string name, double factor) {
    xy_series line{std::move(name), series_kind::guide, {}};
    for (const auto& row : {ends.first, ends.second}) {
      plotted_value y = row->measured;
      y.base *= factor;
      line.points.push_back({row->measured, y, {}, {}});
    }
    chart.series.push_back(std::move(line));
  };
  guide("equal", 1);
  guide(fmt::format("{:.0f} % more or less", 100 * band), 1 + band);
  guide("", 1 / (1 + band));

  for (const parity_row& row : rows) {
    require(row.measured.finite() && row.measured.base > 0 && row.predicted.finite() &&
                row.predicted.base > 0,
            "parity_chart: values must be finite and > 0");
    auto series = std::find_if(chart.series.begin(), chart.series.end(), [&](const auto& one) {
      return one.kind == series_kind::points && one.name == row.group;
    });
    if (series == chart.series.end())
      series = chart.series.insert(series, {row.group, series_kind::points, {}});
    series->points.push_back({row.measured,
                              row.predicted,
                              {},
                              fmt::format("{}: {} measured, {} predicted", row.name,
                                          text_of(row.measured), text_of(row.predicted))});
    chart.table.row({row.name, row.group, row.measured, row.predicted,
                     share_cell(row.error())});
  }
  return chart;
}

}  // namespace gpuplan
