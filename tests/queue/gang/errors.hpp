#pragma once
/// \file
/// The error table of gangs: waits by formula beside simulated ones, of samples and of replays of
/// real traces (trace_truth.json).

#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include <gpuplan/queue/continuous_erlang.hpp>
#include <gpuplan/queue/gang/gang.hpp>
#include <gpuplan/queue/gang/mix.hpp>
#include <gpuplan/queue/gang/peakedness.hpp>
#include <gpuplan/queue/gang/replay.hpp>
#include <gpuplan/queue/ggc.hpp>
#include <gpuplan/queue/mmc.hpp>
#include <gpuplan/simulate/saturated.hpp>

#include "queue/vector_rows.hpp"
#include "support/traces.hpp"

namespace gpuplan::testing {

/// The geometric mean of how far answers are off, as a factor.
struct factor_off {
  int rows = 0;
  double logarithm = 0;

  void add(double got, double want) {
    ++rows;
    logarithm += std::abs(std::log(got / want));
  }
  [[nodiscard]] double value() const { return std::exp(logarithm / rows); }
};

/// A trace of trace_truth.json, read once.
struct true_trace {
  std::string name;
  nlohmann::json truth;
  std::vector<trace_job> jobs;
};
inline const std::vector<true_trace>& true_traces() {
  static const std::vector<true_trace> all = [] {
    std::vector<true_trace> read;
    const nlohmann::json traces = load_vectors("trace_truth").at("traces");
    for (const auto& [name, truth] : traces.items()) read.push_back({name, truth, trace_of(truth)});
    return read;
  }();
  return all;
}

/// What a formula says, what a simulation found.
struct gang_error {
  std::string trace{};
  int gpus = 0;
  gang_waiting got{};
  double probability = 0;  ///< simulated, as the next
  seconds mean{};
  seconds wait_99{};
  seconds mean_by_jobs{};  ///< Allen and Cunneen's, of as many servers as jobs can run at once
  double without_room = 0;
  double hayward = 0;  ///< Erlang C at the peakedness of the trace
};

/// Jobs of each trace that come at random: rows with P > 1%.
inline std::vector<gang_error> gang_errors_of_samples() {
  std::vector<gang_error> rows;
  for (const auto& [name, truth, trace] : true_traces()) {
    const std::vector<gang_class> classes = gang_classes(trace);
    const gang_mix mix = mix_of(classes);
    for (const nlohmann::json& row : truth.at("iid_poisson")) {
      if (row.at("policy") != "fcfs" || number(row, "p_wait") <= 0.01) continue;
      const int gpus = row.at("c");
      const per_second rate = number(row, "lambda") / seconds{1};
      const workload as_jobs{rate, mix.duration,
                             static_cast<int>(std::lround(gpus * (mix.duration / mix.work)))};
      const double variation = number(truth.at("stats"), "service_scv");
      rows.push_back(
          {.trace = name,
           .gpus = gpus,
           .got = gang_wait({rate, classes, gpus}, saturation_of(saturated_run(trace, gpus))),
           .probability = number(row, "p_wait"),
           .mean = seconds{number(row, "mean_wait")},
           .wait_99 = seconds{number(row, "p99")},
           .mean_by_jobs = allen_cunneen_wait(as_jobs, {1, variation})});
    }
  }
  return rows;
}

/// Jobs of each trace as they came, first come first served: rows with P > 10%.
inline std::vector<gang_error> gang_errors_of_replays() {
  // The probability does not depend on what the pool can do; the rest is mostly flagged.
  constexpr saturation_plan brief{.jobs = 40000, .warm_up = 10000};
  std::vector<gang_error> rows;
  for (const auto& [name, truth, trace] : true_traces()) {
    const std::vector<gang_class> classes = gang_classes(trace);
    const endless_pool pool = endless_pool_of(trace);
    const double z = pool.peakedness();
    const per_second rate = number(truth.at("stats"), "lambda_per_s") / seconds{1};
    for (const nlohmann::json& row : truth.at("trace_replay")) {
      if (row.at("policy") != "fcfs" || number(row, "p_wait") <= 0.1) continue;
      const int gpus = row.at("c");
      rows.push_back({.trace = name,
                      .gpus = gpus,
                      .got = replay_wait(pool, {rate, classes, gpus},
                                         saturation_of(saturated_run(trace, gpus, brief))),
                      .probability = number(row, "p_wait"),
                      .mean = seconds{number(row, "mean_wait")},
                      .wait_99 = seconds{number(row, "p99")},
                      .without_room = pool.without_room(gpus),
                      .hayward = continuous_erlang_c(gpus / z, pool.mean / z)});
    }
  }
  return rows;
}

/// One line a row; whoever prints both tables shows the error of the library on gangs.
inline void print_gang_errors(std::ostream& out, const std::vector<gang_error>& rows) {
  for (const gang_error& row : rows) {
    out << row.trace << ' ' << row.gpus << " GPUs: P(wait) " << row.got.wait.probability << " for "
        << row.probability;
    if (row.got.trust == gang_trust::drifting || !row.got.wait.stable())
      out << ", the rest by simulation\n";
    else
      out << ", mean " << row.got.wait.mean / seconds{1} << " s for " << row.mean / seconds{1}
          << ", by jobs " << row.mean_by_jobs / seconds{1} << '\n';
  }
}

}  // namespace gpuplan::testing
