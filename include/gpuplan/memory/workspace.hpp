#pragma once
/// \file
/// Memory of a GPU that no tensor of the model accounts for, and what a framework's kernels keep
/// where they have a choice.

#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// How tokens reach the experts that they visit.
enum class token_dispatcher {
  all_to_all,  ///< each rank receives the tokens of its experts
  all_gather   ///< each rank receives all tokens, into one buffer, and picks
};

/// As kernel_memory::head_gradients_deferred: all micro-batches of a step wait, whatever their
/// number.  A power of two, so that products with it are exact.
inline constexpr int all_micro_batches = 1 << 30;

/// What a framework's kernels keep where they have a choice.  The defaults are those of PyTorch
/// with fused kernels; the comments name what Megatron-LM (2026) chooses by its arguments.
struct kernel_memory {
  bool flash_output_copied = false;  ///< FlashAttention-2 works on (batch, sequence) and its output
                                     ///< is copied for the projection; cuDNN's kernel does not
  bool scores_buffered = false;      ///< unfused attention of --transformer-impl local
  bool norms_kept_fp32 = false;      ///< inputs of norms, as PyTorch's autocast keeps them
  bool softmax_kept_fp32 = false;    ///< --no-masked-softmax-fusion with softmax in FP32
  bool activation_fused = true;      ///< a gated activation, and its routing probability, in one
                                     ///< kernel; not: --no-bias-gelu-fusion, eager PyTorch
  bool mask_in_batch = false;        ///< a byte for each pair of tokens; Megatron-LM's loader makes
                                     ///< it unless --no-create-attention-mask-in-dataloader
  bool head_gradient_fused =
      true;  ///< accumulated in place; not: --no-gradient-accumulation-fusion
  int head_gradients_deferred = 0;  ///< micro-batches: --wgrad-deferral-limit; 0: none wait
  bool outputs_kept = false;        ///< what a pipeline rank has sent on stays (DeepSpeed)
  bool working_gradients =
      false;                     ///< 16-bit gradients stay beside accumulated FP32 ones (DeepSpeed)
  bool experts_grouped = false;  ///< products of all experts at once, on five streams
  bool experts_permuted = false;  ///< tokens and outputs of experts are permuted and weighed by
                                  ///< kernels of their own (torchtitan)
  bool gradients_unused = true;  ///< a gradient that nobody reads for each shape of a weight, where
                                 ///< its product has added to the accumulated one (Transformer
                                 ///< Engine); not: --transformer-impl local
  bool fp8_transposed = true;    ///< weights in FP8 have a second copy, which lies the other way:
                                 ///< FP8 products of Ada and Hopper read no other
  token_dispatcher dispatcher = token_dispatcher::all_to_all;
};

/// What the software keeps on a GPU beside the model.  Each default may be replaced by a measured
/// value.
struct workspace {
  /// cuBLAS, for each of the two threads that multiply (forward and backward pass): 8.125 MiB by
  /// PyTorch's default, 32 MiB on Hopper and wherever CUBLAS_WORKSPACE_CONFIG=:4096:8 makes
  /// products deterministic.  Seen by the framework's allocator (torch.cuda.memory_allocated).
  ///
  /// Source: PyTorch, aten/src/ATen/cuda/CublasHandlePool.cpp, getChosenWorkspaceSize (2.x).
  bytes cublas = 32 * units::MiB;
  /// Transformer Engine, for each stream: 32 MiB on Hopper and newer, 4 MiB before; 0 without it.
  /// Seen by the framework's allocator.
  ///
  /// Source: NVIDIA, Transformer Engine, pytorch/module/base.py, get_cublas_workspace_size_bytes.
  bytes transformer_engine = 32 * units::MiB;
  /// The CUDA context and the kernels it has loaded: 300 to 500 MB with lazy loading (CUDA 11.7
  /// and newer), 1343 MiB printed for a V100 before.  Seen by nvidia-smi alone.
  ///
  /// Source: pytorch/pytorch, issues 28394 (2019) and 107667 (2023); Hugging Face, "Methods and
  /// tools for efficient training on a single GPU" (2023), for 1343 MiB.
  bytes cuda_context = 500 * units::MB;
  /// NCCL's buffers of the communicators of one axis of the layout: 1.7 to 2.0 GB were reported of
  /// a job that cuts three.  Seen by nvidia-smi alone.
  ///
  /// Source: NVIDIA/Megatron-LM, pull request 6479 (2026).
  bytes communicator = 600 * units::MB;
  /// What the allocator reserves and cannot use, as a part of its peak: 2 to 5 %.  Seen by
  /// torch.cuda.max_memory_reserved and nvidia-smi.
  ///
  /// Source: vllm-project/compressed-tensors, pull request 587; unslothai/unsloth, issue 6718.
  double fragmentation = 0.04;
  /// Whether the lengths of sequences differ from step to step, as in fine-tuning without packing;
  /// recipe::sequence_length is then the longest.  Cached blocks of shorter steps do not hold the
  /// tensors of longer ones, and reserved_beyond takes a variable_length_shares of what grows with
  /// the lengths.  Not with expandable_segments:True, whose blocks grow.
  ///
  /// Source: PyTorch, "CUDA semantics: memory management" (2.x); memory/reserved.hpp.
  bool variable_lengths = false;
  /// Temporaries of the update, for each parameter that a rank updates: 0 with a fused optimizer,
  /// 4 B with PyTorch's foreach kernels.
  bytes update_temporary{0};
  /// Buckets into which ranks gather and reduce what ZeRO divides, on every GPU from the start.  Of
  /// DeepSpeed reduce_bucket_size and allgather_bucket_size, 5e8 values of 2 B each, of which it
  /// keeps 4.5 with overlap_comm: 9 GB by its defaults.  Seen by the framework's allocator.
  ///
  /// Source: Microsoft, "DeepSpeed Configuration JSON", ZeRO optimizations (2025); Hugging Face,
  /// "Transformers", DeepSpeed (2025), for the factor of 4.5.
  bytes zero_buckets{0};
  kernel_memory kernels{};
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const workspace& w) {
  require(w.cublas >= bytes{0}, "workspace.cublas must be >= 0 B");
  require(w.transformer_engine >= bytes{0}, "workspace.transformer_engine must be >= 0 B");
  require(w.cuda_context >= bytes{0}, "workspace.cuda_context must be >= 0 B");
  require(w.communicator >= bytes{0}, "workspace.communicator must be >= 0 B");
  require(w.fragmentation >= 0, "workspace.fragmentation must be >= 0");
  require(w.update_temporary >= bytes{0}, "workspace.update_temporary must be >= 0 B");
  require(w.zero_buckets >= bytes{0}, "workspace.zero_buckets must be >= 0 B");
  require(w.kernels.head_gradients_deferred >= 0,
          "workspace.kernels.head_gradients_deferred must be >= 0 micro-batches");
}

/// Workspaces of NVIDIA's generations, by the defaults of PyTorch and Transformer Engine.
inline constexpr workspace ampere_workspace{.cublas = 8.125 * units::MiB,
                                            .transformer_engine = 4 * units::MiB,
                                            .kernels = {.flash_output_copied = true}};
inline constexpr workspace hopper_workspace{};
inline constexpr workspace blackwell_workspace{
    .cublas = 8.125 * units::MiB,
    .kernels = {.flash_output_copied = true, .fp8_transposed = false}};

/// The workspace of an accelerator's generation, told by the formats it computes in: FP4 came with
/// Blackwell, FP8 with Hopper.
constexpr workspace workspace_of(const accelerator& gpu) {
  if (gpu.peak.fp4 > flop_per_second{0}) return blackwell_workspace;
  if (gpu.peak.fp8_e4m3 > flop_per_second{0}) return hopper_workspace;
  return ampere_workspace;
}

/// The workspace of a recipe's software on an accelerator.  PyTorch alone has no Transformer Engine
/// and permutes the tokens of experts in steps; of its two generations
///
///     fsdp     eager: norms in FP32, activation functions and products apart, head gradients made
///              before they are added, 4 B a parameter for temporaries of the update
///     fsdp2    compiled: norms, activation functions and update in one kernel each; attention as
///              the kernel wrote it
///
/// Source: PyTorch, torch/optim/adamw.py, foreach (2.x); Hugging Face, "Transformers", LlamaRMSNorm
/// (2024); PyTorch, torchtitan (2025).
constexpr workspace workspace_of(const accelerator& gpu, framework software) {
  workspace all = workspace_of(gpu);
  const bool eager = software == framework::fsdp;
  if (!eager && software != framework::fsdp2) return all;
  all.transformer_engine = bytes{0};
  all.kernels.experts_permuted = true;
  all.kernels.norms_kept_fp32 = eager;
  all.kernels.activation_fused = !eager;
  all.kernels.head_gradient_fused = !eager;
  if (eager)
    all.update_temporary = bytes{4};
  else
    all.kernels.flash_output_copied = false;
  return all;
}

namespace detail {

/// framework_at_start, of a workspace that is valid.
constexpr bytes framework_of(const workspace& w) {
  constexpr double grouped_streams = 4;
  const double streams = 1 + (w.kernels.experts_grouped ? grouped_streams : 0);
  return 2 * w.cublas + streams * w.transformer_engine;
}

}  // namespace detail

/// What the framework's allocator shows before the first tensor of the model.
///
///     2 cublas + n transformer_engine     n = 5 with grouped products of experts, else 1
///
///     W_blas  cuBLAS workspace of a thread        B, >= 0
///     W_TE    Transformer Engine's of a stream    B, >= 0
///
/// Deterministic runs show 68 MiB on A100 and 96 MiB on H100 and GB200.
///
/// Holds: n = 1; 5 with grouped products of experts.
///
/// Source: PyTorch, CublasHandlePool.cpp (2.x); NVIDIA, "Transformer Engine" (2026).
///
/// \throws invalid_input if the workspace is invalid
constexpr bytes framework_at_start(const workspace& w) {
  require_valid(w);
  return detail::framework_of(w);
}

}  // namespace gpuplan
