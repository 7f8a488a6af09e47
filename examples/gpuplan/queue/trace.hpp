#pragma once
/// \file
/// A queue that is described by a trace of jobs.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gpuplan/calibrate/arrival_fit.hpp>
#include <gpuplan/calibrate/arrival_profile.hpp>
#include <gpuplan/calibrate/gpu_mix.hpp>
#include <gpuplan/calibrate/service_moments.hpp>
#include <gpuplan/queue/gang/peakedness.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/simulate/pool_policy.hpp>
#include <gpuplan/simulate/sharing_policy.hpp>
#include <gpuplan/trace/job_trace.hpp>

#include "queue/queue.hpp"
#include "queue/trace_file.hpp"

namespace gpuplan::cli {

/// A policy as asked for, on a trace.
struct trace_policy {
  std::string_view name;
  std::string_view meaning;
  std::variant<pool_policy, sharing_policy> policy;

  [[nodiscard]] bool preempts() const {
    const auto* const plain = std::get_if<pool_policy>(&policy);
    return plain == nullptr || plain->preempts();
  }
};

/// The question.
struct queue_trace {
  trace_source source{};
  std::int64_t gpus = 0;  ///< 0: as many as the targets ask for
  std::vector<wait_target> targets{};
  std::vector<std::int64_t> sizes{};
  std::vector<trace_policy> policies{};
  std::vector<double> speed_ups{};  ///< of elastic jobs, where they were measured
  double level = usual_level;       ///< of ranges
  std::int64_t sample = 0;          ///< jobs on which policies are compared, at most; 0: the usual
};

/// Something that formulas take for granted, and what the trace says to it.
struct assumption {
  std::string key;
  std::string assumed;
  bool holds = true;
  std::string found;
};

/// Are the jobs of a trace, all submitted within the span, enough to speak of a rate that lasts?
inline bool lasts(const gpu_mix& mix, seconds span) {
  return mix.jobs >= 100 && span > 5 * mix.moments.duration;
}

/// Why nothing is said of the load of a trace.
inline constexpr const char* too_short = "the trace is too short for a rate that lasts";

/// What a trace says of its jobs.
struct trace_facts {
  trace_counts counts{};
  std::optional<per_second> arrival_rate{};  ///< none where all came at once
  double arrival_variation = 0;
  std::vector<dispersion_at> dispersion{};
  arrival_profile day{};
  arrival_profile week{};
  gpu_mix mix{};
  endless_pool demand{};
  service_moments service{};
  duration_doubts doubts{};
  std::optional<double> top_share{};  ///< of the work, in the 1 % of the jobs that hold most; none
                                      ///< where that is less than one job
  seconds span{};
  std::int64_t largest = 1;  ///< GPUs of the largest job
  bool has_dates = false;    ///< else times are since some origin

  /// Is it long enough to speak of a rate that lasts?
  [[nodiscard]] bool steady() const { return arrival_rate && lasts(mix, span); }

  /// GPUs that jobs keep busy which ask for so many at most; 0 where all came at once.
  [[nodiscard]] double offered_gpus(std::int64_t most) const;
};

/// \throws bad_usage if no job ran
trace_facts facts_of(const job_trace& trace);

/// Where the trace is not what formulas assume, on so many GPUs.
std::vector<assumption> assumptions_of(const trace_facts& facts, std::int64_t gpus);

/// \throws bad_usage
queue_answer answer_of(const queue_trace& asked, const job_trace& trace, const trace_facts& facts);

}  // namespace gpuplan::cli
