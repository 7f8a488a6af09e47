#pragma once
/// \file
/// The matrix products of one layer on one rank, for one micro-batch.

#include <array>
#include <cstddef>

#include <gpuplan/ceiling.hpp>
#include <gpuplan/compute/gemm.hpp>
#include <gpuplan/model/attention_shape.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/recurrent_mixer.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// The products of one forward pass, weights on the right; scores and values of attention are not
/// among them.
struct layer_products {
  static constexpr std::size_t capacity = 17;  ///< two latent attentions, router, two networks,
                                               ///< two maps of latent experts
  std::array<matrix_product, capacity> list{};
  std::size_t size = 0;

  [[nodiscard]] constexpr auto begin() const { return list.begin(); }
  [[nodiscard]] constexpr auto end() const {
    return list.begin() + static_cast<std::ptrdiff_t>(size);
  }
  constexpr void add(const matrix_product& p) { list[size++] = p; }

  /// Weights that the rank multiplies by.
  [[nodiscard]] constexpr double weights() const {
    double sum = 0;
    for (const matrix_product& p : *this) sum += p.depth * p.columns * p.count;
    return sum;
  }
};

namespace detail {

template <class Visit>
constexpr void visit_attention(const transformer& m, double rows, double keys, double t,
                               double latent_shares, Visit& visit) {
  const double heads = largest_share(m.attention_heads, t);
  const double key_heads = largest_share(m.key_value_heads(), t);
  visit_attention_maps(m, heads, key_heads, [&](const attention_map& map) {
    if (map.whole_rank && latent_shares > 1) [[unlikely]] {
      visit(matrix_product{largest_share(map.key_outputs > 0 ? keys : rows, latent_shares),
                           map.outputs(), map.inputs});
    } else if (rows == keys || map.key_outputs == 0) [[likely]] {
      visit(matrix_product{rows, map.outputs(), map.inputs});
    } else {
      if (map.query_outputs > 0) visit(matrix_product{rows, map.query_outputs, map.inputs});
      visit(matrix_product{keys, map.key_outputs, map.inputs});
    }
  });
}

template <class Visit>
constexpr void visit_ffn(const transformer& m, double rows, double width, double count,
                         Visit& visit, double h) {
  if (rows == 0 || width == 0) return;
  visit(matrix_product{rows, (m.gated_ffn ? 2 : 1) * width, h, count});
  visit(matrix_product{rows, h, width, count});
}

/// The products of a recurrent mixer.
template <class Visit>
constexpr void visit_recurrence(const transformer& m, double rows, double t, Visit& visit) {
  visit_recurrent_maps(m.recurrent, m.hidden_size, t, [&](const recurrent_map& map) {
    visit(matrix_product{rows, map.outputs, map.inputs});
  });
}

/// The products of an index of tokens, whole on every rank.
template <class Visit>
constexpr void visit_index(const transformer& m, double rows, Visit& visit) {
  visit_index_maps(m.sparse, m.hidden_size, [&](const index_map& map) {
    visit(matrix_product{rows, map.outputs, map.inputs});
  });
}

/// Calls visit(product) for each product of products_of_layer.
template <class Visit>
constexpr void visit_products(const transformer& m, layer_kind kind, const parallelism& cut,
                              double rows, double encoder_rows, double imbalance,
                              double latent_shares, Visit& visit) {
  require(rows >= 1, "products_of_layer: rows must be >= 1");
  require(encoder_rows >= 0, "products_of_layer: encoder_rows must be >= 0");
  require(imbalance > 0, "products_of_layer: imbalance must be > 0");
  require(latent_shares >= 1, "products_of_layer: latent_shares must be >= 1");
  const double t = cut.tensor;
  visit_attention(m, rows, rows, t, latent_shares, visit);
  if (encoder_rows > 0) [[unlikely]]
    visit_attention(m, rows, encoder_rows, t, latent_shares, visit);
  if (kind == layer_kind::dense) {
    visit_ffn(m, rows, largest_share(m.ffn_size, t), 1, visit, m.hidden_size);
    return;
  }

  const mixture_of_experts& moe = m.moe;
  require(moe.experts >= 1, "products_of_layer: a layer of kind moe needs moe.experts >= 1");
  const double x = cut.expert_tensor_ranks();
  const double local = largest_share(moe.experts, cut.expert);
  const double visits = largest_share(imbalance * rows * moe.experts_per_token * x, t);
  visit(matrix_product{largest_share(rows, t), static_cast<double>(moe.experts),
                       static_cast<double>(m.hidden_size)});
  const double state = m.expert_state_size();
  if (moe.latent_size > 0) [[unlikely]]
    visit(matrix_product{largest_share(rows, t), state, static_cast<double>(m.hidden_size)});
  visit_ffn(m, largest_share(visits, local), largest_share(moe.ffn_size, x), local, visit, state);
  if (moe.latent_size > 0) [[unlikely]]
    visit(matrix_product{largest_share(rows, t), static_cast<double>(m.hidden_size), state});
  visit_ffn(m, rows, largest_share(moe.shared_ffn_size, t), 1, visit, m.hidden_size);
}

}  // namespace detail

/// Ranks over which a recipe divides the tokens whose latents they make.
///
/// Source: NVIDIA, "Megatron-LM", transformer/multi_latent_attention.py (2026), whose maps to
/// latents are duplicated and read what sequence parallelism divides.
constexpr double latent_shares_of(const recipe& how, const parallelism& cut) {
  return how.sequence_parallel ? cut.tensor : 1;
}

/// The products of one layer.
///
///     queries, keys, values   (T, (a + 2 g) d / t, h)       latent: its four low-rank maps, of
///                             which those to latents are whole, of T / s rows
///     output                  (T, h, a d / t)
///     feed-forward            (T, n f / t, h), (T, h, f / t)    n = 2 gated, 1 plain
///     router                  (T, E, h)
///     experts                 E/e of them on r k T x / (E t) rows each: as many tokens as k T
///                             share evenly over the experts, x expert-tensor ranks, times the
///                             imbalance r of the fullest rank; r < 1 where experts drop tokens
///     latent experts          (T / t, w, h), (T / t, h, w); then experts have w in place of h
///
///     (m, n, k) is a product of an m x k and a k x n matrix; T rows, t cut.tensor
///     s         latent_shares: ranks over which the tokens of latents are divided, t with
///               sequence parallelism, 1 without
///
/// Of a model with recurrent mixers, those of a layer that attends; where windowed layers have
/// other heads, those of the others; those of an index of tokens are not among them.
///
/// Holds where the experts of a rank have as many tokens each.
///
/// Source: M. Shoeybi et al., "Megatron-LM: Training Multi-Billion Parameter Language Models Using
/// Model Parallelism" (2019), arXiv:1909.08053; D. Lepikhin et al., "GShard" (2020),
/// arXiv:2006.16668.
///
/// \throws invalid_input if rows < 1, encoder_rows < 0, imbalance <= 0, latent_shares < 1, or kind
///         is moe without experts
constexpr layer_products products_of_layer(const transformer& m, layer_kind kind,
                                           const parallelism& cut, double rows,
                                           double encoder_rows = 0, double imbalance = 1,
                                           double latent_shares = 1) {
  layer_products all;
  const auto add = [&](const matrix_product& p) { all.add(p); };
  detail::visit_products(m, kind, cut, rows, encoder_rows, imbalance, latent_shares, add);
  return all;
}

}  // namespace gpuplan
