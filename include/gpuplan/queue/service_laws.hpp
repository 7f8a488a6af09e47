#pragma once
/// \file
/// Distributions of durations: exponential, Erlang, hyperexponential, uniform, deterministic.

#include <array>
#include <cmath>
#include <limits>

#include <gpuplan/queue/detail/incomplete_gamma.hpp>
#include <gpuplan/queue/service.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Jobs that all take the same time.
struct deterministic_service {
  seconds value{};  ///< > 0

  template <int K>
  [[nodiscard]] constexpr seconds_to_the<K> moment() const {
    double power = 1;
    for (int i = 0; i < K; ++i) power *= value / seconds{1};
    return seconds_to_the<K>{power};
  }
  template <int K>
  [[nodiscard]] constexpr seconds_to_the<K> moment_up_to(seconds x) const {
    return value <= x ? moment<K>() : seconds_to_the<K>{};
  }
  template <int K>
  [[nodiscard]] constexpr seconds_to_the<K> moment_below(seconds x) const {
    return value < x ? moment<K>() : seconds_to_the<K>{};
  }
  [[nodiscard]] constexpr double tail(seconds x) const { return value > x ? 1 : 0; }
  [[nodiscard]] constexpr std::array<service_atom, 1> atoms() const {
    return {service_atom{value, 1}};
  }
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const deterministic_service& law) {
  require(law.value > seconds{0}, "deterministic_service.value must be > 0 s");
}

/// The sum of k exponential phases: variation 1/k.  One phase is the exponential law.
struct erlang_service {
  int phases = 1;  ///< k; 1 to 100
  seconds mean{};  ///< of the sum; > 0

  template <int K>
  [[nodiscard]] seconds_to_the<K> moment() const {
    double power = 1;
    for (int i = 0; i < K; ++i) power *= mean / seconds{1} * (phases + i) / phases;
    return seconds_to_the<K>{power};
  }
  template <int K>
  [[nodiscard]] seconds_to_the<K> moment_up_to(seconds x) const {
    return detail::gamma_p(phases + K, phases * (x / mean)) * moment<K>();
  }
  [[nodiscard]] double tail(seconds x) const {
    const double u = phases * (x / mean);
    if (phases == 1) return std::exp(-u);
    return detail::gamma_q(phases, u);
  }
  [[nodiscard]] per_second density(seconds x) const {
    const double u = phases * (x / mean);
    return phases / mean * (std::pow(u, phases - 1) * std::exp(-u) / std::tgamma(phases));
  }
  [[nodiscard]] service_range range() const {
    const double spread = std::sqrt(phases);
    return {.least = 1e-18 * mean,
            .most = (1 + 14 / spread + 96.0 / phases) * mean,
            .ratio = 1 + std::fmin(0.6, 3 / spread)};
  }
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const erlang_service& law) {
  require(law.phases >= 1 && law.phases <= 100, "erlang_service.phases must be from 1 to 100");
  require(law.mean > seconds{0}, "erlang_service.mean must be > 0 s");
}

/// Exponential service: what is left of a job is as long as the whole was.
constexpr erlang_service exponential_service(seconds mean) {
  return {.phases = 1, .mean = mean};
}

/// The share of the rarer of two exponential laws that contribute alike to the mean.
///
///     q = 1 / ((v + 1) (1 + sqrt((v - 1)/(v + 1))))
///
///     v  squared coefficient of variation    1, >= 1
///
/// The means are m / (2 q) and m / (2 (1 - q)).  (1 - sqrt(...)) / 2 is the same, but loses digits.
///
/// Source: H. C. Tijms, "A First Course in Stochastic Models", Wiley (2003), appendix B.
inline double rarer_phase_share(double v) {
  return 1 / ((v + 1) * (1 + std::sqrt((v - 1) / (v + 1))));
}

/// One of two exponential laws: variation above 1.
struct hyperexponential_service {
  double first_share{};   ///< p, of the jobs; 0 to 1
  seconds first_mean{};   ///< > 0
  seconds second_mean{};  ///< > 0

  /// p of the first law's and 1 - p of the second's.
  template <class Of>
  [[nodiscard]] auto mix(Of of) const {
    return first_share * of(exponential_service(first_mean)) +
           (1 - first_share) * of(exponential_service(second_mean));
  }

  template <int K>
  [[nodiscard]] seconds_to_the<K> moment() const {
    return mix([](const erlang_service& each) { return each.moment<K>(); });
  }
  template <int K>
  [[nodiscard]] seconds_to_the<K> moment_up_to(seconds x) const {
    return mix([x](const erlang_service& each) { return each.moment_up_to<K>(x); });
  }
  [[nodiscard]] double tail(seconds x) const {
    return mix([x](const erlang_service& each) { return each.tail(x); });
  }
  [[nodiscard]] per_second density(seconds x) const {
    return mix([x](const erlang_service& each) { return each.density(x); });
  }
  [[nodiscard]] service_range range() const {
    return {.least = 1e-18 * smaller(first_mean, second_mean),
            .most = 96 * larger(first_mean, second_mean),
            .ratio = 1.6};
  }
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const hyperexponential_service& law) {
  require(law.first_share >= 0 && law.first_share <= 1,
          "hyperexponential_service.first_share must be from 0 to 1");
  require(law.first_mean > seconds{0}, "hyperexponential_service.first_mean must be > 0 s");
  require(law.second_mean > seconds{0}, "hyperexponential_service.second_mean must be > 0 s");
}

/// Every time between two as likely.
struct uniform_service {
  seconds least{};  ///< >= 0
  seconds most{};   ///< > least

  template <int K>
  [[nodiscard]] constexpr seconds_to_the<K> moment() const {
    return moment_up_to<K>(most);
  }
  template <int K>
  [[nodiscard]] constexpr seconds_to_the<K> moment_up_to(seconds x) const {
    if (!(x > least)) return seconds_to_the<K>{};
    const seconds end = smaller(x, most);
    double sum = 0;  // (x^(K+1) - a^(K+1)) / (x - a)
    for (int i = 0; i <= K; ++i) {
      double term = 1;
      for (int j = 0; j < K; ++j) term *= (j < i ? least : end) / seconds{1};
      sum += term;
    }
    return seconds_to_the<K>(sum / (K + 1) * ((end - least) / (most - least)));
  }
  [[nodiscard]] constexpr double tail(seconds x) const {
    if (x < least) return 1;
    return x < most ? (most - x) / (most - least) : 0;
  }
  [[nodiscard]] constexpr per_second density(seconds x) const {
    return x < least || x > most ? per_second{0} : 1 / (most - least);
  }
  [[nodiscard]] constexpr service_range range() const {
    return {.least = larger(least, 1e-18 * most), .most = most, .ratio = 2, .ends = true};
  }
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const uniform_service& law) {
  require(law.least >= seconds{0}, "uniform_service.least must be >= 0 s");
  require(law.most > law.least, "uniform_service.most must be > least");
}

}  // namespace gpuplan
