#pragma once
/// \file
/// Which law of service durations follow, if any: candidates by likelihood and by distance.

#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include <gpuplan/calibrate/bootstrap.hpp>
#include <gpuplan/calibrate/service_fit_likelihood.hpp>
#include <gpuplan/calibrate/service_fit_moments.hpp>
#include <gpuplan/calibrate/service_fit_quality.hpp>
#include <gpuplan/queue/service_empirical.hpp>
#include <gpuplan/queue/service_laws.hpp>
#include <gpuplan/queue/service_tails.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A law, and how it was fitted.
enum class service_family {
  exponential,
  erlang,
  hyperexponential,   ///< of the sample's mean and variation, balanced means
  lognormal,          ///< of the highest likelihood
  lognormal_moments,  ///< of the sample's mean and variation
  weibull,
  bounded_pareto,
  empirical  ///< the sample itself
};

/// The name of a family.
constexpr std::string_view name_of(service_family family) {
  switch (family) {
    case service_family::exponential: return "exponential";
    case service_family::erlang: return "Erlang";
    case service_family::hyperexponential: return "hyperexponential, by moments";
    case service_family::lognormal: return "lognormal";
    case service_family::lognormal_moments: return "lognormal, by moments";
    case service_family::weibull: return "Weibull";
    case service_family::bounded_pareto: return "bounded Pareto";
    case service_family::empirical: return "empirical";
  }
  return "";
}

/// Any of the laws that are fitted; std::visit takes it to a function of laws.
using fitted_law = std::variant<erlang_service, hyperexponential_service, lognormal_service,
                                weibull_service, bounded_pareto_service>;

/// A law, and how well it stands for a sample.
struct service_candidate {
  service_family family{};
  fitted_law law{};
  int parameters = 1;
  double log_likelihood = 0;  ///< of all jobs, of densities per second
  double distance = 0;        ///< Kolmogorov and Smirnov's, 0 to 1
  double variation = 0;       ///< c_s^2 of the law

  /// Akaike's criterion, 2 k - 2 ln L: the less the better.
  [[nodiscard]] constexpr double akaike() const { return 2 * parameters - 2 * log_likelihood; }
};

/// When a law may stand for a sample.
struct service_fit_options {
  double largest_distance = 0.05;             ///< 0 to 1
  bootstrap_options interval{.level = 0.99};  ///< that the law's variation must lie in
};

/// The candidates and the choice.
struct service_fit {
  std::vector<service_candidate> candidates;  ///< least Akaike criterion first
  std::optional<std::size_t> chosen{};        ///< of candidates; none: take the sample itself
  double variation = 0;                       ///< c_s^2 of the sample
  bootstrap_interval variation_interval{};    ///< of the same

  [[nodiscard]] service_family family() const {
    return chosen ? candidates[*chosen].family : service_family::empirical;
  }
};

/// Fits every law to durations and chooses one.
///
/// Of all candidates that have a distance up to options.largest_distance, and a variation inside
/// the bootstrap interval of the sample's, the one with the least Akaike criterion
///
///     2 k - 2 ln L
///
///     k  parameters of the law     count
///     L  likelihood of durations   of densities
///
/// or, if there is none, the sample itself (family() is empirical). The variation is asked for
/// because a wait depends on it: the lognormal law that is most likely for the jobs of Microsoft's
/// cluster has a c_s^2 of 103, the jobs one of 41. A test of the distance would refuse every law:
/// among 100 000 jobs 0.004 is significant.
///
/// Source: H. Akaike, "A new look at the statistical model identification", IEEE Trans. Automatic
/// Control 19 (1974) 716-723; the two conditions are this library's.
///
/// \throws invalid_input if durations are fewer than 8 or one is not > 0 s
inline service_fit fit_service(std::span<const seconds> durations,
                               const service_fit_options& options = {}) {
  require(options.largest_distance >= 0 && options.largest_distance <= 1,
          "service_fit_options.largest_distance must be from 0 to 1");
  require(durations.size() >= 8, "fit_service: durations must be >= 8");
  const empirical_service sample{durations};
  const double jobs = static_cast<double>(durations.size());
  const seconds mean = mean_service(sample);

  service_fit fit;
  fit.variation = std::fmax(0, squared_variation(sample));
  fit.variation_interval = variation_interval(durations, options.interval);

  const auto offer = [&](service_family family, int parameters, const auto& law) {
    const service_candidate candidate{.family = family,
                                      .law = law,
                                      .parameters = parameters,
                                      .log_likelihood = jobs * mean_log_density(law, sample),
                                      .distance = distance_between(law, sample),
                                      .variation = squared_variation(law)};
    auto at = fit.candidates.begin();
    while (at != fit.candidates.end() && at->akaike() <= candidate.akaike()) ++at;
    fit.candidates.insert(at, candidate);
  };
  offer(service_family::exponential, 1, exponential_service(mean));
  if (const erlang_service law = erlang_of_likelihood(sample); law.phases > 1)
    offer(service_family::erlang, 2, law);
  if (fit.variation > 1 && fit.variation < 1e15)
    offer(service_family::hyperexponential, 2, hyperexponential_of_moments(mean, fit.variation));
  if (const auto law = lognormal_of_likelihood(sample)) offer(service_family::lognormal, 2, *law);
  if (fit.variation > 1e-12 && std::log1p(fit.variation) <= 25)
    offer(service_family::lognormal_moments, 2, lognormal_of_moments(mean, fit.variation));
  if (const auto law = weibull_of_likelihood(sample)) offer(service_family::weibull, 2, *law);
  if (const auto law = bounded_pareto_of_likelihood(sample))
    offer(service_family::bounded_pareto, 3, *law);

  for (std::size_t i = 0; i < fit.candidates.size() && !fit.chosen; ++i)
    if (fit.candidates[i].distance <= options.largest_distance &&
        fit.variation_interval.holds(fit.candidates[i].variation))
      fit.chosen = i;
  return fit;
}

}  // namespace gpuplan
