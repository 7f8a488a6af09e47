#pragma once
/// \file
/// The roofline with a roof for each level of memory.

#include <array>
#include <cstddef>
#include <string_view>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A level of memory of a GPU, from its registers to what lies beside the host's processor.
enum class memory_level { registers, shared, l2, device, host };

inline constexpr std::array memory_levels{memory_level::registers, memory_level::shared,
                                          memory_level::l2, memory_level::device,
                                          memory_level::host};

/// A name for programs: "l2".
///
/// \throws invalid_input if level is none of memory_levels
constexpr std::string_view name_of(memory_level level) {
  constexpr std::array<std::string_view, memory_levels.size()> names{"registers", "shared", "l2",
                                                                     "device", "host"};
  const auto place = static_cast<std::size_t>(level);
  require(place < names.size(), "name_of: level must be one of memory_levels");
  return names[place];
}

/// What a kernel moves at one level, and how fast that level gives it.  A level that is not looked
/// at keeps 0 B and no bandwidth.
struct level_traffic {
  bytes moved{};                 ///< >= 0
  bytes_per_second bandwidth{};  ///< > 0 where bytes are moved
};

/// A kernel, and the memory that it runs over.
struct hierarchy_work {
  flop operations{};                                     ///< >= 0
  flop_per_second peak{};                                ///< > 0 where there are operations
  std::array<level_traffic, memory_levels.size()> at{};  ///< in the order of memory_levels

  [[nodiscard]] constexpr level_traffic& operator[](memory_level level) {
    const auto place = static_cast<std::size_t>(level);
    require(place < at.size(), "hierarchy_work: level must be one of memory_levels");
    return at[place];
  }
};

/// Time of a kernel by what may bind it.
struct hierarchy_time {
  seconds arithmetic{};
  std::array<seconds, memory_levels.size()> at{};  ///< in the order of memory_levels

  /// Does no level of memory take longer than the arithmetic?
  [[nodiscard]] constexpr bool compute_bound() const {
    for (const seconds& level : at)
      if (level > arithmetic) return false;
    return true;
  }
  /// The level that takes longest, the outermost of equal ones.
  [[nodiscard]] constexpr memory_level slowest_level() const {
    std::size_t slowest = 0;
    for (std::size_t i = 1; i < at.size(); ++i)
      if (at[i] >= at[slowest]) slowest = i;
    return memory_levels[slowest];
  }
  [[nodiscard]] constexpr seconds total() const {
    const seconds level = at[static_cast<std::size_t>(slowest_level())];
    return level > arithmetic ? level : arithmetic;
  }
};

/// The hierarchical roofline: the time that a kernel cannot be faster than, given what it moves at
/// every level of memory.
///
///     T = max(O / P, m_r / W_r, m_s / W_s, m_c / W_c, m_d / W_d, m_h / W_h)
///
///     O    operations                                     FLOP, >= 0
///     P    peak                                           FLOP/s, > 0
///     m_r  bytes moved at the level: registers            B, >= 0
///     W_r  bandwidth of registers                         B/s, > 0
///     m_s  bytes of shared memory and L1                  B, >= 0
///     W_s  bandwidth of shared memory and L1              B/s, > 0
///     m_c  bytes of the L2 cache                          B, >= 0
///     W_c  bandwidth of the L2 cache                      B/s, > 0
///     m_d  bytes of device memory                         B, >= 0
///     W_d  bandwidth of device memory                     B/s, > 0
///     m_h  bytes of the host's memory                     B, >= 0
///     W_h  bandwidth of the link to the host              B/s, > 0
///
/// A level of which nothing is known keeps 0 B and does not bind.  Bytes shrink from level to level
/// as each catches what was used before: they are measured or counted, and never derived here.
///
/// Holds: a bound, where all levels and the arithmetic work at once.
///
/// Source: S. Williams, A. Waterman and D. Patterson, "Roofline: An Insightful Visual Performance
/// Model for Multicore Architectures", Commun. ACM 52 (2009) 65-76; C. Yang, T. Kurth and S.
/// Williams, "Hierarchical Roofline analysis for GPUs: Accelerating performance optimization for
/// the NERSC-9 Perlmutter system", Concurrency Computat. Pract. Exper. 32 (2020) e5547.
///
/// \throws invalid_input if operations or bytes are < 0, or a rate that they need is <= 0
constexpr hierarchy_time hierarchical_roofline(const hierarchy_work& work) {
  require(work.operations >= flop{0}, "hierarchical_roofline: operations must be >= 0 FLOP");
  require(work.peak > flop_per_second{0} ||
              (work.operations == flop{0} && work.peak == flop_per_second{0}),
          "hierarchical_roofline: peak must be > 0 FLOP/s");
  hierarchy_time time;
  if (work.operations > flop{0}) time.arithmetic = work.operations / work.peak;
  for (std::size_t i = 0; i < work.at.size(); ++i) {
    const level_traffic& level = work.at[i];
    require(level.moved >= bytes{0}, "level_traffic.moved must be >= 0 B");
    require(level.bandwidth > bytes_per_second{0} ||
                (level.moved == bytes{0} && level.bandwidth == bytes_per_second{0}),
            "level_traffic.bandwidth must be > 0 B/s where bytes are moved");
    if (level.moved > bytes{0}) time.at[i] = level.moved / level.bandwidth;
  }
  return time;
}

}  // namespace gpuplan
