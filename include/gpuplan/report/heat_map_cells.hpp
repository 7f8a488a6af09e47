#pragma once
/// \file
/// The cells of a heat map, what their colours and letters stand for, and their table.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <gpuplan/report/figure.hpp>
#include <gpuplan/report/plotted_value.hpp>
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

}  // namespace gpuplan
