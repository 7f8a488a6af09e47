#include <gpuplan/queue/gang/peakedness.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <gpuplan/queue/continuous_erlang.hpp>
#include <gpuplan/queue/gang/mix.hpp>
#include <gpuplan/queue/gang/residual.hpp>
#include <gpuplan/simulate/job_source.hpp>
#include <gpuplan/simulate/simulate.hpp>

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
  // While they came, but for the first second: 2 for 4 s, 6 for 5 s.
  CHECK_THAT(pool.steady_mean, WithinRel(38.0 / 9, 1e-14));
  CHECK_THAT(pool.steady_variance, WithinRel(196 / 9.0 - 38.0 * 38 / 81, 1e-13));
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

TEST_CASE("a long job that outlasts the others is no drift", "[queue][property]") {
  const std::vector<gang_class> classes{{.gpus = 2, .share = 1, .mean_duration = 1 * hour}};
  std::vector<trace_job> jobs(20000);
  random_numbers random{5};
  fill_with_poisson_jobs(std::span(jobs), drawn_gangs{classes}, 40 / hour, random);
  jobs[jobs.size() / 2].duration = 100 * day;
  const endless_pool pool = endless_pool_of(jobs);
  CHECK(pool.peakedness() > 10);
  CHECK_THAT(pool.steady_peakedness(), WithinRel(2, 0.2));
  CHECK_THAT(pool.steady_mean, WithinRel(81, 0.05));
}

TEST_CASE("what passes the pool tells how many wait", "[queue][limits]") {
  // M/M/c, whole or not: the Poisson law of M/M/infinity.
  for (const double servers : {1.0, 2.5, 40.0, 3000.0})
    for (const double load : {0.1, 0.7, 0.99})
      CHECK_THAT(replay_wait_probability(detail::poisson_from(servers, load * servers), servers),
                 WithinRel(continuous_erlang_c(servers, load * servers), 1e-9));
  CHECK_THAT(replay_wait_probability(1 - std::exp(-0.6), 1), WithinRel(0.6, 1e-13));  // M/M/1
  CHECK_THAT(detail::poisson_from(3, 2), WithinRel(1 - 5 * std::exp(-2), 1e-14));     // 1 + 2 + 2
  CHECK_THAT(detail::poisson_from(40.5, 38), WithinRel(detail::gamma_p(40.5, 38), 1e-12));
  // S. Halfin and W. Whitt (1981): beta = 1 gives 1 / (1 + Phi(1)/phi(1)).
  CHECK_THAT(replay_wait_probability(0.15865525393145707, 1e8),
             WithinRel(1 / (1 + 0.84134474606854293 / 0.24197072451914337), 1e-3));
  CHECK(replay_wait_probability(0.6, 100) == 1);
  CHECK(replay_wait_probability(1, 100) == 1);
  CHECK(replay_wait_probability(0, 100) == 0);
}

TEST_CASE("more wait than find no room", "[queue][property]") {
  for (const double servers : {0.5, 6.0, 500.0}) {
    double before = 0;
    for (double bound = 1e-12; bound < 1; bound *= 1.7) {
      const double p = replay_wait_probability(bound, servers);
      CHECK(p >= bound * (1 - 1e-12));
      CHECK(p >= before);
      before = p;
    }
  }
}

TEST_CASE("endless pools refuse what is none", "[queue][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto pool_of = [](std::vector<trace_job> jobs) { return endless_pool_of(jobs); };
  CHECK_THROWS_WITH(pool_of({{.gpus = 0}}), "trace_job: gpus must be >= 1");
  CHECK_THROWS_WITH(pool_of({{.submit = 1 * second}, {}}),
                    "endless_pool_of: jobs must be in the order of submission");
  CHECK_THROWS_WITH(endless_pool{}.without_room(-1), "without_room: gpus must be >= 0");
  CHECK_THROWS_WITH(replay_wait_probability(0.1, nan),
                    "replay_wait_probability: servers must be > 0 and finite");
  CHECK_THROWS_WITH(replay_wait_probability(nan, 1),
                    "replay_wait_probability: without_room must be from 0 to 1");
  CHECK_THROWS_AS(replay_wait_probability(1.1, 1), invalid_input);
}

}  // namespace
}  // namespace gpuplan
