// Jobs a second of the simulated pool, by policy: gangs of a heavy-tailed mix, at a load where some
// wait; then overloaded, so that all wait.
#include <cstdint>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <gpuplan/queue/service_tails.hpp>
#include <gpuplan/simulate/job_source.hpp>
#include <gpuplan/simulate/saturated.hpp>
#include <gpuplan/simulate/simulate.hpp>

namespace {

using namespace gpuplan;

/// Mostly single GPUs, some eights and few sixty-fours; an hour in the median.
struct mix {
  trace_job operator()(random_numbers& random) const {
    const double kind = random.uniform();
    return {.duration = draw(lognormal_service{units::hour, 1.5}, random),
            .gpus = kind < 0.85   ? 1
                    : kind < 0.99 ? 8
                                  : 64,
            .priority = static_cast<int>(random.below(3))};
  }
};
constexpr double mean_gpus = 0.85 + 0.14 * 8 + 0.01 * 64;

std::vector<trace_job> jobs_at(double load, std::int64_t gpus, std::size_t count) {
  std::vector<trace_job> jobs(count);
  random_numbers random{1};
  const seconds work = mean_gpus * mean_service(lognormal_service{units::hour, 1.5});
  fill_with_poisson_jobs(std::span<trace_job>{jobs}, mix{}, load * static_cast<double>(gpus) / work,
                         random);
  return jobs;
}

void simulate_jobs(benchmark::State& state, const pool_policy& policy, double load,
                   std::size_t count) {
  const std::int64_t gpus = 1000;
  const auto jobs = jobs_at(load, gpus, count);
  std::vector<simulated_job> each(jobs.size());
  simulated_waiting last;
  for (auto _ : state) benchmark::DoNotOptimize(last = simulate(jobs, gpus, policy, each));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(jobs.size()));
  state.counters["waited"] = last.probability();
  state.counters["queue"] = static_cast<double>(last.longest_queue);
}

void saturated(benchmark::State& state) {
  const saturation_plan plan;
  const seconds work = mean_gpus * mean_service(lognormal_service{units::hour, 1.5});
  for (auto _ : state) benchmark::DoNotOptimize(saturated_run(mix{}, work, 1000, plan));
  state.SetItemsProcessed(state.iterations() * (plan.jobs + plan.warm_up));
}
BENCHMARK(saturated)->Unit(benchmark::kMillisecond);

[[maybe_unused]] const bool registered = [] {
  for (const named_policy& of : pool_policies) {
    const std::string name{of.name};
    for (const double load : {0.8, 0.95})
      benchmark::RegisterBenchmark(
          ("simulate/" + name + "/load " + std::to_string(load).substr(0, 4)).c_str(),
          [&of, load](benchmark::State& state) {
            simulate_jobs(state, of.policy, load, of.policy.preempts() ? 20000 : 200000);
          })
          ->Unit(benchmark::kMillisecond);
    // Where all wait, what grows is the queue.
    if (of.policy.preempts()) continue;
    benchmark::RegisterBenchmark(
        ("simulate/" + name + "/overloaded").c_str(),
        [&of](benchmark::State& state) { simulate_jobs(state, of.policy, 1.5, 200000); })
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
