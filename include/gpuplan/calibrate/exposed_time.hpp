#pragma once
/// \file
/// Time on a line where activities overlap: each instant counted once.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// From when until when.
struct time_window {
  seconds begin{};
  seconds end{};
  [[nodiscard]] constexpr seconds length() const { return end - begin; }
};

/// Something of a kind that ran for a while.
struct timed_activity {
  time_window when{};
  std::size_t kind = 0;
};

/// A window, by what shows in it.
struct exposed_time {
  std::vector<seconds> of_kind;  ///< by kind
  seconds idle{};                ///< nothing ran
  [[nodiscard]] seconds total() const {
    seconds sum = idle;
    for (const seconds part : of_kind) sum += part;
    return sum;
  }
};

/// The most kinds that are told apart.
inline constexpr std::size_t most_activity_kinds = 64;

/// The time that each kind of activity shows: while it runs and no kind before it does.
///
///     exposed(k) = covered(k) - covered(k - 1)
///     idle       = |window| - covered(kinds - 1)
///     covered(k) = |window and (union of the activities of kinds 0 .. k)|
///     covered(-1) = 0
///
///     activities  in any order; what lies outside the window does not count
///     kinds       1 .. most_activity_kinds; 0 shows whenever it runs
///
/// So time is counted once, however many activities run: of messages beside kernels what the
/// kernels do not hide. Takes time n log n of n activities.
///
/// \throws invalid_input if a time is not finite, an activity or the window ends before it begins,
///         or a kind is >= kinds
inline exposed_time exposed_time_of(std::span<const timed_activity> activities, std::size_t kinds,
                                    const time_window& window) {
  require(kinds >= 1 && kinds <= most_activity_kinds,
          "exposed_time_of: kinds must be 1 to most_activity_kinds");
  require(isfinite(window.begin) && window.end >= window.begin && isfinite(window.end),
          "exposed_time_of: the window must be finite and must not end before it begins");
  struct edge {
    seconds at;
    std::uint32_t kind;
    std::int32_t more;  // 1 where an activity begins, -1 where it ends
  };
  std::vector<edge> edges;
  edges.reserve(2 * activities.size());
  for (const timed_activity& one : activities) {
    require(isfinite(one.when.begin) && one.when.end >= one.when.begin && isfinite(one.when.end),
            "exposed_time_of: activities must be finite and must not end before they begin");
    require(one.kind < kinds, "exposed_time_of: kind must be < kinds");
    const seconds begin = std::max(one.when.begin, window.begin);
    const seconds end = std::min(one.when.end, window.end);
    if (!(begin < end)) continue;
    const auto kind = static_cast<std::uint32_t>(one.kind);
    edges.push_back({begin, kind, 1});
    edges.push_back({end, kind, -1});
  }
  std::sort(edges.begin(), edges.end(), [](const edge& a, const edge& b) { return a.at < b.at; });

  exposed_time shown{.of_kind = std::vector<seconds>(kinds), .idle = {}};
  std::array<std::int64_t, most_activity_kinds> running{};
  std::uint64_t kinds_running = 0;  // a bit each
  seconds before = window.begin;
  const auto pass = [&](seconds until) {
    seconds& part = kinds_running == 0
                        ? shown.idle
                        : shown.of_kind[static_cast<std::size_t>(std::countr_zero(kinds_running))];
    part += until - before;
    before = until;
  };
  for (const edge& one : edges) {
    pass(one.at);
    running[one.kind] += one.more;
    const std::uint64_t bit = std::uint64_t{1} << one.kind;
    kinds_running = running[one.kind] > 0 ? kinds_running | bit : kinds_running & ~bit;
  }
  pass(window.end);
  return shown;
}

}  // namespace gpuplan
