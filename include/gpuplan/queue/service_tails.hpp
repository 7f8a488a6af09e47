#pragma once
/// \file
/// Heavy-tailed distributions of durations: lognormal, Weibull, bounded Pareto.

#include <cmath>
#include <numbers>

#include <gpuplan/queue/detail/incomplete_gamma.hpp>
#include <gpuplan/queue/service.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// The logarithm is normal: half of the jobs take less than the median, and what is longer is much
/// longer.
struct lognormal_service {
  seconds median{};  ///< e^mu; > 0
  double sigma{};    ///< of ln S; > 0, up to 5

  template <int K>
  [[nodiscard]] seconds_to_the<K> moment() const {
    return seconds_to_the<K>{std::pow(median / seconds{1}, K) *
                             std::exp(K * K * sigma * sigma / 2)};
  }
  template <int K>
  [[nodiscard]] seconds_to_the<K> moment_up_to(seconds x) const {
    return normal(z(x) - K * sigma) * moment<K>();
  }
  [[nodiscard]] double tail(seconds x) const { return normal(-z(x)); }
  [[nodiscard]] per_second density(seconds x) const {
    return std::exp(-z(x) * z(x) / 2) / (std::sqrt(2 * std::numbers::pi) * sigma) / x;
  }
  [[nodiscard]] service_range range() const {
    return {.least = std::exp(-17 * sigma) * median,
            .most = std::exp(17 * sigma) * median,
            .ratio = std::exp(std::fmin(0.7, sigma / 2))};
  }

 private:
  [[nodiscard]] double z(seconds x) const { return std::log(x / median) / sigma; }
  static double normal(double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; }
};

/// \throws invalid_input naming the first field that is out of its range
inline void require_valid(const lognormal_service& law) {
  require(law.median > seconds{0}, "lognormal_service.median must be > 0 s");
  require(law.sigma > 0 && law.sigma <= 5, "lognormal_service.sigma must be > 0 and <= 5");
}

/// P(S > x) = exp(-(x / scale)^shape): with a shape below 1 a job that has run long runs longer.
struct weibull_service {
  double shape{};   ///< k; 0.1 to 20
  seconds scale{};  ///< > 0

  template <int K>
  [[nodiscard]] seconds_to_the<K> moment() const {
    return seconds_to_the<K>{std::pow(scale / seconds{1}, K) * std::tgamma(1 + K / shape)};
  }
  template <int K>
  [[nodiscard]] seconds_to_the<K> moment_up_to(seconds x) const {
    return detail::gamma_p(1 + K / shape, power(x)) * moment<K>();
  }
  [[nodiscard]] double tail(seconds x) const { return std::exp(-power(x)); }
  [[nodiscard]] per_second density(seconds x) const {
    return shape * power(x) * std::exp(-power(x)) / x;
  }
  [[nodiscard]] service_range range() const {
    return {.least = std::pow(1e-18, 1 / shape) * scale,
            .most = std::pow(96, 1 / shape) * scale,
            .ratio = 1 + std::fmin(0.6, 1 / shape)};
  }

 private:
  [[nodiscard]] double power(seconds x) const { return std::pow(x / scale, shape); }
};

/// \throws invalid_input naming the first field that is out of its range
inline void require_valid(const weibull_service& law) {
  require(law.shape >= 0.1 && law.shape <= 20, "weibull_service.shape must be from 0.1 to 20");
  require(law.scale > seconds{0}, "weibull_service.scale must be > 0 s");
}

/// A power law between two sizes: density ~ x^(-alpha - 1).
struct bounded_pareto_service {
  double alpha{};   ///< > 0
  seconds least{};  ///< > 0
  seconds most{};   ///< > least

  template <int K>
  [[nodiscard]] seconds_to_the<K> moment() const {
    return moment_up_to<K>(most);
  }
  template <int K>
  [[nodiscard]] seconds_to_the<K> moment_up_to(seconds x) const {
    if (!(x > least)) return seconds_to_the<K>{};
    // alpha / (1 - (L/H)^alpha) L^K times the integral from 1 to x/L of t^(K - alpha - 1)
    const double log_ratio = log_quotient(smaller(x, most), least);
    const double exponent = K - alpha;
    const double integral = std::abs(exponent * log_ratio) < 1e-300
                                ? log_ratio
                                : std::expm1(exponent * log_ratio) / exponent;
    return seconds_to_the<K>{alpha / weight() * std::pow(least / seconds{1}, K) * integral};
  }
  [[nodiscard]] double tail(seconds x) const {
    if (x < least) return 1;
    if (!(x < most)) return 0;
    return std::pow(least / x, alpha) * -std::expm1(-alpha * log_quotient(most, x)) / weight();
  }
  [[nodiscard]] per_second density(seconds x) const {
    if (x < least || x > most) return per_second{0};
    return alpha / weight() * std::pow(least / x, alpha) / x;
  }
  [[nodiscard]] service_range range() const {
    return {.least = least, .most = most, .ratio = 1 + std::fmin(0.8, 5 / alpha), .ends = true};
  }

  /// E S^2 / (E S)^2 - 1, of sizes that are all but equal too.
  ///
  ///     c_s^2 = h^2 (s(x)^2 - s(h)^2) / (x^2 - h^2) / s(x)^2
  ///
  ///     h = ln(H/L) / 2,   x = (1 - alpha) h,   s(z) = sinh(z) / z
  ///
  ///     alpha  exponent of the tail     1, > 0
  ///     L, H   least and most size      s, 0 < L < H
  ///
  /// Source: the moments by definition.  As E S^K is proportional to
  /// e^((K - alpha) h) s((K - alpha) h), this is s(x - h) s(x + h) / s(x)^2 - 1 by
  /// sinh(x - h) sinh(x + h) = sinh(x)^2 - sinh(h)^2.
  [[nodiscard]] double squared_variation() const {
    const double h = log_quotient(most, least) / 2;
    const double x = std::abs(1 - alpha) * h;
    if (x < 1 && h < 1) return h * h * slope_of_squares(x * x, h * h) / squared_sinhc(x);
    if (x > 2 * h) return h * h * (1 - squared_sinhc(h) / squared_sinhc(x)) / ((x - h) * (x + h));
    const double mean = moment<1>() / seconds{1};
    return moment<2>() / seconds{1} / seconds{1} / (mean * mean) - 1;
  }

 private:
  /// ln(x / y) for x >= y
  [[nodiscard]] static double log_quotient(seconds x, seconds y) { return std::log1p((x - y) / y); }
  /// 1 - (L/H)^alpha
  [[nodiscard]] double weight() const { return -std::expm1(-alpha * log_quotient(most, least)); }
  /// (sinh(z) / z)^2 for z > 0
  [[nodiscard]] static double squared_sinhc(double z) {
    const double one = z > 0 ? std::sinh(z) / z : 1;
    return one * one;
  }
  /// (f(a) - f(b)) / (a - b) for a and b from 0 to 1, where f(z^2) = (sinh(z) / z)^2:
  /// the sum over k >= 1 of 2^(2k+1) / (2k+2)! times the sum of a^i b^(k-1-i).
  [[nodiscard]] static double slope_of_squares(double a, double b) {
    constexpr int terms = 14;  // the next is below 1e-20
    double sum = 0;
    double coefficient = 1;
    double powers = 0;  // of a and b together, all of one degree
    double power_of_b = 1;
    for (int k = 1; k <= terms; ++k) {
      coefficient *= 4.0 / ((2 * k + 1) * (2 * k + 2));
      powers = a * powers + power_of_b;
      power_of_b *= b;
      sum += coefficient * powers;
    }
    return sum;
  }
};

/// \throws invalid_input naming the first field that is out of its range
inline void require_valid(const bounded_pareto_service& law) {
  require(law.alpha > 0, "bounded_pareto_service.alpha must be > 0");
  require(law.least > seconds{0}, "bounded_pareto_service.least must be > 0 s");
  require(law.most > law.least, "bounded_pareto_service.most must be > least");
}

}  // namespace gpuplan
