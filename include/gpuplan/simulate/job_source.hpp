#pragma once
/// \file
/// The jobs of a simulation: of a trace, resampled from a trace, or drawn from distributions.

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <gpuplan/queue/service.hpp>
#include <gpuplan/queue/service_laws.hpp>
#include <gpuplan/queue/service_tails.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/simulate/random_numbers.hpp>
#include <gpuplan/trace/job.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A time of service by chance: one draw of a law, by its inverse where it has one.
constexpr seconds draw(const deterministic_service& law, random_numbers&) {
  return law.value;
}
/// A draw: the sum of exponential phases.
inline seconds draw(const erlang_service& law, random_numbers& random) {
  double product = 1;
  for (int i = 0; i < law.phases; ++i) product *= random.uniform();
  return -std::log(product) / law.phases * law.mean;
}
/// A draw: a phase by chance, then an exponential.
inline seconds draw(const hyperexponential_service& law, random_numbers& random) {
  const seconds mean = random.uniform() < law.first_share ? law.first_mean : law.second_mean;
  return random.exponential() * mean;
}
/// A draw: a share of the way.
constexpr seconds draw(const uniform_service& law, random_numbers& random) {
  return law.least + random.uniform() * (law.most - law.least);
}
/// A draw: e to the power of a normal number.
inline seconds draw(const lognormal_service& law, random_numbers& random) {
  return std::exp(law.sigma * random.normal()) * law.median;
}
/// A draw: the inverse of its tail.
inline seconds draw(const weibull_service& law, random_numbers& random) {
  return std::pow(random.exponential(), 1 / law.shape) * law.scale;
}
/// A draw: the inverse of its distribution.
inline seconds draw(const bounded_pareto_service& law, random_numbers& random) {
  const double above_all = std::pow(law.least / law.most, law.alpha);
  return std::pow(1 - random.uniform() * (1 - above_all), -1 / law.alpha) * law.least;
}
/// Of a law that has atoms: the first whose distribution function is not below a uniform number.
template <discrete_service_law Law>
seconds draw(const Law& law, random_numbers& random) {
  const std::span<const service_atom> atoms = law.atoms();
  const auto found = std::lower_bound(
      atoms.begin(), atoms.end(), random.uniform(),
      [&](const service_atom& atom, double u) { return 1 - law.tail(atom.size) < u; });
  return found == atoms.end() ? atoms.back().size : found->size;
}

/// Makes jobs by chance; what it says of their submission does not count.
template <class Source>
concept job_source = requires(const Source& source, random_numbers& random) {
  { source(random) } -> std::same_as<trace_job>;
};

/// Jobs of a trace, each as likely every time: gangs keep their durations.
struct resampled_jobs {
  std::span<const trace_job> trace;  ///< at least one, and fewer than 2^32

  trace_job operator()(random_numbers& random) const {
    return trace[static_cast<std::size_t>(random.below(trace.size()))];
  }
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const resampled_jobs& source) {
  require(!source.trace.empty() && source.trace.size() < 0xffffffff,
          "resampled_jobs.trace must have from 1 to 4e9 jobs");
  for (const trace_job& job : source.trace) require_valid(job);
}

/// Jobs whose durations follow a law, all on so many GPUs.
template <service_law Law>
struct drawn_jobs {
  Law law;
  std::int64_t gpus = 1;  ///< >= 1

  trace_job operator()(random_numbers& random) const {
    return {.duration = draw(law, random), .gpus = gpus};
  }
};
template <class Law>
drawn_jobs(Law) -> drawn_jobs<Law>;
template <class Law, class Count>
drawn_jobs(Law, Count) -> drawn_jobs<Law>;

/// \throws invalid_input naming the first field that is out of its range
template <service_law Law>
constexpr void require_valid(const drawn_jobs<Law>& source) {
  require_valid(source.law);
  require(source.gpus >= 1, "drawn_jobs.gpus must be >= 1");
}

/// Fills `jobs` with some of a source that come at random, from time 0 on.
///
///     lambda  arrival_rate, of a Poisson process   1/s, > 0
///
/// \throws invalid_input if arrival_rate is not > 0 and finite, or the source is invalid
template <job_source Source>
void fill_with_poisson_jobs(std::span<trace_job> jobs, const Source& source,
                            per_second arrival_rate, random_numbers& random) {
  require(arrival_rate > per_second{0} && 1 / arrival_rate > seconds{0},
          "fill_with_poisson_jobs: arrival_rate must be > 0 /s and finite");
  if constexpr (requires { require_valid(source); }) require_valid(source);
  const seconds mean = 1 / arrival_rate;
  seconds now{0};
  for (trace_job& job : jobs) {
    job = source(random);
    now += random.exponential() * mean;
    job.submit = now;
  }
}

}  // namespace gpuplan
