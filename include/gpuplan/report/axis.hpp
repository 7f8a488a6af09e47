#pragma once
/// \file
/// An axis: what it shows, in which unit, and where its ticks are.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gpuplan/report/axis_ticks.hpp>
#include <gpuplan/report/plotted_value.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// What an axis shows.
struct axis {
  std::string title;  ///< without a unit, which is found
  axis_scale scale = axis_scale::linear;
  value_reading reading = value_reading::count;

  /// Can it be drawn?  Zero and less are no values of a logarithm.
  [[nodiscard]] bool shows(const plotted_value& value) const {
    return value.finite() && (scale == axis_scale::linear || value.base > 0);
  }
};

/// A value that an axis names.
struct tick {
  double value = 0;  ///< in base units
  std::string label;
};

/// An axis that was fitted to values.
struct fitted_axis {
  axis shown{};      ///< its title with a unit
  double least = 0;  ///< in base units, as the most
  double most = 1;
  std::vector<tick> ticks{};

  /// Where a value stands, 0 at the least and 1 at the most.
  [[nodiscard]] double share(double value) const {
    if (shown.scale == axis_scale::linear) return (value - least) / (most - least);
    return std::log(value / least) / std::log(most / least);
  }
};

/// The axis whose ticks cover `values`; those that are not finite, and on a logarithmic axis those
/// that are not above zero, are left out.  Linear axes begin at zero.
///
/// \throws invalid_input if values differ in dimension, or intervals < 1
inline fitted_axis fit_axis(const axis& shown, const std::vector<plotted_value>& values,
                            int intervals) {
  require(intervals >= 1, "fit_axis: intervals must be >= 1");
  fitted_axis made{.shown = shown};
  std::vector<double> drawn;
  const dimension of = values.empty() ? dimension{} : values.front().of;
  for (const plotted_value& value : values) {
    require(value.of == of, "fit_axis: values must be of one dimension");
    if (shown.shows(value)) drawn.push_back(value.base);
  }
  if (drawn.empty()) drawn.push_back(1);
  const auto [low, high] = std::minmax_element(drawn.begin(), drawn.end());
  double least = *low;
  double most = *high;

  const bool linear = shown.scale == axis_scale::linear;
  const double typical =
      linear ? (std::max)(std::abs(least), std::abs(most)) : std::sqrt(least) * std::sqrt(most);
  const plotted_unit unit = unit_for(of, typical, shown.reading);
  const bool clock = shown.scale == axis_scale::logarithmic && of == seconds::exponents &&
                     most / least > detail::most_of_one_time_unit;
  std::vector<double> ticks =
      clock ? detail::time_ticks(least, most)
            : detail::ticks_of(shown.scale, least / unit.size, most / unit.size, intervals);
  if (!clock)
    for (double& at : ticks) at *= unit.size;
  made.least = ticks.front();
  made.most = ticks.back();
  const bool own_units = clock || (!linear && made.most / made.least > detail::most_of_one_unit);
  for (const double at : ticks) {
    plotted_value value{at};
    value.of = of;
    made.ticks.push_back({at, !own_units ? number_text(at / unit.size)
                              : clock    ? format_duration(seconds{at})
                                         : text_of(value, shown.reading)});
  }
  if (!own_units && !unit.symbol.empty()) made.shown.title += " (" + unit.symbol + ")";
  return made;
}

}  // namespace gpuplan
