#pragma once
/// \file
/// Fitted constants as people and programs read them.

#include <cmath>
#include <string>

#include <fmt/format.h>

#include <gpuplan/calibrate/collective_fit.hpp>
#include <gpuplan/calibrate/fit_quality.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::cli {

/// [low, high] in base units; null for no bound.
template <class Q>
report_json json_of_bounds(const fit_interval<Q>& bounds) {
  return report_json::array(
      {json_number(bounds.low.in_base_units()), json_number(bounds.high.in_base_units())});
}

inline report_json json_of_quality(const fit_quality& quality) {
  return {{"samples", quality.samples},
          {"median_error", json_number(quality.median)},
          {"p90_error", json_number(quality.p90)},
          {"worst_error", json_number(quality.worst)},
          {"outliers", quality.outliers}};
}

inline std::string in_percent(double part) {
  return fmt::format("{:.1f} %", 100 * part);
}

inline std::string in_GB_per_s(bytes_per_second rate) {
  return fmt::format("{:.4g} GB/s", rate / (units::GB / units::second));
}

/// ", 95 %: 690 to 710", in a unit; nothing where there are no bounds.
template <class Q>
std::string bounds_in_words(const fit_interval<Q>& bounds, Q unit) {
  if (!std::isfinite(bounds.high / unit)) return {};
  return fmt::format(" ({:.0f} %: {:.4g} to {:.4g})", 100 * fit_level, bounds.low / unit,
                     bounds.high / unit);
}

/// "4.20 us (95 %: 4 to 4.4)"; where no time is left for the start, that none is told.
inline std::string latency_in_words(seconds latency, const fit_interval<seconds>& bounds) {
  if (!(latency > seconds{0})) return "no latency told, so that the datasheet's stays";
  return fmt::format("{:.2f} us{}", latency / units::us, bounds_in_words(bounds, units::us));
}

/// Why a curve is not to be used, for people; nothing where it is.
inline std::string fault_in_words(const collective_fit& fit) {
  switch (fault_of(fit)) {
    case curve_fault::none: return {};
    case curve_fault::flat: return "times do not grow with the size, so they tell no bandwidth";
    case curve_fault::poor:
      if (fit.quality.median > most_curve_error)
        return fmt::format("a line misses the times by {} in the median, more than {}",
                           in_percent(fit.quality.median), in_percent(most_curve_error));
      return fmt::format("a line misses one time in ten by {} or more, beyond {}",
                         in_percent(fit.quality.p90), in_percent(most_p90_error));
  }
  return {};
}

/// The same for programs: "flat", "poor" or null.
inline report_json json_of_fault(curve_fault fault) {
  switch (fault) {
    case curve_fault::none: return nullptr;
    case curve_fault::flat: return "flat";
    case curve_fault::poor: return "poor";
  }
  return nullptr;
}

/// "off by 1.2 % (median), 3.4 % (p90)"
inline std::string quality_in_words(const fit_quality& quality) {
  return fmt::format("off by {} (median), {} (p90)", in_percent(quality.median),
                     in_percent(quality.p90));
}

}  // namespace gpuplan::cli
