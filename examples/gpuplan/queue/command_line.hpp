#pragma once
/// \file
/// The options of `gpuplan queue` as typed, and the questions they make.

#include <array>
#include <string>
#include <vector>

#include <gpuplan/model/recipe_names.hpp>
#include <gpuplan/queue/policy.hpp>

#include "bands.hpp"
#include "options.hpp"
#include "queue/mix.hpp"
#include "queue/numbers.hpp"
#include "queue/policies.hpp"
#include "queue/trace.hpp"

namespace CLI {
class App;
}

namespace gpuplan::cli {

/// Policies of which formulas speak.
inline constexpr std::array policy_names{
    named<queue_policy>{"fcfs", queue_policy::first_come_first_served},
    named<queue_policy>{"ps", queue_policy::processor_sharing},
    named<queue_policy>{"sjf", queue_policy::shortest_job_first},
    named<queue_policy>{"psjf", queue_policy::preemptive_shortest_job_first},
    named<queue_policy>{"srpt", queue_policy::shortest_remaining_time},
    named<queue_policy>{"las", queue_policy::least_attained_service}};

/// The options as typed; empty where not given.
struct queue_options {
  std::string trace, sacct, columns, filter, bad_rows, sample;
  std::string arrivals, service, gpus, gpus_per_job, arrival_variation, service_variation, shape;
  std::string mean, probability;
  std::array<std::string, printed_percentiles.size()> percentiles;
  std::string sizes, html;
  bool as_csv = false;
  policy_options policies;
  band_options band;
  answer_options answer;

  void add(CLI::App& command);

  /// Paths that are read.
  [[nodiscard]] std::vector<std::string> files() const;
  /// Is it about a trace?
  [[nodiscard]] bool of_trace() const { return !trace.empty() || !sacct.empty(); }
  /// \throws bad_usage or invalid_input
  [[nodiscard]] queue_numbers numbers() const;
  /// Do its jobs hold different numbers of GPUs?
  [[nodiscard]] bool of_mix() const { return gpus_per_job.find(':') != std::string::npos; }
  [[nodiscard]] queue_mix mix() const;
  [[nodiscard]] queue_trace trace_question() const;
};

}  // namespace gpuplan::cli
