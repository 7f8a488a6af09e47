#pragma once
/// \file
/// The remaining time of running gangs, and gangs drawn at random.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <gpuplan/queue/gang/mix.hpp>
#include <gpuplan/queue/service.hpp>
#include <gpuplan/queue/service_laws.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/simulate/random_numbers.hpp>
#include <gpuplan/trace/job.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {
namespace detail {

/// The two exponentials, equal in work, of a class that varies more than one exponential.
struct balanced_exponentials {
  double first_share;
  seconds first;
  seconds second;

  explicit balanced_exponentials(const gang_class& jobs) {
    const double rare = rarer_phase_share(jobs.variability);
    first_share = 1 - rare;
    first = jobs.mean_duration / (2 * first_share);
    second = jobs.mean_duration / (2 * rare);
  }
};

/// The constant time before an exponential one, of a class that varies less.
inline seconds constant_part(const gang_class& jobs) {
  return (1 - std::sqrt(jobs.variability)) * jobs.mean_duration;
}

}  // namespace detail

/// The share of the jobs that run now of which each will still run after a time t.
///
///     E max(S - t, 0) / E S
///
///     S   duration of a job of the class
///     t   s, >= 0
///
/// Exact where jobs come at random and none waits.  For a class without its own law S is that of
/// the two moments: exponential after a constant for a variability below 1, two exponentials of
/// equal work for one above it.
///
/// Source: D. R. Cox, "Renewal Theory", Methuen (1962), section 5.2, of the time that is left.
///
/// \throws invalid_input if the class is invalid or t < 0 s
inline double still_running(const gang_class& jobs, seconds t) {
  require_valid(jobs);
  require(t >= seconds{0}, "still_running: t must be >= 0 s");
  const seconds mean = jobs.mean_duration;
  if (mean == seconds{0}) return 0;
  if (!jobs.durations.empty()) {
    seconds left{0};
    for (std::size_t i = jobs.durations.size(); i > 0 && jobs.durations[i - 1].size > t; --i)
      left += jobs.durations[i - 1].probability * (jobs.durations[i - 1].size - t);
    return left / mean;
  }
  if (jobs.variability >= 1) {
    const detail::balanced_exponentials law(jobs);
    return (std::exp(-(t / law.first)) + std::exp(-(t / law.second))) / 2;
  }
  const seconds constant = detail::constant_part(jobs);
  if (t <= constant) return 1 - t / mean;
  const seconds rest = mean - constant;
  return rest / mean * std::exp(-((t - constant) / rest));
}

/// The share of the jobs of a class that take no longer than a time.
///
///     P(S <= t)
///
///     S   duration of a job of the class, as in still_running
///     t   s, >= 0
///
/// Source: the law of the class.
///
/// \throws invalid_input if the class is invalid or t < 0 s
inline double ended_within(const gang_class& jobs, seconds t) {
  require_valid(jobs);
  require(t >= seconds{0}, "ended_within: t must be >= 0 s");
  if (jobs.mean_duration == seconds{0}) return 1;
  if (!jobs.durations.empty()) {
    double ended = 0;
    for (const service_atom& atom : jobs.durations)
      if (atom.size <= t) ended += atom.probability;
    return ended;
  }
  if (jobs.variability >= 1) {
    const detail::balanced_exponentials law(jobs);
    return -law.first_share * std::expm1(-(t / law.first)) -
           (1 - law.first_share) * std::expm1(-(t / law.second));
  }
  const seconds constant = detail::constant_part(jobs);
  if (t < constant) return 0;
  return jobs.variability == 0 ? 1
                               : -std::expm1(-((t - constant) / (jobs.mean_duration - constant)));
}

/// Gangs of classes, by chance: a source of jobs for simulations.
class drawn_gangs {
 public:
  /// \throws invalid_input if there is no class, or one is invalid
  explicit drawn_gangs(std::span<const gang_class> classes) : classes_(classes) {
    require_valid(classes);
    double all = 0;
    for (const gang_class& jobs : classes) {
      all += jobs.share;
      up_to_.push_back(all);
      std::vector<double>& sums = sums_.emplace_back();
      double sum = 0;
      for (const service_atom& atom : jobs.durations) sums.push_back(sum += atom.probability);
    }
  }

  trace_job operator()(random_numbers& random) const {
    const std::size_t k = position(up_to_, random);
    const gang_class& jobs = classes_[k];
    return {.duration = jobs.durations.empty() ? of_two_moments(jobs, random)
                                               : jobs.durations[position(sums_[k], random)].size,
            .gpus = jobs.gpus};
  }

 private:
  static std::size_t position(const std::vector<double>& sums, random_numbers& random) {
    const double x = random.uniform() * sums.back();
    const auto found = std::upper_bound(sums.begin(), sums.end() - 1, x);
    return static_cast<std::size_t>(found - sums.begin());
  }
  static seconds of_two_moments(const gang_class& jobs, random_numbers& random) {
    if (jobs.mean_duration == seconds{0}) return seconds{0};
    if (jobs.variability >= 1) {
      const detail::balanced_exponentials law(jobs);
      const bool first = random.uniform() < law.first_share;
      return random.exponential() * (first ? law.first : law.second);
    }
    const seconds constant = detail::constant_part(jobs);
    return constant + random.exponential() * (jobs.mean_duration - constant);
  }

  std::span<const gang_class> classes_;
  std::vector<double> up_to_;              ///< of shares
  std::vector<std::vector<double>> sums_;  ///< of the durations of each class
};

}  // namespace gpuplan
