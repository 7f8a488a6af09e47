#pragma once
/// \file
/// Loss scaling: the range of factors that keeps gradients in a narrow format.

#include <gpuplan/require.hpp>
#include <gpuplan/units/number_format.hpp>

namespace gpuplan {

/// Magnitudes of the gradients that matter.
struct gradient_range {
  double smallest{};  ///< > 0; smaller ones may become zero
  double largest{};   ///< >= smallest
};

/// Factors from `least` to `most`; none where least > most.
struct loss_scale_range {
  double least{};
  double most{};

  [[nodiscard]] constexpr bool exists() const { return least <= most; }
  /// No factor is needed where 1 is among them.
  [[nodiscard]] constexpr bool needed() const { return !(least <= 1 && 1 <= most); }
};

/// The loss scales S that keep every gradient of a range above zero and below overflow.
///
///     s / g  <=  S  <=  F / G
///
///     g, G  gradients.smallest, gradients.largest   > 0
///     s     least positive value of the format, 2^-24 in FP16
///     F     its largest finite value, 65504 in FP16
///
/// A gradient at the lower end keeps one bit; multiply `least` by 2^fraction_bits to keep them all.
/// Training takes a power of two, which rounds nothing.  Holds for scaling by a constant; a dynamic
/// scale that doubles until it overflows lives at the upper end.
///
/// Source: P. Micikevicius et al., "Mixed Precision Training", ICLR (2018), 3.2, arXiv:1710.03740:
/// constants from 8 to 32 768, and any below 65504 / G.  dynamic_loss_scale.hpp moves the scale.
///
/// \throws invalid_input if smallest <= 0, largest < smallest or infinite, or format is none of
///         number_formats
constexpr loss_scale_range loss_scales(number_format format, const gradient_range& gradients) {
  const number_limits limits = limits_of(format);
  const double largest_factor = limits_of(number_format::fp64).largest_finite;
  require(gradients.smallest > 0, "loss_scales: gradients.smallest must be > 0");
  require(gradients.largest >= gradients.smallest,
          "loss_scales: gradients.largest must be >= gradients.smallest");
  require(gradients.largest <= largest_factor, "loss_scales: gradients.largest must be finite");

  const bool any_factor = gradients.largest < limits.largest_finite / largest_factor;
  return {.least = limits.smallest_positive() / gradients.smallest,
          .most = any_factor ? largest_factor : limits.largest_finite / gradients.largest};
}

}  // namespace gpuplan
