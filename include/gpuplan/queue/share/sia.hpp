#pragma once
/// \file
/// Elastic jobs on GPUs of several types: the configurations that Sia chooses in a round.

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A way to run a job: so many GPUs of one type.
struct sia_configuration {
  int type = 0;  ///< of GPU; >= 0
  int gpus = 1;  ///< >= 1
};

/// A job of a round.
struct sia_job {
  std::span<const per_second> goodput{};  ///< of each configuration; >= 0, 0 where it cannot run
  int current = -1;                       ///< the configuration it has; -1 if it waits
  seconds age{};                          ///< since its arrival; >= 0
  int restarts = 0;                       ///< so far; >= 0
};

/// What Sia weighs.
struct sia_weights {
  double power = -0.5;       ///< p, of the goodput; < 0: jobs that have little count most
  double waiting = 1.1;      ///< cost of a job that gets nothing, 1 as with its least goodput; >= 0
  double change = 0.01;      ///< cost of one configuration given up or taken; >= 0
  seconds restart_time{30};  ///< that a restart takes; >= 0
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const sia_weights& weights) {
  require(weights.power < 0 && weights.power > -1e300, "sia_weights.power must be < 0 and finite");
  require(weights.waiting >= 0 && weights.waiting < 1e300,
          "sia_weights.waiting must be >= 0 and finite");
  require(weights.change >= 0 && weights.change < 1e300,
          "sia_weights.change must be >= 0 and finite");
  require(weights.restart_time >= seconds{0} && weights.restart_time < seconds{1e300},
          "sia_weights.restart_time must be >= 0 s and finite");
}

namespace detail {

inline void require_valid(std::span<const sia_job> jobs,
                          std::span<const sia_configuration> configurations,
                          std::span<const int> gpus) {
  require(!gpus.empty(), "sia: types of GPU must be >= 1");
  for (const int count : gpus) require(count >= 0, "sia: GPUs of a type must be >= 0");
  for (const sia_configuration& of : configurations) {
    require(of.type >= 0 && of.type < static_cast<int>(gpus.size()),
            "sia_configuration.type must be a type of GPU");
    require(of.gpus >= 1, "sia_configuration.gpus must be >= 1");
  }
  for (const sia_job& job : jobs) {
    require(job.goodput.size() == configurations.size(),
            "sia_job.goodput must be as many as configurations");
    require(job.current >= -1 && job.current < static_cast<int>(configurations.size()),
            "sia_job.current must be a configuration, or -1");
    require(job.age >= seconds{0}, "sia_job.age must be >= 0 s");
    require(job.restarts >= 0, "sia_job.restarts must be >= 0");
    for (const per_second goodput : job.goodput)
      require(goodput >= per_second{0}, "sia_job.goodput must be >= 0 /s");
  }
}

}  // namespace detail

/// What a configuration costs a job, in Sia's objective; infinite where the job cannot run so.
///
///     cost = (r G_c / min G)^p + d |x - x_prev|
///     r    = 1                             where c is the current configuration
///          = max(t - n s, 0) / (t + s)     otherwise
///
///     G        goodput of the configurations that the job can run in   1/s, > 0
///     t, n     age, restarts of the job                                s, count
///     s        weights.restart_time                                    s
///     p, d     weights.power, weights.change
///
/// r is 1 for the configuration that the job has, and for a job that waits: it loses nothing by a
/// start. Configuration -1 is to wait.  A job that has restarted so often that r is 0 keeps what it
/// has.
///
/// Source: S. Jayaram Subramanya et al., "Sia: Heterogeneity-aware, goodput-optimized ML-cluster
/// scheduling", SOSP (2023), and its program.
///
/// \throws invalid_input if configuration is no configuration of the job, or weights are invalid
inline double sia_cost(const sia_job& job, int configuration, const sia_weights& weights) {
  require_valid(weights);
  require(configuration >= -1 && configuration < static_cast<int>(job.goodput.size()),
          "sia_cost: configuration must be one of the job, or -1");
  const double change =
      configuration == job.current
          ? 0
          : weights.change * ((configuration >= 0 ? 1 : 0) + (job.current >= 0 ? 1 : 0));
  if (configuration < 0) return weights.waiting + change;

  per_second least{HUGE_VAL};
  for (const per_second goodput : job.goodput)
    if (goodput > per_second{0}) least = smaller(least, goodput);
  const per_second goodput = job.goodput[static_cast<std::size_t>(configuration)];
  if (!(goodput > per_second{0})) return HUGE_VAL;
  double kept = 1;
  if (configuration != job.current && job.current >= 0)
    kept = larger(job.age - job.restarts * weights.restart_time, seconds{0}) /
           (job.age + weights.restart_time);
  return std::pow(kept * (goodput / least), weights.power) + change;
}

/// The configuration of each job, -1 to wait, of least cost in all.
///
///     min sum_i cost_i(c_i),   GPUs of each type in use <= those there are
///
///     cost  sia_cost   1
///
/// Exact, where Sia asks a solver of integer programs: dynamic programming over the GPUs left of
/// each type, O(jobs configurations prod (N_j + 1)); for clusters with up to some 10^6 such states.
///
/// Source: as sia_cost, equation 4.
///
/// \throws invalid_input if an argument is invalid, or there are more than 2^22 states
inline std::vector<int> sia_allocation(std::span<const sia_job> jobs,
                                       std::span<const sia_configuration> configurations,
                                       std::span<const int> gpus, const sia_weights& weights = {}) {
  detail::require_valid(jobs, configurations, gpus);
  gpuplan::require_valid(weights);
  std::vector<std::size_t> stride{1};  // of one GPU of each type, among the states
  for (const int count : gpus) {
    stride.push_back(stride.back() * (static_cast<std::size_t>(count) + 1));
    require(stride.back() <= std::size_t{1} << 22, "sia_allocation: states must be <= 2^22");
  }
  const std::size_t states = stride.back();

  // From the last job on: the least cost of those behind, for every number of GPUs left.
  std::vector<double> behind(states, 0.0);
  std::vector<double> with(states);
  std::vector<std::vector<int>> choice(jobs.size(), std::vector<int>(states, -1));
  for (std::size_t i = jobs.size(); i-- > 0;) {
    const double waiting = sia_cost(jobs[i], -1, weights);
    for (std::size_t state = 0; state < states; ++state) with[state] = waiting + behind[state];
    for (std::size_t c = 0; c < configurations.size(); ++c) {
      const double cost = sia_cost(jobs[i], static_cast<int>(c), weights);
      if (!(cost < HUGE_VAL)) continue;
      // States by blocks in which the GPUs left of this type go from none to all.
      const auto type = static_cast<std::size_t>(configurations[c].type);
      const std::size_t step = stride[type] * static_cast<std::size_t>(configurations[c].gpus);
      for (std::size_t block = 0; block < states; block += stride[type + 1])
        for (std::size_t state = block + step; state < block + stride[type + 1]; ++state) {
          if (!(cost + behind[state - step] < with[state])) continue;
          with[state] = cost + behind[state - step];
          choice[i][state] = static_cast<int>(c);
        }
    }
    behind.swap(with);
  }
  std::vector<int> chosen;
  std::size_t state = states - 1;
  for (const std::vector<int>& of : choice) {
    chosen.push_back(of[state]);
    if (chosen.back() < 0) continue;
    const sia_configuration& taken = configurations[static_cast<std::size_t>(chosen.back())];
    state -= stride[static_cast<std::size_t>(taken.type)] * static_cast<std::size_t>(taken.gpus);
  }
  return chosen;
}

}  // namespace gpuplan
