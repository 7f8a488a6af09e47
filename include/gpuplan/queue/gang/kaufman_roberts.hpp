#pragma once
/// \file
/// Gangs without a queue (Kaufman-Roberts): the distribution of busy GPUs, and blocking.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <gpuplan/queue/gang/mix.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Gangs of one size as an offered load.
struct gang_load {
  int gpus = 1;     ///< b, of each; >= 1
  double jobs = 0;  ///< a = lambda S, that would run if no GPU ever ran out, erlang; >= 0
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const gang_load& load) {
  require(load.gpus >= 1, "gang_load.gpus must be >= 1");
  require(load.jobs >= 0 && load.jobs < 1e300, "gang_load.jobs must be >= 0 erlang and finite");
}

/// Jobs of a class that would run if no GPU ever ran out.
///
///     a_k = lambda p_k S_k / sum p
///
///     lambda  jobs that arrive: jobs of all classes    1/s, >= 0
///     p, S    of the classes
///
/// Holds: exact (Little's law).
///
/// Source: J. D. C. Little, "A proof for the queuing formula L = lambda W", Operations Research 9
/// (1961) 383-387.
///
/// \throws invalid_input if a class or the rate is invalid
inline std::vector<gang_load> gang_loads(std::span<const gang_class> classes,
                                         per_second arrival_rate) {
  require_valid(classes);
  require(arrival_rate >= per_second{0}, "gang_loads: arrival_rate must be >= 0 /s");
  double all = 0;
  for (const gang_class& jobs : classes) all += jobs.share;
  std::vector<gang_load> loads;
  for (const gang_class& jobs : classes)
    loads.push_back({jobs.gpus, jobs.share / all * (arrival_rate * jobs.mean_duration)});
  return loads;
}

namespace detail {

/// Weights w(j), j = 0 ... gpus, of the recursion j w(j) = sum a b w(j - b), up to a factor that
/// they share.  One past a limit, from which a step could overflow, is scaled to 1 and all before
/// it with it; those too small to count beside it become 0.
inline std::vector<double> busy_weights(std::span<const gang_load> loads, int gpus) {
  double all = 1;
  for (const gang_load& load : loads) all += load.jobs;
  const double limit = (std::min)(1e250, 1e300 / all);
  std::vector<double> weight(static_cast<std::size_t>(gpus) + 1, 0.0);
  weight[0] = 1;
  for (std::size_t j = 1; j < weight.size(); ++j) {
    for (const gang_load& load : loads) {
      const auto b = static_cast<std::size_t>(load.gpus);
      if (b > j) continue;
      const double part = static_cast<double>(b) / static_cast<double>(j);
      weight[j] += load.jobs * weight[j - b] * part;
    }
    if (weight[j] < limit) continue;
    const double largest = weight[j];
    for (std::size_t i = 0; i <= j; ++i) weight[i] /= largest;
  }
  return weight;
}

}  // namespace detail

/// The law of the GPUs that are busy where jobs that do not fit go away.
///
///     q(j) = w(j) / sum w,   w(0) = 1,   j w(j) = sum_k a_k b_k w(j - b_k)
///
///     j       GPUs that are busy, 0 to gpus
///     a, b    jobs and gpus of each load     erlang; count, >= 1
///     gpus    of the pool                    count, >= 0
///
/// Exact for jobs that come at random, whatever the law of their durations.  O(gpus x classes);
/// nothing overflows at 50 000 GPUs and more.
///
/// Source: J. S. Kaufman, "Blocking in a shared resource environment", IEEE Trans. Commun. 29
/// (1981) 1474-1481; J. W. Roberts, "A service system with heterogeneous user requirements",
/// Performance of Data Communications Systems and their Applications (1981) 423-431.
///
/// \throws invalid_input if a load is invalid or gpus < 0
inline std::vector<double> kaufman_roberts(std::span<const gang_load> loads, int gpus) {
  require(gpus >= 0, "kaufman_roberts: gpus must be >= 0");
  for (const gang_load& load : loads) require_valid(load);
  std::vector<double> law = detail::busy_weights(loads, gpus);
  double all = 0;
  for (const double w : law) all += w;
  for (double& w : law) w /= all;
  return law;
}

/// The share of jobs of b GPUs that do not fit.
///
///     B = sum_{j > c - b} q(j)
///
///     q  law, by kaufman_roberts, of a pool of c = its length - 1 GPUs
///     b  gpus of the job, >= 1; one larger than the pool never fits
///
/// Source: as kaufman_roberts.
///
/// \throws invalid_input if the law is empty or gpus < 1
constexpr double gang_blocking(std::span<const double> law, int gpus) {
  require(!law.empty(), "gang_blocking: law must not be empty");
  require(gpus >= 1, "gang_blocking: gpus must be >= 1");
  const std::size_t last = (std::min)(static_cast<std::size_t>(gpus), law.size());
  double sum = 0;
  for (std::size_t i = last; i > 0; --i) sum += law[law.size() - i];
  return last == law.size() ? 1 : sum;
}

}  // namespace gpuplan
