#pragma once
/// \file
/// What the elementwise kernels of a layer move, and how long that takes.

#include <gpuplan/compute/kernel_rates.hpp>
#include <gpuplan/compute/layer_flop.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

/// Traffic of an activation behind biased products of experts over that of a fused one: no
/// grouped product adds biases, so bias, two clamps, scale, sigmoid, product, sum and gate are
/// kernels of their own, each of which reads and writes.
///
/// Source: counted, NVIDIA, "Megatron-LM", megatron/core/transformer/moe/experts.py (2026): 20
/// values for 3.
inline constexpr double steps_of_biased_activation = 20.0 / 3;

/// Values of 16 bits that elementwise kernels read and write; one of 32 bits counts twice.
struct pass_values {
  double forward = 0;
  double backward = 0;

  friend constexpr pass_values operator-(const pass_values& a, const pass_values& b) {
    return {a.forward - b.forward, a.backward - b.backward};
  }
  friend constexpr pass_values operator*(double n, const pass_values& a) {
    return {n * a.forward, n * a.backward};
  }
  friend constexpr pass_values operator+(const pass_values& a, const pass_values& b) {
    return {a.forward + b.forward, a.backward + b.backward};
  }
};

/// What routed experts move for each value of their width, beside their products.
struct expert_traffic {
  pass_values activation{};
  double casts_saved = 0;  ///< of those values of each width that products_work counts as cast
};

/// An activation of its own, or one in the products:
///
///     apart    reads 1, or 2 with a gate, and writes 1; back reads 2 or 3 and writes 1 or 2;
///              behind biases steps_of_biased_activation times that
///     fused    writes the result in 8 bits by rows and by columns: 1; back reads what it was made
///              of, 1 or 2, and writes its gradient in 8 bits twice, 1 or 2; no cast of either
///
/// Source: counted, NVIDIA, "Transformer Engine", transformer_engine/pytorch/ops/fused, grouped
/// network with MXFP8 (2026); "Megatron-LM", --use-transformer-engine-op-fuser.
constexpr expert_traffic expert_traffic_of(const transformer& m, const recipe& how) {
  const double inputs = m.gated_ffn ? 2 : 1;
  if (how.fuses_experts()) return {{1, 2 * inputs}, inputs + 1};
  const double apart = m.moe.expert_bias ? steps_of_biased_activation : 1;
  return {apart * pass_values{inputs + 1, 2 * inputs + 1}, 0};
}

/// What one value of an operation costs as a fused kernel, and as the steps of model code, each of
/// which is a kernel.
///
///     RMSNorm   to FP32 3, square 4, mean 2, times its inverse root 4, to 16 bits 3, weight 2;
///               back: weight 2, its gradient 4, to FP32 3, product 4, root 8, square 8,
///               sum 6, to 16 bits 3
///     rotation  half negated 1, joined 2, times cosine 2 and sine 2, sum 3;
///               back: cosine 2, sine 2, negated 1, both halves 4, two sums 6
///     gate      activation 2, product 3;  back: two products 6, activation 3
///
/// Source: counted, Hugging Face, "Transformers", modeling_llama.py (2025).
inline constexpr pass_values fused_rms_norm{2, 3};
inline constexpr pass_values stepwise_rms_norm{18, 38};
inline constexpr pass_values fused_rotation{2, 2};
inline constexpr pass_values stepwise_rotation{10, 15};
inline constexpr pass_values fused_gate{3, 5};
inline constexpr pass_values stepwise_gate{5, 9};

/// What model code that runs step by step moves beside fused kernels, of `hidden` values of the
/// residual stream, `width` of the network and `rows` tokens of a rank's heads.  Routed experts are
/// counted as fused.
constexpr pass_values eager_steps(const transformer& m, double hidden, double width, double rows) {
  pass_values more;
  if (m.norm == normalization::rms_norm)
    more = more + 2 * hidden * (stepwise_rms_norm - fused_rms_norm);
  if (m.positions == position_encoding::rotary)
    more = more + rows * (m.query_width() + m.key_width()) * (stepwise_rotation - fused_rotation);
  if (m.gated_ffn) more = more + width * (stepwise_gate - fused_gate);
  return more;
}

/// What rotating the heads of latent attention step by step moves beside fused kernels, of `rows`
/// tokens: each value of a rotated part, and the parts of heads that are joined and copied.
///
///     rotation   even and odd joined 2, times cosine 2 and sine 2, half negated 1, joined 2,
///                sum 3, joined with the rest 2;
///                back: cosine 2, sine 2, negated 1, halves 2, their sum 3, even and odd apart 4,
///                their sum 3, cut 2
///     heads      queries joined 2 a (d + r), keys 2 a (d + r), values copied 2 a e;
///                back: both cut apart 2 a (d + r) and 2 a (d + e), keys summed over heads a r
///
///     a     heads of the rank              d, r, e   content, rotated and value width of a head
///
/// Fused kernels move 4 a (d + r) a pass.
///
/// Source: counted, NVIDIA, "Megatron-LM", megatron/core/models/common/embeddings/rope_utils.py and
/// transformer/multi_latent_attention.py (2026).
inline constexpr pass_values stepwise_latent_rotation{14, 19};

[[gnu::cold]] constexpr pass_values latent_rotary_steps(const transformer& m, double tensor,
                                                        double rows) {
  const double heads = m.attention_heads / tensor;
  const double rotated = m.latent.rope_head_dim;
  const double values = 2 * heads * m.latent.value_head_dim;
  return rows * ((heads + 1) * rotated * stepwise_latent_rotation +
                 pass_values{values, values - heads * rotated});
}

/// Bytes of elementwise kernels.  Forward: two norms (read and write: 4 h), two residuals with bias
/// and dropout (3 h each), transposes (1 h); the activation of the feed-forward network (2 f, gated
/// 3 f), rotation of queries and keys.  Backward reads the incoming gradient too: 17 h, 3 f or 5 f.
/// Experts: tokens copied to and from their order by expert, at the rate of permutations.
template <class T>
constexpr basic_pass_time<T> elementwise_time(const transformer& m, layer_kind kind,
                                              const recipe& how, const parallelism& cut,
                                              const basic_kernel_rates<T>& rates, double rows,
                                              double cast) {
  const double t = cut.tensor;
  const double residual = (how.sequence_parallel ? rows / t : rows) * m.hidden_size;
  const bool rotated = m.positions == position_encoding::rotary;
  const double rotation = rotated ? 2 * (m.query_width() + m.key_width()) / t : 0;
  const double gates = m.gated_ffn ? 3 : 2;
  const double gates_back = m.gated_ffn ? 5 : 3;
  double width = m.ffn_size / t;
  basic_pass_time<T> experts;
  if (kind == layer_kind::moe) {
    const mixture_of_experts& moe = m.moe;
    const double visits = how.expert_load() * moe.experts_per_token * rows / t;
    const double moved = 4 * visits * m.expert_state_size();  // to the order of experts and back
    const double activated = visits * moe.ffn_size;
    const expert_traffic each = expert_traffic_of(m, how);
    experts = {(moved + each.activation.forward * activated) * rates.value / rates.permutation,
               (moved + each.activation.backward * activated) * rates.value / rates.permutation};
    cast -= each.casts_saved * activated;
    width = moe.shared_ffn_size / t;
  }
  double forward_values = 11 * residual + rows * (width * gates + rotation);
  double backward_values = 17 * residual + rows * (width * gates_back + rotation);
  if (rates.eager) {
    const pass_values more = eager_steps(m, residual, rows * width, rows / t);
    forward_values += more.forward;
    backward_values += more.backward;
  } else if (m.latent.kv_rank > 0 && !how.fuses_latent_rotary()) {
    const pass_values more = latent_rotary_steps(m, t, rows);
    forward_values += more.forward;
    backward_values += more.backward;
  }
  const bytes forward = forward_values * rates.value;
  const bytes backward = backward_values * rates.value;
  basic_pass_time<T> time =
      experts + basic_pass_time<T>{forward / rates.elementwise, backward / rates.elementwise};
  if (rates.cast_value > bytes{0}) {
    const basic_seconds<T> casts = cast * rates.cast_value / (2.0 * rates.casts);
    time = time + basic_pass_time<T>{casts, casts};
  }
  return time;
}

}  // namespace gpuplan::detail
