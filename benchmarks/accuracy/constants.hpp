#pragma once
/// \file
/// The numbers of the memory model that are neither counts of the model's tensors nor widths of
/// number formats: what each is, and who vouches for it.  Values are read from the library.

#include <array>
#include <string_view>

#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::accuracy {

struct constant {
  std::string_view name;
  double value;
  std::string_view unit;
  std::string_view seen_by;
  std::string_view source;
};

/// None is fitted to a run, none is of a run.
inline constexpr std::array memory_constants{
    constant{"cuBLAS workspace, Ampere", ampere_workspace.cublas.in(units::byte), "B", "allocator",
             "PyTorch, CublasHandlePool.cpp: 4096 KiB x 2 + 16 KiB x 8"},
    constant{"cuBLAS workspace, Hopper; of deterministic runs on any GPU",
             hopper_workspace.cublas.in(units::byte), "B", "allocator",
             "PyTorch, CublasHandlePool.cpp; CUBLAS_WORKSPACE_CONFIG=:4096:8"},
    constant{"cuBLAS workspace, Blackwell", blackwell_workspace.cublas.in(units::byte), "B",
             "allocator", "PyTorch, CublasHandlePool.cpp: the default of unlisted GPUs"},
    constant{"Transformer Engine workspace, Ampere",
             ampere_workspace.transformer_engine.in(units::byte), "B", "allocator",
             "Transformer Engine, get_cublas_workspace_size_bytes"},
    constant{"Transformer Engine workspace, Hopper and Blackwell",
             hopper_workspace.transformer_engine.in(units::byte), "B", "allocator",
             "Transformer Engine, get_cublas_workspace_size_bytes"},
    constant{"tokens, labels, positions and mask of a batch", 28, "B a token", "allocator",
             "Megatron-LM, get_batch_on_this_tp_rank: three int64, one FP32"},
    constant{"block of values that 8-bit Adam scales together", adam_8bit_block, "values",
             "allocator", "bitsandbytes, blocksize = 256"},
    constant{"CUDA context", hopper_workspace.cuda_context.in(units::byte), "B", "nvidia-smi",
             "pytorch/pytorch, issues 28394 and 107667"},
    constant{"buffers of a communicator", hopper_workspace.communicator.in(units::byte), "B",
             "nvidia-smi", "Megatron-LM, pull request 6479: 1.7 to 2.0 GB a rank"},
    constant{"fragmentation", hopper_workspace.fragmentation, "of the peak", "nvidia-smi",
             "compressed-tensors, pull request 587: 2 to 5 %"}};

}  // namespace gpuplan::accuracy
