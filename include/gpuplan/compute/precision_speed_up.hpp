#pragma once
/// \file
/// How much faster lower precision makes a step.

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A step in higher precision, by what binds its parts, and what lower precision does to each.
struct precision_step {
  seconds arithmetic{};    ///< of products, bound by matrix units; >= 0
  seconds memory{};        ///< of kernels bound by bytes that lower precision makes fewer; >= 0
  seconds other{};         ///< of what stays: launches, FP32 updates, latency; >= 0
  double rates = 1;        ///< rate of products in lower over higher precision; > 0
  double value_bytes = 1;  ///< bytes of a value in higher over lower precision; > 0
};

/// The step in lower precision.
///
///     T' = T_c / r + T_m / b + T_o
///
///     T_c  time of products in higher precision                  s, >= 0
///     T_m  time of kernels that only move values                 s, >= 0
///     T_o  time of all else                                      s, >= 0
///     r    rate of products in lower over higher precision       1, > 0
///     b    bytes of a value in higher over lower precision       1, > 0
///
/// Holds: the same kernels run; what binds a part binds it in both.
///
/// Source: as precision_speed_up.
///
/// \throws invalid_input if a time is < 0, or a ratio is <= 0
constexpr seconds step_in_lower_precision(const precision_step& step) {
  require(step.arithmetic >= seconds{0}, "precision_step.arithmetic must be >= 0 s");
  require(step.memory >= seconds{0}, "precision_step.memory must be >= 0 s");
  require(step.other >= seconds{0}, "precision_step.other must be >= 0 s");
  require(step.rates > 0, "precision_step.rates must be > 0");
  require(step.value_bytes > 0, "precision_step.value_bytes must be > 0");
  return step.arithmetic / step.rates + step.memory / step.value_bytes + step.other;
}

/// Speed-up of lower precision: Amdahl's law with a part that products bind and one that memory
/// binds.
///
///     S = (T_c + T_m + T_o) / (T_c / r + T_m / b + T_o)
///
///     T_c  time of products in higher precision                  s, >= 0
///     T_m  time of kernels that only move values                 s, >= 0
///     T_o  time of all else                                      s, >= 0
///     r    rate of products in lower over higher precision       1, > 0
///     b    bytes of a value in higher over lower precision       1, > 0
///
/// Between 1 and the larger of r and b where both are at least 1.  Peaks of a V100 give r = 8, of
/// an A100 16 against FP32 and 2 against TF32; b = 2 from FP32 to 16 bits.  The 2 to 3 times that
/// guides print is a step with a third or so of its time outside of products.
///
/// Holds: the same kernels run; what binds a part binds it in both.
///
/// Source: G. Amdahl, "Validity of the single processor approach to achieving large scale computing
/// capabilities", AFIPS (1967) 483-485; P. Micikevicius et al., "Mixed Precision Training", ICLR
/// (2018), arXiv:1710.03740.
///
/// \throws invalid_input if a time is < 0, all are 0, or a ratio is <= 0
constexpr double precision_speed_up(const precision_step& step) {
  const seconds lower = step_in_lower_precision(step);
  require(lower > seconds{0}, "precision_speed_up: the step must take > 0 s");
  return (step.arithmetic + step.memory + step.other) / lower;
}

}  // namespace gpuplan
