#pragma once
/// \file
/// Moments of the durations in a trace, with durations whose end is unknown.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <gpuplan/ceiling.hpp>
#include <gpuplan/queue/service.hpp>
#include <gpuplan/queue/service_empirical.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/trace/job.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Moments of the durations of a trace.
struct service_moments {
  double jobs = 0;
  seconds mean{};             ///< E S
  square_seconds second{};    ///< E S^2
  seconds_to_the<3> third{};  ///< E S^3
  double log_mean = 0;        ///< E ln(S / 1 s), of those longer than 0 s
  double log_deviation = 0;   ///< standard deviation of ln S, of the same

  /// c_s^2 = E S^2 / (E S)^2 - 1; 0 where rounding leaves less, as of jobs that are equally long
  [[nodiscard]] constexpr double squared_variation() const {
    return (std::max)(0.0, second / (mean * mean) - 1);
  }
};

/// Moments of durations, each job with the same weight.
///
///     E S^k = sum S_i^k / n;  sigma^2 = E (ln S)^2 - (E ln S)^2
///
///     S  duration of jobs   s, >= 0, not all 0
///
/// With heavy tails E S^2 and E S^3 rest on a few jobs and are more often too small than too
/// large: see variation_interval and longest_share.
///
/// \throws invalid_input if there are no jobs, one took less than 0 s, or all took 0 s
inline service_moments service_moments_of(std::span<const trace_job> jobs) {
  service_moments of{.jobs = static_cast<double>(jobs.size())};
  double logged = 0;
  for (const trace_job& job : jobs) {
    require(job.duration >= seconds{0}, "service_moments_of: durations must be >= 0 s");
    of.mean += job.duration;
    of.second += job.duration * job.duration;
    of.third += job.duration * job.duration * job.duration;
    if (job.duration > seconds{0}) {
      of.log_mean += std::log(job.duration / seconds{1});
      logged += 1;
    }
  }
  require(logged > 0, "service_moments_of: jobs must be >= 1 and not all of 0 s");
  of.mean /= of.jobs;
  of.second /= of.jobs;
  of.third /= of.jobs;
  of.log_mean /= logged;
  double squares = 0;
  for (const trace_job& job : jobs)
    if (job.duration > seconds{0}) {
      const double off = std::log(job.duration / seconds{1}) - of.log_mean;
      squares += off * off;
    }
  of.log_deviation = std::sqrt(squares / logged);
  return of;
}

/// Durations, in the order of the jobs.
inline std::vector<seconds> durations_of(std::span<const trace_job> jobs) {
  std::vector<seconds> durations;
  durations.reserve(jobs.size());
  for (const trace_job& job : jobs) durations.push_back(job.duration);
  return durations;
}

/// Share of all work, in GPU-seconds, that the largest jobs hold.
///
///     sum of the ceil(share n) largest b_i S_i / sum of all
///
///     b, S   gpus, duration of jobs   count; s, not all 0
///     share  of the jobs              > 0, <= 1
///
/// Where the top 1% hold half of the work the second moment is theirs, and a wait that is
/// computed from it is no better known than they are.
///
/// Source: M. Harchol-Balter and A. B. Downey, "Exploiting process lifetime distributions for
/// dynamic load balancing", ACM Trans. Computer Systems 15 (1997) 253-285.
///
/// \throws invalid_input if share is not > 0 and <= 1, or there is no work
inline double longest_share(std::span<const trace_job> jobs, double share) {
  require(share > 0 && share <= 1, "longest_share: share must be > 0 and <= 1");
  std::vector<double> work;
  work.reserve(jobs.size());
  double all = 0;
  for (const trace_job& job : jobs) {
    work.push_back(static_cast<double>(job.gpus) * (job.duration / seconds{1}));
    all += work.back();
  }
  require(all > 0, "longest_share: jobs must have work > 0 GPU-s");
  const auto count =
      static_cast<std::ptrdiff_t>(rounded_up(share * static_cast<double>(work.size())));
  std::nth_element(work.begin(), work.begin() + count - 1, work.end(), std::greater<>{});
  double top = 0;
  for (auto each = work.begin(); each != work.begin() + count; ++each) top += *each;
  return top / all;
}

/// Durations of which a table says less than it seems to.
struct duration_doubts {
  std::int64_t unfinished = 0;  ///< still ran: they take longer than their duration
  std::int64_t zero = 0;        ///< 0 s, mostly a fraction of a second
  seconds longest{};
  std::int64_t at_longest = 0;    ///< took just as long as the longest
  std::int64_t near_longest = 0;  ///< took less, but no less than 0.9 times the longest
  std::int64_t jobs = 0;

  /// Whether durations look cut off at the longest: at least ten jobs and one in a thousand, yet
  /// not all, took just as long, and more than came near it.
  [[nodiscard]] constexpr bool clamped() const {
    return at_longest >= 10 && at_longest >= jobs / 1000 && at_longest > near_longest &&
           at_longest < jobs;
  }
};

/// Looks for durations that are not known: unfinished, 0 s, or cut off at some limit.
inline duration_doubts duration_doubts_of(std::span<const trace_job> jobs) {
  duration_doubts doubts{.jobs = static_cast<std::int64_t>(jobs.size())};
  for (const trace_job& job : jobs) doubts.longest = larger(doubts.longest, job.duration);
  for (const trace_job& job : jobs) {
    if (!job.finished) ++doubts.unfinished;
    if (job.duration == seconds{0}) ++doubts.zero;
    if (job.duration == doubts.longest)
      ++doubts.at_longest;
    else if (job.duration >= 0.9 * doubts.longest)
      ++doubts.near_longest;
  }
  return doubts;
}

/// The law of durations by the product limit: what a job that still runs may yet take is that of
/// the jobs that ran as long and ended.
///
///     P(S > x) = product over ends s <= x of (1 - d(s) / r(s))
///
///     d(s)  jobs that took s and ended               count
///     r(s)  jobs that took s or longer, ended or not count
///
/// Without unfinished jobs it is the sample itself. Where the longest of all have not ended they
/// are taken to end there, so that means are then too small. Holds where jobs that still run differ
/// from the others in nothing but that they came late; jobs of 0 s are left out.
///
/// Source: E. L. Kaplan and P. Meier, "Nonparametric Estimation from Incomplete Observations", J.
/// American Statistical Association 53 (1958) 457-481; the longest as B. Efron, "The two sample
/// problem with censored data", Fifth Berkeley Symposium 4 (1967) 831-853.
///
/// \throws invalid_input if no job is longer than 0 s
inline empirical_service product_limit_service(std::span<const trace_job> jobs) {
  struct end {
    seconds size;
    bool finished;
  };
  std::vector<end> ends;
  ends.reserve(jobs.size());
  for (const trace_job& job : jobs)
    if (job.duration > seconds{0}) ends.push_back({job.duration, job.finished});
  require(!ends.empty(), "product_limit_service: at least one job must last > 0 s");
  std::sort(ends.begin(), ends.end(), [](const end& a, const end& b) { return a.size < b.size; });

  std::vector<service_atom> atoms;
  double left = 1;  // P(S > x)
  for (std::size_t i = 0; i < ends.size();) {
    const seconds size = ends[i].size;
    const double at_risk = static_cast<double>(ends.size() - i);
    double ended = 0;
    for (; i < ends.size() && ends[i].size == size; ++i) ended += ends[i].finished ? 1 : 0;
    const double share = i == ends.size() ? left : left * (ended / at_risk);
    if (share > 0) atoms.push_back({size, share});
    left -= share;
  }
  return empirical_service{std::span<const service_atom>{atoms}};
}

}  // namespace gpuplan
