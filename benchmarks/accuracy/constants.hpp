#pragma once
/// \file
/// The numbers of the memory model that are neither counts of the model's tensors nor widths of
/// number formats: what each is, and who vouches for it.  Values are read from the library.

#include <array>
#include <string_view>

#include <gpuplan/memory/end_memory.hpp>
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

/// The batch of one token, and the streams that grouped products add.
inline constexpr stream_tokens one_token{.decoder = {.sequence = 1, .all = 1, .residual = 1}};
inline constexpr bytes batch_of_one_token = batch_memory({}, one_token, {});
inline constexpr double grouped_streams =
    (framework_at_start({.kernels = {.experts_grouped = true}}) - framework_at_start({})) /
    workspace{}.transformer_engine;

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
    constant{"further streams of grouped products of experts", grouped_streams, "streams",
             "allocator", "Transformer Engine, _NUM_MAX_CUBLAS_STREAMS"},
    constant{"tokens, labels, positions and mask of a batch", batch_of_one_token.in(units::byte),
             "B a token", "allocator",
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
