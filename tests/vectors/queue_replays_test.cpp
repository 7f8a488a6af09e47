// Replays of recorded traces, and of their jobs by chance, against another simulator
// (trace_truth.json).
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <gpuplan/simulate/replications.hpp>
#include <gpuplan/simulate/simulate.hpp>

#include "support/catch.hpp"
#include "support/traces.hpp"
#include "support/vectors.hpp"

namespace gpuplan::testing {
namespace {

using namespace units;
using nlohmann::json;

const pool_policy& policy_of(const json& row) {
  return find_pool_policy(row.at("policy").get<std::string>())->policy;
}
double number(const json& row, const char* name) {
  return row.at(name).get<double>();
}

/// As many digits as are printed, eight.
bool equal_as_printed(double ours, double printed) {
  return std::abs(ours - printed) <= 6e-8 * std::abs(printed);
}

/// Every replay of a trace: FCFS, EASY and first fit, at each size of the pool.
void check_replays(const json& truth) {
  const std::vector<trace_job> jobs = trace_of(truth);
  CHECK(jobs.size() == truth.at("stats").at("jobs").get<std::size_t>());
  for (const json& row : truth.at("trace_replay")) {
    INFO(row.at("policy") << " on " << row.at("c") << " GPUs");
    const simulated_waiting ours = simulate(jobs, row.at("c"), policy_of(row));
    const auto check = [&](const char* name, double value) {
      INFO(name << ": " << value << " against " << row.at(name));
      CHECK(equal_as_printed(value, number(row, name)));
    };
    CHECK(ours.jobs == row.at("n"));
    check("p_wait", ours.probability());
    check("mean_wait", ours.mean_wait.in(second));
    check("p50", ours.median_wait.in(second));
    check("p90", ours.wait_90.in(second));
    check("p95", ours.wait_95.in(second));
    check("p99", ours.wait_99.in(second));
    check("max", ours.longest_wait.in(second));
    check("mean_response", ours.mean_response.in(second));
  }
}

/// A simulated value of theirs in the interval of the difference, and half as much again: of many
/// intervals of 95 % some are missed.
bool agrees(double ours, double our_half, double theirs, double their_half) {
  return std::abs(ours - theirs) <= 1.5 * std::hypot(our_half, their_half);
}

/// Jobs of a trace resampled, at its mean rate: P(wait), mean, and 99 %.
void check_resampled(const json& truth, const replication_plan& plan) {
  const std::vector<trace_job> jobs = trace_of(truth);
  for (const json& row : truth.at("iid_poisson")) {
    INFO(truth.at("file") << " on " << row.at("c") << " GPUs");
    const auto ours = replicate(resampled_jobs{jobs}, number(row, "lambda") / second, row.at("c"),
                                policy_of(row), plan);
    const auto check = [&](const char* name, double mean, double half_width) {
      const double theirs = number(row, (std::string(name) + "_ci95").c_str());
      INFO(name << ": " << mean << " +- " << half_width << " against " << row.at(name) << " +- "
                << theirs);
      CHECK(agrees(mean, half_width, number(row, name), theirs));
    };
    check("p_wait", ours.probability.mean, ours.probability.half_width);
    check("mean_wait", ours.mean_wait.mean.in(second), ours.mean_wait.half_width.in(second));
    check("p99", ours.wait_99.mean.in(second), ours.wait_99.half_width.in(second));
  }
}

json traces() {
  return load_vectors("trace_truth").at("traces");
}

TEST_CASE("small traces replay as another simulator does", "[vectors][queue][simulator]") {
  if (!have_traces()) {
    WARN(no_traces);
    return;
  }
  const char* name =
      GENERATE("philly_vc5_ee9e8c", "philly_vc2_6c71a0", "philly_vc4_103959", "alibaba_openb");
  INFO(name);
  check_replays(traces().at(name));
}

TEST_CASE("large traces replay as another simulator does", "[.slow][vectors][queue][simulator]") {
  if (!have_traces()) {
    WARN(no_traces);
    return;
  }
  const char* name = GENERATE("philly_all", "philly_core_d30_d100");
  INFO(name);
  check_replays(traces().at(name));
}

TEST_CASE("jobs of a small trace by chance wait as another simulator says",
          "[vectors][queue][simulator]") {
  if (!have_traces()) {
    WARN(no_traces);
    return;
  }
  // Waits of heavy tails need many runs, not long ones, for their intervals to be right.
  check_resampled(traces().at("philly_vc4_103959"), {.jobs = 50000, .replications = 20});
}

TEST_CASE("jobs of every trace by chance wait as another simulator says",
          "[.slow][vectors][queue][simulator]") {
  if (!have_traces()) {
    WARN(no_traces);
    return;
  }
  const json all = traces();
  for (const auto& [name, truth] : all.items())
    check_resampled(truth, {.jobs = 2000000, .warm_up = 0});
}

}  // namespace
}  // namespace gpuplan::testing
