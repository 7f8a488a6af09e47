#pragma once
/// \file
/// How the jobs of a trace come: their rate, and how much burstier than random arrivals they are.

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <gpuplan/ceiling.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/trace/job.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

namespace detail {

/// Time from the first submission to the last.
constexpr seconds trace_span(std::span<const trace_job> jobs, const char* what) {
  require(jobs.size() >= 2 && jobs.back().submit > jobs.front().submit, what);
  return jobs.back().submit - jobs.front().submit;
}

}  // namespace detail

/// Jobs per second of a trace.
///
///     lambda = (n - 1) / (t_n - t_1)
///
///     n         jobs                          count, >= 2
///     t_1, t_n  submit of the first and last  s, t_n > t_1
///
/// A mean over the whole trace: where the rate drifts no time need have had it.
///
/// Source: D. R. Cox and P. A. W. Lewis, "The Statistical Analysis of Series of Events", Methuen,
/// London (1966), section 2.2: a process that is observed from an event to an event.
///
/// \throws invalid_input if jobs are fewer than two, all came at once, or are out of order
constexpr per_second arrival_rate(std::span<const trace_job> jobs) {
  const seconds span =
      detail::trace_span(jobs, "arrival_rate: jobs must be >= 2 and not all at once");
  for (std::size_t i = 1; i < jobs.size(); ++i)
    require(jobs[i].submit >= jobs[i - 1].submit,
            "arrival_rate: jobs must be in the order of submission");
  return static_cast<double>(jobs.size() - 1) / span;
}

/// Squared coefficient of variation of the times between submissions.
///
///     c_a^2 = Var T / (E T)^2,   T = t_(i+1) - t_i
///
///     t  submit of jobs, in their order   s
///
/// 0 for equal intervals, 1 for random (Poisson) arrivals. It does not see that long intervals
/// follow long ones, as they do where the rate drifts: look at dispersion, too.
///
/// Source: W. Whitt, "Approximating a Point Process by a Renewal Process, I: Two Basic Methods",
/// Operations Research 30 (1982) 125-147.
///
/// \throws invalid_input if jobs are fewer than two, all came at once, or are out of order
constexpr double interarrival_variation(std::span<const trace_job> jobs) {
  const seconds span =
      detail::trace_span(jobs, "interarrival_variation: jobs must be >= 2 and not all at once");
  const double intervals = static_cast<double>(jobs.size() - 1);
  double sum = 0;
  for (std::size_t i = 1; i < jobs.size(); ++i) {
    require(jobs[i].submit >= jobs[i - 1].submit,
            "interarrival_variation: jobs must be in the order of submission");
    const double off = (jobs[i].submit - jobs[i - 1].submit) / span * intervals - 1;
    sum += off * off;
  }
  return sum / intervals;
}

/// Index of dispersion for counts: how much the number of jobs in a window varies.
///
///     I(w) = Var N(w) / E N(w)
///
///     w     window                                   s, > 0, at most half of the trace
///     N(w)  jobs in each whole window from the first submission on, the last part left out
///
/// 1 for random arrivals at any window, in the mean 1 - 1/n of n windows, whose own mean the
/// variance is about. One that grows with the window is of a rate that drifts, whatever c_a^2 says.
/// For a wait use the I of a window about as long as a job.
///
/// Source: D. R. Cox and P. A. W. Lewis, "The Statistical Analysis of Series of Events", Methuen,
/// London (1966), section 4.5; for queues K. W. Fendick and W. Whitt, "Measurements and
/// approximations to describe the offered traffic and predict the average workload in a
/// single-server queue", Proc. IEEE 77 (1989) 171-194.
///
/// \throws invalid_input if the window is not > 0 s, the trace is shorter than two windows, or its
///         jobs are out of order
inline double dispersion(std::span<const trace_job> jobs, seconds window) {
  const seconds span =
      detail::trace_span(jobs, "dispersion: jobs must be >= 2 and not all at once");
  require(window > seconds{0}, "dispersion: window must be > 0 s");
  const double windows = rounded_down(span / window);
  require(windows >= 2, "dispersion: window must be <= half of the trace");

  double sum = 0;
  double squares = 0;
  double count = 0;  // in the window `at`
  double at = 0;
  seconds last = jobs.front().submit;
  const auto close = [&] {
    sum += count;
    squares += count * count;
    count = 0;
  };
  for (const trace_job& job : jobs) {
    require(job.submit >= last, "dispersion: jobs must be in the order of submission");
    last = job.submit;
    const double index = rounded_down((job.submit - jobs.front().submit) / window);
    if (index >= windows) break;
    if (index > at) {
      close();
      at = index;
    }
    count += 1;
  }
  close();
  const double mean = sum / windows;
  return (squares / windows - mean * mean) / mean;
}

/// A window, and the dispersion of the counts in it.
struct dispersion_at {
  seconds window{};
  double windows{};  ///< whole ones in the trace; a variance of few says little
  double value{};
};

/// The dispersion from one minute to one week, where the trace is at least two windows long.
///
/// \throws invalid_input as dispersion
inline std::vector<dispersion_at> dispersion_curve(std::span<const trace_job> jobs) {
  constexpr seconds minute = units::minute;
  constexpr std::array tried{minute,       10 * minute,    60 * minute,
                             360 * minute, 1 * units::day, 1 * units::week};
  const seconds span =
      detail::trace_span(jobs, "dispersion_curve: jobs must be >= 2 and not all at once");
  std::vector<dispersion_at> curve;
  for (const seconds window : tried)
    if (const double windows = rounded_down(span / window); windows >= 2)
      curve.push_back({window, windows, dispersion(jobs, window)});
  return curve;
}

}  // namespace gpuplan
