#pragma once
/// \file
/// How the rate of submissions changes over the day and the week.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <gpuplan/require.hpp>
#include <gpuplan/trace/job.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A part of the period, and what came in it.
struct arrival_hour {
  double jobs = 0;     ///< of all periods together
  seconds observed{};  ///< how much of this part the trace saw

  /// Jobs per second; 0 where nothing was seen.
  [[nodiscard]] constexpr per_second rate() const {
    return observed > seconds{0} ? jobs / observed : per_second{0};
  }
};

/// The rate of submissions over a period that repeats.
struct arrival_profile {
  seconds period{};
  std::vector<arrival_hour> parts;  ///< equally long; the first begins where time is 0

  /// Jobs per second over all that was seen.
  [[nodiscard]] per_second mean() const {
    arrival_hour all;
    for (const arrival_hour& part : parts) {
      all.jobs += part.jobs;
      all.observed += part.observed;
    }
    return all.rate();
  }
  /// The part of the highest rate.
  [[nodiscard]] std::size_t peak() const {
    const auto slower = [](const arrival_hour& a, const arrival_hour& b) {
      return a.rate() < b.rate();
    };
    return static_cast<std::size_t>(std::max_element(parts.begin(), parts.end(), slower) -
                                    parts.begin());
  }
  /// The highest rate beside the mean; 1 where the rate is even, or no time was observed.
  [[nodiscard]] double peak_to_mean() const {
    const per_second all = mean();
    return all > per_second{0} ? parts[peak()].rate() / all : 1;
  }
};

/// The rate of submissions over a period, in equal parts.
///
///     lambda_i = N_i / O_i
///
///     N_i  jobs submitted in part i of any period        count
///     O_i  time of the trace that lies in part i         s
///
/// Parts count from where time is 0: midnight of the table's clock where it has dates (a week
/// begins on a Thursday, as 1970 did), else as the table has it. Part 0 of a table whose time
/// begins with its first job is that of this job.
///
/// Source: L. D. Brown et al., "Statistical Analysis of a Telephone Call Center: A Queueing-Science
/// Perspective", J. American Statistical Association 100 (2005) 36-50, section 4: rates taken as
/// constant in blocks of time.
///
/// \throws invalid_input if the period is not > 0 s, parts not from 1 to 100000, or jobs are none
///         or out of order
inline arrival_profile arrival_profile_of(std::span<const trace_job> jobs, seconds period,
                                          int parts) {
  require(period > seconds{0}, "arrival_profile_of: period must be > 0 s");
  require(parts >= 1 && parts <= 100000, "arrival_profile_of: parts must be from 1 to 100000");
  require(!jobs.empty(), "arrival_profile_of: jobs must be >= 1");

  arrival_profile profile{.period = period, .parts = {}};
  profile.parts.resize(static_cast<std::size_t>(parts));
  const seconds width = period / parts;
  const auto phase = [&](seconds time) { return time - std::floor(time / period) * period; };
  seconds last = jobs.front().submit;
  for (const trace_job& job : jobs) {
    require(job.submit >= last, "arrival_profile_of: jobs must be in the order of submission");
    last = job.submit;
    const double part = std::floor(phase(job.submit) / width);
    profile.parts[static_cast<std::size_t>(std::clamp(part, 0.0, parts - 1.0))].jobs += 1;
  }

  /// Time in part i of all periods, up to a time.
  const auto up_to = [&](seconds time, double i) {
    const seconds in_last = smaller(larger(phase(time) - i * width, seconds{0}), width);
    return std::floor(time / period) * width + in_last;
  };
  double i = 0;
  for (arrival_hour& part : profile.parts) {
    part.observed = up_to(jobs.back().submit, i) - up_to(jobs.front().submit, i);
    i += 1;
  }
  return profile;
}

/// By the hour of the day: 24 parts.
/// \throws invalid_input if jobs are none
inline arrival_profile daily_profile(std::span<const trace_job> jobs) {
  return arrival_profile_of(jobs, 1 * units::day, 24);
}

/// By the hour of the week: 168 parts.
/// \throws invalid_input if jobs are none
inline arrival_profile weekly_profile(std::span<const trace_job> jobs) {
  return arrival_profile_of(jobs, 1 * units::week, 168);
}

}  // namespace gpuplan
