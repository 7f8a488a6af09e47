#include <gpuplan/memory/breakdown.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/random_job.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr memory_breakdown parts{.model = 3 * GB,
                                 .optimizer = 12 * GB,
                                 .activation = 32.6 * GB,
                                 .gradient = 3 * GB,
                                 .workspace = 0 * GB};
static_assert(parts.share(parts.optimizer) == 12 * GB / parts.total());
static_assert(bound_of(parts) == memory_bound::activations);
static_assert(bound_of({.model = 3 * GB, .optimizer = 12 * GB, .activation = 8 * GB}) ==
              memory_bound::states);
static_assert(bound_of({.model = 1 * GB, .workspace = 2 * GB}) == memory_bound::workspace);
static_assert(memory_breakdown{}.share(0 * GB) == 0);

TEST_CASE("five parts are all of a stage", "[memory][property]") {
  testing::check_property("parts of a stage", [] {
    const testing::random_job at = testing::random_job_any();
    recipe how = at.recipe;
    how.gradients_live = *rc::gen::element(gradient_lifetime::always, gradient_lifetime::backward);
    const stage_footprint stage = memory_footprint(at.model, how, at.parallelism).worst_stage();
    const memory_breakdown held = breakdown_of(stage);
    RC_ASSERT(std::abs(held.total() / stage.total() - 1) < 1e-12);
    RC_ASSERT(held.activation >= -1e-9 * stage.total());
    RC_ASSERT(held.model > bytes{0} && held.workspace > bytes{0} && held.gradient >= bytes{0});
  });
}

}  // namespace
}  // namespace gpuplan
