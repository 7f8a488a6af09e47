#pragma once
/// \file
/// Reads a field of a table: a number, a date and time, or a duration.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

#include <gpuplan/text/decimal_number.hpp>
#include <gpuplan/text/row_fault.hpp>

namespace gpuplan {

/// A text without the spaces and tabs around it.
constexpr std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// A field as a number, or what is wrong with it.
struct field_number {
  double value = 0;
  std::optional<field_problem> problem{};
  bool is_date = false;  ///< of a time: written as a date, not as seconds
};

/// The longest time of a field.
constexpr double most_field_seconds = 1e12;  // 31 700 years; milliseconds since 1970 are more

/// The whole of a text as a finite number from least to most.
inline field_number number_in(std::string_view text, double least, double most) {
  if (text.empty()) return {.problem = field_problem::empty};
  if (text.front() == '+' && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  field_number read;
  const auto [end, error] = decimal_from_chars(text.data(), text.data() + text.size(), read.value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument)
    return {.problem = field_problem::not_understood};
  if (error != std::errc{}) return {.problem = field_problem::too_large};
  if (!std::isfinite(read.value)) return {.problem = field_problem::not_finite};
  if (read.value < least)
    return {.problem = least == 0 ? field_problem::negative : field_problem::too_large};
  if (read.value > most) return {.problem = field_problem::too_large};
  return read;
}

namespace detail {

/// Takes digits off the front of a text: as many as there are, up to most.
inline std::optional<std::int64_t> take_digits(std::string_view& text, std::size_t most) {
  std::int64_t value = 0;
  std::size_t count = 0;
  for (; count < text.size() && count < most && text[count] >= '0' && text[count] <= '9'; ++count)
    value = 10 * value + (text[count] - '0');
  if (count == 0) return {};
  text.remove_prefix(count);
  return value;
}

inline bool take(std::string_view& text, char wanted) {
  if (!text.starts_with(wanted)) return false;
  text.remove_prefix(1);
  return true;
}

/// Days from 1970-01-01 to a day of the Gregorian calendar, if there is such a day.
constexpr std::optional<std::int64_t> days_to(std::int64_t year, std::int64_t month,
                                              std::int64_t day) {
  constexpr std::array<std::int64_t, 12> lengths{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  if (year < 1 || month < 1 || month > 12 || day < 1) return {};
  const auto length = [&](std::int64_t of) {
    return lengths[static_cast<std::size_t>(of - 1)] + (of == 2 && leap ? 1 : 0);
  };
  if (day > length(month)) return {};
  std::int64_t days = day - 1;
  for (std::int64_t before = 1; before < month; ++before) days += length(before);
  const std::int64_t past = year - 1;
  constexpr std::int64_t to_1970 = 719162;  // days from 0001-01-01
  return 365 * past + past / 4 - past / 100 + past / 400 + days - to_1970;
}

/// [[HH:]MM:]SS[.ff] without the days, whole or not at all.
inline std::optional<double> clock_seconds(std::string_view text, bool of_a_day) {
  double total = 0;
  int parts = 0;
  for (;; ++parts) {
    const auto part = take_digits(text, 9);
    if (!part || parts > 2) return {};
    if ((of_a_day || parts > 0) && *part > (of_a_day && parts == 0 ? 23 : 60)) return {};
    total = 60 * total + static_cast<double>(*part);
    if (!take(text, ':')) break;
  }
  if (of_a_day && parts == 1) total *= 60;  // HH:MM
  if (parts == 0) return {};
  if (text.starts_with('.')) {
    const field_number fraction = number_in(text, 0, 1);
    if (fraction.problem) return {};
    total += fraction.value;
    text = {};
  }
  if (!text.empty()) return {};
  return total;
}

/// YYYY-MM-DD, then T or a space and HH:MM[:SS[.ff]], then Z or +HH:MM or nothing.
inline std::optional<double> date_seconds(std::string_view text) {
  const auto year = take_digits(text, 4);
  if (!year || !take(text, '-')) return {};
  const auto month = take_digits(text, 2);
  if (!month || !take(text, '-')) return {};
  const auto day = take_digits(text, 2);
  if (!day) return {};
  const auto days = days_to(*year, *month, *day);
  if (!days) return {};
  const double midnight = 86400.0 * static_cast<double>(*days);
  if (text.empty()) return midnight;
  if (!take(text, 'T') && !take(text, ' ')) return {};

  double east = 0;
  if (text.ends_with('Z')) text.remove_suffix(1);
  if (const std::size_t sign = text.find_first_of("+-"); sign != text.npos) {
    const auto shift = clock_seconds(text.substr(sign + 1), true);
    if (!shift) return {};
    east = text[sign] == '+' ? *shift : -*shift;
    text = text.substr(0, sign);
  }
  const auto time = clock_seconds(text, true);
  if (!time) return {};
  return midnight + *time - east;
}

}  // namespace detail

/// When: seconds, or a date and time as seconds since 1970 by the table's own clock.
inline field_number instant_in(std::string_view text) {
  const field_number read = number_in(text, -most_field_seconds, most_field_seconds);
  if (read.problem != field_problem::not_understood) return read;
  const auto date = detail::date_seconds(text);
  return date ? field_number{.value = *date, .is_date = true} : read;
}

/// Times of one clock: all of them dates, or all of them seconds, as the first one is. A date
/// counts from 1970, seconds from where the table likes, so that the two are not to be compared.
class field_clock {
 public:
  static constexpr std::string_view allowed =
      "dates for all times of the table, or seconds for all";

  /// instant_in, with a problem where the time is of the other kind than the first one.
  field_number instant(std::string_view text) {
    field_number read = instant_in(text);
    if (read.problem) return read;
    if (!of_dates_) of_dates_ = read.is_date;
    if (read.is_date != *of_dates_)
      read.problem =
          read.is_date ? field_problem::date_among_seconds : field_problem::seconds_among_dates;
    return read;
  }

  [[nodiscard]] static constexpr bool is_other_kind(field_problem problem) {
    return problem == field_problem::seconds_among_dates ||
           problem == field_problem::date_among_seconds;
  }

 private:
  std::optional<bool> of_dates_{};
};

/// How long: seconds, or [D-]HH:MM:SS, or MM:SS.
inline field_number duration_in(std::string_view text) {
  const field_number read = number_in(text, 0, most_field_seconds);
  if (read.problem != field_problem::not_understood) return read;
  double days = 0;
  std::string_view clock = text;
  if (const auto whole = detail::take_digits(clock, 6); whole && detail::take(clock, '-'))
    days = static_cast<double>(*whole);
  else
    clock = text;
  const auto time = detail::clock_seconds(clock, false);
  return time ? field_number{.value = 86400 * days + *time} : read;
}

/// A whole number from least to most.
inline field_number whole_in(std::string_view text, double least, double most) {
  const field_number read = number_in(text, least, most);
  if (!read.problem && read.value != std::floor(read.value))
    return {.problem = field_problem::not_whole};
  return read;
}

}  // namespace gpuplan
