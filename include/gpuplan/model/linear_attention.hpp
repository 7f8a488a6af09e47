#pragma once
/// \file
/// Linear attention: its parameters, and the state that a sequence keeps in place of keys and
/// values.

#include <gpuplan/model/state_space.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// Kinds of linear attention.
enum class linear_attention_kind {
  gated_delta_net,  ///< one forgetting rate a head (Qwen3-Next)
  kimi_delta,       ///< one forgetting rate a channel, made by way of a low rank (Kimi Linear)
  lightning         ///< fixed rates and no convolution (MiniMax)
};

/// A layer of linear attention, without what comes before and after it.
struct linear_attention {
  linear_attention_kind kind = linear_attention_kind::gated_delta_net;
  int key_heads = 0;       ///< >= 1
  int value_heads = 0;     ///< >= 1; as many as key_heads but with gated_delta_net
  int key_head_dim = 0;    ///< >= 1
  int value_head_dim = 0;  ///< >= 1
  int convolution = 4;     ///< tokens that the convolution sees; 1: there is none
  int gate_rank = 0;       ///< of the output gate of kimi_delta; 0: a full map

  [[nodiscard]] constexpr double key_width() const {
    return static_cast<double>(key_heads) * key_head_dim;
  }
  [[nodiscard]] constexpr double value_width() const {
    return static_cast<double>(value_heads) * value_head_dim;
  }

  friend constexpr bool operator==(const linear_attention&, const linear_attention&) = default;
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const linear_attention& a) {
  require(a.key_heads >= 1, "linear_attention.key_heads must be >= 1");
  require(a.value_heads >= 1, "linear_attention.value_heads must be >= 1");
  require(a.key_head_dim >= 1, "linear_attention.key_head_dim must be >= 1");
  require(a.value_head_dim >= 1, "linear_attention.value_head_dim must be >= 1");
  require(a.convolution >= 1, "linear_attention.convolution must be >= 1");
  require(a.gate_rank >= 0, "linear_attention.gate_rank must be >= 0");
}

/// Parameters of a layer of linear attention.
///
///     gated_delta_net  h (2 K + 2 V + 2 a) + k (2 K + V) + 2 a + d + V h
///     kimi_delta       h (2 K + V + a) + k (2 K + V) + (h + K) dk + K + a + G + d + V h
///     lightning        h (2 K + V) + h V + V + V h
///
///     h      hidden_size, of the model         count, >= 1
///     K, V   widths of all key heads, of all value heads
///     a      value heads                       count, >= 1
///     dk, d  widths of a key head, of a value head
///     k      convolution                       tokens, >= 1
///     G      h V, or r (h + V) of a gate of rank r
///
/// Source: S. Yang, J. Kautz and A. Hatamizadeh, "Gated Delta Networks: Improving Mamba2 with Delta
/// Rule", ICLR (2025), arXiv:2412.06464; Kimi Team, "Kimi Linear" (2025), arXiv:2510.26692;
/// MiniMax, "MiniMax-01: Scaling Foundation Models with Lightning Attention" (2025),
/// arXiv:2501.08313.
///
/// \throws invalid_input if hidden_size < 1 or the layer is invalid
constexpr double linear_attention_parameters(const linear_attention& a, int hidden_size) {
  require(hidden_size >= 1, "linear_attention_parameters: hidden_size must be >= 1");
  require_valid(a);
  const double h = hidden_size;
  const double keys = a.key_width();
  const double values = a.value_width();
  const double heads = a.value_heads;
  const double maps = h * (2 * keys + values) + values * h;
  const double convolution = a.convolution * (2 * keys + values);

  switch (a.kind) {
    case linear_attention_kind::gated_delta_net:
      return maps + h * (values + 2 * heads) + convolution + 2 * heads + a.value_head_dim;
    case linear_attention_kind::kimi_delta: {
      const double decay = (h + keys) * a.key_head_dim + keys + heads;
      const double gate = a.gate_rank > 0 ? a.gate_rank * (h + values) : h * values;
      return maps + h * heads + convolution + decay + gate + a.value_head_dim;
    }
    case linear_attention_kind::lightning: return maps + h * values + values;
  }
  require(false, "linear_attention_parameters: kind must be one of linear_attention_kind");
  return 0;
}

/// What a layer of linear attention keeps of one sequence.
///
///     recurrent    V dk
///     convolution  (k - 1) (2 K + V), none with lightning
///
///     K, V, dk, k  as in linear_attention_parameters
///
/// Source: S. Yang, J. Kautz and A. Hatamizadeh (2025), Kimi Team (2025), MiniMax (2025), as in
/// linear_attention_parameters.
///
/// \throws invalid_input if the layer is invalid
constexpr sequence_state linear_attention_state(const linear_attention& a) {
  require_valid(a);
  sequence_state kept{.recurrent = a.value_width() * a.key_head_dim};
  if (a.kind != linear_attention_kind::lightning)
    kept.convolution = (a.convolution - 1) * (2 * a.key_width() + a.value_width());
  return kept;
}

}  // namespace gpuplan
