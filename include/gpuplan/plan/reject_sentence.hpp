#pragma once
/// \file
/// Refusals as sentences with their numbers.

#include <string_view>

#include <gpuplan/plan/reject.hpp>

namespace gpuplan {

/// The refusal as one sentence, with places for what is needed, {0}, and what is available, {1}.
constexpr std::string_view sentence_of(reject_reason reason) {
  using enum reject_reason;
  switch (reason) {
    case gpus: return "the layout needs {0} GPUs, and the cluster has {1}";
    case attention_heads: return "tensor = {0} does not divide the {1} attention heads";
    case kv_heads: return "tensor = {0} and the {1} key-value heads do not divide one another";
    case recurrent_heads: return "tensor = {0} does not divide the {1} heads of recurrent mixers";
    case recurrent_groups: return "tensor = {0} does not divide the {1} groups of Mamba 2";
    case recurrence:
      return "recurrent mixers are modelled without context parallelism, and context = {0}";
    case token_choice:
      return "an index of tokens and heads of two sizes are modelled without context parallelism, "
             "and context = {0}";
    case context_heads: return "with all-to-alls, tensor x context = {0} must divide the {1} heads";
    case ffn: return "{0} tensor ranks do not divide the feed-forward width of {1}";
    case sequence:
      return "the sequence of {1} tokens does not divide into {0} parts (context, twice for a ring "
             "with a causal mask; times tensor with sequence parallelism)";
    case positions:
      return "the sequence of {0} tokens is longer than the model's table of {1} positions";
    case layers:
      return "{1} layers do not divide into {0} stages of the virtual pipeline (pipeline x "
             "interleave)";
    case split: return "the layer split must name each stage and every layer: {0}, not {1}";
    case interleave: return "interleave = {0} needs a pipeline of 2 or more stages";
    case schedule: return "this schedule cannot interleave, and interleave = {0}";
    case batch: return "data x micro-batch = {0} does not divide the batch of {1} sequences";
    case samples:
      return "a micro-batch of {1} holds no whole samples of {0} sequences (pairs of chosen and "
             "rejected)";
    case micro_batches:
      return "with interleaving, pipeline = {0} must divide the {1} micro-batches of a step";
    case experts: return "expert = {0} does not divide the {1} experts of a layer";
    case expert_ranks:
      return "expert x expert tensor = {0} does not divide tensor x context x data = {1}: each "
             "pipeline stage needs {0} GPUs or a multiple of them";
    case expert_tokens: return "experts with tensor = {0} need sequence parallelism";
    case expert_order:
      return "with data outside the pipeline, expert x expert tensor = {0} must equal "
             "tensor x context = {1}";
    case shard_group: return "the shard group of {0} ranks does not divide data x context = {1}";
    case sharding:
      return "FSDP2 shards weights, gradients and optimizer states together, so ZeRO {1} is not "
             "among what it has: 0 (nothing sharded), 2 (weights gathered once a step) and 3";
    case adapters:
      return "adapters of rank {0} need matrices at least as wide, and the narrowest has {1}";
    case encoder: return "an encoder-decoder cannot be cut into {0} pipeline stages";
    case offload: return "weights on the host need ZeRO {0} or a single replica; ZeRO is {1}";
    case format: return "the GPU does not support this number format";
    case block_scales:
      return "the GPU has no units for the block scales of MXFP8, which came with NVIDIA's "
             "Blackwell and AMD's MI350";
    case memory: return "the fullest stage needs {0} of memory, and the GPU has {1}";
    case host_memory: return "the offloaded states need {0} of host memory, and the host has {1}";
    case none:
    case adapted_model:
    case host_link: break;
  }
  return describe(reason);
}

}  // namespace gpuplan
