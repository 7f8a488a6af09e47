#pragma once
/// \file
/// What mixes the tokens of a layer by a state in place of keys and values: its linear maps, its
/// recurrence, and what training keeps of it.

#include <gpuplan/model/linear_attention.hpp>
#include <gpuplan/model/state_space.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// Recurrent mixers of some layers of a model; none where layers is 0.  Layers that attend are
/// counted on their own, as a layer may have a mixer, attention, or both.
struct recurrent_mixer {
  int layers = 0;                 ///< that have one; 0: every layer attends
  int attention_layers = 0;       ///< that attend, where layers >= 1
  bool beside_attention = false;  ///< in one layer, both read the input of one norm
  linear_attention linear{};      ///< where key_heads >= 1
  state_space space{};            ///< else

  [[nodiscard]] constexpr bool is_linear() const { return linear.key_heads > 0; }

  friend constexpr bool operator==(const recurrent_mixer&, const recurrent_mixer&) = default;
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const recurrent_mixer& mixer) {
  require(mixer.layers >= 0, "recurrent_mixer.layers must be >= 0");
  if (mixer.layers == 0) return;
  require(mixer.attention_layers >= 0, "recurrent_mixer.attention_layers must be >= 0");
  if (mixer.is_linear())
    require_valid(mixer.linear);
  else
    require_valid(mixer.space);
}

/// Parameters of one recurrent mixer: linear_attention_parameters or state_space_parameters.
///
/// Source: those of the two.
///
/// \throws invalid_input as they do
constexpr double recurrent_parameters(const recurrent_mixer& mixer, int hidden_size) {
  return mixer.is_linear() ? linear_attention_parameters(mixer.linear, hidden_size)
                           : state_space_parameters(mixer.space, hidden_size);
}

/// Heads of a recurrent mixer, by which tensor parallelism divides it: the fewer of keys and
/// values; heads of Mamba 2, channels of Mamba 1.
///
/// Source: NVIDIA, "Megatron-LM", megatron/core/ssm/mamba_mixer.py and gated_delta_net.py (2026).
constexpr int recurrent_heads(const recurrent_mixer& mixer) {
  if (mixer.is_linear())
    return mixer.linear.key_heads < mixer.linear.value_heads ? mixer.linear.key_heads
                                                             : mixer.linear.value_heads;
  return mixer.space.kind == state_space_kind::mamba_1 ? mixer.space.channels : mixer.space.heads;
}

/// Groups of Mamba 2, whose heads share what reads and writes their state; 0 of other mixers.  No
/// software that divides Mamba 2 by tensor ranks copies a group: the ranks must divide them, too.
///
/// Source: NVIDIA, "Megatron-LM", megatron/core/ssm/mamba_mixer.py (2026); A. Gu and T. Dao,
/// "mamba_ssm", mamba_ssm/modules/mamba2.py (2024-2026).
constexpr int recurrent_groups(const recurrent_mixer& mixer) {
  const bool grouped = !mixer.is_linear() && mixer.space.kind == state_space_kind::mamba_2;
  return grouped ? mixer.space.groups : 0;
}

/// Width of what a recurrent mixer gives to its output map.
///
/// Source: A. Gu and T. Dao (2023), arXiv:2312.00752; S. Yang et al. (2025), arXiv:2412.06464.
constexpr double recurrent_width(const recurrent_mixer& mixer) {
  return mixer.is_linear() ? mixer.linear.value_width() : mixer.space.channels;
}

/// Width of what its short convolution runs over, or would: queries, keys and values, or channels
/// with what Mamba 2 reads and writes its state by.
///
/// Source: as recurrent_width.
constexpr double recurrent_inputs(const recurrent_mixer& mixer) {
  return mixer.is_linear() ? 2 * mixer.linear.key_width() + mixer.linear.value_width()
                           : convolved_channels(mixer.space);
}

/// A linear map of a recurrent mixer.
struct recurrent_map {
  double inputs{};
  double outputs{};
  bool whole_rank = false;  ///< whole on every tensor-parallel rank
};

/// Calls visit(map) for each linear map of a mixer on one of t tensor-parallel ranks, in the order
/// in which they run.
///
///     gated_delta_net  h -> (2 K + 2 V + 2 a) / t,  V / t -> h
///     kimi_delta       h -> (2 K + V + a) / t,  h -> dk,  dk -> K / t,  h -> V / t or by way of r,
///                      V / t -> h
///     lightning        h -> (2 K + 2 V) / t,  V / t -> h
///     Mamba 1          h -> 2 c / t,  c / t -> r + 2 n,  r -> c / t,  c / t -> h
///     Mamba 2          h -> (c + v + a) / t,  c / t -> h
///
///     K, V, a, dk, r      as in linear_attention_parameters
///     c, v, n, a, r, h    as in state_space_parameters
///
/// Source: that of linear_attention_parameters and of state_space_parameters.
template <class Visit>
constexpr void visit_recurrent_maps(const recurrent_mixer& mixer, int hidden_size, double t,
                                    Visit&& visit) {
  const double h = hidden_size;
  const double width = recurrent_width(mixer);
  if (mixer.is_linear()) {
    const linear_attention& a = mixer.linear;
    const double keys = a.key_width();
    const double heads = a.value_heads;
    switch (a.kind) {
      case linear_attention_kind::gated_delta_net:
        visit(recurrent_map{h, (2 * keys + 2 * width + 2 * heads) / t});
        break;
      case linear_attention_kind::kimi_delta: {
        const double narrow = a.key_head_dim;
        visit(recurrent_map{h, (2 * keys + width + heads) / t});
        visit(recurrent_map{h, narrow, true});
        visit(recurrent_map{narrow, keys / t});
        if (a.gate_rank > 0) visit(recurrent_map{h, static_cast<double>(a.gate_rank), true});
        visit(recurrent_map{a.gate_rank > 0 ? a.gate_rank : h, width / t});
        break;
      }
      case linear_attention_kind::lightning:
        visit(recurrent_map{h, (2 * keys + 2 * width) / t});
        break;
    }
  } else if (mixer.space.kind == state_space_kind::mamba_1) {
    const state_space& s = mixer.space;
    const double rank = s.time_step_rank;
    visit(recurrent_map{h, 2 * width / t});
    visit(recurrent_map{width / t, rank + 2.0 * s.state_size});
    visit(recurrent_map{rank, width / t});
  } else {
    visit(recurrent_map{h, (width + convolved_channels(mixer.space) + mixer.space.heads) / t});
  }
  visit(recurrent_map{width / t, h});
}

/// Operations of the recurrence on one token, forward: of the state, decay, update and answer; a
/// delta rule asks the state for what it holds, too.
///
///     delta rules  8 V dk      lightning  6 V dk      Mamba  7 c n
///
///     V, dk, c, n  as in visit_recurrent_maps
///
/// Kernels work on chunks of tokens, with more operations on faster units: this is what the model
/// defines.
///
/// Source: NVIDIA, "Megatron-LM", megatron/training/training.py,
/// num_floating_point_operations (2026): 4 d^2 multiply-adds a head of a delta rule, 7 c n of
/// Mamba.
constexpr double recurrence_operations(const recurrent_mixer& mixer) {
  if (!mixer.is_linear()) return 7.0 * mixer.space.channels * mixer.space.state_size;
  const double state = mixer.linear.value_width() * mixer.linear.key_head_dim;
  return (mixer.linear.kind == linear_attention_kind::lightning ? 6 : 8) * state;
}

/// Values of a token that the kernels of a mixer read and write, forward, beside those of its maps:
/// the convolution, what the recurrence reads and writes, the gate and the norm behind it.
///
///     3 v + 4 w        without a convolution v + 4 w
///
///     v  recurrent_inputs      count, >= 1
///     w  recurrent_width       count, >= 1
///
/// Source: counted of the kernels that the sources of visit_recurrent_maps name.
constexpr double recurrent_traffic(const recurrent_mixer& mixer) {
  const bool convolved =
      !mixer.is_linear() || mixer.linear.kind != linear_attention_kind::lightning;
  return (convolved ? 3 : 1) * recurrent_inputs(mixer) + 4 * recurrent_width(mixer);
}

/// Values of a token that a mixer keeps for its backward pass, beside the input of the layer.
///
///     delta rules  2 v + 64 a + 3 w      before and after the convolution, the inverse of a chunk
///                                        of 64 tokens, the state's answer, its gate, the product
///     lightning    v + 3 w
///     Mamba 1      3 w + r + 2 n         channels and gate, the state's answer; the rest is made
///     Mamba 2      v + 3 w + a           again by the fused kernel
///
///     v, w, a, r, n  as in recurrent_traffic and visit_recurrent_maps
///
/// Source: S. Yang and Y. Zhang, "FLA: A Triton-Based Library for Hardware-Efficient
/// Implementations of Linear Attention Mechanism" (2024-2026), fla/ops; A. Gu and T. Dao,
/// "mamba_ssm" (2023-2026), mamba_ssm/ops: what the functions save.
constexpr double recurrent_kept_values(const recurrent_mixer& mixer) {
  constexpr double chunk = 64;
  const double in = recurrent_inputs(mixer);
  const double out = recurrent_width(mixer);
  if (mixer.is_linear()) {
    if (mixer.linear.kind == linear_attention_kind::lightning) return in + 3 * out;
    return 2 * in + chunk * mixer.linear.value_heads + 3 * out;
  }
  const state_space& s = mixer.space;
  if (s.kind == state_space_kind::mamba_1) return 3 * out + s.time_step_rank + 2.0 * s.state_size;
  return in + 3 * out + s.heads;
}

}  // namespace gpuplan
