#pragma once
/// \file
/// Every number of the memory model that is neither a size of the job nor a width of a format: what
/// it is, its value, where it comes from.

#include <array>
#include <string_view>

#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// One constant of the memory model.
struct memory_constant {
  std::string_view name;
  double value{};
  std::string_view unit;
  std::string_view source;
};

/// All of them; those of workspaces are the defaults, which a caller may replace.
inline constexpr std::array memory_constants{
    memory_constant{"cuBLAS workspace, Hopper or deterministic",
                    hopper_workspace.cublas.in_base_units(), "B",
                    "PyTorch, CublasHandlePool.cpp; CUBLAS_WORKSPACE_CONFIG=:4096:8"},
    memory_constant{"cuBLAS workspace, Ampere and Blackwell",
                    ampere_workspace.cublas.in_base_units(), "B", "PyTorch, CublasHandlePool.cpp"},
    memory_constant{"threads with a cuBLAS workspace", 2, "count",
                    "forward pass and backward pass (PyTorch's autograd thread)"},
    memory_constant{"Transformer Engine workspace, Hopper and Blackwell",
                    hopper_workspace.transformer_engine.in_base_units(), "B",
                    "Transformer Engine, pytorch/module/base.py"},
    memory_constant{"Transformer Engine workspace, Ampere",
                    ampere_workspace.transformer_engine.in_base_units(), "B",
                    "Transformer Engine, pytorch/module/base.py"},
    memory_constant{"further streams of grouped expert products", 4, "count",
                    "Transformer Engine, grouped GEMM"},
    memory_constant{"CUDA context", workspace{}.cuda_context.in_base_units(), "B",
                    "pytorch/pytorch, issues 28394 and 107667"},
    memory_constant{"NCCL, an axis of the layout", workspace{}.communicator.in_base_units(), "B",
                    "NVIDIA/Megatron-LM, pull request 6479"},
    memory_constant{"allocator slack, of the peak", workspace{}.fragmentation, "1",
                    "compressed-tensors, pull request 587; unsloth, issue 6718"},
    memory_constant{"batch, a token", 28, "B", "Megatron-LM, megatron/training/utils.py"},
    memory_constant{"dropout mask, a value", 1, "B", "PyTorch"},
    memory_constant{"layers gathered at once under ZeRO-3", 2, "count",
                    "PyTorch FSDP: one at work, one fetched ahead"}};

}  // namespace gpuplan
