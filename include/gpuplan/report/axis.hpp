#pragma once
/// \file
/// An axis: what it shows, in which unit, and where its ticks are.

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <string>
#include <vector>

#include <gpuplan/report/plotted_value.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// How values are spread along an axis.
enum class axis_scale {
  linear,       ///< from zero
  logarithmic,  ///< ticks at powers of ten, or at handy times
  doubling      ///< ticks at powers of two
};

namespace detail {

/// 1, 2 or 5 times a power of ten: the least of at least x; x > 0.
inline double handy_step(double x) {
  const double power = std::pow(10, std::floor(std::log10(x)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= x * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

/// Values of the ticks of a linear axis from zero, or from below zero, to the most or above.
inline std::vector<double> linear_ticks(double least, double most, int intervals) {
  const double low = (std::min)(least, 0.0);
  const double high = (std::max)(most, 0.0);
  const double step = high > low ? handy_step((high - low) / intervals) : 1;
  std::vector<double> ticks;
  const double first = std::floor(low / step + 1e-9);
  const double last = (std::max)(std::ceil(high / step - 1e-9), first + 1);
  for (double i = first; i <= last; ++i) ticks.push_back(i * step);
  return ticks;
}

/// Handy values of a logarithmic axis that cover least to most: all of `mantissas` times powers of
/// `base`.
inline std::vector<double> power_ticks(double least, double most, double base,
                                       std::initializer_list<double> mantissas) {
  constexpr double rounding = 1e-9;
  const double low = least * (1 + rounding);
  const double high = most * (1 - rounding);
  std::vector<double> ticks;
  const double from = std::floor(std::log(least) / std::log(base)) - 1;
  const double to = std::ceil(std::log(most) / std::log(base)) + 1;
  for (double power = from; power <= to; ++power)
    for (const double mantissa : mantissas) ticks.push_back(mantissa * std::pow(base, power));
  const auto below = std::upper_bound(ticks.begin(), ticks.end(), low);
  const auto first = below == ticks.begin() ? below : below - 1;
  auto above = std::lower_bound(first, ticks.end(), high);
  if (above - first < 1) ++above;
  return {first, above + 1};
}

/// Times that clocks and calendars know.
inline std::vector<double> time_ticks(double least, double most) {
  using units::minute, units::hour, units::day, units::year;
  std::vector<double> known;
  for (int power = -9; power <= 0; ++power) known.push_back(std::pow(10, power));
  for (const seconds time : {seconds{10}, minute, 10 * minute, hour, 10 * hour, 4 * day, 40 * day})
    known.push_back(time.in_base_units());
  for (double years = 1; years <= 1e12; years *= 10)
    known.push_back((years * year).in_base_units());
  const auto below = std::upper_bound(known.begin(), known.end(), least * (1 + 1e-9));
  auto above = std::lower_bound(known.begin(), known.end(), most * (1 - 1e-9));
  const auto first = below == known.begin() ? below : below - 1;
  if (above == known.end()) --above;
  if (above == first) ++above;
  return {first, above + 1};
}

/// Ranges, most over least, above which each tick has a unit of its own: from seconds to hours, and
/// from a prefix to the second next.
inline constexpr double most_of_one_time_unit = 30;
inline constexpr double most_of_one_unit = 1e6;

/// Values of ticks, in the unit in which they are printed.
inline std::vector<double> ticks_of(axis_scale scale, double least, double most, int intervals) {
  if (scale == axis_scale::linear) return linear_ticks(least, most, intervals);
  if (scale == axis_scale::doubling) return power_ticks(least, most, 2, {1});
  const std::array tried{power_ticks(least, most, 10, {1, 2, 5}),
                         power_ticks(least, most, 10, {1, 3}), power_ticks(least, most, 10, {1})};
  for (const auto& ticks : tried)
    if (static_cast<int>(ticks.size()) <= intervals + 1) return ticks;
  return tried.back();
}

}  // namespace detail

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
    require(value.of == of, "fit_axis: all values must have one dimension");
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
