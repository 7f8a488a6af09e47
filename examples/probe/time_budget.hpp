#pragma once
/// \file
/// Time that a section may take, and what is left of it.

#include <algorithm>
#include <chrono>

#include <gpuplan/units/units.hpp>

namespace gpuplan::probe {

/// Runs from when it is made.
class time_budget {
 public:
  using clock = std::chrono::steady_clock;

  explicit time_budget(seconds whole, clock::time_point begin = clock::now())
      : whole_{whole}, begin_{begin} {}

  [[nodiscard]] seconds used(clock::time_point now = clock::now()) const {
    return seconds{std::chrono::duration<double>(now - begin_).count()};
  }
  [[nodiscard]] seconds left(clock::time_point now = clock::now()) const {
    return std::max(seconds{0}, whole_ - used(now));
  }
  /// Whether a work of that length still ends in time.
  [[nodiscard]] bool has(seconds work, clock::time_point now = clock::now()) const {
    return work <= left(now);
  }

 private:
  seconds whole_;
  clock::time_point begin_;
};

/// Seconds since a moment, by the host's clock.
inline seconds since(std::chrono::steady_clock::time_point begin) {
  return seconds{std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()};
}

}  // namespace gpuplan::probe
