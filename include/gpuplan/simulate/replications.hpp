#pragma once
/// \file
/// The steady state of a pool by simulation: independent runs, and confidence intervals.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <gpuplan/require.hpp>
#include <gpuplan/simulate/confidence.hpp>
#include <gpuplan/simulate/job_source.hpp>
#include <gpuplan/simulate/random_numbers.hpp>
#include <gpuplan/simulate/simulate.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// How long to look, and how often.
struct replication_plan {
  std::int64_t jobs = 100000;    ///< of a run, that count; >= 1
  std::int64_t warm_up = 10000;  ///< before them, from an empty pool on; >= 0
  int replications = 10;         ///< >= 2
  std::uint64_t seed = 1;
  /// Half width over mean of the wait at which no runs are added; > 0.
  double precision = 0.1;
  /// So many times the work of the plan at most: longer runs while waits still grow in them, then
  /// more of them until the wait is as precise as that; >= 1, and 1 adds none.
  int most_effort = 1;
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const replication_plan& plan) {
  require(plan.jobs >= 1, "replication_plan.jobs must be >= 1");
  require(plan.warm_up >= 0, "replication_plan.warm_up must be >= 0");
  require(plan.replications >= 2, "replication_plan.replications must be >= 2");
  require(plan.precision > 0, "replication_plan.precision must be > 0");
  require(plan.most_effort >= 1 && plan.most_effort <= 1000,
          "replication_plan.most_effort must be from 1 to 1000");
}

/// Means over the runs, with their intervals of 95 %.  Those of probability and mean_wait are
/// infinite where so few runs have any wait that they do not tell it.
struct replicated_waiting {
  confidence probability{};  ///< that a job waits
  basic_confidence<seconds> mean_wait{};
  basic_confidence<seconds> mean_response{};
  basic_confidence<seconds> median_wait{};
  basic_confidence<seconds> wait_90{};
  basic_confidence<seconds> wait_95{};
  basic_confidence<seconds> wait_99{};
  int runs = 0;
  std::int64_t jobs = 0;             ///< of each, that count
  bool settled = true;               ///< false: waits still grew from one half of a run to the next
  std::int64_t impossible = 0;       ///< jobs of all runs that asked for more GPUs than there are
  std::int64_t largest_request = 0;  ///< GPUs
  answer_origin origin = answer_origin::simulation;
};

namespace detail {

/// Confidence interval of 95 % of a mean of samples that are skewed, as waits of runs are: runs of
/// little wait have little variance, and Student's t would call them precise.
///
///     mean +- s / sqrt(n) (t + |g| (2 t^2 + 1) / (6 sqrt(n)))
///
///     g  sum (x - mean)^3 / (n s^3), the skewness
///
/// Source: P. Hall, "On the removal of skewness by transformation", J. R. Statist. Soc. B 54 (1992)
/// 221-228, the expansion of t's distribution, on both sides.
template <class T>
basic_confidence<T> skewed_interval(std::span<const T> samples) {
  basic_confidence<T> found = confidence_interval<T>(samples);
  if (!(found.half_width > T{})) return found;
  const auto n = static_cast<double>(samples.size());
  const double t = student_t_quantile(0.975, static_cast<int>(samples.size()) - 1);
  const T spread = std::sqrt(n) / t * found.half_width;
  double cubes = 0;
  for (const T& sample : samples) {
    const double off = (sample - found.mean) / spread;
    cubes += off * off * off;
  }
  found.half_width *= 1 + std::abs(cubes / n) * (2 * t * t + 1) / (6 * t * std::sqrt(n));
  return found;
}

/// How many equal samples would vary as little: (sum x)^2 / sum x^2; 0 where all are 0.
template <class T>
double effective_samples(std::span<const T> samples) {
  T most{};
  for (const T& sample : samples) most = sample > most ? sample : most;
  double sum = 0;
  double squares = 0;
  for (const T& sample : samples) {
    const double part = most > T{} ? sample / most : 0;
    sum += part;
    squares += part * part;
  }
  return squares > 0 ? sum * sum / squares : 0;
}

/// The interval of a mean that few runs may make up: infinite where they do.
template <class T>
basic_confidence<T> interval_of_rare(std::span<const T> samples) {
  constexpr double enough = 8;
  basic_confidence<T> found = skewed_interval<T>(samples);
  const double half = static_cast<double>(samples.size()) / 2;
  if (effective_samples<T>(samples) < (std::min)(enough, half))
    found.half_width = T{std::numeric_limits<double>::infinity()};
  return found;
}

/// Runs of one length, each with its own stream of random numbers.
template <job_source Source>
class replication_series {
 public:
  replication_series(const Source& source, per_second arrival_rate, std::int64_t gpus,
                     const pool_policy& policy, std::uint64_t seed)
      : source_(source), rate_(arrival_rate), gpus_(gpus), policy_(policy), random_(seed) {}

  /// Forgets the runs, and goes on with runs of that length.
  void begin(std::int64_t jobs, std::int64_t warm_up) {
    warm_up_ = static_cast<std::size_t>(warm_up);
    jobs_.resize(static_cast<std::size_t>(warm_up + jobs));
    each_.resize(jobs_.size());
    runs_.clear();
    growth_.clear();
  }

  void add(int runs) {
    for (int run = 0; run < runs; ++run) {
      random_numbers stream = random_;
      fill_with_poisson_jobs(std::span<trace_job>{jobs_}, source_, rate_, stream);
      const std::span<const trace_job> all = jobs_;
      simulate(all, gpus_, policy_, each_);
      runs_.push_back(summary_of(all.subspan(warm_up_), counted(), gpus_));
      growth_.push_back(growth_of_run());
      random_.jump();
    }
  }

  [[nodiscard]] std::span<const simulated_waiting> runs() const { return runs_; }

  template <class Result>
  [[nodiscard]] auto samples(Result result) const {
    std::vector<decltype(result(runs_.front()))> samples;
    for (const simulated_waiting& run : runs_) samples.push_back(result(run));
    return samples;
  }
  [[nodiscard]] basic_confidence<seconds> mean_wait() const {
    return interval_of_rare<seconds>(
        samples([](const simulated_waiting& run) { return run.mean_wait; }));
  }

  /// Do waits grow from the first half of the runs to the second, by more than a part of their mean
  /// and than chance makes them at a level?
  [[nodiscard]] bool grows(double part, double level) const {
    const basic_confidence<seconds> more = confidence_interval<seconds>(growth_, level);
    return more.mean > part * mean_wait().mean && more.least() > seconds{0};
  }

 private:
  [[nodiscard]] std::span<const simulated_job> counted() const {
    return std::span<const simulated_job>{each_}.subspan(warm_up_);
  }
  [[nodiscard]] seconds growth_of_run() const {
    const std::span<const simulated_job> all = counted();
    const std::size_t half = all.size() / 2;
    if (half == 0) return {};
    seconds more{};
    for (std::size_t i = 0; i < 2 * half; ++i)
      if (all[i].wait < never) more += i < half ? -all[i].wait : all[i].wait;
    return more / static_cast<double>(half);
  }

  const Source& source_;
  per_second rate_;
  std::int64_t gpus_;
  pool_policy policy_;
  random_numbers random_;
  std::size_t warm_up_ = 0;
  std::vector<trace_job> jobs_{};
  std::vector<simulated_job> each_{};
  std::vector<simulated_waiting> runs_{};
  std::vector<seconds> growth_{};
};

/// Looks as long and as often as the plan asks for.  The answer: the jobs of a run that count.
template <job_source Source>
std::int64_t look(replication_series<Source>& series, const replication_plan& plan) {
  int effort = 1;
  series.begin(plan.jobs, plan.warm_up);
  series.add(plan.replications);
  while (2 * effort <= plan.most_effort && series.grows(plan.precision, 0.68)) {
    effort *= 2;
    const std::int64_t jobs = effort * plan.jobs;
    series.begin(jobs, (std::max)(effort * plan.warm_up, jobs / 2));
    series.add(plan.replications);
  }
  const std::int64_t jobs = effort * plan.jobs;
  for (int runs = plan.replications; 2 * effort <= plan.most_effort; effort *= 2, runs *= 2) {
    const basic_confidence<seconds> wait = series.mean_wait();
    if (wait.half_width <= plan.precision * wait.mean) break;
    series.add(runs);
  }
  return jobs;
}

}  // namespace detail

/// What jobs of a source, coming at random, wait in a pool.
///
///     lambda  arrival_rate, of a Poisson process   1/s, > 0
///     gpus    of the pool                          count, >= 1
///     plan    runs, each with its own stream of random numbers
///
/// M/M/c is replicate(drawn_jobs{exponential_service(S)}, lambda, c); a trace without its bursts is
/// replicate(resampled_jobs{trace}, lambda, c).  A pool that is never empty again needs a warm-up
/// of many times the jobs that it holds; where it is overloaded the answer is that of a run of this
/// length, and no more.  Waits of one run say little about how far its mean is off, as successive
/// jobs wait alike: the interval is over runs, and wider than Student's where they are skewed.
/// Memory is that of one run.
///
/// Source: A. M. Law, "Simulation Modeling and Analysis", 5th ed. (2015), section 9.5.2
/// (replication and deletion).
///
/// \throws invalid_input if an argument is invalid
template <job_source Source>
replicated_waiting replicate(const Source& source, per_second arrival_rate, std::int64_t gpus,
                             const pool_policy& policy = {}, const replication_plan& plan = {}) {
  require_valid(plan);
  detail::replication_series<Source> series{source, arrival_rate, gpus, policy, plan.seed};
  replicated_waiting answer;
  answer.jobs = detail::look(series, plan);
  answer.runs = static_cast<int>(series.runs().size());
  answer.settled = !series.grows(plan.precision, 0.95);
  for (const simulated_waiting& run : series.runs()) {
    answer.impossible += run.impossible;
    answer.largest_request = (std::max)(answer.largest_request, run.largest_request);
  }
  using run_of = const simulated_waiting&;
  const auto over = [&](auto result) {
    return detail::skewed_interval<seconds>(series.samples(result));
  };
  answer.probability = detail::interval_of_rare<double>(
      series.samples([](run_of run) { return run.probability(); }));
  answer.mean_wait = series.mean_wait();
  answer.mean_response = over([](run_of run) { return run.mean_response; });
  answer.median_wait = over([](run_of run) { return run.median_wait; });
  answer.wait_90 = over([](run_of run) { return run.wait_90; });
  answer.wait_95 = over([](run_of run) { return run.wait_95; });
  answer.wait_99 = over([](run_of run) { return run.wait_99; });
  return answer;
}

}  // namespace gpuplan
