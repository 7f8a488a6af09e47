#pragma once
/// \file
/// Power from a meter of energy that is read more often than it moves.

#include <optional>

#include <gpuplan/units/units.hpp>

namespace gpuplan::probe {

/// Readings of the meter at moments that grow.
class energy_readings {
 public:
  void add(seconds moment, std::optional<joules> energy) {
    if (!energy || (last_ && *energy == *last_)) return;
    // The first reading may be of long before it.
    if (last_ && !first_moved_) {
      first_moved_ = moment;
      first_ = *energy;
    }
    last_ = energy;
    last_moved_ = moment;
  }

  /// Between the first and the last moment at which the meter moved; nullopt if it did not do so
  /// twice.
  [[nodiscard]] std::optional<watts> power() const {
    if (!first_moved_ || !(last_moved_ > *first_moved_) || !(*last_ > first_)) return std::nullopt;
    return (*last_ - first_) / (last_moved_ - *first_moved_);
  }

 private:
  std::optional<joules> last_{};
  seconds last_moved_{};
  std::optional<seconds> first_moved_{};
  joules first_{};
};

}  // namespace gpuplan::probe
