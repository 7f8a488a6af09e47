#include <gpuplan/calibrate/gpu_mix.hpp>

#include <cmath>
#include <vector>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

const std::vector<trace_job> four{
    {.submit = 0 * second, .duration = 100 * second, .gpus = 8},
    {.submit = 10 * second, .duration = 20 * second, .gpus = 1},
    {.submit = 20 * second, .duration = 300 * second, .gpus = 8},
    {.submit = 30 * second, .duration = 0 * second, .gpus = 2},
};

TEST_CASE("classes by GPUs, and moments of GPUs and durations together", "[calibrate]") {
  const gpu_mix mix = gpu_mix_of(four);
  REQUIRE(mix.classes.size() == 3);
  CHECK(mix.classes[0].gpus == 1);
  CHECK(mix.classes[1].gpus == 2);
  CHECK(mix.classes[1].mean == 0 * second);
  CHECK(mix.classes[1].squared_variation() == 0);
  CHECK(mix.classes[2].jobs == 2);
  CHECK(mix.classes[2].mean == 200 * second);
  CHECK_THAT(mix.classes[2].squared_variation(), WithinRel(0.25, 1e-14));

  CHECK(mix.jobs == 4);
  CHECK(mix.moments.gpus == 19.0 / 4);
  CHECK(mix.moments.duration == 105 * second);
  CHECK(mix.moments.work == 3220.0 / 4 * second);
  CHECK(mix.moments.squared_gpus_duration == (6400 + 20 + 19200) / 4.0 * second);
  CHECK(mix.moments.squared_work == (640000 + 400 + 5760000) / 4.0 * second * second);
  CHECK_THAT(mix.moments.peakedness(), WithinRel(25620.0 / 3220, 1e-14));
  CHECK_THAT(mix.work_variation(), WithinRel(6400400.0 * 4 / (3220.0 * 3220) - 1, 1e-14));
  CHECK_THAT(offered_gpus(four), WithinRel(0.1 * 805, 1e-14));
}

TEST_CASE("jobs up to a size keep a part of the GPUs busy", "[calibrate][reference]") {
  // Four jobs in three gaps of 10 s: the GPU-seconds over 30 s, times 3/4.
  const std::vector<trace_job> jobs{{.submit = 0 * second, .duration = 10 * second},
                                    {.submit = 10 * second, .duration = 20 * second, .gpus = 2},
                                    {.submit = 20 * second, .duration = 30 * second, .gpus = 2},
                                    {.submit = 30 * second, .duration = 40 * second, .gpus = 8}};
  const gpu_mix mix = gpu_mix_of(jobs);
  const per_second rate = arrival_rate(jobs);
  CHECK_THAT(offered_gpus_up_to(mix, rate, 1), WithinRel(10 / 30.0 * 0.75, 1e-14));
  CHECK_THAT(offered_gpus_up_to(mix, rate, 7), WithinRel(110 / 30.0 * 0.75, 1e-14));
  CHECK_THAT(offered_gpus_up_to(mix, rate, 8), WithinRel(430 / 30.0 * 0.75, 1e-14));
  CHECK(offered_gpus_up_to(mix, rate, 8) == offered_gpus(jobs));
  CHECK(offered_gpus_up_to(mix, rate, 0) == 0);
}

TEST_CASE("more GPUs for longer: the correlation of logarithms", "[calibrate]") {
  std::vector<trace_job> jobs;
  for (int power = 0; power < 6; ++power)
    jobs.push_back({.duration = std::pow(3.0, power) * minute, .gpus = 1 << power});
  CHECK_THAT(gpu_mix_of(jobs).log_correlation, WithinRel(1, 1e-12));
  for (trace_job& job : jobs) job.duration = 1 / (job.duration / minute) * minute;
  CHECK_THAT(gpu_mix_of(jobs).log_correlation, WithinRel(-1, 1e-12));
  for (trace_job& job : jobs) job.gpus = 4;
  CHECK(gpu_mix_of(jobs).log_correlation == 0);
  CHECK(gpu_mix_of(jobs).moments.peakedness() == 4);
}

TEST_CASE("mixes without jobs or work are refused", "[calibrate][errors]") {
  CHECK_THROWS_WITH(gpu_mix_of({}), "gpu_mix_of: jobs must be >= 1 and not all of 0 s");
  CHECK_THROWS_AS(gpu_mix_of(std::vector<trace_job>{{.duration = 0 * second}}), invalid_input);
  CHECK_THROWS_AS(gpu_mix_of(std::vector<trace_job>{{.duration = 1 * second, .gpus = 0}}),
                  invalid_input);
  CHECK_THROWS_AS(offered_gpus(std::vector<trace_job>{{.duration = 1 * second}}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
