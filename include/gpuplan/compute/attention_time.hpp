#pragma once
/// \file
/// Time of the attention core: scores, softmax, and the weighted sum of values.

#include <gpuplan/compute/kernel_rates.hpp>
#include <gpuplan/compute/layer_flop.hpp>
#include <gpuplan/hardware/operator_rates.hpp>
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

/// What computes one kind of core, resolved for the widths of its heads.
template <class T>
struct basic_attention_unit {
  basic_flop_per_second<T> forward{};    ///< of long sequences; > 0
  basic_flop_per_second<T> backward{};   ///< > 0
  T half_length{};                       ///< tokens, as in attention_rates; >= 0
  basic_seconds<T> start{};              ///< of a core; >= 0
  double streaming_multiprocessors = 0;  ///< that share the queries; 0: they never wait; >= 0
};

/// Queries that one multiprocessor takes at a time, and how much longer the last of them keeps all
/// others waiting than its share.
///
/// Source: T. Dao, "FlashAttention-2", ICLR (2024), section 3.3, arXiv:2307.08691 (blocks of 128);
/// the share is fitted by benchmarks/operators, one for all devices.
inline constexpr double query_block = 128;
inline constexpr double block_wait = 0.35;

namespace detail {

/// A rate between those of two widths of heads: time is linear in 1 / width.
template <class T>
constexpr basic_flop_per_second<T> rate_between(double width, double low, double high,
                                                const basic_flop_per_second<T>& at_low,
                                                const basic_flop_per_second<T>& at_high) {
  const double share = (1 / width - 1 / high) / (1 / low - 1 / high);
  return 1.0 / (share / at_low + (1 - share) / at_high);
}

template <class T>
constexpr basic_flop_per_second<T> forward_rate(const basic_attention_rates<T>& rates,
                                                double width) {
  if (width <= 64) return rates.forward_64;
  if (width <= 128) return rate_between(width, 64, 128, rates.forward_64, rates.forward_128);
  if (width <= 256) return rate_between(width, 128, 256, rates.forward_128, rates.forward_256);
  if (width < 512) return rate_between(width, 256, 512, rates.forward_256, rates.forward_512);
  return rates.forward_512;
}

/// Narrow heads slow the backward pass as they slow the forward pass; wide ones, which leave no
/// room for its sums, slow it alone.
template <class T>
constexpr basic_flop_per_second<T> backward_rate(const basic_attention_rates<T>& rates,
                                                 double width) {
  constexpr double widest = (192 + 128) / 2.0;
  if (width <= 128) return rates.backward_128 / rates.forward_128 * forward_rate(rates, width);
  if (width < widest)
    return rate_between(width, 128, widest, rates.backward_128, rates.backward_192);
  return rates.backward_192;
}

}  // namespace detail

/// The unit for heads of these widths: their mean decides between the measured widths.
///
/// Source: benchmarks/operators prints the fits and their errors.
///
/// \throws invalid_input if a width is < 1, multiprocessors < 0 or a rate is not > 0
template <class T>
constexpr basic_attention_unit<T> attention_unit_of(const basic_attention_rates<T>& rates,
                                                    int query_head_dim, int value_head_dim,
                                                    int multiprocessors) {
  require(query_head_dim >= 1 && value_head_dim >= 1,
          "attention_unit_of: query_head_dim and value_head_dim must be >= 1");
  require(multiprocessors >= 0, "attention_unit_of: multiprocessors must be >= 0");
  require(rates.half_length >= 0 && rates.start >= seconds{0},
          "attention_unit_of: half_length and start must be >= 0");
  require(rates.forward_64 > flop_per_second{0} && rates.forward_128 > flop_per_second{0} &&
              rates.forward_256 > flop_per_second{0} && rates.forward_512 > flop_per_second{0} &&
              rates.backward_128 > flop_per_second{0} && rates.backward_192 > flop_per_second{0},
          "attention_unit_of: every rate must be > 0 FLOP/s");
  const double width = (1.0 * query_head_dim + value_head_dim) / 2;
  return {.forward = detail::forward_rate(rates, width),
          .backward = detail::backward_rate(rates, width),
          .half_length = rates.half_length,
          .start = rates.start,
          .streaming_multiprocessors = static_cast<double>(multiprocessors)};
}

/// Flash attention, as fused kernels of 2022 to 2026 run it.
///
///     forward   t_0 + (F (1 + s_0 / 2 k) + 0.35 B) / R
///     backward  t_0 + F_b (1 + s_0 / 2 k) / R_b
///
///     F    2 q k a (d_qk + d_v)             q, k, a     queries, keys of one, heads
///     F_b  2 q k a (3 d_qk + 2 d_v)         d_qk, d_v   widths of heads
///     B    2 S 128 K (d_qk + d_v)
///     K    keys of the last block:          R, R_b      unit.forward, unit.backward, FLOP/s
///          min(2 k, all_keys)               t_0         unit.start, s
///     S    unit.streaming_multiprocessors   s_0         unit.half_length, tokens
///
/// A causal sequence of s tokens has k = s / 2.  B is what all multiprocessors could do while one
/// works on the block of queries that sees the most keys: few heads of long sequences wait for it.
///
/// Holds: 1024 tokens and more, within 12 % in the median of measured cores of 7 GPUs.
///
/// Source: T. Dao, "FlashAttention-2", ICLR (2024), arXiv:2307.08691; benchmarks/operators prints
/// the fits and their errors.
///
/// \throws invalid_input if the shape is invalid
template <class T>
constexpr basic_pass_time<T> flash_attention_time(const attention_shape& core,
                                                  const basic_attention_unit<T>& unit) {
  require_valid(core);
  const double last = 2 * core.keys < core.all_keys ? 2 * core.keys : core.all_keys;
  const auto pairs = core.queries * core.heads * (core.keys + unit.half_length / 2);
  const double waited = block_wait * unit.streaming_multiprocessors * query_block * last;
  const double two = 2.0 * core.query_head_dim + 2.0 * core.value_head_dim;
  const double five = 6.0 * core.query_head_dim + 4.0 * core.value_head_dim;
  return {unit.start + basic_flop<T>{(pairs + waited) * two} / unit.forward,
          unit.start + basic_flop<T>{pairs * five} / unit.backward};
}

/// The same by the rates of a job.
///
/// \throws invalid_input if the shape is invalid
template <class T>
constexpr basic_pass_time<T> flash_attention_time(const attention_shape& core,
                                                  const basic_kernel_rates<T>& rates) {
  require_valid(core);
  return flash_attention_time(
      core, attention_unit_of(rates.attention, core.query_head_dim, core.value_head_dim,
                              rates.product_16.streaming_multiprocessors));
}

/// Attention as a framework's own kernels: all scores, masked ones too, are written and read.
///
///     forward   P + 11 n / W        backward  2 P + 19 n / W        P = F / R + 2 t_0
///
///     n    scores: queries x all_keys x heads
///     W    rates.elementwise        B/s, of 16-bit values: forward writes scores (2), softmax
///                                   reads and writes (4), dropout reads, writes and keeps a mask
///                                   (5); backward likewise for two gradients
///     t_0  rates.product_16.start   s, of one of the two products
///     R    rates.product_16         FLOP/s; a sixteenth of it where 8 does not divide the width of
///                                   a head, whose rows then are no multiple of 16 B
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
