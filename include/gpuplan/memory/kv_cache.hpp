#pragma once
/// \file
/// The KV cache: keys and values that inference keeps for every token.

#include <algorithm>
#include <cstdint>
#include <limits>

#include <gpuplan/memory/max_batch.hpp>
#include <gpuplan/model/attention_shape.hpp>
#include <gpuplan/model/parameters.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/number_format.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// How a model is laid out for inference.
struct inference_layout {
  number_format weight = number_format::bf16;
  number_format cache = number_format::bf16;
  int tensor = 1;    ///< ranks that divide heads; >= 1
  int pipeline = 1;  ///< ranks that divide layers; >= 1
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const inference_layout& on) {
  require(on.tensor >= 1, "inference_layout.tensor must be >= 1");
  require(on.pipeline >= 1, "inference_layout.pipeline must be >= 1");
}

/// Cache of one token in one layer of a decoder, on one rank.
///
///     heads    2 g d / t values, of one head at least
///     latent   kv_rank + rope_head_dim values, whole on every rank
///
///     g  key-value heads, d  head width, t  on.tensor
///
/// Source: N. Shazeer, "Fast Transformer Decoding: One Write-Head is All You Need" (2019),
/// arXiv:1911.02150; J. Ainslie et al., "GQA", EMNLP (2023), arXiv:2305.13245; DeepSeek-AI,
/// "DeepSeek-V2" (2024), table 1, arXiv:2405.04434 (latent).
///
/// \throws invalid_input if the layout is invalid
constexpr bytes_per_token kv_cache_of_layer(const transformer& m, const inference_layout& on = {}) {
  require_valid(on);
  const bytes_per_token value = limits_of(on.cache).storage / units::token;
  const double heads = (std::max)(static_cast<double>(m.key_value_heads()) / on.tensor, 1.0);
  return cached_values(m, heads) * value;
}

/// Cache that one more token takes, while no window is full: of every decoder layer, on one rank.
///
/// Source: J. Ainslie et al., "GQA", EMNLP (2023), arXiv:2305.13245.
///
/// \throws invalid_input if the model or the layout is invalid
constexpr bytes_per_token kv_cache_per_token(const transformer& m,
                                             const inference_layout& on = {}) {
  require_valid(m);
  return static_cast<double>(m.layers) / on.pipeline * kv_cache_of_layer(m, on);
}

/// Cache of one sequence, on one rank.
///
///     full layers      s tokens each
///     windowed layers  min(s, w) tokens each
///
///     s  length            tokens, >= 0
///     w  sliding_window    tokens
///
/// Beside an encoder, a decoder also caches keys and values of the encoder's e tokens, once.
/// Uneven layers over pipeline ranks are averaged.
///
/// Source: A. Jiang et al., "Mistral 7B" (2023), section 2, arXiv:2310.06825 (rolling buffer).
///
/// \throws invalid_input if the model or the layout is invalid, or length or encoder < 0 tokens
constexpr bytes kv_cache(const transformer& m, tokens length, const inference_layout& on = {},
                         tokens encoder = {}) {
  require_valid(m);
  require(length >= tokens{0}, "kv_cache: length must be >= 0 tokens");
  require(encoder >= tokens{0}, "kv_cache: encoder must be >= 0 tokens");

  const double windowed = m.windowed_layers();
  const tokens seen = windowed > 0 ? (std::min)(length, m.sliding_window * units::token) : length;
  const tokens held = (m.layers - windowed) * length + windowed * seen + m.layers * encoder;
  return held / on.pipeline * kv_cache_of_layer(m, on);
}

/// Weights of a model on one rank, ready for inference: all but a table that is divided with the
/// rest, so that the ranks together hold it once.
///
/// Source: by definition.
///
/// \throws invalid_input if the model or the layout is invalid
constexpr bytes inference_weights(const transformer& m, const inference_layout& on = {}) {
  require_valid(on);
  return parameters_of(m).total() / on.tensor / on.pipeline * limits_of(on.weight).storage;
}

/// Most sequences of a length whose cache fits beside the weights.
///
/// Source: as inference_weights.
///
/// \throws invalid_input as max_batch does, or if the model or the layout is invalid
constexpr largest_batch max_inference_batch(const transformer& m, tokens length,
                                            const memory_budget& budget,
                                            const inference_layout& on = {}) {
  return max_batch(budget, {inference_weights(m, on), kv_cache(m, length, on)});
}

/// Longest context of a batch of sequences whose cache fits beside the weights.
///
///     s = M / (b k L)                       while s <= w
///     s = (M / (b k) - L_w w) / (L - L_w)   beyond the window
///
///     M  what the weights leave, b  batch, k  cache of a layer and token
///     L  layers, L_w  those with a window, w  their window
///
/// 0 tokens where not even the weights fit; infinite where every layer has a window and it fits.
///
/// Source: as inference_weights.
///
/// \throws invalid_input if batch < 1, or the budget, the model or the layout is invalid
constexpr tokens max_context(const transformer& m, std::int64_t batch, const memory_budget& budget,
                             const inference_layout& on = {}) {
  require(batch >= 1, "max_context: batch must be >= 1 sequence");
  require(budget.capacity > bytes{0}, "max_context: budget.capacity must be > 0 B");
  require(budget.reserved >= bytes{0}, "max_context: budget.reserved must be >= 0 B");
  require_valid(m);

  const bytes room = budget.available() - inference_weights(m, on);
  if (!(room > bytes{0})) return tokens{0};
  const tokens of_layers =  // tokens that all layers of the rank's share can keep together
      room / (static_cast<double>(batch) * kv_cache_of_layer(m, on)) * on.pipeline;
  const tokens window = m.sliding_window * units::token;
  const double windowed = m.windowed_layers();
  if (windowed == 0 || of_layers <= m.layers * window) return of_layers / m.layers;
  if (windowed == m.layers) return tokens{std::numeric_limits<double>::infinity()};
  return (of_layers - windowed * window) / (m.layers - windowed);
}

}  // namespace gpuplan
