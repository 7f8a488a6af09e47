#include <gpuplan/plan/pipeline_bubble.hpp>

#include <cmath>

#include "support/property.hpp"

namespace gpuplan {
namespace {

static_assert(pipeline_bubble(8, 32) == 0.21875, "the source document's case, of the ideal time");
static_assert(pipeline_bubble(1, 1) == 0);
static_assert(pipeline_bubble(8, 32, 2) == pipeline_bubble(8, 32) / 2);

static_assert(bubble_of_step(8, 32) == 7.0 / 39, "the same case, of the whole step");
static_assert(bubble_of_step(4, 1) == 0.75, "without micro-batches one stage in four works");
static_assert(bubble_of_step(1, 5) == 0);
static_assert(bubble_of_step(8, 32, 2) == 7.0 / 71);

static_assert(bubble_share(pipeline_schedule::gpipe, 8) == 1);
static_assert(bubble_share(pipeline_schedule::zero_bubble_h2, 8) == 0);
static_assert(bubble_share(pipeline_schedule::dualpipe, 8) == 6.0 / 21);
static_assert(bubble_share(pipeline_schedule::zero_bubble_h1, 8, {10, 11, 9}) == 12.0 / 30);
static_assert(bubble_share(pipeline_schedule::zero_bubble_h2, 8, {10, 11, 9}) == 3.0 / 30);
static_assert(bubble_share(pipeline_schedule::zero_bubble_h2, 8, {1, 1, 2}) == 0, "never below");
static_assert(bubble_share(pipeline_schedule::dualpipe, 1, {1, 1, 9}) == 0, "no stage waits");
static_assert(bubble_share_of(pipeline_schedule::zero_bubble_v, 8, 7) == 1.0 / 7,
              "one place of eight is idle");
static_assert(bubble_share_of(pipeline_schedule::zero_bubble_v, 8, 1) == 1, "all but one are");
static_assert(bubble_share_of(pipeline_schedule::zero_bubble_v, 8, 8) == 0);
static_assert(bubble_share_of(pipeline_schedule::zero_bubble_h1, 8, 3) == 1, "never above 1F1B");
static_assert(bubble_share_of(pipeline_schedule::zero_bubble_h2, 8, 14) == 1.0 / 7);
static_assert(bubble_share_of(pipeline_schedule::zero_bubble_h2, 8, 15) == 0);
static_assert(bubble_share_of(pipeline_schedule::dualpipe, 8, 15) == 6.0 / 21 + 1.0 / 7);
static_assert(bubble_share_of(pipeline_schedule::dualpipe, 8, 16) == 6.0 / 21);
static_assert(bubble_share_of(pipeline_schedule::gpipe, 8, 1) == 1);

static_assert(coarse_model_parallel_time(seconds{800}, 8, 8, seconds{3.125}) == seconds{121.875});

TEST_CASE("the coarse time is that of the bubble of a micro-batch", "[plan][property]") {
  testing::check_property("with as many stages as devices", [] {
    const int stages = *rc::gen::inRange(1, 100);
    const int micro_batches = *rc::gen::inRange(1, 1000);
    const seconds compute{*rc::gen::inRange(1, 100000) * 1e-2};
    const seconds one = compute / stages / micro_batches;
    const double by_share = 1 + pipeline_bubble(stages, micro_batches);
    const seconds time = coarse_model_parallel_time(compute, stages, stages, one);
    RC_ASSERT(std::abs(time / (compute / stages * by_share) - 1) < 1e-12);
  });
}

TEST_CASE("pipeline_bubble refuses what its documentation refuses", "[plan][errors]") {
  CHECK_THROWS_AS(pipeline_bubble(0, 1), invalid_input);
  CHECK_THROWS_AS(pipeline_bubble(1, 0), invalid_input);
  CHECK_THROWS_AS(pipeline_bubble(1, 1, 0), invalid_input);
  CHECK_THROWS_AS(bubble_of_step(0, 1), invalid_input);
  CHECK_THROWS_AS(bubble_of_step(2, 0.5), invalid_input);
  CHECK_THROWS_AS(bubble_of_step(2, 1, 0), invalid_input);
  CHECK_THROWS_AS(coarse_model_parallel_time(seconds{-1}, 1, 1, seconds{0}), invalid_input);
  CHECK_THROWS_AS(coarse_model_parallel_time(seconds{1}, 0, 1, seconds{0}), invalid_input);
  CHECK_THROWS_AS(coarse_model_parallel_time(seconds{1}, 1, 0, seconds{0}), invalid_input);
  CHECK_THROWS_AS(coarse_model_parallel_time(seconds{1}, 1, 1, seconds{-1}), invalid_input);
  CHECK_THROWS_AS(bubble_share(pipeline_schedule::gpipe, 0), invalid_input);
  CHECK_THROWS_AS(bubble_share(pipeline_schedule{99}, 2), invalid_input);
  CHECK_THROWS_AS(micro_batches_of_schedule(pipeline_schedule{99}, 2), invalid_input);
  CHECK_THROWS_AS(micro_batches_of_schedule(pipeline_schedule::gpipe, 0), invalid_input);
  CHECK_THROWS_AS(bubble_share_of(pipeline_schedule{99}, 2, 8), invalid_input);
  CHECK_THROWS_AS(bubble_share(pipeline_schedule::gpipe, 2, {.forward = 0}), invalid_input);
  CHECK_THROWS_AS(bubble_share(pipeline_schedule::gpipe, 2, {.input_gradient = -1}), invalid_input);
  CHECK_THROWS_AS(bubble_share(pipeline_schedule::gpipe, 2, {.weight_gradient = -1}),
                  invalid_input);
}

}  // namespace
}  // namespace gpuplan
