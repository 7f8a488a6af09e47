#pragma once
/// \file
/// What sets one kind of attention apart from another: its linear maps, what it caches, and how
/// many heads of keys there are.  A new kind is described here; layer_parameters, layer_products,
/// adapters, stage_parameters, tensor_split, kv_cache and the messages of a context read it.

#include <string_view>

#include <gpuplan/model/transformer.hpp>

namespace gpuplan {

/// Kinds of attention.
enum class attention_kind {
  heads,  ///< queries, keys and values are projected to heads: multi-head, grouped, multi-query
  latent  ///< by way of low-rank latents (DeepSeek)
};

/// The kind of attention of a model, by what its latents are.
constexpr attention_kind attention_kind_of(const transformer& m) {
  if (m.latent.kv_rank > 0) return attention_kind::latent;
  return attention_kind::heads;
}

/// A linear map of the attention of a layer.
struct attention_map {
  std::string_view name;
  double inputs{};          ///< values of a token that it reads
  double query_outputs{};   ///< values that it makes of a token that asks
  double key_outputs{};     ///< values that it makes of a token that is attended to
  bool biased = false;      ///< with linear_biases::query_key_value
  bool whole_rank = false;  ///< whole on every tensor-parallel rank, as heads do not divide it

  [[nodiscard]] constexpr double outputs() const { return query_outputs + key_outputs; }
};

/// Values that maps make for one head of keys and values.
constexpr double mapped_key_width(const transformer& m) {
  const double key = m.query_head_dim();
  return m.keys_as_values ? key : key + m.value_head_dim();
}

/// Calls visit(map) for each linear map of a layer's attention, in the order in which they run, of
/// which a rank has `heads` query heads and `key_heads` key and value heads.
///
///     heads:   h -> a d + g (d + e),  a e -> h
///     latent:  h -> ql,  ql -> a d,  h -> kl + dr,  kl -> a (dc + dv),  a dv -> h
///
///     h           hidden_size
///     a, g, d, e  heads, key_heads, query_head_dim, value_head_dim
///     ql, kl      query_rank, kv_rank
///     dr, dc, dv  widths of a head: rope, content, value
///
/// Without a query_rank, latent queries are made of the hidden state.  A gate adds h -> a dv.  Keys
/// that are taken for values leave g e out.
template <class Visit>
constexpr void visit_attention_maps(const transformer& m, double heads, double key_heads,
                                    Visit&& visit) {
  const double h = m.hidden_size;
  const double queries = heads * m.query_head_dim();
  if (attention_kind_of(m) == attention_kind::latent) [[unlikely]] {
    const latent_attention& c = m.latent;
    const double query_rank = c.query_rank;
    const double kv_rank = c.kv_rank;
    if (query_rank > 0)
      visit(attention_map{.name = "query down",
                          .inputs = h,
                          .query_outputs = query_rank,
                          .biased = true,
                          .whole_rank = true});
    visit(attention_map{
        .name = "query up", .inputs = query_rank > 0 ? query_rank : h, .query_outputs = queries});
    visit(attention_map{.name = "key-value down",
                        .inputs = h,
                        .key_outputs = kv_rank + c.rope_head_dim,
                        .biased = true,
                        .whole_rank = true});
    visit(attention_map{.name = "key-value up",
                        .inputs = kv_rank,
                        .key_outputs = heads * (c.content_head_dim + c.value_head_dim)});
  } else {
    visit(attention_map{.name = "query, key, value",
                        .inputs = h,
                        .query_outputs = queries,
                        .key_outputs = key_heads * mapped_key_width(m),
                        .biased = true});
  }
  if (m.attention_gate) [[unlikely]]
    visit(attention_map{
        .name = "attention gate", .inputs = h, .query_outputs = heads * m.value_head_dim()});
  visit(attention_map{
      .name = "attention output", .inputs = heads * m.value_head_dim(), .query_outputs = h});
}

/// How many maps visit_attention_maps visits.
constexpr int attention_maps(const transformer& m) {
  int count = 0;
  visit_attention_maps(m, 1, 1, [&](const attention_map&) { ++count; });
  return count;
}

/// Key and value heads that scores are computed with: those of latent attention are expanded to one
/// for each query head.
constexpr int expanded_key_heads(const transformer& m) {
  return attention_kind_of(m) == attention_kind::latent ? m.attention_heads : m.key_value_heads();
}

/// Values of keys and values that are kept of one token, where a rank has `key_heads` of their
/// heads; a latent is whole on every rank.
constexpr double cached_values(const transformer& m, double key_heads) {
  if (attention_kind_of(m) == attention_kind::latent)
    return static_cast<double>(m.latent.kv_rank) + m.latent.rope_head_dim;
  return key_heads * (m.query_head_dim() + m.value_head_dim());
}

/// Whether the core works on latents in place of heads that are expanded from them: chosen tokens
/// are of use to a kernel only where all heads share their keys.
///
/// Source: DeepSeek-AI, "DeepSeek-V3.2: Pushing the Frontier of Open Large Language Models" (2025),
/// section 2.1, arXiv:2512.02556.
constexpr bool absorbs_latents(const transformer& m) {
  return m.sparse.heads > 0 && attention_kind_of(m) == attention_kind::latent;
}

/// Width of a query and of a key in a core that works on latents.
constexpr int core_key_width(const transformer& m) {
  return m.latent.kv_rank + m.latent.rope_head_dim;
}

/// Norms of latents: the widths of what is normalised, summed.
constexpr double normed_latent_width(const transformer& m) {
  if (attention_kind_of(m) != attention_kind::latent) return 0;
  return static_cast<double>(m.latent.kv_rank) + m.latent.query_rank;
}

}  // namespace gpuplan
