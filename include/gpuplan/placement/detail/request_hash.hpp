#pragma once
/// \file
/// A hash of all that a request asks for.

#include <bit>
#include <cstddef>
#include <cstdint>

#include <gpuplan/placement/gpu_task.hpp>

namespace gpuplan::detail {

/// Of requests that are equal the hash is, too: for tables of requests that come again.
struct request_hash {
  std::size_t operator()(const gpu_task& task) const {
    std::uint64_t hash = 0;
    for (const std::uint64_t part :
         {static_cast<std::uint64_t>(task.gpus) << 32 |
              static_cast<std::uint64_t>(task.gpu_thousandths),
          static_cast<std::uint64_t>(task.core_thousandths), task.accepted_types,
          std::bit_cast<std::uint64_t>(task.memory.in_base_units() + 0.0)}) {
      hash = (hash ^ part) * 0x9e3779b97f4a7c15;
      hash ^= hash >> 32;
    }
    return static_cast<std::size_t>(hash);
  }
};

}  // namespace gpuplan::detail
