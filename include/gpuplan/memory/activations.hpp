#pragma once
/// \file
/// What a layer keeps for its backward pass.

#include <gpuplan/memory/attention_activations.hpp>
#include <gpuplan/memory/ffn_activations.hpp>
#include <gpuplan/memory/micro_batch_tokens.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Activations of one layer on one rank, for one micro-batch.
struct layer_activations {
  attention_activations attention{};
  attention_activations cross_attention{};  ///< to an encoder's output
  ffn_activations ffn{};

  [[nodiscard]] constexpr bytes total() const {
    return attention.total() + cross_attention.total() + ffn.total();
  }
};

/// Activations of a decoder layer with a dense feed-forward network.
///
///     no parallelism    s b h (34 + 5 a s / h)
///     tensor            s b h (10 + 24/t + 5 a s / (h t))
///     and sequence      s b h / t (34 + 5 a s / h)
///     and selective     34 s b h / t
///
/// for 2-byte activations, dropout, unfused attention, f = 4 h, as many key-value heads as heads,
/// two norms; everything else follows the fields of the model and the recipe.  Of the encoder,
/// `encoder` gives the tokens that cross-attention reads.
///
/// Source: V. Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models",
/// MLSys (2023), table 2, arXiv:2205.05198.
///
/// \throws invalid_input if the recipe's precision is none of precisions
constexpr layer_activations decoder_layer(const transformer& m, const recipe& how,
                                          const parallelism& cut, const micro_batch_tokens& queries,
                                          const micro_batch_tokens& encoder) {
  layer_activations kept{.attention = attention_block(m, how, cut, queries, queries),
                         .ffn = dense_ffn(m, how, cut, queries)};
  if (m.encoder_layers > 0) kept.cross_attention = attention_block(m, how, cut, queries, encoder);
  return kept;
}

/// As decoder_layer, with experts in place of the feed-forward network.
///
/// \throws invalid_input if the recipe's precision is none of precisions
constexpr layer_activations moe_decoder_layer(const transformer& m, const recipe& how,
                                              const parallelism& cut,
                                              const micro_batch_tokens& queries) {
  return {.attention = attention_block(m, how, cut, queries, queries),
          .ffn = moe_ffn(m, how, cut, queries)};
}

/// Activations of an encoder layer.
///
/// \throws invalid_input if the recipe's precision is none of precisions
constexpr layer_activations encoder_layer(const transformer& m, const recipe& how,
                                          const parallelism& cut,
                                          const micro_batch_tokens& encoder) {
  return {.attention = attention_block(m, how, cut, encoder, encoder),
          .ffn = dense_ffn(m, how, cut, encoder)};
}

}  // namespace gpuplan
