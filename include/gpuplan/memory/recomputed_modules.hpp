#pragma once
/// \file
/// Parts of a layer that the backward pass computes again one by one.

#include <algorithm>

#include <gpuplan/memory/activations.hpp>
#include <gpuplan/memory/attention_activations.hpp>
#include <gpuplan/memory/ffn_activations.hpp>
#include <gpuplan/model/attention_shape.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What the parts of a layer that a recipe names as recomputed would keep.
struct recomputed_parts {
  bytes all{};      ///< of them together: what the layer keeps less
  bytes largest{};  ///< of the fullest: they are computed again one after the other
};

/// The parts of a layer that recompute_modules names, beside what `recompute` says.
///
///     core_attn        the attention core
///     layernorm        what norms write that are kernels of their own: inputs of latent attention,
///                      and of experts
///     mla_up_proj      queries, keys and values, where latents are kept in their place
///     mlp              of a dense layer the network, its input too
///     moe              the router, the tokens that arrive, the experts and their outputs
///     moe_act          of experts the activation function and the products after it
///     shared_experts   the shared experts' network
///
/// A part within another counts once.
///
/// Source: NVIDIA, "Megatron-LM", --recompute-modules, megatron/core/transformer (2026).
constexpr recomputed_parts recomputed_parts_of(const transformer& m, layer_kind kind,
                                               const recipe& how, const layer_activations& layer) {
  using enum recomputed_module;
  recomputed_parts parts;
  const auto add = [&](bool named, bytes part) {
    if (!named) return;
    parts.all += part;
    parts.largest = (std::max)(parts.largest, part);
  };
  const attention_activations& attention = layer.attention;
  const ffn_activations& ffn = layer.ffn;
  const bool moe_layer = kind == layer_kind::moe;
  const bool whole_network = !moe_layer && how.recomputes(mlp);
  add(how.recomputes(core_attn) && how.recompute != recompute::selective, layer.core());
  const bool latent = attention_kind_of(m) == attention_kind::latent;
  if (how.recomputes(layernorm))
    add(latent || moe_layer,
        (latent ? attention.input : bytes{0}) + (moe_layer ? ffn.input : bytes{0}));
  add(how.recomputes(mla_up_proj) && latent, attention.query + attention.key_value);
  add(whole_network, ffn.input + ffn.hidden);
  if (!moe_layer) return parts;
  add(how.recomputes(moe),
      ffn.router + ffn.latents + ffn.dispatched + ffn.exchanged + ffn.experts + ffn.returned);
  add(how.recomputes(moe_act) && !how.recomputes(moe), ffn.activated);
  add(how.recomputes(moe) || how.recomputes(shared_experts), ffn.shared);
  return parts;
}

}  // namespace gpuplan
