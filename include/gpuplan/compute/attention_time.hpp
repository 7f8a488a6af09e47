#pragma once
/// \file
/// Time of the attention core: scores, softmax, and the weighted sum of values.

#include <gpuplan/compute/kernel_rates.hpp>
#include <gpuplan/compute/layer_flop.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// One core on one rank.
struct attention_shape {
  double queries = 0;      ///< tokens that ask, of all sequences of the micro-batch; >= 0
  double keys = 0;         ///< that one of them attends to, on average; >= 0
  double all_keys = 0;     ///< of a sequence, masked ones included; >= keys
  double heads = 0;        ///< on this rank; >= 0
  int query_head_dim = 0;  ///< >= 1
  int value_head_dim = 0;  ///< >= 1
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const attention_shape& core) {
  require(core.queries >= 0, "attention_shape.queries must be >= 0");
  require(core.keys >= 0, "attention_shape.keys must be >= 0");
  require(core.all_keys >= core.keys, "attention_shape.all_keys must be >= keys");
  require(core.heads >= 0, "attention_shape.heads must be >= 0");
  require(core.query_head_dim >= 1, "attention_shape.query_head_dim must be >= 1");
  require(core.value_head_dim >= 1, "attention_shape.value_head_dim must be >= 1");
}

/// Flash attention: bound by its products, scores never written.
///
///     forward   t_0 + F (1 + s_0 / s) / R(d)
///     backward  t_0 + 5/2 F (1 + s_0 / (2 s)) / R_b(d)         F = 2 q k a (d_qk + d_v)
///
///     q, k, a  queries, keys, heads       d_qk, d_v  widths of heads; d the larger
///     s        keys of a sequence         s_0  rates.attention.half_length   tokens
///     R, R_b   rates.attention            FLOP/s
///
/// The backward pass makes five products of the sizes of the forward pass's two.
///
/// Source: T. Dao, "FlashAttention-2", ICLR (2024), section 3.1, arXiv:2307.08691.
///
/// \throws invalid_input if the shape is invalid
template <class T>
constexpr basic_pass_time<T> flash_attention_time(const attention_shape& core,
                                                  const basic_kernel_rates<T>& rates) {
  require_valid(core);
  const flop work = 2 * core.queries * core.keys * core.heads *
                    (core.query_head_dim + core.value_head_dim) * units::FLOP;
  const basic_attention_rates<T>& at = rates.attention;
  const int widest = core.query_head_dim > core.value_head_dim ? core.query_head_dim
                                                               : core.value_head_dim;
  const basic_flop_per_second<T> forward = widest <= 64 ? at.forward_64 : widest <= 192 ? at.forward_128 : at.forward_256;
  const basic_flop_per_second<T> backward = forward / at.forward_128 * at.backward_128;
  const T ramp = at.half_length / (core.all_keys > 1 ? core.all_keys : 1.0);
  return {at.start + (1.0 + ramp) * (work / forward),
          at.start + (2.5 + 1.25 * ramp) * (work / backward)};
}

/// Attention as a framework's own kernels: all scores, masked ones too, are written and read.
///
///     forward   P + 11 n / W        backward  2 P + 19 n / W        P = F / R + 2 start
///
///     n  scores: queries x all_keys x heads
///     W  rates.elementwise   B/s, of 16-bit values: forward writes scores (2), softmax reads and
///                            writes (4), dropout reads, writes and keeps a mask (5); backward
///                            likewise for two gradients
///     R  rates.product_16    FLOP/s; a sixteenth of it where 8 does not divide the width of a
///                            head, whose rows then are no multiple of 16 B
///
/// Source: V. Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models",
/// MLSys (2023), section 4.1, arXiv:2205.05198 (what is kept); NVIDIA, "Matrix Multiplication
/// Background User's Guide", DU-09798 (2023), section 3 (alignment).
///
/// \throws invalid_input if the shape is invalid
template <class T>
constexpr basic_pass_time<T> unfused_attention_time(const attention_shape& core,
                                                    const basic_kernel_rates<T>& rates) {
  require_valid(core);
  const double scores = core.queries * core.all_keys * core.heads;
  const flop work = 2 * scores * (core.query_head_dim + core.value_head_dim) * units::FLOP;
  const basic_matrix_unit<T>& unit = rates.product_16;
  const double slower = core.query_head_dim % 8 == 0 ? 1 : 16;
  const basic_seconds<T> products = slower * work / unit.rate + 2 * unit.start;
  const basic_seconds<T> bytes_half = scores * (rates.value / 2) / rates.elementwise;
  return {products + 11 * bytes_half, 2 * products + 19 * bytes_half};
}

}  // namespace gpuplan
