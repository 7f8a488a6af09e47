#pragma once
/// \file
/// The incomplete gamma function, for the arguments that distributions of durations need.

#include <cmath>

#include <gpuplan/require.hpp>

namespace gpuplan::detail {

/// gamma(s, x) / (x^s e^-x) = sum_{n >= 0} x^n / (s (s+1) ... (s+n)): for x up to about s + 1.
inline double lower_gamma_series(double s, double x) {
  double term = 1 / s;
  double sum = term;
  while (term > 1e-17 * sum) {
    s += 1;
    term *= x / s;
    sum += term;
  }
  return sum;
}

/// Gamma(s, x) / (x^s e^-x), by Legendre's continued fraction: for x >= 1 and above about s.
inline double upper_gamma_fraction(double s, double x) {
  double b = x + 1 - s;
  double c = 1e300;
  double d = 1 / b;
  double h = d;
  for (int i = 1; i < 10000; ++i) {
    const double a = -i * (i - s);
    b += 2;
    d = a * d + b;
    c = b + a / c;
    if (d == 0) d = 1e-300;
    if (c == 0) c = 1e-300;
    d = 1 / d;
    const double step = d * c;
    h *= step;
    if (std::abs(step - 1) < 1e-16) break;
  }
  return h;
}

/// P(s, x) = gamma(s, x) / Gamma(s), for 0 < s < 170 and x >= 0.
///
/// Source: M. Abramowitz and I. Stegun, "Handbook of Mathematical Functions"
/// (1964), 6.5.29, 6.5.31.
inline double gamma_p(double s, double x) {
  if (!(x > 0)) return x == 0 ? 0 : x;
  if (std::isinf(x)) return 1;
  const double share = std::exp(s * std::log(x) - x) / std::tgamma(s);
  if (x < s + 1 || x < 1) return share * lower_gamma_series(s, x);
  return 1 - share * upper_gamma_fraction(s, x);
}

/// Q(s, x) = 1 - P(s, x), to the last digits where it is small.
inline double gamma_q(double s, double x) {
  if (!(x >= s + 1 && x >= 1) || std::isinf(x)) return 1 - gamma_p(s, x);
  return std::exp(s * std::log(x) - x) / std::tgamma(s) * upper_gamma_fraction(s, x);
}

}  // namespace gpuplan::detail
