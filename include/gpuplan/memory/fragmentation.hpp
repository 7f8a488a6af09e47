#pragma once
/// \file
/// Fragmentation: the share of free memory that no single allocation can use.

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Part of the free memory outside its largest block.
///
///     F = 1 - largest / free
///
///     largest  largest contiguous free block    B, 0 to free
///     free     all free blocks, together        B, >= 0
///
/// 0: one block is all; towards 1: dust.  With nothing free it is 0, for nothing is lost.
///
/// Holds: 0 with nothing free.
///
/// Source: M. Johnstone and P. Wilson, "The Memory Fragmentation Problem: Solved?", ISMM (1998);
/// PyTorch's torch.cuda.memory_stats gives both numbers.
///
/// \throws invalid_input if largest < 0, or largest > free
constexpr double memory_fragmentation(bytes largest, bytes free) {
  require(largest >= bytes{0}, "memory_fragmentation: largest must be >= 0 B");
  require(largest <= free, "memory_fragmentation: largest must be <= free");
  return free > bytes{0} ? 1 - largest / free : 0;
}

/// Part of what an allocator has reserved that no tensor uses.
///
///     1 - allocated / reserved
///
///     allocated  in tensors               B, 0 to reserved
///     reserved   taken from the device    B, >= 0
///
/// Holds: always.
///
/// Source: PyTorch, torch.cuda.memory_stats (2.x).
///
/// \throws invalid_input if allocated < 0, or allocated > reserved
constexpr double allocator_slack(bytes allocated, bytes reserved) {
  require(allocated >= bytes{0}, "allocator_slack: allocated must be >= 0 B");
  require(allocated <= reserved, "allocator_slack: allocated must be <= reserved");
  return reserved > bytes{0} ? 1 - allocated / reserved : 0;
}

}  // namespace gpuplan
