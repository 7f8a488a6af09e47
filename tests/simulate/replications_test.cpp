#include <gpuplan/simulate/replications.hpp>

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include <gpuplan/queue/erlang.hpp>
#include <gpuplan/queue/mmc.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan::testing {
namespace {

using namespace units;

/// How often intervals of 95 % hold what Erlang C says, over seeds.
struct coverage {
  int told = 0;  ///< simulations that say how far off they may be
  int held = 0;  ///< of these
};

/// Gangs of 8 GPUs on a pool of so many of them, each seed a simulation of its own.
coverage coverage_of(int gangs, double load, int seeds, const replication_plan& plan) {
  const workload jobs{
      .arrival_rate = load * gangs / hour, .mean_service = 1 * hour, .servers = gangs};
  const seconds exact = wait(jobs).mean;
  coverage found;
  for (int seed = 1; seed <= seeds; ++seed) {
    replication_plan own = plan;
    own.seed = static_cast<std::uint64_t>(seed);
    const auto simulated = replicate(drawn_jobs{exponential_service(1 * hour), 8},
                                     jobs.arrival_rate, 8 * gangs, {}, own);
    if (!std::isfinite(simulated.mean_wait.half_width / seconds{1})) continue;
    ++found.told;
    found.held += simulated.mean_wait.holds(exact);
  }
  return found;
}

TEST_CASE("intervals of simulated waits hold the truth as often as they say",
          "[queue][simulator][reference]") {
  constexpr int seeds = 20;
  for (const double load : {0.5, 0.8, 0.9}) {
    const coverage found = coverage_of(2, load, seeds, {.jobs = 1000, .warm_up = 500});
    INFO("load " << load << ": " << found.held << " of " << found.told);
    CHECK(found.told >= seeds - 1);
    CHECK(found.held >= 0.9 * seeds);
  }
}

TEST_CASE("a simulation in which few waited does not say how far off it is",
          "[queue][simulator][reference]") {
  // Student's t calls a fourth of these precise and is wrong: one burst of waits is all that most
  // of the simulations see.
  constexpr int seeds = 40;
  const coverage found = coverage_of(16, 0.5, seeds, {.jobs = 500, .warm_up = 50});
  INFO(found.held << " of " << found.told);
  CHECK(found.told < seeds / 2);
  CHECK(found.told - found.held <= 0.1 * seeds);
}

TEST_CASE("runs that are too short are lengthened, or the answer says so",
          "[queue][simulator][reference]") {
  const auto law = exponential_service(1 * hour);
  replication_plan plan{.jobs = 400, .warm_up = 0};
  const auto simulated = [&] { return replicate(drawn_jobs{law}, 0.98 / hour, 1, {}, plan); };
  const replicated_waiting once = simulated();
  CHECK_FALSE(once.settled);
  CHECK(once.jobs == 400);
  CHECK(once.runs == 10);

  plan.most_effort = 16;
  const replicated_waiting longer = simulated();
  CHECK(longer.jobs > 400);
  CHECK(longer.mean_wait.mean > 1.3 * once.mean_wait.mean);
}

TEST_CASE("runs are added until a simulated wait is precise", "[queue][simulator]") {
  const auto law = exponential_service(1 * hour);
  const auto simulated = [&](double precision, int most_effort) {
    return replicate(
        drawn_jobs{law}, 0.5 / hour, 1, {},
        {.jobs = 500, .warm_up = 100, .precision = precision, .most_effort = most_effort});
  };
  CHECK(simulated(0.5, 8).runs == 10);
  const replicated_waiting precise = simulated(0.07, 64);
  CHECK(precise.runs > 10);
  CHECK(precise.mean_wait.half_width <= 0.07 * precise.mean_wait.mean);
  CHECK(simulated(1e-6, 4).runs <= 40);
  // Four times as long is long enough; four times as many runs then reach the limit of the work.
  const replicated_waiting limited = simulated(0.04, 16);
  CHECK(limited.jobs == 2000);
  CHECK(limited.runs == 40);
  CHECK(limited.mean_wait.half_width > 0.04 * limited.mean_wait.mean);
  CHECK_THROWS_AS(simulated(0, 1), invalid_input);
  CHECK_THROWS_AS(simulated(0.1, 0), invalid_input);
}

}  // namespace
}  // namespace gpuplan::testing
