#pragma once
/// \file
/// Activations of a layer: kept for the backward pass, recomputed, and gradients of them.

#include <algorithm>

#include <gpuplan/memory/attention_activations.hpp>
#include <gpuplan/memory/ffn_activations.hpp>
#include <gpuplan/memory/micro_batch.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/attention_shape.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/recurrent_mixer.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Activations of one layer on one rank, for one micro-batch, nothing computed again.
struct layer_activations {
  attention_activations attention{};
  attention_activations cross_attention{};  ///< to an encoder's output
  ffn_activations ffn{};
  bytes recurrent{};            ///< of a mixer by a state, beside its input and the norm's
  bytes index{};                ///< of an index of tokens, and what it chose
  bytes further_norm_inputs{};  ///< of norms beyond one before attention and one before the network
  bytes joined_input{};         ///< of the map that begins a multi-token prediction layer
  bytes between_maps{};         ///< of low-rank adapters
  bytes unpacked_weights{};  ///< of frozen matrices, in 16 bits, as base_weights::int4 makes them

  /// What selective recomputation computes again.
  [[nodiscard]] constexpr bytes core() const {
    return attention.core + attention.core_output + cross_attention.core +
           cross_attention.core_output;
  }
  [[nodiscard, gnu::always_inline]] constexpr bytes total() const {
    return attention.total() + cross_attention.total() + ffn.total() + recurrent + index +
           further_norm_inputs + joined_input + between_maps + unpacked_weights;
  }
  /// What a zero-bubble schedule keeps until the weight gradients: inputs of products and the
  /// gradients of their outputs, for which the cores and masks make room.
  ///
  /// Source: P. Qi et al., "Zero Bubble Pipeline Parallelism", ICLR (2024), table 1,
  /// arXiv:2401.10241: 32 s b h of 34 s b h + 5 a s^2 b.
  [[nodiscard]] constexpr bytes until_weight_gradient() const {
    return total() - core() - attention.mask - cross_attention.mask - ffn.mask;
  }
};

/// The tokens that the two sides of a model see; the encoder's are not read without an encoder.
struct stream_tokens {
  micro_batch_tokens decoder{};
  micro_batch_tokens encoder{};
};

namespace detail {

/// The mean over layers that attend and layers that have a recurrent mixer.
[[gnu::cold]] constexpr void add_recurrence(layer_activations& kept, const transformer& m,
                                            const recipe& how, const parallelism& cut,
                                            const micro_batch_tokens& seen) {
  const activation_bytes per = bytes_per_activation(how.precision);
  const double attending = m.attention_share();
  const double mixing = m.recurrent_share();
  attention_activations& attention = kept.attention;
  for (bytes* part : {&attention.latents, &attention.query, &attention.key_value, &attention.core,
                      &attention.core_output, &attention.output})
    *part *= attending;
  for (bytes* part : {&attention.norm_input, &attention.input, &attention.mask})
    *part *= m.mixing_norms();
  kept.recurrent = mixing * recurrent_kept_values(m.recurrent) / cut.tensor * seen.all * per.value;
}

/// What an index keeps, of the mean layer, whole on every rank: queries, keys before and after
/// their norm, weights of heads; of a flash kernel the places that were chosen (4 B) and their
/// scores in FP32, else all scores.
[[gnu::cold]] constexpr bytes kept_by_index(const transformer& m, const recipe& how,
                                            const micro_batch_tokens& seen) {
  const activation_bytes per = bytes_per_activation(how.precision);
  const sparse_index& index = m.sparse;
  const double width = index.head_dim;
  const double values =
      (index.heads + 2) * width + (index.head_weights ? static_cast<double>(index.heads) : 0.0);
  const double places = seen.sequence / index.block;
  const double chosen = (std::min)(static_cast<double>(index.tokens) / index.block, places);
  const bytes scores = how.attention == attention_kernel::flash ? 2 * chosen * per.statistic
                                                                : places * per.statistic;
  return static_cast<double>(index.layers) / m.layers * seen.all * (values * per.value + scores);
}

}  // namespace detail

/// Activations of a decoder layer, or of one of the only stack there is.
///
///     no parallelism    s b h (34 + 5 a s / h)
///     tensor            s b h (10 + 24/t + 5 a s / (h t))
///     and sequence      s b h / t (34 + 5 a s / h)
///
///     s  sequence                 token, >= 1
///     b  micro-batch              count, >= 1
///     h  hidden size              count, >= 1
///     a  heads                    count, >= 1
///     t  tensor-parallel ranks    count, >= 1
///     f  ffn_size                 count, >= 1
///
/// The result is in B.
///
/// Holds for 2-byte activations, dropout, unfused attention, f = 4 h, as many key-value heads as
/// heads, two norms; everything else follows the fields of the model and the recipe.
///
/// Source: V. Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models",
/// MLSys (2023), table 2, arXiv:2205.05198.
///
/// \throws invalid_input if the recipe's precision is none of precisions
constexpr layer_activations decoder_layer(const transformer& m, layer_kind kind, const recipe& how,
                                          const parallelism& cut, const stream_tokens& seen,
                                          const kernel_memory& kernels = {}) {
  const attention_tokens self{seen.decoder, seen.decoder};
  layer_activations kept{.attention = attention_block(m, how, cut, self, kernels),
                         .ffn = kind == layer_kind::moe
                                    ? moe_ffn(m, how, cut, seen.decoder, kernels)
                                    : dense_ffn(m, how, cut, seen.decoder, kernels)};
  if (m.encoder_layers > 0) [[unlikely]]
    kept.cross_attention = attention_block(m, how, cut, {seen.decoder, seen.encoder}, kernels);
  if (m.recurrent.layers > 0) [[unlikely]]
    detail::add_recurrence(kept, m, how, cut, seen.decoder);
  if (m.sparse.heads > 0) [[unlikely]]
    kept.index = detail::kept_by_index(m, how, seen.decoder);
  if (m.norms_per_layer > 2) [[unlikely]]
    kept.further_norm_inputs = (m.norms_per_layer - 2) * m.hidden_size * seen.decoder.residual *
                               norm_input_bytes(bytes_per_activation(how.precision), kernels);
  return kept;
}

/// Activations of an encoder layer beside a decoder.
///
/// Source: V. Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models",
/// MLSys (2023), arXiv:2205.05198.
///
/// \throws invalid_input if the recipe's precision is none of precisions
constexpr layer_activations encoder_layer(const transformer& m, const recipe& how,
                                          const parallelism& cut, const stream_tokens& seen,
                                          const kernel_memory& kernels = {}) {
  transformer alone = m;
  alone.encoder_layers = 0;
  return decoder_layer(alone, layer_kind::dense, how, cut, {seen.encoder, seen.encoder}, kernels);
}

/// Activations of a layer that predicts a further token: a layer as the last one is, and before
/// it the inputs of two norms and of the map that joins them.
///
/// Source: DeepSeek-AI, "DeepSeek-V3 Technical Report" (2024), section 2.2, arXiv:2412.19437.
///
/// \throws invalid_input if the recipe's precision is none of precisions
constexpr layer_activations prediction_layer(const transformer& m, const recipe& how,
                                             const parallelism& cut, const stream_tokens& seen,
                                             const kernel_memory& kernels = {}) {
  if (has_two_head_sizes(m) || (m.sparse.heads > 0 && m.sparse.layers < m.layers)) [[unlikely]]
    return prediction_layer(as_last_layer(m), how, cut, seen, kernels);
  const layer_kind kind = m.moe_layers() > 0 ? layer_kind::moe : layer_kind::dense;
  layer_activations kept = decoder_layer(m, kind, how, cut, seen, kernels);
  const activation_bytes per = bytes_per_activation(how.precision);
  kept.joined_input = 2 * m.hidden_size * seen.decoder.residual * (per.value + per.operand);
  return kept;
}

namespace detail {

/// Every second one of a layer's matrix products, in the order in which they run.
struct every_second_product {
  bytes saved{};
  bool odd = false;

  constexpr void add(bytes output) {
    odd = !odd;
    if (odd) saved += output;
  }
};

/// The products of an attention block: queries, keys and values, or latents and what they are
/// expanded to, and the output projection.
constexpr void add_attention_products(every_second_product& products, const transformer& m,
                                      const attention_activations& block) {
  if (attention_kind_of(m) == attention_kind::latent) [[unlikely]] {
    const latent_attention& latent = m.latent;
    const double widths = 2.0 * latent.query_rank + 2.0 * latent.kv_rank + latent.rope_head_dim;
    const bytes of_one = block.latents / widths;
    if (m.sparse.heads > 0) {  // all that is made of latents, which is more than it keeps
      products.saved += block.query + block.key_value;
      products.add(block.state);
      return;
    }
    if (latent.query_rank > 0) products.add(latent.query_rank * of_one);
    products.add(block.query);
    products.add((latent.kv_rank + latent.rope_head_dim) * of_one);
    const double expanded = latent.content_head_dim + m.value_head_dim();
    products.add(expanded / (m.query_head_dim() + m.value_head_dim()) * block.key_value);
  } else {
    const bool normed =
        m.query_key != query_key_norm::none;  // then what the norm reads is kept too
    const double key = m.query_head_dim();
    const double value = m.value_head_dim();
    const double kept = (normed ? 2 : 1) * key + value;
    products.add(block.query / (normed ? 2 : 1));
    products.add(block.key_value / (kept / key));
    products.add(block.key_value / (kept / value));
  }
  products.add(block.state);
}

/// What the policy keeps of an attention core: what a flash kernel returns, or the output of one in
/// steps, as it was computed.
constexpr bytes saved_of_core(const recipe& how, const attention_activations& block) {
  const activation_bytes per = bytes_per_activation(how.precision);
  if (block.core_output > bytes{0}) return block.core + block.core_output;
  const bool cast = per.operand < per.value && how.stored != activation_storage::fp8;
  const bytes output = cast ? block.output * (per.value / (per.value + per.operand)) : block.output;
  return how.attention == attention_kernel::flash ? output + block.core : output;
}

/// Whether the first norm of a layer reads a copy of what comes: then both are kept.
constexpr bool copies_stream(const layer_activations& layer) {
  return layer.attention.stream != layer.attention.norm_input;
}

/// What PyTorch's operator policy keeps: the layer's input, what the attention core returns, and
/// every second product; of a recurrent mixer all, which is more than it keeps.  Grouped products
/// of experts and the router's are on no list; what all-to-alls return is.
constexpr bytes alternate_products(const transformer& m, const recipe& how,
                                   const layer_activations& layer) {
  const activation_bytes per = bytes_per_activation(how.precision);
  every_second_product products;
  add_attention_products(products, m, layer.attention);
  if (m.encoder_layers > 0) add_attention_products(products, m, layer.cross_attention);
  if (const bytes width = layer.ffn.width - layer.ffn.expert_width; width > bytes{0}) {
    const bytes first = width * (stored_value_bytes(how, per) / per.value);
    products.add(first);
    if (m.gated_ffn) products.add(first);
    products.add(layer.attention.state);
  }
  return layer.attention.stream + saved_of_core(how, layer.attention) +
         saved_of_core(how, layer.cross_attention) + layer.ffn.exchanged + layer.recurrent +
         layer.index + products.saved;
}

}  // namespace detail

/// What a layer keeps from its forward pass to its backward pass, of each micro-batch.
///
///     none                all
///     selective           all but the attention core
///     alternate_products  input, attention output, every second matrix product
///     full                2 h of every residual token: its input, where it begins a block
///
/// Source: V. Korthikanti et al. (2023) as above, section 5; T. Chen et al., "Training Deep Nets
/// with Sublinear Memory Cost" (2016), arXiv:1604.06174; PyTorch, torchtitan,
/// torchtitan/distributed/activation_checkpoint.py (2025), for the operator policy.
///
/// \throws invalid_input if the recipe's recompute is none of its values
constexpr bytes kept_by(const transformer& m, const recipe& how, const layer_activations& layer) {
  switch (how.recompute) {
    case recompute::none: return layer.total();
    case recompute::selective: return layer.total() - layer.core();
    case recompute::alternate_products: return detail::alternate_products(m, how, layer);
    case recompute::full: return layer.attention.stream;
  }
  require(false, "kept_by: recompute must be one of its values");
  return {};
}

/// What a layer's backward pass computes again before it begins: what the layer does not keep.  Of
/// full recomputation it is all, and the input that begins a block is one with the first layer's.
///
/// Source: as encoder_layer.
///
/// \throws invalid_input if the recipe's recompute is none of its values
constexpr bytes computed_again(const transformer& m, const recipe& how,
                               const layer_activations& layer) {
  switch (how.recompute) {
    case recompute::none: return bytes{0};
    case recompute::selective: return layer.core();
    case recompute::alternate_products: {
      const bytes copy = detail::copies_stream(layer) ? layer.attention.stream : bytes{0};
      const bytes made = layer.total() + copy;
      return made - smaller(made, kept_by(m, how, layer));  // outputs that no layer else holds
    }
    case recompute::full: return layer.total();
  }
  require(false, "computed_again: recompute must be one of its values");
  return {};
}

/// Gradients that the backward pass of one layer holds at once: of the residual stream and of a
/// block's output, and beside them the larger of
///
///     feed-forward   2 f / t plain, 4 f / t gated: of the first matrices' outputs, while the
///                    gradient of the product takes the place of the product
///     unfused core   4 a k / t: of scores before and after their dropout
///     flash core     of queries, keys and values
///
///     f  ffn_size, of experts all that a token visits    count, >= 1
///     t  tensor-parallel ranks                           count, >= 1
///     a  heads                                           count, >= 1
///     k  seen.keys.sequence, keys that a query sees      token, >= 1
///
/// The terms are in B for each token.
///
/// Holds for 2-byte activations.
///
/// Source: reverse-mode differentiation of the layer, tensor by tensor.
///
/// \throws invalid_input if the recipe's precision is none of precisions
constexpr bytes layer_gradients(const transformer& m, const recipe& how, const parallelism& cut,
                                const layer_activations& layer, const attention_tokens& seen) {
  const activation_bytes per = bytes_per_activation(how.precision);
  const bytes outputs = (m.gated_ffn ? 2 : 1) * layer.ffn.width;
  const bool normed = attention_kind_of(m) == attention_kind::heads &&
                      m.query_key != query_key_norm::none;  // then both are kept twice
  const double widths = static_cast<double>(m.query_head_dim()) + m.value_head_dim();
  const double twice = normed ? 1 + m.query_head_dim() / widths : 1;
  const bytes core =
      how.attention == attention_kernel::unfused
          ? 2 * detail::score_pairs(m, cut, seen) * per.value
          : layer.attention.query / (normed ? 2 : 1) + layer.attention.key_value / twice;
  return 2 * m.hidden_size * seen.queries.residual * per.value + (std::max)(outputs, core);
}

}  // namespace gpuplan
