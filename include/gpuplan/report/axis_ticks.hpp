#pragma once
/// \file
/// Handy values between which others are easily read.

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <vector>

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

}  // namespace gpuplan
