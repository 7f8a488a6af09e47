#pragma once
/// \file
/// Why a layout is rejected: the reasons, and their words.

#include <array>
#include <cstddef>
#include <string_view>

#include <gpuplan/infinite_math.hpp>

namespace gpuplan {

/// The first rule that a layout breaks, in the order they are tried.
enum class reject_reason {
  none,
  gpus,              ///< data x tensor x pipeline x context exceeds the cluster
  attention_heads,   ///< tensor does not divide them
  kv_heads,          ///< neither tensor nor they divide the other
  recurrent_heads,   ///< tensor does not divide those of recurrent mixers
  recurrent_groups,  ///< tensor does not divide those of Mamba 2
  recurrence,        ///< recurrent mixers are modelled without context parallelism
  token_choice,      ///< so are an index of tokens, and heads of two sizes
  context_heads,     ///< tensor x context, which exchanges all to all, does not divide them
  ffn,               ///< tensor does not divide the width
  sequence,          ///< context (a ring twice, for balance of a causal mask) or tensor do not
                     ///< divide it
  positions,         ///< the sequence is longer than a learned table of positions
  layers,            ///< fewer layers than pipeline x interleave, or not divisible by them
  split,             ///< the recipe's split names other stages or layers
  interleave,        ///< needs a pipeline
  schedule,          ///< cannot interleave, or needs an even number of layers
  batch,             ///< data x micro_batch_size does not divide global_batch_size
  samples,           ///< a micro-batch would cut a sample, as a pair of chosen and rejected
  micro_batches,     ///< interleaving needs a multiple of pipeline, or groups of as many
  experts,           ///< expert does not divide them
  expert_ranks,      ///< expert x expert_tensor does not divide tensor x context x data
  expert_tokens,     ///< tensor ranks that all send the same tokens to experts
  expert_order,      ///< stages of experts that would lie on other GPUs than those of dense layers
  shard_group,       ///< does not divide data x context
  sharding,          ///< a ZeRO stage that the framework has not
  adapted_model,     ///< adapters of a model that has more than attention and feed-forward layers
  adapters,          ///< of a rank above the narrowest side
  encoder,           ///< an encoder beside the decoder is not cut into stages
  offload,           ///< weights on the host that several replicas hold whole
  format,            ///< the device has no units for the recipe's number format
  block_scales,      ///< nor for a scale of each 32 values, as MXFP8 has
  host_link,         ///< no rate is known for the link to the host that offloading takes
  memory,            ///< the worst stage needs more than the device has
  host_memory        ///< what is offloaded needs more than the host has
};

inline constexpr int reject_reasons = static_cast<int>(reject_reason::host_memory) + 1;

/// A refusal: what is needed, beside what there is.
struct reject {
  reject_reason reason = reject_reason::none;
  double needed = 0;     ///< what must divide or be held; bytes where in_bytes() says so
  double available = 0;  ///< what it must divide or fit into

  [[nodiscard]] constexpr explicit operator bool() const { return reason != reject_reason::none; }
  [[nodiscard]] constexpr bool in_bytes() const {
    return reason == reject_reason::memory || reason == reject_reason::host_memory;
  }
};

/// A name for programs, and the reason as one plain phrase: "needed" and "available" are the fields
/// of reject.
struct reject_words {
  std::string_view name;
  std::string_view phrase;
};

/// Of each reason, in their order.
inline constexpr std::array<reject_words, reject_reasons> words_of_rejects{
    {{"none", "it fits"},
     {"gpus", "the layout needs more GPUs than the cluster has"},
     {"attention_heads", "tensor must divide the attention heads"},
     {"kv_heads", "tensor and the key-value heads must divide one another"},
     {"recurrent_heads", "tensor must divide the heads of recurrent mixers"},
     {"recurrent_groups", "tensor must divide the groups of Mamba 2"},
     {"recurrence", "recurrent mixers are modelled without context parallelism"},
     {"token_choice",
      "an index of tokens and heads of two sizes are modelled without context parallelism"},
     {"context_heads",
      "with all-to-alls, tensor x context must divide the heads and the key-value heads"},
     {"ffn", "tensor must divide the feed-forward width"},
     {"sequence",
      "context (a ring twice, with a causal mask) and, with sequence parallelism, tensor must "
      "divide the sequence length"},
     {"positions", "the sequence is longer than the model's table of positions"},
     {"layers",
      "the layers, or the layers with both ends, must divide into pipeline x interleave chunks"},
     {"split", "the layer split must name each stage and every layer"},
     {"interleave", "interleaving needs a pipeline of 2 or more"},
     {"schedule", "this schedule cannot interleave"},
     {"batch", "data x micro-batch size must divide the global batch size"},
     {"samples", "a micro-batch must hold whole samples, as pairs of chosen and rejected"},
     {"micro_batches", "with interleaving, pipeline must divide the number of micro-batches"},
     {"experts", "expert must divide the experts of a layer"},
     {"expert_ranks", "expert x expert tensor must divide tensor x context x data"},
     {"expert_tokens", "experts beside tensor parallelism need sequence parallelism"},
     {"expert_order",
      "with data outside the pipeline, expert x expert tensor must be tensor x context"},
     {"shard_group", "the shard group must divide data x context"},
     {"sharding", "FSDP2 shards weights, gradients and optimizer states together: ZeRO 0, 2 or 3"},
     {"adapted_model",
      "low-rank adapters (LoRA) are not modelled of models with recurrent mixers (state-space or "
      "linear-attention layers), an encoder, an index of tokens, heads of two sizes or latent "
      "experts; training of all weights is"},
     {"adapters", "adapters must be no wider than their maps"},
     {"encoder", "an encoder-decoder is not cut into pipeline stages"},
     {"offload", "weights on the host need ZeRO to divide them, or a single replica"},
     {"format", "the device has no units for the number format"},
     {"block_scales", "the device has no units for the block scales of MXFP8"},
     {"host_link", "no rate is known for the link to the host"},
     {"memory", "the worst stage does not fit into the device's memory"},
     {"host_memory", "what is offloaded does not fit into the host's memory"}}};

/// "tensor must divide the attention heads".
constexpr std::string_view describe(reject_reason reason) {
  const auto place = static_cast<std::size_t>(reason);
  return place < words_of_rejects.size() ? words_of_rejects[place].phrase : "unknown";
}

/// "attention_heads".
constexpr std::string_view name_of(reject_reason reason) {
  return words_of_rejects[static_cast<std::size_t>(reason)].name;
}

}  // namespace gpuplan
