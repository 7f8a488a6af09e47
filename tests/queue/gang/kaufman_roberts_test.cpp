#include <gpuplan/queue/gang/kaufman_roberts.hpp>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <gpuplan/queue/continuous_erlang.hpp>
#include <gpuplan/queue/erlang.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

TEST_CASE("two sizes of gangs on two GPUs, by hand", "[queue][reference]") {
  // w = 1, a_1, a_1^2/2 + a_2
  const std::vector<gang_load> loads{{1, 1}, {2, 0.5}};
  const std::vector<double> law = kaufman_roberts(loads, 2);
  CHECK_THAT(law[0], WithinRel(1 / 3.0, 1e-15));
  CHECK_THAT(law[1], WithinRel(1 / 3.0, 1e-15));
  CHECK_THAT(law[2], WithinRel(1 / 3.0, 1e-15));
  CHECK_THAT(gang_blocking(law, 1), WithinRel(1 / 3.0, 1e-15));
  CHECK_THAT(gang_blocking(law, 2), WithinRel(2 / 3.0, 1e-15));
  CHECK(gang_blocking(law, 3) == 1);
}

TEST_CASE("one GPU a job is Erlang B", "[queue][reference]") {
  for (const int gpus : {1, 8, 500, 50000})
    for (const double load : {0.5, 0.9, 1.2}) {
      const std::vector<gang_load> loads{{1, load * gpus}};
      CHECK_THAT(gang_blocking(kaufman_roberts(loads, gpus), 1),
                 WithinRel(continuous_erlang_b(gpus, load * gpus), 1e-11));
    }
}

TEST_CASE("gangs of eight are Erlang B of an eighth of the GPUs", "[queue][limits]") {
  const std::vector<gang_load> loads{{8, 20}};
  const std::vector<double> law = kaufman_roberts(loads, 207);
  CHECK_THAT(gang_blocking(law, 8), WithinRel(erlang_b(25, 20), 1e-13));
  CHECK(law[201] == 0);
}

TEST_CASE("the GPUs that are busy are those of the jobs that fit", "[queue][property]") {
  const std::vector<gang_load> loads{{1, 100}, {4, 30}, {64, 5}, {512, 1}};
  const std::vector<double> law = kaufman_roberts(loads, 900);
  CHECK_THAT(std::accumulate(law.begin(), law.end(), 0.0), WithinRel(1, 1e-13));
  double busy = 0;
  for (std::size_t j = 0; j < law.size(); ++j) busy += static_cast<double>(j) * law[j];
  double fits = 0;
  for (const gang_load& load : loads)
    fits += load.jobs * load.gpus * (1 - gang_blocking(law, load.gpus));
  CHECK_THAT(busy, WithinRel(fits, 1e-12));
}

TEST_CASE("a load beyond all measure keeps the pool full", "[queue][limits]") {
  const double jobs = GENERATE(1e60, 1e100, 1e200, 9e299);
  for (const int gpus : {1, 8, 100, 1001}) {
    INFO(jobs << " jobs, " << gpus << " GPUs");
    // Of j GPUs in use w(j) is a^j/j!, so that one less is gpus / a times as likely.
    const std::vector<double> singles = kaufman_roberts(std::vector<gang_load>{{1, jobs}}, gpus);
    CHECK(singles.back() == 1);
    CHECK_THAT(singles[singles.size() - 2], WithinRel(gpus / jobs, 1e-12));
    CHECK(gang_blocking(singles, 1) == 1);

    const std::vector<double> eights = kaufman_roberts(std::vector<gang_load>{{8, jobs}}, gpus);
    CHECK(eights[static_cast<std::size_t>(gpus / 8 * 8)] == 1);
    CHECK(std::accumulate(eights.begin(), eights.end(), 0.0) == 1);

    // Of both most are of the smaller: w(j) has a power of a for each job.
    const std::vector<double> both =
        kaufman_roberts(std::vector<gang_load>{{8, jobs}, {1, jobs}}, gpus);
    CHECK(both.back() == 1);
    CHECK(std::accumulate(both.begin(), both.end() - 1, 0.0) < 1e-50);
  }
}

TEST_CASE("what classes offer", "[queue][reference]") {
  const std::vector<gang_class> classes{{.gpus = 1, .share = 3, .mean_duration = 1 * hour},
                                        {.gpus = 8, .share = 1, .mean_duration = 2 * hour}};
  const std::vector<gang_load> loads = gang_loads(classes, 8 / hour);
  CHECK(loads[0].gpus == 1);
  CHECK_THAT(loads[0].jobs, WithinRel(6, 1e-14));
  CHECK(loads[1].gpus == 8);
  CHECK_THAT(loads[1].jobs, WithinRel(4, 1e-14));
}

TEST_CASE("busy GPUs refuse what is none", "[queue][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto law_of = [](gang_load load, int gpus) {
    return kaufman_roberts(std::vector<gang_load>{load}, gpus);
  };
  CHECK_THROWS_WITH(law_of({0, 1}, 8), "gang_load.gpus must be >= 1");
  CHECK_THROWS_WITH(law_of({1, nan}, 8), "gang_load.jobs must be >= 0 erlang and finite");
  CHECK_THROWS_WITH(law_of({1, 1}, -1), "kaufman_roberts: gpus must be >= 0");
  CHECK_THROWS_WITH(gang_blocking({}, 1), "gang_blocking: law must not be empty");
  CHECK_THROWS_WITH(gang_blocking(law_of({1, 1}, 2), 0), "gang_blocking: gpus must be >= 1");
  CHECK_THROWS_WITH(gang_loads({}, 1 / hour), "gangs: classes must be >= 1");
  const std::vector<gang_class> one{{.mean_duration = 1 * hour}};
  CHECK_THROWS_WITH(gang_loads(one, nan / hour), "gang_loads: arrival_rate must be >= 0 /s");
}

}  // namespace
}  // namespace gpuplan
