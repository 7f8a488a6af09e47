#pragma once
/// \file
/// The law of durations where some jobs still ran when the trace ended.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <gpuplan/queue/service_empirical.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/trace/job.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

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
  require(!ends.empty(), "product_limit_service: some job must be longer than 0 s");
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
