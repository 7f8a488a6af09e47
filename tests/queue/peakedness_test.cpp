#include <gpuplan/queue/peakedness.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <gpuplan/queue/continuous_erlang.hpp>
#include <gpuplan/queue/gang_mix.hpp>
#include <gpuplan/queue/gang_residual.hpp>
#include <gpuplan/queue/simulator.hpp>
#include <gpuplan/queue/simulator_source.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

const std::vector<trace_job> three_jobs{
    {.submit = 10 * second, .duration = 10 * second, .gpus = 2},
    {.submit = 15 * second, .duration = 5 * second, .gpus = 4},
    {.submit = 20 * second, .duration = 10 * second, .gpus = 1}};

TEST_CASE("an endless pool by hand", "[queue][reference]") {
  // 2 for 5 s, 6 for 5 s, then both end and 1 runs for 10 s.
  const endless_pool pool = endless_pool_of(three_jobs);
  CHECK_THAT(pool.mean, WithinRel(50.0 / 20, 1e-15));
  CHECK_THAT(pool.variance, WithinRel((20 + 180 + 10) / 20.0 - 6.25, 1e-14));
  CHECK(pool.largest == 6);
  CHECK(pool.needed == std::vector<std::int64_t>{1, 2, 6});
  CHECK(pool.without_room(6) == 0);
  CHECK_THAT(pool.without_room(5), WithinRel(1 / 3.0, 1e-15));
  CHECK(pool.without_room(0) == 1);
}

TEST_CASE("an empty trace holds nothing", "[queue][limits]") {
  const endless_pool pool = endless_pool_of({});
  CHECK(pool.mean == 0);
  CHECK(pool.peakedness() == 1);
  CHECK(pool.without_room(1) == 0);
  const endless_pool at_once = endless_pool_of(std::vector<trace_job>{{.gpus = 3}});
  CHECK(at_once.mean == 0);
  CHECK(at_once.largest == 3);
}

TEST_CASE("gangs at random are as peaked as their moments say", "[queue][property]") {
  const std::vector<gang_class> classes{
      {.gpus = 1, .share = 3, .mean_duration = 1 * hour},
      {.gpus = 8, .share = 1, .mean_duration = 3 * hour, .variability = 2}};
  std::vector<trace_job> jobs(60000);
  random_numbers random{3};
  fill_with_poisson_jobs(std::span(jobs), drawn_gangs{classes}, 20 / hour, random);
  const endless_pool pool = endless_pool_of(jobs);
  const gang_mix mix = mix_of(classes);
  CHECK_THAT(pool.mean, WithinRel(20 / hour * mix.work, 0.04));
  CHECK_THAT(pool.peakedness(), WithinRel(mix.peakedness(), 0.1));
  for (const int gpus : {120, 150, 180})  // a lower bound, whatever comes
    CHECK(simulate(jobs, gpus).probability() >= pool.without_room(gpus));
}

TEST_CASE("large pools wait as the normal law says", "[queue][reference]") {
  // S. Halfin and W. Whitt (1981): beta = 1 gives 1 / (1 + Phi(1)/phi(1)).
  CHECK_THAT(replay_wait_probability(0.15865525393145707),
             WithinRel(1 / (1 + 0.84134474606854293 / 0.24197072451914337), 1e-12));
  CHECK(replay_wait_probability(0.5) == 1);
  CHECK(replay_wait_probability(1) == 1);
  CHECK(replay_wait_probability(0) == 0);
  // M/M/c, of which L is what M/M/infinity passes c by.
  const double servers = 1e6;
  const double load = servers - 1.5e3;
  CHECK_THAT(replay_wait_probability(detail::normal_tail(1.5)),
             WithinRel(continuous_erlang_c(servers, load), 2e-3));
}

TEST_CASE("more wait than find no room", "[queue][property]") {
  double before = 0;
  for (double bound = 1e-12; bound < 1; bound *= 1.7) {
    const double p = replay_wait_probability(bound);
    CHECK(p > bound);
    CHECK(p >= before);
    before = p;
  }
}

TEST_CASE("endless pools refuse what is none", "[queue][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto pool_of = [](std::vector<trace_job> jobs) { return endless_pool_of(jobs); };
  CHECK_THROWS_WITH(pool_of({{.gpus = 0}}), "trace_job: gpus must be >= 1");
  CHECK_THROWS_WITH(pool_of({{.submit = 1 * second}, {}}),
                    "endless_pool_of: jobs must be in the order of submission");
  CHECK_THROWS_WITH(endless_pool{}.without_room(-1), "without_room: gpus must be >= 0");
  CHECK_THROWS_WITH(replay_wait_probability(nan),
                    "replay_wait_probability: without_room must be from 0 to 1");
  CHECK_THROWS_AS(replay_wait_probability(1.1), invalid_input);
}

}  // namespace
}  // namespace gpuplan
