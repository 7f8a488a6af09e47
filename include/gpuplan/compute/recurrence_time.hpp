#pragma once
/// \file
/// Time of the recurrent mixers of a layer: their products, and what runs between them.

#include <gpuplan/compute/gemm.hpp>
#include <gpuplan/compute/kernel_rates.hpp>
#include <gpuplan/model/recurrent_mixer.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// The recurrence of one mixer on one tensor-parallel rank of t, its short convolution, gate and
/// norm, for some tokens.
///
///     forward   T (b x / R_m + F / R) / t        backward  twice that
///
///     T    rows                     tokens, >= 0
///     x    recurrent_traffic        count
///     F    recurrence_operations    FLOP
///     b    rates.value              B
///     R_m  rates.elementwise        B/s
///     R    rates.attention, forward, heads of 64: chunks are such products    FLOP/s
///
/// Holds: no mixer was timed; both rates are those of attention's kernels.
///
/// Source: T. Dao and A. Gu, "Transformers are SSMs", ICML (2024), section 6, arXiv:2405.21060, and
/// S. Yang et al., "Gated Delta Networks", ICLR (2025), arXiv:2412.06464: the forms in chunks.
///
/// \throws invalid_input if rows < 0 or tensor < 1
template <class T>
constexpr basic_pass_time<T> recurrence_time(const recurrent_mixer& mixer, double rows, int tensor,
                                             const basic_kernel_rates<T>& rates) {
  require(rows >= 0, "recurrence_time: rows must be >= 0");
  require(tensor >= 1, "recurrence_time: tensor must be >= 1");
  const double share = rows / tensor;
  const basic_seconds<T> moved = share * recurrent_traffic(mixer) * rates.value / rates.elementwise;
  const basic_seconds<T> computed =
      share * recurrence_operations(mixer) * units::FLOP / rates.attention.forward_64;
  const basic_seconds<T> forward = moved + computed;
  return {forward, 2 * forward};
}

}  // namespace gpuplan
