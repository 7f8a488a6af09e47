#pragma once
/// \file
/// The first rule of divisibility that a layout breaks.

#include <algorithm>
#include <cstdint>

#include <gpuplan/model/adapters.hpp>
#include <gpuplan/model/attention_shape.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/pipeline_stage.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/reject.hpp>

namespace gpuplan {

/// A sequence that is longer than a learned table of positions, the encoder's beside the decoder's.
constexpr reject position_fault(const transformer& m, const recipe& how) {
  const int encoded = m.encoder_layers > 0 ? how.encoder_sequence_length : 0;
  const int longest = (std::max)(how.sequence_length, encoded);
  if (longest <= m.most_positions()) return {};
  return {reject_reason::positions, static_cast<double>(longest),
          static_cast<double>(m.most_positions())};
}

namespace detail {

constexpr reject unless_divides(std::int64_t divisor, std::int64_t whole, reject_reason reason) {
  if (divisor == 1 || whole % divisor == 0) [[likely]]
    return {};
  return {reason, static_cast<double>(divisor), static_cast<double>(whole)};
}

/// Of ranks that exchange all to all: each gets whole heads.
[[gnu::cold]] constexpr reject exchange_fault(const transformer& m, const parallelism& cut) {
  const std::int64_t ranks = std::int64_t{cut.tensor} * cut.context;
  const reject no = unless_divides(ranks, m.attention_heads, reject_reason::context_heads);
  return no ? no : unless_divides(ranks, expanded_key_heads(m), reject_reason::context_heads);
}

[[gnu::cold]] constexpr reject recurrence_fault(const transformer& m, const parallelism& cut) {
  if (cut.context > 1) return {reject_reason::recurrence, static_cast<double>(cut.context), 1};
  if (auto no =
          unless_divides(cut.tensor, recurrent_heads(m.recurrent), reject_reason::recurrent_heads))
    return no;
  const int groups = recurrent_groups(m.recurrent);
  return groups == 0 ? reject{}
                     : unless_divides(cut.tensor, groups, reject_reason::recurrent_groups);
}

/// Of a model whose windowed layers have heads of their own, or whose layers have an index.
[[gnu::cold]] constexpr reject further_attention_fault(const transformer& m,
                                                       const parallelism& cut) {
  if (cut.context > 1) return {reject_reason::token_choice, static_cast<double>(cut.context), 1};
  if (!has_two_head_sizes(m)) return {};
  if (auto no =
          unless_divides(cut.tensor, m.windowed.attention_heads, reject_reason::attention_heads))
    return no;
  const int kv_heads = m.windowed.kv_heads;
  if (kv_heads % cut.tensor == 0 || cut.tensor % kv_heads == 0) return {};
  return {reject_reason::kv_heads, static_cast<double>(cut.tensor), static_cast<double>(kv_heads)};
}

constexpr reject model_fault(const transformer& m, const recipe& how, const parallelism& cut) {
  if (auto no = unless_divides(cut.tensor, m.attention_heads, reject_reason::attention_heads))
    return no;
  if (m.recurrent.layers > 0) [[unlikely]]
    if (auto no = recurrence_fault(m, cut)) return no;
  if (has_two_head_sizes(m) || m.sparse.heads > 0) [[unlikely]]
    if (auto no = further_attention_fault(m, cut)) return no;
  const int kv_heads = expanded_key_heads(m);
  if (kv_heads % cut.tensor != 0 && cut.tensor % kv_heads != 0)
    return {reject_reason::kv_heads, static_cast<double>(cut.tensor),
            static_cast<double>(kv_heads)};
  if (cut.exchange == context_exchange::all_to_all && cut.context > 1)
    if (auto no = exchange_fault(m, cut)) return no;
  if (m.ffn_size > 0)
    if (auto no = unless_divides(cut.tensor, m.ffn_size, reject_reason::ffn)) return no;
  if (m.moe.experts > 0)
    if (auto no = unless_divides(cut.expert_tensor_ranks(), m.moe.ffn_size, reject_reason::ffn))
      return no;

  if (auto no = position_fault(m, how)) return no;
  const bool balanced = cut.exchange == context_exchange::all_to_all;
  const int halves = m.mask == attention_mask::causal && cut.context > 1 && !balanced ? 2 : 1;
  const std::int64_t pieces =
      std::int64_t{halves} * cut.context * (how.sequence_parallel ? cut.tensor : 1);
  return unless_divides(pieces, how.sequence_length, reject_reason::sequence);
}

/// No chunk of a split is empty: each has a layer, the table or the head.
[[gnu::cold]] constexpr reject split_chunks_fault(const transformer& m, const layer_split& split,
                                                  int chunks) {
  for (int i = 0; chunks > 1 && i < split.stages(); ++i) {
    int pieces = split.layers(i);
    if (i == 0) ++pieces;
    if (i == split.stages() - 1) pieces += 1 + m.multi_token_prediction_layers;
    if (pieces < chunks)
      return {reject_reason::layers, static_cast<double>(chunks), static_cast<double>(pieces)};
  }
  return {};
}

constexpr reject pipeline_fault(const transformer& m, const recipe& how, const parallelism& cut) {
  if (m.encoder_layers > 0 && cut.pipeline > 1)
    return {reject_reason::encoder, static_cast<double>(cut.pipeline), 1};
  if (cut.interleave > 1 && cut.pipeline == 1)
    return {reject_reason::interleave, static_cast<double>(cut.interleave), 1};
  if (cut.interleave > 1 && how.schedule != pipeline_schedule::one_forward_one_backward)
    return {reject_reason::schedule, static_cast<double>(cut.interleave), 1};
  if (how.split.stages() > 0) {
    if (how.split.stages() != cut.pipeline)
      return {reject_reason::split, static_cast<double>(cut.pipeline),
              static_cast<double>(how.split.stages())};
    if (how.split.total() != m.layers)
      return {reject_reason::split, static_cast<double>(m.layers),
              static_cast<double>(how.split.total())};
    return split_chunks_fault(m, how.split, cut.interleave);
  }
  const std::int64_t chunks = std::int64_t{cut.pipeline} * cut.interleave;
  const reject no{reject_reason::layers, static_cast<double>(chunks),
                  static_cast<double>(m.layers)};
  if (cut.interleave == 1) return chunks > m.layers ? no : reject{};
  if (chunks > std::int64_t{m.layers} + 2 + m.multi_token_prediction_layers) return no;
  return has_equal_pieces(m, cut.pipeline, cut.interleave) ? reject{} : no;
}

constexpr reject batch_fault(const recipe& how, const parallelism& cut) {
  const std::int64_t at_once = std::int64_t{cut.data} * cut.micro_batch_size;
  if (auto no = unless_divides(at_once, how.global_batch_size, reject_reason::batch)) return no;
  if (how.sequences_per_sample > 1) [[unlikely]]
    if (auto no =
            unless_divides(how.sequences_per_sample, cut.micro_batch_size, reject_reason::samples))
      return no;
  if (cut.interleave == 1) return {};
  const std::int64_t count = how.global_batch_size / at_once;
  if (how.interleave_group == 0) [[likely]]
    return unless_divides(cut.pipeline, count, reject_reason::micro_batches);
  // Groups of at least `pipeline` micro-batches run on a chunk in turn, the last of what is left.
  const std::int64_t left = count % how.interleave_group;
  const bool short_last = left > 0 && left < cut.pipeline;
  if (how.interleave_group >= cut.pipeline && how.interleave_group <= count && !short_last)
    return {};
  return {
      reject_reason::micro_batches, static_cast<double>(cut.pipeline),
      static_cast<double>(short_last ? left : std::min<std::int64_t>(how.interleave_group, count))};
}

/// Adapters are modelled beside the maps of attention and of feed-forward layers.
[[gnu::cold]] constexpr reject adapted_model_fault(const transformer& m, const recipe& how) {
  const bool known = m.encoder_layers == 0 && m.recurrent.layers == 0 && m.sparse.heads == 0 &&
                     !has_two_head_sizes(m) && m.moe.latent_size == 0;
  if (known) return {};
  return {reject_reason::adapted_model, static_cast<double>(how.adapters.rank), 0};
}

[[gnu::cold]] constexpr reject adapter_fault(const transformer& m, const recipe& how,
                                             const parallelism& cut) {
  const auto fault = [&](layer_kind kind) {
    const double most = adapted_maps_of(m, kind, how.adapters, cut).narrowest();
    if (how.adapters.rank <= most) return reject{};
    return reject{reject_reason::adapters, static_cast<double>(how.adapters.rank), most};
  };
  if (m.dense_layers() > 0)
    if (const reject no = fault(layer_kind::dense)) return no;
  return m.moe_layers() > 0 ? fault(layer_kind::moe) : reject{};
}

constexpr reject offload_fault(const recipe& how, const parallelism& cut) {
  if (how.offload != offloaded_states::all || how.zero == zero_stage::parameters ||
      cut.replicas() == 1)
    return {};
  return {reject_reason::offload, static_cast<double>(zero_stage::parameters),
          static_cast<double>(how.zero)};
}

/// FSDP2 shards all states of a module at once; without resharding after the forward pass weights
/// stay whole until the optimizer, which is ZeRO 2.
///
/// Source: PyTorch, "torch.distributed.fsdp.fully_shard", reshard_after_forward (2.8, 2025).
constexpr reject sharding_fault(const recipe& how, const parallelism& cut) {
  const bool known = how.framework != framework::fsdp2 || how.zero != zero_stage::optimizer;
  if (known || cut.replicas() == 1) return {};
  return {reject_reason::sharding, static_cast<double>(zero_stage::gradients),
          static_cast<double>(how.zero)};
}

constexpr reject expert_fault(const transformer& m, const recipe& how, const parallelism& cut) {
  if (cut.expert > 1) {
    if (m.moe.experts == 0) return {reject_reason::experts, static_cast<double>(cut.expert), 0};
    if (auto no = unless_divides(cut.expert, m.moe.experts, reject_reason::experts)) return no;
  }
  // A dense model has no such ranks, but its layout must be able to have those that it names.
  if (m.moe.experts > 0 || cut.expert_tensor > 0)
    if (auto no = unless_divides(std::int64_t{cut.expert} * cut.expert_tensor_ranks(),
                                 cut.gpus() / cut.pipeline, reject_reason::expert_ranks))
      return no;
  if (m.moe.experts > 0 && cut.tensor > 1 && !how.sequence_parallel)
    return {reject_reason::expert_tokens, static_cast<double>(cut.tensor), 1};
  if (m.moe.experts > 0 && cut.order == group_order::pipeline_then_data && cut.pipeline > 1) {
    const std::int64_t over = std::int64_t{cut.expert} * cut.expert_tensor_ranks();
    const std::int64_t dense = std::int64_t{cut.tensor} * cut.context;
    if (over != dense)
      return {reject_reason::expert_order, static_cast<double>(over), static_cast<double>(dense)};
  }
  if (cut.shard_group == 0) return {};
  return unless_divides(cut.shard_group, cut.replicas(), reject_reason::shard_group);
}

}  // namespace detail

/// The first rule that the layout breaks, memory apart; an empty reject if it breaks none.
///
/// Without a split, stages may differ by one layer; with interleaving only the first and the last
/// piece may hold one layer less than the others, as layers_of_stage says.  Without sequence
/// parallelism each of the tensor ranks would send all tokens to the experts, which then work on
/// each of them `tensor` times: refused, as the software does when it trains.
///
/// Source: NVIDIA, "Megatron-LM", megatron/training/arguments.py, validate_args, and
/// megatron/core/transformer/moe/moe_layer.py (2026).
constexpr reject layout_fault(const transformer& m, std::int64_t gpus, const recipe& how,
                              const parallelism& cut) {
  if (how.adapts())  // whatever the layout
    if (auto no = detail::adapted_model_fault(m, how)) return no;
  if (cut.gpus() > gpus)
    return {reject_reason::gpus, static_cast<double>(cut.gpus()), static_cast<double>(gpus)};
  if (auto no = detail::model_fault(m, how, cut)) return no;
  if (auto no = detail::pipeline_fault(m, how, cut)) return no;
  if (auto no = detail::batch_fault(how, cut)) return no;
  if (auto no = detail::expert_fault(m, how, cut)) return no;
  if (auto no = detail::sharding_fault(how, cut)) return no;
  if (how.adapts())
    if (auto no = detail::adapter_fault(m, how, cut)) return no;
  return detail::offload_fault(how, cut);
}

}  // namespace gpuplan
