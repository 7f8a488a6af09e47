#pragma once
/// \file
/// One objective of a schedule, scaled to 0 .. 1 over the candidates, and how its weight follows
/// its history.

#include <cmath>

#include <gpuplan/require.hpp>

namespace gpuplan {

/// An aim brought to 0 .. 1 over the candidates: 0 for the best of them, 1 for the worst.
///
///     (f - f_min) / (f_max - f_min)        0 where f_max = f_min: it does not tell them apart
///
///     f             aim of one candidate, to be made small       f_min .. f_max
///     f_min, f_max  least and largest over the candidates        finite
///
/// Holds: an aim to be made small; 0 where all candidates are alike.
///
/// Source: K. Yoon and C.-L. Hwang, "Multiple Attribute Decision Making", Sage (1995), section 2.
///
/// \throws invalid_input unless least <= aim <= most and their difference is finite
constexpr double normalized_aim(double aim, double least, double most) {
  require(aim >= least && aim <= most, "normalized_aim: aim must be >= least and <= most");
  require(most - least <= 1.7e308, "normalized_aim: most - least must be finite");
  return most > least ? (aim - least) / (most - least) : 0;
}

/// What the weight of an aim is multiplied by, if the aim is worse now than it used to be.
///
///     max(0, 1 + gamma (f - mean) / sigma)        1 where sigma = 0
///
///     f      the aim now, to be made small              any unit, finite
///     mean   mean of the same aim's earlier values      that unit, finite
///     sigma  standard deviation of the earlier values   that unit, >= 0; finite
///     gamma  strength: how strongly the weight leans    1, >= 0; finite
///
/// The history is that of the one aim, so aims of different units never meet. Without the 0 a
/// weight is negative where (f - mean)/sigma is below -1/gamma.
///
/// Holds: before all weights are divided by their sum; 1 where sigma is 0.
///
/// Source: definition.
///
/// \throws invalid_input if an argument is out of its range
inline double leaning_weight(double aim, double mean, double sigma, double gamma) {
  require(std::isfinite(aim) && std::isfinite(mean), "leaning_weight: aim and mean must be finite");
  require(sigma >= 0 && std::isfinite(sigma), "leaning_weight: sigma must be >= 0 and finite");
  require(gamma >= 0 && std::isfinite(gamma), "leaning_weight: gamma must be >= 0 and finite");
  if (sigma == 0) return 1;
  const double factor = 1 + gamma * ((aim - mean) / sigma);
  return factor > 0 ? factor : 0;
}

}  // namespace gpuplan
