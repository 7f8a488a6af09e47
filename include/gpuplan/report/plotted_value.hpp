#pragma once
/// \file
/// A value that a picture shows: a number with its dimension, and the unit in which it is printed.

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <string>

#include <fmt/format.h>

#include <gpuplan/require.hpp>
#include <gpuplan/units/format.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A quantity of any dimension, so that an axis finds its unit and refuses to mix two.
struct plotted_value {
  double base = 0;  ///< in base units
  dimension of{};   ///< none of counts and shares

  constexpr plotted_value() = default;
  template <dimension D>
  constexpr plotted_value(const quantity<D, double>& q) : base{q.in_base_units()}, of{D} {}
  /// A count or a share.
  template <class Number>
  requires std::integral<Number> || std::floating_point<Number>
  constexpr plotted_value(Number count) : base{static_cast<double>(count)} {}

  [[nodiscard]] bool finite() const { return std::isfinite(base); }
};

/// A unit that a value is printed in.
struct plotted_unit {
  std::string symbol;  ///< empty of counts
  double size = 1;     ///< in base units
};

/// How values without a dimension are read.
enum class value_reading { count, percent };

namespace detail {

struct time_unit {
  const char* symbol;
  seconds size;
  seconds least;  ///< that is said in it
};
inline constexpr std::array time_units{time_unit{"y", units::year, 2 * units::year},
                                       time_unit{"d", units::day, 2 * units::day},
                                       time_unit{"h", units::hour, 2 * units::hour},
                                       time_unit{"min", units::minute, 2 * units::minute},
                                       time_unit{"s", units::second, units::second},
                                       time_unit{"ms", units::ms, units::ms},
                                       time_unit{"us", units::us, seconds{0}}};

/// A unit that is said in the place of a prefix of a thousand.
struct spoken_unit {
  dimension of;
  const char* symbol;
  double size;   ///< in base units
  double least;  ///< that is said in it
};
/// The largest of each dimension first.
inline constexpr std::array spoken_units{
    spoken_unit{joules::exponents, "GWh", units::GWh.in_base_units(), 3.6e12},
    spoken_unit{joules::exponents, "MWh", units::MWh.in_base_units(), 3.6e9},
    spoken_unit{joules::exponents, "kWh", units::kWh.in_base_units(), 3.6e6},
    spoken_unit{grams::exponents, "t", units::tonne.in_base_units(), 1e6},
    spoken_unit{dollars::exponents, "billion $", 1e9, 1e9},
    spoken_unit{dollars::exponents, "million $", 1e6, 1e6},
    spoken_unit{dollars::exponents, "$", 1, 0}};

}  // namespace detail

/// The unit in which values up to `largest` read well: GiB for memory, days for long times, MWh,
/// tonnes, millions of dollars, the prefix of a thousand for others.
inline plotted_unit unit_for(dimension of, double largest,
                             value_reading reading = value_reading::count) {
  const double size = std::isfinite(largest) ? std::abs(largest) : 0;
  if (of == dimension{})
    return reading == value_reading::percent ? plotted_unit{"%", 0.01} : plotted_unit{};
  if (of == seconds::exponents)
    for (const detail::time_unit& unit : detail::time_units)
      if (size >= unit.least.in_base_units() && size > 0)
        return {unit.symbol, unit.size.in_base_units()};
  for (const detail::spoken_unit& unit : detail::spoken_units)
    if (of == unit.of && size >= unit.least) return {unit.symbol, unit.size};
  const bool memory = of == bytes::exponents;
  const double base = memory ? 1024 : 1000;
  prefix_range range = prefixes_of(of);
  if (memory) range = {base, 0, 6};
  int power = 0;
  const auto unit_size = [&](int at) { return std::pow(base, at); };
  while (power > range.least && size > 0 && size < unit_size(power)) --power;
  while (power < range.most && size >= unit_size(power + 1)) ++power;
  return {range.name(power) + symbol_of(of), unit_size(power)};
}

/// A number as people read it: so many digits that count, thousands in groups, and no exponent
/// below a million millions.
inline std::string number_text(double x, int digits_shown = 4) {
  if (std::isnan(x)) return "not known";
  if (std::isinf(x)) return x > 0 ? "unbounded" : "-unbounded";
  if (x == 0) return "0";
  const double size = std::abs(x);
  if (size >= 1e12 || size < 1e-4) return fmt::format("{:.3g}", x);
  const int whole = static_cast<int>(std::floor(std::log10(size))) + 1;
  std::string digits = fmt::format("{:.{}f}", x, std::clamp(digits_shown - whole, 0, 8));
  const auto point = digits.find('.');
  if (point != std::string::npos) {
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.') digits.pop_back();
  }
  const std::size_t first = digits.front() == '-' ? 1 : 0;
  for (std::size_t i = (std::min)(digits.find('.'), digits.size()); i > first + 3; i -= 3)
    digits.insert(i - 3, 1, ',');
  return digits;
}

namespace detail {

/// "$2.49", "$868,932", "$1.21 million".
inline std::string money_text(double amount, const plotted_unit& unit) {
  const double size = std::abs(amount);
  const int digits_shown = unit.size > 1 ? 3 : size < 100 ? 4 : 12;
  const double shown = unit.size > 1 || size < 100 ? amount / unit.size : std::round(amount);
  const std::string digits = number_text(shown, digits_shown);
  const std::string sign = digits.front() == '-' ? "-$" : "$";
  const std::string word = unit.symbol.substr(0, unit.symbol.find('$'));
  return sign + digits.substr(sign.size() - 1) +
         (word.empty() ? "" : " " + word.substr(0, word.size() - 1));
}

}  // namespace detail

/// "80 GiB", "3.2 d", "$1.21 million", "64": the value in its own best unit.
inline std::string text_of(const plotted_value& value,
                           value_reading reading = value_reading::count) {
  if (!value.finite()) return number_text(value.base);
  const plotted_unit unit = unit_for(value.of, value.base, reading);
  if (value.of == dollars::exponents) return detail::money_text(value.base, unit);
  const std::string digits = number_text(value.base / unit.size);
  return unit.symbol.empty() ? digits : digits + ' ' + unit.symbol;
}

}  // namespace gpuplan
