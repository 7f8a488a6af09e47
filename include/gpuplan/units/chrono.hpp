#pragma once
/// \file
/// The door between our seconds and std::chrono.  In no other header: `<chrono>` costs more to
/// compile than all of units/.

#include <chrono>
#include <ratio>

#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A std::chrono duration as seconds.
template <class Count, class Period>
constexpr seconds from_chrono(const std::chrono::duration<Count, Period>& time) {
  return seconds{std::chrono::duration<double>{time}.count()};
}

/// Seconds as a std::chrono duration of double, which converts to other periods of double as it is
/// and to whole ticks by std::chrono::duration_cast.  A cast of NaN, or of more ticks than the
/// count can hold, is undefined there: ask isfinite first.
constexpr std::chrono::duration<double> to_chrono(seconds time) {
  return std::chrono::duration<double>{time.in_base_units()};
}

}  // namespace gpuplan
