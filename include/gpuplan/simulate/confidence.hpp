#pragma once
/// \file
/// Confidence intervals of simulated means: Student's t, over replications or batches.

#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <type_traits>
#include <vector>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A mean, and how far the true one may be from it.
template <class T>
struct basic_confidence {
  T mean{};
  T half_width{};

  [[nodiscard]] constexpr T least() const { return mean - half_width; }
  [[nodiscard]] constexpr T most() const { return mean + half_width; }
  [[nodiscard]] constexpr bool holds(const T& value) const {
    return least() <= value && value <= most();
  }
};
using confidence = basic_confidence<double>;

namespace detail {

/// P(|T| <= sqrt(n) tan theta)
inline double student_t_within(double theta, int n) {
  const double square = std::cos(theta) * std::cos(theta);
  const bool odd = n % 2 == 1;
  double term = odd ? std::cos(theta) : 1;
  double sum = 0;
  for (int k = odd ? 1 : 0; k <= n - 2; k += 2) {
    sum += term;
    term *= square * (k + 1) / (k + 2);
  }
  sum *= std::sin(theta);
  return odd ? (theta + sum) * 2 / std::numbers::pi : sum;
}

}  // namespace detail

/// What a share p of Student's t is below.
///
///     P(T <= t) = p
///     P(|T| <= sqrt(n) tan x)
///         = sin x (1 + cos^2 x / 2 + (1 3)/(2 4) cos^4 x + ...)                   n even
///         = 2/pi (x + sin x (cos x + 2/3 cos^3 x + (2 4)/(3 5) cos^5 x + ...))    n odd
///
/// with powers of cos x up to n - 2.
///
///     p  probability           1, 1e-9 to 1 - 1e-9; from 1e-9 to 1 - 1e-9
///     n  degrees_of_freedom    count, 1 to 1e6
///
/// Exact; O(n).
///
/// Holds: exact.
///
/// Source: M. Abramowitz and I. Stegun, "Handbook of Mathematical Functions" (1964), 26.7.3-4.
///
/// \throws invalid_input if probability or degrees_of_freedom are out of range
inline double student_t_quantile(double probability, int degrees_of_freedom) {
  require(probability >= 1e-9 && probability <= 1 - 1e-9,
          "student_t_quantile: probability must be from 1e-9 to 1 - 1e-9");
  require(degrees_of_freedom >= 1 && degrees_of_freedom <= 1000000,
          "student_t_quantile: degrees_of_freedom must be from 1 to 1e6");
  const double within = std::abs(2 * probability - 1);
  double low = 0;
  double high = std::numbers::pi / 2;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (detail::student_t_within(middle, degrees_of_freedom) < within ? low : high) = middle;
  }
  const double t = std::sqrt(degrees_of_freedom) * std::tan((low + high) / 2);
  return probability < 0.5 ? -t : t;
}

/// Confidence interval of a mean, from independent samples.
///
///     mean +- t s / sqrt(n),   s^2 = sum (x - mean)^2 / (n - 1)
///
///     t      of student_t_quantile, (1 + level) / 2 at n - 1 degrees of freedom
///     n      samples                                   count, >= 2
///     level  that the true mean is in the interval     share, > 0 and < 1
///
/// Exact for normal samples, and close for means of many.
///
/// Source: Student, "The probable error of a mean", Biometrika 6 (1908) 1-25.
///
/// \throws invalid_input if there are fewer than 2 samples, or level is out of range
template <class T>
basic_confidence<T> confidence_interval(std::span<const T> samples, double level = 0.95) {
  require(samples.size() >= 2, "confidence_interval: samples must be >= 2");
  require(level > 0 && level < 1, "confidence_interval: level must be > 0 and < 1");
  const auto count = static_cast<double>(samples.size());
  T mean{};
  for (const T& sample : samples) mean += sample;
  mean /= count;
  decltype(mean * mean) squares{};
  for (const T& sample : samples) squares += (sample - mean) * (sample - mean);
  using std::sqrt;
  const double t = student_t_quantile((1 + level) / 2, static_cast<int>(samples.size()) - 1);
  return {mean, t * sqrt(squares / (count * (count - 1)))};
}

/// Confidence interval of the mean of a series whose neighbours are alike: the means of batches
/// of it, long enough to have little to do with each other, as samples.
///
///     batches  count, >= 2; what is left over at the end does not count
///
/// Source: C. Alexopoulos and A. Seila, "Output data analysis", in J. Banks (ed.), "Handbook of
/// Simulation", Wiley (1998).
///
/// \throws invalid_input if batches < 2 or more than the samples, or level is out of range
template <class T>
basic_confidence<T> batch_means(std::span<const T> series, int batches, double level = 0.95) {
  require(batches >= 2 && static_cast<std::size_t>(batches) <= series.size(),
          "batch_means: batches must be >= 2 and <= samples");
  const std::size_t length = series.size() / static_cast<std::size_t>(batches);
  std::vector<T> means;
  for (int batch = 0; batch < batches; ++batch) {
    T sum{};
    for (const T& sample : series.subspan(static_cast<std::size_t>(batch) * length, length))
      sum += sample;
    means.push_back(sum / static_cast<double>(length));
  }
  return confidence_interval<T>(means, level);
}

}  // namespace gpuplan
