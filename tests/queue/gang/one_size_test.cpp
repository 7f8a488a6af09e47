#include <gpuplan/queue/gang/one_size.hpp>

#include <vector>

#include <gpuplan/queue/gang/arriving_gang.hpp>
#include <gpuplan/queue/gang/backfill.hpp>
#include <gpuplan/queue/gang/gang.hpp>
#include <gpuplan/queue/ggc.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

std::vector<gang_class> eights(double variability = 1) {
  return {{.gpus = 8, .share = 0.5, .mean_duration = 10 * hour, .variability = variability},
          {.gpus = 8, .share = 0.5, .mean_duration = 10 * hour, .variability = variability}};
}

/// What a simulation would say that was off by chance.
saturation off_by_chance(int gpus) {
  return {0.98 * gpus / (80 * hour), 0.98 * gpus, 1.2};
}

TEST_CASE("gangs of one size are jobs of servers", "[queue][reference]") {
  const std::vector<gang_class> classes = eights();
  const auto found = one_size_of({4 / hour, classes, 350});
  REQUIRE(found);
  CHECK(found->gpus == 8);
  CHECK(found->jobs.servers == 43);
  CHECK(found->jobs.mean_service == 10 * hour);
  CHECK(found->variability == 1);
  CHECK(found->limit().busy == 344);
  CHECK_THAT(found->limit().rate * hour, WithinRel(4.3, 1e-15));
  CHECK(found->limit().dispersion == 1);
}

TEST_CASE("durations of all classes vary together", "[queue][reference]") {
  // 1 h and 3 h, as often, each the same every time: mean 2 h, variance 1 h^2.
  const std::vector<gang_class> classes{{.gpus = 2, .mean_duration = 1 * hour, .variability = 0},
                                        {.gpus = 2, .mean_duration = 3 * hour, .variability = 0}};
  const auto found = one_size_of({1 / hour, classes, 9});
  REQUIRE(found);
  CHECK(found->jobs.servers == 4);
  CHECK_THAT(found->jobs.mean_service / hour, WithinRel(2.0, 1e-15));
  CHECK_THAT(found->variability, WithinRel(0.25, 1e-14));
}

TEST_CASE("gangs of several sizes, too large, or of a law of their own are none",
          "[queue][limits]") {
  const auto is_one = [](std::vector<gang_class> classes, int gpus) {
    return one_size_of({1 / hour, classes, gpus}).has_value();
  };
  CHECK(is_one(eights(), 8));
  CHECK_FALSE(is_one(eights(), 7));
  CHECK_FALSE(is_one({{.gpus = 1, .mean_duration = hour}, {.gpus = 2, .mean_duration = hour}}, 8));
  CHECK_FALSE(is_one({{.gpus = 8}}, 8));  // of 0 s
  CHECK_FALSE(is_one({{.gpus = 8, .mean_duration = hour, .durations = {{hour, 1}}}}, 8));
  CHECK_THROWS_AS(is_one({}, 8), invalid_input);
}

TEST_CASE("the wait of gangs of one size is exact, whatever was simulated", "[queue][limits]") {
  const int gpus = GENERATE(350, 344, 8000);
  const std::vector<gang_class> classes = eights();
  const gang_workload jobs{gpus * 0.9 / (80 * hour), classes, gpus};
  const waiting exact = wait({jobs.arrival_rate, 10 * hour, gpus / 8});
  for (const backfilling backfill :
       {backfilling::none, backfilling::easy, backfilling::conservative, backfilling::first_fit}) {
    const gang_waiting found = gang_wait(jobs, off_by_chance(gpus), backfill);
    CHECK_THAT(found.wait.mean / hour, WithinRel(exact.mean / hour, 1e-9));
    CHECK_THAT(found.wait.probability, WithinRel(exact.probability, 1e-9));
    CHECK(found.trust == gang_trust::exact);
    CHECK(found.limit.busy == gpus / 8 * 8);
    CHECK_THAT(found.offered_gpus, WithinRel(0.9 * gpus, 1e-12));
    CHECK(found.peakedness == 8);
  }
}

TEST_CASE("a gang of the one size waits as the jobs do", "[queue][limits]") {
  const std::vector<gang_class> classes = eights();
  const gang_workload jobs{3 / hour, classes, 330};
  const waiting exact = wait({3 / hour, 10 * hour, 41});
  const std::vector<int> sizes{4, 8, 16};
  for (const backfilling backfill : {backfilling::none, backfilling::easy}) {
    const arriving_gangs found = arriving_gang_waits(jobs, off_by_chance(330), sizes, backfill);
    CHECK_THAT(found.waits[1].mean() / hour, WithinRel(exact.mean / hour, 1e-9));
    CHECK_THAT(found.waits[1].probability, WithinRel(exact.probability, 1e-9));
    CHECK(found.waits[2].mean() > found.waits[1].mean());
  }
}

TEST_CASE("gangs of one size by two moments", "[queue][reference]") {
  const auto found = [](double variability, int gpus, double rate) {
    const std::vector<gang_class> classes = eights(variability);
    return gang_wait({rate / hour, classes, gpus}, off_by_chance(gpus));
  };
  const general_waiting general = general_wait({3 / hour, 10 * hour, 40}, {.service = 4});
  CHECK(found(4, 320, 3).wait.mean == general.wait.mean);
  CHECK(found(4, 320, 3).trust == gang_trust::two_moments);
  CHECK(found(9, 320, 3).trust == gang_trust::heavy_tail);
  CHECK(found(0, 320, 3).trust == gang_trust::exact);
  CHECK(found(1, 320, 4).trust == gang_trust::overload);
  CHECK_FALSE(found(1, 320, 4).wait.stable());
  CHECK(found(1, 320, 0).wait.mean == 0 * second);
}

}  // namespace
}  // namespace gpuplan
