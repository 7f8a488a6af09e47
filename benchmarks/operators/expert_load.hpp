#pragma once
/// \file
/// How many tokens the fullest rank of a measured layer of experts had.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>

namespace gpuplan::operators {

/// A layer of experts over several ranks.
struct expert_load {
  double tokens = 0;  ///< of all ranks
  double experts = 1;
  double chosen = 1;  ///< experts of a token
  double ranks = 1;
};

namespace detail {

/// Mean of the greatest of 2^i standard normal variables.
///
/// Source: H. L. Harter, "Expected values of normal order statistics", Biometrika 48 (1961)
/// 151-165.
inline double greatest_normal(double count) {
  constexpr std::array means{0.0, 0.564, 1.029, 1.424, 1.766, 2.070, 2.344, 2.594, 2.824};
  const double place = (std::min)(std::log2((std::max)(count, 1.0)), means.size() - 1.001);
  const auto low = static_cast<std::size_t>(place);
  return means[low] + (place - std::floor(place)) * (means[low + 1] - means[low]);
}

/// Mean of x^k of a power law x^-a on 1 to `most`, times a factor that does not depend on k.
inline double power_moment(double k, double exponent, double most) {
  const double power = 1 - exponent + k;
  return std::abs(power) < 1e-9 ? std::log(most) : (std::pow(most, power) - 1) / power;
}

}  // namespace detail

/// Tokens of the fullest rank over the mean: 1 where the load is "balanced"; where each expert's
/// share is drawn from a power law, as "power_law_1.2" says, the mean of the greatest sum of
/// experts / ranks draws.
///
///     1 + (z + g (z^2 - 1) / 6 sqrt(n)) d / sqrt(n),  n = experts / ranks
///
///     d, g  deviation over mean, and skewness, of x^-a on 1 to 0.8 tokens
///     z     mean of the greatest of `ranks` normal variables
///
/// at most `ranks`, and at most a token for each expert of the rank.  The second term is the first
/// of E. A. Cornish and R. A. Fisher, "Moments and Cumulants in the Specification of
/// Distributions", Rev. Int. Stat. Inst. 5 (1938) 307-320.
///
/// Source: NVIDIA, "aiconfigurator", collector/helper.py (2026), github.com/ai-dynamo/
/// aiconfigurator, for how loads are drawn.
inline double fullest_rank(const expert_load& drawn, const std::string& load) {
  const std::string prefix = "power_law_";
  if (!load.starts_with(prefix) || drawn.ranks <= 1) return 1;
  const double exponent = std::stod(load.substr(prefix.size()));
  const double most = (std::max)(2.0, 0.8 * drawn.tokens);
  const double m0 = detail::power_moment(0, exponent, most);
  const double m1 = detail::power_moment(1, exponent, most) / m0;
  const double m2 = detail::power_moment(2, exponent, most) / m0;
  const double m3 = detail::power_moment(3, exponent, most) / m0;
  const double deviation = std::sqrt((std::max)(1e-12, m2 - m1 * m1));
  const double skewness =
      (m3 - 3 * m1 * m2 + 2 * m1 * m1 * m1) / (deviation * deviation * deviation);
  const double of_rank = drawn.experts / drawn.ranks;
  const double z = detail::greatest_normal(drawn.ranks);
  const double skewed = z + skewness / std::sqrt(of_rank) * (z * z - 1) / 6;
  const double value = 1 + skewed * deviation / m1 / std::sqrt(of_rank);
  const double each_once = (std::min)(of_rank, drawn.chosen) * drawn.ranks / drawn.chosen;
  return (std::min)({value, drawn.ranks, each_once});
}

}  // namespace gpuplan::operators
