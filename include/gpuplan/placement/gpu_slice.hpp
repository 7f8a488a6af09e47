#pragma once
/// \file
/// Multi-Instance GPU (MIG) slices: which fit beside one another, and where.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Sizes of a slice: sevenths of the multiprocessors, eighths of the memory. The second of two with
/// one seventh has twice the memory.
enum class slice_size : std::uint8_t { one, one_wide, two, three, four, seven };

inline constexpr std::array slice_sizes{slice_size::one,   slice_size::one_wide, slice_size::two,
                                        slice_size::three, slice_size::four,     slice_size::seven};

/// What a slice takes, and where it may begin: bit b set for eighth b.
struct slice_profile {
  const char* name;  ///< of the compute part; the memory follows from the GPU
  int sevenths;      ///< of the multiprocessors
  int eighths;       ///< of the memory
  std::uint8_t beginnings;
};

/// The profiles of A100 and H100.
///
/// Source: NVIDIA, "Multi-Instance GPU User Guide", 2024, supported profiles and placements
/// (nvidia-smi mig -lgipp), docs.nvidia.com/datacenter/tesla/mig-user-guide, as recalled.
///
/// \throws invalid_input if the size is none of slice_sizes
constexpr slice_profile profile_of_slice(slice_size size) {
  switch (size) {
    case slice_size::one: return {"1g", 1, 1, 0b01111111};
    case slice_size::one_wide: return {"1g", 1, 2, 0b01010101};
    case slice_size::two: return {"2g", 2, 2, 0b00010101};
    case slice_size::three: return {"3g", 3, 4, 0b00010001};
    case slice_size::four: return {"4g", 4, 4, 0b00000001};
    case slice_size::seven: return {"7g", 7, 8, 0b00000001};
  }
  require(false, "profile_of_slice: size must be one of slice_sizes");
  return {};
}

/// The slices of one GPU: eighths of its memory and sevenths of its compute that are taken.
struct sliced_gpu {
  std::uint8_t taken = 0;  ///< bit e set: eighth e of the memory is taken
  int sevenths = 0;        ///< taken, 0 .. 7

  friend constexpr bool operator==(const sliced_gpu&, const sliced_gpu&) = default;
};

/// Memory of a slice: its eighths of the GPU's.
/// \throws invalid_input if the memory is not > 0 B
constexpr bytes slice_memory(slice_size size, bytes memory) {
  require(memory > bytes{0}, "slice_memory: memory must be > 0 B");
  return profile_of_slice(size).eighths / 8.0 * memory;
}

namespace detail {

/// The eighths that a slice takes from its beginning on.
constexpr std::uint8_t eighths_of(slice_size size, int beginning) {
  const unsigned mask = (1U << profile_of_slice(size).eighths) - 1U;
  return static_cast<std::uint8_t>(mask << beginning);
}

}  // namespace detail

/// Where the slice can begin now, as bits: the beginnings that its profile allows whose eighths are
/// free, if there is compute left for it.
constexpr std::uint8_t slice_beginnings(const sliced_gpu& gpu, slice_size size) {
  const slice_profile profile = profile_of_slice(size);
  if (gpu.sevenths + profile.sevenths > 7) return 0;
  std::uint8_t free = 0;
  for (int beginning = 0; beginning < 8; ++beginning)
    if (((profile.beginnings >> beginning) & 1) != 0 &&
        (gpu.taken & detail::eighths_of(size, beginning)) == 0)
      free = static_cast<std::uint8_t>(free | (1U << beginning));
  return free;
}

/// The GPU with a slice more.
/// \throws invalid_input if it cannot begin there
constexpr sliced_gpu with_slice(sliced_gpu gpu, slice_size size, int beginning) {
  require(beginning >= 0 && beginning < 8 && ((slice_beginnings(gpu, size) >> beginning) & 1) != 0,
          "with_slice: beginning must be one of slice_beginnings");
  gpu.taken = static_cast<std::uint8_t>(gpu.taken | detail::eighths_of(size, beginning));
  gpu.sevenths += profile_of_slice(size).sevenths;
  return gpu;
}

/// Slices of this size that still find room, were all that come of it.
constexpr int slices_left(sliced_gpu gpu, slice_size size) {
  int count = 0;
  for (std::uint8_t at = slice_beginnings(gpu, size); at != 0; at = slice_beginnings(gpu, size)) {
    gpu = with_slice(gpu, size, std::countr_zero(at));
    ++count;
  }
  return count;
}

/// The beginning that leaves most room for slices to come: the one after which the most slices of
/// all sizes, weighed by their memory, could still be had; of equal ones the last, as the driver
/// keeps the low ones for large slices. Empty where there is none.
constexpr std::optional<int> best_beginning(const sliced_gpu& gpu, slice_size size) {
  std::optional<int> best;
  int most = -1;
  for (int beginning = 7; beginning >= 0; --beginning) {
    if (((slice_beginnings(gpu, size) >> beginning) & 1) == 0) continue;
    const sliced_gpu after = with_slice(gpu, size, beginning);
    int room = 0;
    for (const slice_size other : slice_sizes)
      room += slices_left(after, other) * profile_of_slice(other).eighths;
    if (room <= most) continue;
    most = room;
    best = beginning;
  }
  return best;
}

}  // namespace gpuplan
