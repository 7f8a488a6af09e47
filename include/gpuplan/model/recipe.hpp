#pragma once
/// \file
/// The training recipe: batch, precision, optimizer, and the options that trade time for memory.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <gpuplan/model/adapter_choice.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/model/optimizer.hpp>
#include <gpuplan/model/precision.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/number_format.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What data-parallel ranks divide among themselves instead of replicating (ZeRO 0 to 3; FSDP is
/// parameters).
enum class zero_stage { none, optimizer, gradients, parameters };

/// What the backward pass computes again instead of keeping.
enum class recompute {
  none,
  selective,           ///< the attention core: scores, softmax, its dropout, the weighted sum
  alternate_products,  ///< every second matrix product (PyTorch's operator policy, torchtitan)
  full                 ///< all but the input of each checkpointed block of layers
};

/// Whether the attention core writes its s x s scores to memory.
enum class attention_kernel { unfused, flash };

/// How the loss treats the logits, which of all tensors are often the largest.
enum class loss_kernel {
  in_place,  ///< beside the logits one FP32 copy, which the softmax overwrites (Megatron-LM)
  fused,     ///< and a second one (Megatron-LM, --cross-entropy-loss-fusion)
  te_fused,  ///< no copy: the gradient overwrites the logits (Transformer Engine)
  compiled,  ///< no FP32 copy: one kernel that a compiler wrote reads the logits and writes their
             ///< gradient (torch.compile)
  eager,     ///< FP32 logits, their log-softmax and its gradient, as separate steps of a framework
  chunked,   ///< logits of a part of the tokens at a time, never all (Liger, linear cross-entropy)
  none       ///< no head of the vocabulary's width, as when a classifier is trained
};

/// What the weights of a mixed precision are kept as.
enum class weight_storage {
  by_precision,  ///< as formats_of(precision) says: 16 bits, beside an FP32 master copy
  fp32           ///< FP32, cast whenever they are used (PyTorch's autocast and FSDP)
};

/// What the moments of Adam are kept as.
enum class moment_format {
  by_precision,  ///< as formats_of(precision) says: FP32 beside a master copy
  fp32,
  bf16,
  fp8  ///< with one FP32 scale a tensor, which is not counted
};

/// What the tensors that layers keep for the backward pass are kept as.
enum class activation_storage {
  by_precision,  ///< inputs of products in the products' format, all else in 16 bits
  fp8            ///< inputs of activation functions and of experts in 8 bits, too (DeepSeek-V3)
};

/// The format in which data-parallel ranks reduce gradients.
enum class reduction_format {
  by_framework,  ///< as gradient_reduction says
  fp32,
  fp16,
  bf16
};

/// How long accumulated gradients occupy memory.
enum class gradient_lifetime {
  always,   ///< one buffer, made at the start (Megatron-LM, DistributedDataParallel's buckets)
  backward  ///< made by the first backward pass of a step, freed by the update
};

/// A choice that the software has made, unless the recipe says otherwise.
enum class software_choice { by_framework, on, off };

/// Which messages run beside computing.
struct message_overlap {
  software_choice data = software_choice::by_framework;      ///< gradients and weights of replicas
  software_choice tensor = software_choice::by_framework;    ///< beside the products they are for
  software_choice pipeline = software_choice::by_framework;  ///< activations of interleaved chunks
  software_choice expert = software_choice::by_framework;    ///< beside another micro-batch's work
};

/// How tokens are sent to experts, and their results back.
enum class expert_dispatcher {
  all_to_all,  ///< NCCL's: a copy for each expert that a token visits
  all_gather,  ///< every rank gets all tokens of the group, and keeps those for its experts
  deep_ep,     ///< kernels of their own: a copy for each rank, over the network for each node
  hybrid_ep    ///< likewise, made for NVLink domains that span nodes
};

/// What CUDA graphs launch in place of the host.
enum class cuda_graphs {
  none,
  fixed_shapes,  ///< what has one shape in every step: dense layers; attention of a mixture
  iteration      ///< the whole step
};

/// Parts of a layer that the backward pass computes again, beside what `recompute` says.
enum class recomputed_module : unsigned {
  core_attn = 1,    ///< scores, softmax, the weighted sum
  layernorm = 2,    ///< both norms
  moe_act = 4,      ///< the activation between the products of experts
  mla_up_proj = 8,  ///< latent attention: the projections up from the latent vectors
  mlp = 16,         ///< the feed-forward network of a dense layer
  moe = 32,         ///< all of a layer's experts, messages included
  shared_experts = 64
};

/// Some of them.
struct module_set {
  unsigned bits = 0;

  [[nodiscard]] constexpr bool has(recomputed_module one) const {
    return (bits & static_cast<unsigned>(one)) != 0;
  }
  friend constexpr bool operator==(const module_set&, const module_set&) = default;
};
inline constexpr unsigned all_modules = 127;

/// How values are scaled before they are cast to 8 bits.
enum class fp8_recipe {
  tensorwise,  ///< one scale for a tensor
  blockwise,   ///< one for 128 values of an activation, for 128 x 128 of a weight
  mxfp8        ///< one for 32 values, in the tensor cores of Blackwell and MI350
};

/// Model states that lie in the host's memory instead of the GPU's.
enum class offloaded_states {
  none,
  optimizer,  ///< master weights and optimizer states, updated by the host (Megatron-LM)
  all         ///< weights and gradients too, moved for each pass (ZeRO-Infinity, FSDP's CPUOffload)
};

/// A second model of the same shape beside the trained one, whose log-probabilities the loss
/// compares with (DPO, or the KL term of reinforcement learning).
enum class reference_model {
  none,   ///< or what it says of each sample was computed before (TRL's precompute_ref_log_probs)
  frozen  ///< a forward pass of weights that are never trained; beside adapters those of the base
};

/// The order of forward and backward passes in a pipeline.
enum class pipeline_schedule {
  gpipe,
  one_forward_one_backward,
  zero_bubble_h1,
  zero_bubble_h2,
  zero_bubble_v,
  dualpipe
};

/// Layers of each pipeline stage when they are not equal; empty: as equal as they can be.
class layer_split {
 public:
  static constexpr int most_stages = 128;
  static constexpr int most_layers = 65535;  ///< of one stage

  constexpr layer_split() = default;
  /// \throws invalid_input if there are more than most_stages stages, or a stage has not 0 to 65535
  ///         layers
  template <class Range>
  constexpr explicit layer_split(const Range& layers) {
    for (const auto count : layers) {
      require(stages_ < most_stages, "layer_split: stages must be <= 128");
      require(count >= 0 && count <= most_layers,
              "layer_split: layers of a stage must be 0 to 65535");
      layers_[static_cast<std::size_t>(stages_++)] = static_cast<std::uint16_t>(count);
    }
  }

  [[nodiscard]] constexpr int stages() const { return stages_; }
  [[nodiscard]] constexpr int layers(int stage) const {
    return layers_[static_cast<std::size_t>(stage)];
  }
  [[nodiscard]] constexpr int total() const {
    int sum = 0;
    for (int i = 0; i < stages_; ++i) sum += layers(i);
    return sum;
  }

 private:
  std::array<std::uint16_t, most_stages> layers_{};
  int stages_ = 0;
};

/// A training recipe.
struct recipe {
  int global_batch_size = 1;        ///< sequences of one optimizer step
  int sequence_length = 2048;       ///< tokens of one sequence (of the decoder, beside an encoder)
  int encoder_sequence_length = 0;  ///< tokens of an encoder's sequence; 0: sequence_length
  gpuplan::precision precision = gpuplan::precision::mixed_bf16;
  gpuplan::optimizer optimizer = gpuplan::optimizer::adamw;
  gradient_format gradient = gradient_format::by_precision;
  reduction_format reduction = reduction_format::by_framework;
  weight_storage weights = weight_storage::by_precision;
  moment_format moments = moment_format::by_precision;
  activation_storage stored = activation_storage::by_precision;
  zero_stage zero = zero_stage::none;
  gpuplan::recompute recompute = gpuplan::recompute::none;
  int recompute_every = 1;  ///< layers of one checkpointed block; full recompute only
  attention_kernel attention = attention_kernel::flash;
  pipeline_schedule schedule = pipeline_schedule::one_forward_one_backward;
  bool sequence_parallel = false;  ///< splits what tensor parallelism replicates, by tokens
  bool dropout = false;            ///< keeps a mask beside each place that drops
  loss_kernel loss = loss_kernel::in_place;
  bool replicated_logits = false;  ///< tensor-parallel ranks gather the logits before the loss
  gradient_lifetime gradients_live = gradient_lifetime::always;
  gpuplan::framework framework = gpuplan::framework::transformer_engine;
  double expert_imbalance = 1;        ///< tokens of the fullest expert rank over the mean; >= 1
  double expert_capacity_factor = 0;  ///< tokens that an expert takes over the mean, padded to it
                                      ///< and dropped above it; 0: all that come
  expert_dispatcher dispatcher = expert_dispatcher::all_to_all;
  bool shared_expert_overlap = false;  ///< shared experts work while tokens are on their way
  message_overlap overlap{};
  gpuplan::cuda_graphs cuda_graphs = gpuplan::cuda_graphs::none;
  module_set recompute_modules{};
  gpuplan::fp8_recipe fp8_recipe = gpuplan::fp8_recipe::tensorwise;
  software_choice gradient_accumulation_fusion = software_choice::by_framework;
  software_choice expert_fusion = software_choice::by_framework;  ///< of products and activation
  software_choice latent_rotary_fusion = software_choice::by_framework;  ///< of latent heads
  watts power_limit{
      std::numeric_limits<double>::infinity()};  ///< of one GPU; infinite: none but its design's
  gpuplan::adapters adapters{};
  offloaded_states offload = offloaded_states::none;
  double offloaded_activations = 0;  ///< part of what layers keep that waits on the host; 0 to 1
  int interleave_group = 0;  ///< micro-batches that a rank runs on one chunk in turn; 0: pipeline
  layer_split split{};
  reference_model reference = reference_model::none;
  int sequences_per_sample = 1;  ///< that one micro-batch holds together: 2 of chosen and rejected

  /// Whether a second copy of the weights lies beside those that are trained: adapters switched off
  /// leave the reference model.
  [[nodiscard]] constexpr bool keeps_reference() const {
    return reference == reference_model::frozen && !adapts();
  }
  /// Whether each micro-batch has a forward pass of the reference model.
  [[nodiscard]] constexpr bool runs_reference() const {
    return reference == reference_model::frozen;
  }
  /// Whether the model's weights are frozen, adapters alone trained.
  [[nodiscard]] constexpr bool adapts() const { return adapters.rank > 0; }
  /// Whether products are of values in blocks of 32 that have a scale each.
  [[nodiscard]] constexpr bool uses_mxfp8() const {
    return precision == gpuplan::precision::mixed_fp8 && fp8_recipe == gpuplan::fp8_recipe::mxfp8;
  }
  /// Whether products of experts activate and cast what they write, which they do with MXFP8 alone:
  /// as the recipe says, else where HybridEP sends tokens.
  ///
  /// Source: NVIDIA, "Megatron-Bridge", performance recipes with HybridEP and MXFP8 on GB200 and
  /// GB300: those of NeMo 26.06 on fuse.
  [[nodiscard]] constexpr bool fuses_experts() const {
    if (!uses_mxfp8()) return false;
    if (expert_fusion != software_choice::by_framework) return expert_fusion == software_choice::on;
    return dispatcher == expert_dispatcher::hybrid_ep;
  }
  /// Whether fused kernels rotate the queries and keys of latent attention: those of Megatron Core
  /// as asked, else in software of late 2025 on, which is known by what earlier releases do not
  /// have (there the fusion is experimental, and has to be switched on); those of a compiled model
  /// always, those of eager code never.
  ///
  /// Source: NVIDIA, "Megatron-Bridge", performance recipes of DeepSeek-V3 with HybridEP or MXFP8
  /// (NeMo 25.11 to 26.08): all of them fuse.
  [[nodiscard]] constexpr bool fuses_latent_rotary() const {
    if (framework != gpuplan::framework::transformer_engine)
      return framework == gpuplan::framework::fsdp2;
    if (latent_rotary_fusion != software_choice::by_framework)
      return latent_rotary_fusion == software_choice::on;
    return dispatcher == expert_dispatcher::hybrid_ep ||
           precision == gpuplan::precision::mixed_nvfp4 || uses_mxfp8();
  }
  /// Tokens of the fullest expert rank over the mean, those that fill up capacity among them.
  [[nodiscard]] constexpr double expert_load() const {
    return expert_capacity_factor > 0 ? expert_capacity_factor : expert_imbalance;
  }
  /// Whether the backward pass computes that part of a layer again.
  [[nodiscard]] constexpr bool recomputes(recomputed_module part) const {
    return recompute_modules.has(part);
  }
  /// Whether anything lies on the host, so that its link is used.
  [[nodiscard]] constexpr bool uses_host() const {
    return offload != offloaded_states::none || offloaded_activations > 0;
  }
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const recipe& how) {
  require(how.global_batch_size >= 1, "recipe.global_batch_size must be >= 1");
  require(how.sequence_length >= 1, "recipe.sequence_length must be >= 1 token");
  require(how.encoder_sequence_length >= 0, "recipe.encoder_sequence_length must be >= 0 tokens");
  require(how.recompute_every >= 1, "recipe.recompute_every must be >= 1");
  require(how.expert_imbalance >= 1, "recipe.expert_imbalance must be >= 1");
  require(how.expert_capacity_factor >= 0, "recipe.expert_capacity_factor must be >= 0");
  require(how.recompute_modules.bits <= all_modules,
          "recipe.recompute_modules must be a set of recomputed_module");
  require(how.power_limit >= watts{1}, "recipe.power_limit must be >= 1 W");
  require_valid(how.adapters);
  require(how.offloaded_activations >= 0 && how.offloaded_activations <= 1,
          "recipe.offloaded_activations must be 0 to 1");
  require(how.interleave_group >= 0, "recipe.interleave_group must be >= 0");
  require(how.sequences_per_sample >= 1, "recipe.sequences_per_sample must be >= 1");
}

/// The format in which a recipe accumulates gradients: unless it is chosen, FP32 beside weights
/// that are kept in FP32, else as formats_of(precision) says.
///
/// \throws invalid_input if a choice of the recipe is no value of its enumeration
constexpr number_format gradient_storage(const recipe& how) {
  const bool follows = how.gradient == gradient_format::by_precision;
  return follows && how.weights == weight_storage::fp32
             ? number_format::fp32
             : gradient_storage(how.gradient, how.precision);
}

/// The format in which ranks reduce gradients: the one that is chosen; else that of accumulated
/// gradients, where that one is chosen; else that of the framework: FP32, the format of the weights
/// that are computed with, or that of accumulated gradients.
///
/// Source: NVIDIA, "Megatron-LM", megatron/training/arguments.py (2024): gradients are accumulated
/// and reduced in one format, FP32 beside weights in BF16.
///
/// \throws invalid_input if a choice of the recipe is no value of its enumeration
constexpr number_format gradient_reduction(const recipe& how) {
  switch (how.reduction) {
    case reduction_format::fp32: return number_format::fp32;
    case reduction_format::fp16: return number_format::fp16;
    case reduction_format::bf16: return number_format::bf16;
    case reduction_format::by_framework:
      if (how.gradient != gradient_format::by_precision) return gradient_storage(how);
      switch (profile_of(how.framework).reduces) {
        case gradient_wire::fp32: return number_format::fp32;
        case gradient_wire::weights: return formats_of(how.precision).weight;
        case gradient_wire::accumulated: return gradient_storage(how);
      }
  }
  require(false, "gradient_reduction: reduction_format must be one of its values");
  return {};
}

}  // namespace gpuplan
