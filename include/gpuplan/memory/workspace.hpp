#pragma once
/// \file
/// Memory of a GPU that no tensor of the model accounts for.

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What the software keeps on a GPU beside the model.  Each default may be replaced by a measured
/// value.
struct workspace {
  /// Seen by the framework's allocator (torch.cuda.memory_allocated): workspaces of cuBLAS and
  /// Transformer Engine, rotary tables and small buffers.  75 MB on A100, 102 to 105 MB on H100
  /// and GB200, by the difference of measured states and their exact size in Megatron-LM's own
  /// continuous-integration runs (2026).
  bytes framework = 104 * units::MB;
  /// Seen by nvidia-smi alone: the CUDA context with its loaded kernels.  300 MB with lazy loading
  /// (CUDA 11.7 or newer), above 1 GB before: pytorch/pytorch, issues 28394 and 107667.
  bytes cuda_context = 500 * units::MB;
  /// Seen by nvidia-smi alone: NCCL's buffers of one communicator.
  bytes communicator = 200 * units::MB;
  /// Seen by nvidia-smi alone: what the allocator reserves and cannot use, as a part of its peak.
  double fragmentation = 0.03;
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const workspace& w) {
  require(w.framework >= bytes{0}, "workspace.framework must be >= 0 B");
  require(w.cuda_context >= bytes{0}, "workspace.cuda_context must be >= 0 B");
  require(w.communicator >= bytes{0}, "workspace.communicator must be >= 0 B");
  require(w.fragmentation >= 0, "workspace.fragmentation must be >= 0");
}

}  // namespace gpuplan
