#pragma once
/// \file
/// What a GPU's memory held when it was fullest, and which functions took it.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// In which part of a step memory was taken, where a function of PyTorch in its frames says so.
enum class allocation_part { unknown, backward, optimizer };

/// "unknown", "backward", "optimizer".
constexpr std::string_view name_of(allocation_part part) {
  switch (part) {
    case allocation_part::unknown: return "unknown";
    case allocation_part::backward: return "backward";
    case allocation_part::optimizer: return "optimizer";
  }
  return "unknown";
}

/// Live memory that one function took.
struct allocation_share {
  std::string frame;  ///< "forward (model.py)"; of what has none, why
  allocation_part part = allocation_part::unknown;
  bytes size{};
  std::int64_t blocks = 0;  ///< 0: not counted
};

/// The memory of one GPU as PyTorch's allocator handed it out and took it from the driver.
struct memory_peak {
  int device = 0;
  std::int64_t events = 0;                 ///< of the trace; 0: there is none, and the peak is now
  bytes allocated{};                       ///< in tensors, rounded up to blocks, at the peak
  bytes reserved_at_peak{};                ///< taken from the driver then
  bytes reserved{};                        ///< the most taken from the driver
  bytes allocated_now{};                   ///< when the snapshot was made
  bytes reserved_now{};                    ///< likewise
  std::vector<allocation_share> shares{};  ///< of `allocated`, the largest first

  /// Of it, what functions of a part took.
  [[nodiscard]] bytes of_part(allocation_part part) const {
    bytes sum{};
    for (const allocation_share& one : shares)
      if (one.part == part) sum += one.size;
    return sum;
  }
};

}  // namespace gpuplan
