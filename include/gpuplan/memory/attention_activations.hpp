#pragma once
/// \file
/// Activations that an attention block keeps for the backward pass.

#include <algorithm>
#include <array>
#include <cstddef>

#include <gpuplan/memory/micro_batch.hpp>
#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/attention_shape.hpp>
#include <gpuplan/model/layer_parameters.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/precision.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/units/number_format.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Activations of one attention block on one rank, for one micro-batch.
struct attention_activations {
  // In no sum: the layer's input as it comes, for which the norm's input stands, and the block's
  // output as it is computed.
  bytes stream{};
  bytes state{};

  bytes norm_input{};
  bytes input{};        ///< of the query, key and value projections
  bytes latents{};      ///< compressed queries, keys and values, before and after their norms
  bytes query{};        ///< and, beside it, what a norm of queries reads
  bytes key_value{};    ///< and, beside them, what a norm of keys reads
  bytes core{};         ///< softmax and its dropout; of a flash kernel the log-sum-exp
  bytes core_output{};  ///< a copy of the core's output that lies as the kernel wrote it
  bytes output{};       ///< of the core, input of the output projection
  bytes mask{};         ///< dropout after the projection

  [[nodiscard]] constexpr bytes total() const {
    return norm_input + input + latents + query + key_value + core + core_output + output + mask;
  }

  friend constexpr attention_activations operator+(const attention_activations& a,
                                                   const attention_activations& b) {
    return {a.stream + b.stream,       a.state + b.state,     a.norm_input + b.norm_input,
            a.input + b.input,         a.latents + b.latents, a.query + b.query,
            a.key_value + b.key_value, a.core + b.core,       a.core_output + b.core_output,
            a.output + b.output,       a.mask + b.mask};
  }
  friend constexpr attention_activations operator*(double n, const attention_activations& a) {
    return {n * a.stream,      n * a.state,  n * a.norm_input, n * a.input,
            n * a.latents,     n * a.query,  n * a.key_value,  n * a.core,
            n * a.core_output, n * a.output, n * a.mask};
  }
};

/// Bytes of one value in each role that an activation can have.
struct activation_bytes {
  bytes value{};      ///< kept as the layer computed it
  bytes operand{};    ///< kept as the input of a matrix product: FP8 where products are
  bytes mask{1};      ///< of dropout, as PyTorch keeps it
  bytes statistic{};  ///< FP32: the log-sum-exp of a row, the score of an expert
};

namespace detail {

inline constexpr auto bytes_by_precision = [] {
  std::array<activation_bytes, precisions.size()> table{};
  for (const precision mix : precisions) {
    const precision_formats formats = formats_of(mix);
    table[static_cast<std::size_t>(mix)] = {.value = limits_of(formats.activation).storage,
                                            .operand = limits_of(formats.product).storage,
                                            .statistic = limits_of(number_format::fp32).storage};
  }
  return table;
}();

}  // namespace detail

/// Bytes of one value that a layer keeps.
///
/// Source: P. Micikevicius et al., "Mixed Precision Training", ICLR (2018), arXiv:1710.03740.
///
/// \throws invalid_input if mix is none of precisions
constexpr const activation_bytes& bytes_per_activation(precision mix) {
  const auto index = static_cast<std::size_t>(mix);
  require(index < precisions.size(), "bytes_per_activation: precision must be one of precisions");
  return detail::bytes_by_precision[index];
}

/// Bytes of one value that a norm reads.
///
/// Source: PyTorch, Automatic Mixed Precision package, operations that autocast to float32 (2.x).
constexpr bytes norm_input_bytes(const activation_bytes& per, const kernel_memory& kernels) {
  return kernels.norms_kept_fp32 ? per.statistic : per.value;
}

/// Bytes of one value that an activation function or an output projection reads, as it is kept for
/// the backward pass: as a product's operand where the recipe stores activations in FP8.
///
/// Source: DeepSeek-AI, "DeepSeek-V3 Technical Report" (2024), section 3.3.3, arXiv:2412.19437.
constexpr bytes stored_value_bytes(const recipe& how, const activation_bytes& per) {
  return how.stored == activation_storage::fp8 && per.operand < per.value ? per.operand : per.value;
}

/// Bytes of one value of the residual stream: FP32 where every step casts on its own (PyTorch's
/// autocast over FP32 weights), else as the layers compute.
///
/// Source: PyTorch, Automatic Mixed Precision package (2.x): embeddings and sums are not cast.
constexpr bytes stream_bytes(const recipe& how, const activation_bytes& per,
                             const kernel_memory& kernels) {
  const bool autocast =
      kernels.norms_kept_fp32 && how.weights == weight_storage::fp32 && !divides_weights(how);
  return autocast ? per.statistic : per.value;
}

/// What an attention block is asked for: the queries' tokens, and those of the keys and values,
/// which are the same but in attention to an encoder.
struct attention_tokens {
  micro_batch_tokens queries{};
  micro_batch_tokens keys{};
};

namespace detail {

/// Pairs of a query and a key whose scores a rank computes, in all its heads.
constexpr double score_pairs(const transformer& m, const parallelism& cut,
                             const attention_tokens& seen) {
  const double heads = static_cast<double>(m.attention_heads) / cut.tensor;
  return heads * seen.queries.all * seen.keys.sequence;
}

/// Queries, keys and values, and what is kept between them and the block's input.
constexpr void add_projections(attention_activations& kept, const transformer& m,
                               const parallelism& cut, const attention_tokens& seen, bytes value,
                               bool absorbed) {
  const double heads = static_cast<double>(m.attention_heads) / cut.tensor;
  const double query = heads * m.query_head_dim() * seen.queries.all;
  const latent_attention& latent = m.latent;
  if (latent.kv_rank > 0) [[unlikely]] {
    const double widths = 2.0 * latent.query_rank + 2.0 * latent.kv_rank + latent.rope_head_dim;
    kept.latents = widths * seen.queries.residual * value;
    kept.query = query * value;
    if (absorbed) {
      const double shared = static_cast<double>(latent.kv_rank) + latent.rope_head_dim;
      kept.query += heads * shared * seen.queries.all * value;
      kept.key_value = (shared * seen.keys.all + heads * latent.kv_rank * seen.queries.all) * value;
      return;
    }
    kept.key_value = heads * (m.query_head_dim() + m.value_head_dim()) * seen.keys.all * value;
    return;
  }
  const double key_heads = (std::max)(static_cast<double>(m.key_value_heads()) / cut.tensor, 1.0);
  const double keys = key_heads * m.query_head_dim() * seen.keys.all;
  const double values = key_heads * m.value_head_dim() * seen.keys.all;
  const bool normed = m.query_key != query_key_norm::none;
  kept.query = (normed ? 2 : 1) * query * value;
  kept.key_value = ((normed ? 2 : 1) * keys + values) * value;
}

}  // namespace detail

/// Activations of an attention block.
///
///     norm input, input  2 h each, of every residual token
///     query              2 a d / t                    twice with a norm of queries
///     key and value      2 g (d + e) / t              2 g d / t more with a norm of keys
///     latents            2 (2 ql + 2 kl + dr), of every residual token; keys then have a heads;
///                        2 a (2 kl + dr) / t + 2 (kl + dr) in place of keys and values where a
///                        flash kernel works on latents, as with an index of tokens
///     core, unfused      a k (2 + 3 D) / t            2 more where the softmax is kept in FP32
///     core, flash        4 a / t                      and 2 a d / t where its output is copied,
///                                                     as between heads and tokens by all-to-alls
///     output             2 a e / t
///     mask               D h, of every residual token
///
/// in bytes a token, for 2-byte activations.
///
///     h           hidden_size
///     a, g        heads, key-value heads (at least one a rank)
///     d, e        width of a query head and of a value head
///     t           cut.tensor
///     ql, kl, dr  ranks and rotary width of latent attention
///     k           keys
///     D           1 with dropout, else 0
///
/// With h = a d and g = a it is the 11 s b h + 5 a s^2 b of the source.
///
/// Source: V. Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models",
/// MLSys (2023), section 4.1, arXiv:2205.05198; T. Dao, "FlashAttention-2", ICLR (2024), section
/// 3.1, arXiv:2307.08691 (the log-sum-exp).
///
/// \throws invalid_input if the recipe's precision is none of precisions
constexpr attention_activations attention_block(const transformer& m, const recipe& how,
                                                const parallelism& cut,
                                                const attention_tokens& seen,
                                                const kernel_memory& kernels = {}) {
  if (has_two_head_sizes(m)) [[unlikely]]
    return mean_over_windows(
        m, [&](const transformer& one) { return attention_block(one, how, cut, seen, kernels); });
  const activation_bytes per = bytes_per_activation(how.precision);
  const double stream = m.hidden_size * seen.queries.residual;
  const double heads = static_cast<double>(m.attention_heads) / cut.tensor;
  const double output = heads * m.value_head_dim() * seen.queries.all;

  attention_activations kept{.stream = stream * stream_bytes(how, per, kernels),
                             .state = stream * per.value,
                             .norm_input = stream * norm_input_bytes(per, kernels),
                             .input = stream * per.operand,
                             .output = output * per.value,
                             .mask = how.dropout ? stream * per.mask : bytes{0}};
  const bool absorbed = absorbs_latents(m) && how.attention == attention_kernel::flash;
  detail::add_projections(kept, m, cut, seen, per.value, absorbed);
  if (how.stored == activation_storage::fp8)
    kept.output = output * stored_value_bytes(how, per);
  else if (per.operand < per.value)
    kept.output += output * per.operand;
  if (m.attention_gate) [[unlikely]]  // the gate, and what it multiplies
    kept.output += 2 * output * per.value;
  if (how.attention == attention_kernel::flash) {
    const bool exchanged = cut.context > 1 && cut.exchange == context_exchange::all_to_all;
    kept.core = heads * seen.queries.all * per.statistic;
    if (kernels.flash_output_copied || exchanged) kept.core_output = output * per.value;
    return kept;
  }
  bytes pair = per.value;
  if (how.dropout) pair += per.mask + per.value;
  if (kernels.softmax_kept_fp32) pair += per.statistic - per.value;
  kept.core = detail::score_pairs(m, cut, seen) * pair;
  return kept;
}

}  // namespace gpuplan
