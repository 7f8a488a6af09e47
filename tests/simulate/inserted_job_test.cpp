#include <gpuplan/simulate/inserted_job.hpp>

#include <cstddef>
#include <limits>
#include <vector>

#include <gpuplan/queue/gang/arriving_gang.hpp>
#include <gpuplan/queue/gang/residual.hpp>
#include <gpuplan/simulate/job_source.hpp>
#include <gpuplan/simulate/saturated.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

/// Two jobs hold two GPUs from 0 to 10 s and from 10 s to 20 s; a third of one comes at 20 s.
const std::vector<trace_job> one_after_another{
    {.submit = 0 * second, .duration = 10 * second, .gpus = 2},
    {.submit = 0 * second, .duration = 10 * second, .gpus = 2},
    {.submit = 20 * second, .duration = 10 * second, .gpus = 1}};

std::vector<double> waits_on(std::int64_t pool, const trace_job& job, const pool_policy& policy,
                             const insertion_plan& plan) {
  std::vector<double> waits;
  for (const seconds wait : inserted_waits(one_after_another, job, pool, policy, plan))
    waits.push_back(wait / second);
  return waits;
}

TEST_CASE("a job put into a trace, by hand", "[simulate][reference]") {
  const insertion_plan plan{.times = 2, .warm_up = 0};  // at 5 s and 15 s
  const trace_job one{.duration = 4 * second, .gpus = 1};
  CHECK(waits_on(2, one, {}, plan) == std::vector<double>{15, 5});
  CHECK(waits_on(3, one, {}, plan) == std::vector<double>{5, 0});
  CHECK(waits_on(3, one, {.backfill = backfilling::easy}, plan) == std::vector<double>{0, 0});
  CHECK(waits_on(3, {.duration = 4 * second, .gpus = 3}, {}, plan) == std::vector<double>{15, 5});
  // Warmed up for half of the trace: at 12.5 s and 17.5 s.
  CHECK(waits_on(2, one, {}, {.times = 2, .warm_up = 0.5}) == std::vector<double>{7.5, 2.5});
  // A job that was submitted at another time is the same.
  CHECK(waits_on(2, {.submit = 99 * second, .duration = 1 * second}, {}, plan) ==
        std::vector<double>{15, 5});
}

TEST_CASE("only jobs around count where the trace is long", "[simulate][reference]") {
  const trace_job one{.duration = 4 * second, .gpus = 1};
  CHECK(waits_on(2, one, {}, {.times = 1, .warm_up = 0.5, .before = 1}) ==
        std::vector<double>{0});  // at 15 s, where only the second job from 0 s is known
  CHECK(waits_on(2, one, {}, {.times = 1, .warm_up = 0.5, .before = 2}) == std::vector<double>{5});
  // Shortest first, one that comes later goes before, if it is looked at.
  const std::vector<trace_job> jobs{{.submit = 0 * second, .duration = 10 * second},
                                    {.submit = 8 * second, .duration = 1 * second}};
  const trace_job longer{.duration = 3 * second};
  const pool_policy shortest{.order = job_order::shortest_job};
  const insertion_plan all{.times = 1, .warm_up = 0};
  CHECK(inserted_waits(jobs, longer, 1, shortest, all)[0] == 7 * second);
  CHECK(inserted_waits(jobs, longer, 1, shortest, {.times = 1, .warm_up = 0, .after = 0})[0] ==
        6 * second);
}

TEST_CASE("a job in a random trace waits as the formula says", "[simulate][property]") {
  const std::vector<gang_class> classes{{.gpus = 1, .share = 0.7, .mean_duration = 1 * hour},
                                        {.gpus = 8, .share = 0.3, .mean_duration = 1 * hour}};
  const per_second rate = 16 / hour;
  std::vector<trace_job> trace(200'000);
  random_numbers random{5};
  fill_with_poisson_jobs(std::span<trace_job>{trace}, drawn_gangs{classes}, rate, random);
  const std::vector<int> sizes{8, 32, 64};
  const saturation limit = saturation_of(
      saturated_run(drawn_gangs{classes}, mix_of(classes).work, 64, {.jobs = 100'000}));
  const arriving_gangs formula = arriving_gang_waits({rate, classes, 64}, limit, sizes);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::vector<seconds> waits =
        inserted_waits(trace, {.duration = 100 * hour, .gpus = sizes[i]}, 64, {},
                       {.times = 400, .before = 2000, .after = 0});
    seconds mean{0};
    for (const seconds wait : waits) mean += wait / 400.0;
    INFO(sizes[i] << " GPUs: " << mean / hour << " h simulated, " << formula.waits[i].mean() / hour
                  << " h by formula");
    CHECK_THAT(mean / hour, WithinRel(formula.waits[i].mean() / hour, 0.25));
  }
}

TEST_CASE("a job that cannot be put into a trace", "[simulate][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const trace_job one{.duration = 4 * second, .gpus = 1};
  CHECK_THROWS_WITH(inserted_waits({}, one, 2), "inserted_waits: jobs must be >= 1");
  CHECK_THROWS_WITH(inserted_waits(one_after_another, {.gpus = 3}, 2),
                    "inserted_waits: gpus of the job must be <= those of the pool");
  CHECK_THROWS_WITH(waits_on(2, one, {}, {.times = 0}), "insertion_plan.times must be >= 1");
  for (const double share : {-0.1, 1.0, nan})
    CHECK_THROWS_WITH(waits_on(2, one, {}, {.warm_up = share}),
                      "insertion_plan.warm_up must be >= 0 and < 1");
  CHECK_THROWS_WITH(waits_on(2, one, {}, {.before = -1}), "insertion_plan.before must be >= 0");
  CHECK_THROWS_WITH(waits_on(2, one, {}, {.after = -1}), "insertion_plan.after must be >= 0");
  CHECK_THROWS_WITH(waits_on(2, {.duration = nan * second}, {}, {}),
                    "trace_job: duration must be >= 0 s and finite");
}

}  // namespace
}  // namespace gpuplan
