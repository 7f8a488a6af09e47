#include <gpuplan/memory/stage_footprint.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr stage_footprint stage{.states = {.weights = 2 * GB,
                                           .gradients = 4 * GB,
                                           .master_weights = 4 * GB,
                                           .optimizer = 8 * GB},
                                .framework = 1 * GB,
                                .activations = 10 * GB,
                                .head = 1 * GB,
                                .logits = 6 * GB,
                                .head_gradients = 2 * GB,
                                .recomputed = 1 * GB,
                                .layer_gradients = 3 * GB,
                                .cuda_context = 500 * MB,
                                .communicators = 500 * MB,
                                .fragmentation = 1 * GB};
static_assert(stage.resident() == 19 * GB);
static_assert(stage.at(moment::loss) == 36 * GB);
static_assert(stage.at(moment::head_backward) == 32 * GB);
static_assert(stage.at(moment::layer_backward) == 33 * GB);
static_assert(stage.at(moment::optimizer_step) == 19 * GB);
static_assert(stage.peak_moment() == moment::loss);
static_assert(stage.peak() == 36 * GB && stage.allocator_peak() == stage.peak());
static_assert(stage.total() == 38 * GB && stage.device_total() == stage.total());

constexpr stage_footprint copied = [] {
  stage_footprint at = stage;
  at.gradient_copy = 20 * GB;
  return at;
}();
static_assert(copied.resident() == 39 * GB, "the copy lives until gradients are zeroed");
static_assert(copied.at(moment::loss) == stage.at(moment::loss), "which is before the next step");
static_assert(copied.peak_moment() == moment::optimizer_step);

constexpr stage_footprint freed = [] {
  stage_footprint at = stage;
  at.gradients_freed = at.gradients_to_come = at.states.gradients;
  return at;
}();
static_assert(freed.resident() == 15 * GB);
static_assert(freed.at(moment::loss) == 32 * GB, "the first backward pass has yet to make them");
static_assert(freed.at(moment::optimizer_step) == 19 * GB);

TEST_CASE("a moment outside its enumeration is refused", "[memory][errors]") {
  CHECK_THROWS_AS(stage.at(static_cast<moment>(99)), invalid_input);
}

}  // namespace
}  // namespace gpuplan
