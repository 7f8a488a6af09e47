#pragma once
/// \file
/// Free GPUs that a job of a given size cannot use because of their location.

#include <algorithm>
#include <cstdint>
#include <span>

#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// What is free of a pool, and in what pieces.
struct free_gpus {
  std::int64_t thousandths = 0;       ///< free, over all GPUs
  std::int64_t whole = 0;             ///< GPUs of which nothing is taken
  std::int64_t whole_nodes = 0;       ///< nodes with GPUs of which nothing is taken
  std::int64_t in_smaller_nodes = 0;  ///< whole free GPUs in nodes with fewer of them than asked
  int largest_block = 0;              ///< whole free GPUs of one node, at most
  std::int64_t gangs = 0;             ///< how many gangs of that size find a node

  /// Part of the whole free GPUs that a gang of that size cannot have; 0 where none is free.
  [[nodiscard]] constexpr double unusable_share() const {
    return whole == 0 ? 0 : static_cast<double>(in_smaller_nodes) / static_cast<double>(whole);
  }
  /// Classic index: 1 - largest block / free. 0 where all that is free is one block, or none is.
  [[nodiscard]] constexpr double fragmentation_index() const {
    return whole == 0 ? 0 : 1 - largest_block / static_cast<double>(whole);
  }
};

/// The free GPUs of a pool as a gang of k GPUs on one node finds them.
///
///     unusable share       = sum over nodes with f_i < k of f_i / sum f_i
///     fragmentation index  = 1 - max f_i / sum f_i
///
///     f_i  whole free GPUs of node i   count
///     k    GPUs of the gang            count, >= 1
///
/// A pool of many empty nodes has an index near 1, though every gang that a node can hold finds a
/// place: the index is for gangs that want all of the free GPUs together; look at the share.
///
/// Source: definitions.
///
/// \throws invalid_input if the gang is not >= 1
constexpr free_gpus free_gpus_of(std::span<const gpu_node> nodes, int gang) {
  require(gang >= 1, "free_gpus_of: gang must be >= 1");
  free_gpus free{};
  for (const gpu_node& host : nodes) {
    const int whole = host.whole_free_gpus();
    free.thousandths += host.free_gpu_thousandths();
    free.whole += whole;
    if (host.gpus > 0 && whole == host.gpus) ++free.whole_nodes;
    if (whole < gang) free.in_smaller_nodes += whole;
    free.largest_block = std::max(free.largest_block, whole);
    free.gangs += whole / gang;
  }
  return free;
}

}  // namespace gpuplan
