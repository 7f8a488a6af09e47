#pragma once
/// \file
/// What a layer computes again in its backward pass.

#include <gpuplan/compute/kernel_rates.hpp>
#include <gpuplan/compute/layer_products.hpp>
#include <gpuplan/compute/layer_time.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

/// What a layer computes again in its backward pass, whose forward pass takes `forward`.
template <class T>
constexpr basic_seconds<T> time_computed_again(recompute again, const basic_layer_time<T>& work,
                                               const basic_seconds<T>& forward) {
  switch (again) {
    case recompute::none: return {};
    case recompute::selective: return work.attention.forward;
    case recompute::alternate_products: return work.products.forward / 2 + work.elementwise.forward;
    case recompute::full: return forward;
  }
  return {};
}

/// What modules that are computed again take, beside what `recompute` names.
template <class T>
[[gnu::cold]] constexpr basic_seconds<T> time_of_modules(const transformer& m, layer_kind kind,
                                                         const recipe& how, const parallelism& cut,
                                                         double rows,
                                                         const basic_kernel_rates<T>& rates,
                                                         const basic_layer_time<T>& work,
                                                         const basic_seconds<T>& messages) {
  if (how.recompute == recompute::full) return {};
  const double t = cut.tensor;
  const bool experts = kind == layer_kind::moe;
  const mixture_of_experts& mixture = m.moe;
  const double gates = m.gated_ffn ? 3 : 2;
  const double residual = (how.sequence_parallel ? rows / t : rows) * m.hidden_size;
  basic_seconds<T> again{};
  if (how.recomputes(recomputed_module::core_attn) && how.recompute != recompute::selective)
    again += work.attention.forward;
  if (how.recomputes(recomputed_module::layernorm))
    again += 4 * residual * rates.value / rates.elementwise;
  const double visits = how.expert_load() * mixture.experts_per_token * rows / t;
  if (experts && how.recomputes(recomputed_module::moe_act) &&
      !how.recomputes(recomputed_module::moe))
    again += gates * visits * mixture.ffn_size * rates.value / rates.permutation;
  const auto products = [&](auto visit_all) {
    basic_seconds<T> sum{};
    visit_all(
        [&](const matrix_product& p) { sum += product_time(p, rates.product, rates.formats); });
    return sum;
  };
  const layer_products all =
      products_of_layer(m, kind, cut, rows, 0, how.expert_load(), latent_shares_of(how, cut));
  const double ffn = experts ? mixture.shared_ffn_size : m.ffn_size;
  const auto of_network = [&](auto&& add) {
    if (ffn > 0) {
      add(matrix_product{rows, (m.gated_ffn ? 2 : 1) * largest_share(ffn, t),
                         static_cast<double>(m.hidden_size)});
      add(matrix_product{rows, static_cast<double>(m.hidden_size), largest_share(ffn, t)});
    }
  };
  if (experts ? how.recomputes(recomputed_module::shared_experts)
              : how.recomputes(recomputed_module::mlp))
    again += products(of_network);
  if (experts && how.recomputes(recomputed_module::moe)) {
    again += products([&](auto&& add) {
      for (const matrix_product& p : all)
        if (p.count > 1 || cut.expert == mixture.experts) add(p);
    });
    again += (4 * visits * m.expert_state_size() + gates * visits * mixture.ffn_size) *
                 rates.value / rates.permutation +
             messages;
  }
  if (how.recomputes(recomputed_module::mla_up_proj) && m.latent.kv_rank > 0) {
    const latent_attention& c = m.latent;
    const double heads = largest_share(m.attention_heads, t);
    again += products([&](auto&& add) {
      add(matrix_product{rows, heads * m.query_head_dim(),
                         static_cast<double>(c.query_rank > 0 ? c.query_rank : m.hidden_size)});
      add(matrix_product{rows, heads * (c.content_head_dim + c.value_head_dim),
                         static_cast<double>(c.kv_rank)});
    });
  }
  return again;
}

}  // namespace gpuplan::detail
