#pragma once
/// \file
/// What an attention block keeps for its backward pass.

#include <algorithm>

#include <gpuplan/memory/micro_batch_tokens.hpp>
#include <gpuplan/model/precision.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/units/number_format.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Activations of one attention block on one rank, for one micro-batch.
struct attention_activations {
  bytes norm_input{};
  bytes input{};      ///< of the query, key and value projections
  bytes latents{};    ///< compressed queries, keys and values of latent attention
  bytes query{};      ///< and, beside it, what a norm of queries reads
  bytes key_value{};  ///< and, beside them, what a norm of keys reads
  bytes core{};       ///< softmax, its dropout; or the log-sum-exp of a flash kernel
  bytes output{};     ///< of the core, input of the output projection
  bytes mask{};       ///< dropout after the projection

  [[nodiscard]] constexpr bytes total() const {
    return norm_input + input + latents + query + key_value + core + output + mask;
  }
};

/// Bytes of one value in each role that an activation can have.
struct activation_bytes {
  bytes value{};               ///< kept as the layer computed it
  bytes operand{};             ///< kept as the input of a matrix product: FP8 where products are
  bytes mask{1};               ///< of dropout, as PyTorch keeps it
  bytes softmax_statistic{4};  ///< log-sum-exp of one row, FP32
};

/// \throws invalid_input if mix is none of precisions
constexpr activation_bytes bytes_per_activation(precision mix) {
  const precision_formats formats = formats_of(mix);
  return {.value = limits_of(formats.activation).storage,
          .operand = limits_of(formats.product).storage};
}

/// Activations of an attention block whose queries come from `queries` and whose keys and values
/// come from `keys` (the same in self-attention, the encoder's in cross-attention).
///
///     norm input, input    2 h each, of every residual token
///     query                2 a d / t
///     key and value        2 (2 g d) / t
///     core, unfused        5 a s k / t with dropout, 2 a s k / t without;  flash  4 a s / t
///     output               2 a d / t
///     mask                 h, of every residual token, with dropout
///
///     h  hidden_size, a heads, g key-value heads (at least one a rank), d head width
///     t  tensor-parallel ranks; s tokens; k keys of a sequence
///
/// in bytes a token, for 2-byte activations.  With h = a d and g = a it is the 11 s b h + 5 a s^2 b
/// of the source.  Selective recomputation keeps nothing of the core.
///
/// Source: V. Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models",
/// MLSys (2023), section 4.1, arXiv:2205.05198; T. Dao, "FlashAttention-2", ICLR (2024), section
/// 3.1, arXiv:2307.08691 (the log-sum-exp).
///
/// \throws invalid_input if the recipe's precision is none of precisions
constexpr attention_activations attention_block(const transformer& m, const recipe& how,
                                                const parallelism& cut,
                                                const micro_batch_tokens& queries,
                                                const micro_batch_tokens& keys) {
  const activation_bytes per = bytes_per_activation(how.precision);
  const double h = m.hidden_size;
  const double t = cut.tensor;
  const double heads = m.attention_heads / t;
  const double kv_heads = (std::max)(m.key_value_heads() / t, 1.0);
  const latent_attention& latent = m.latent;
  const bool compressed = latent.kv_rank > 0;

  attention_activations kept{.norm_input = h * queries.residual * per.value,
                             .input = h * queries.residual * per.operand,
                             .query = heads * m.query_head_dim() * queries.all * per.value,
                             .key_value = (compressed ? heads : kv_heads) *
                                          (m.query_head_dim() + m.value_head_dim()) * keys.all *
                                          per.value,
                             .output = heads * m.value_head_dim() * queries.all * per.value,
                             .mask = how.dropout ? h * queries.residual * per.mask : bytes{0}};
  if (per.operand < per.value)
    kept.output += heads * m.value_head_dim() * queries.all * per.operand;
  if (compressed)
    kept.latents =
        (static_cast<double>(latent.query_rank) + latent.kv_rank + latent.rope_head_dim) *
        queries.residual * per.value;
  if (m.query_key != query_key_norm::none) {
    kept.query += heads * m.query_head_dim() * queries.all * per.value;
    kept.key_value += kv_heads * m.query_head_dim() * keys.all * per.value;
  }
  if (how.recompute == recompute::selective) return kept;
  const double rows = heads * queries.all;
  kept.core = how.attention == attention_kernel::flash
                  ? rows * per.softmax_statistic
                  : rows * keys.sequence * (how.dropout ? 2 * per.value + per.mask : per.value);
  return kept;
}

}  // namespace gpuplan
