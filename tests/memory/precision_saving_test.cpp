#include <gpuplan/memory/precision_saving.hpp>

#include <limits>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

static_assert(precision_saving({.static_single = 16 * GB, .static_mixed = 16 * GB}) == 0,
              "Adam's master copy takes what the weights give");
static_assert(precision_saving({.activations_single = 8 * GB, .activations_mixed = 4 * GB}) == 0.5,
              "half where activations are all");
static_assert(precision_saving({16 * GB, 16 * GB, 16 * GB, 8 * GB}) == 0.25);
static_assert(precision_saving({16 * GB, 18 * GB, 0 * GB, 0 * GB}) < 0,
              "FP32 gradients beside BF16 weights cost two bytes more");

TEST_CASE("precision_saving refuses what its documentation refuses", "[memory][errors]") {
  const bytes nan{std::numeric_limits<double>::quiet_NaN()};
  CHECK_THROWS_AS(precision_saving({}), invalid_input);
  CHECK_THROWS_AS(precision_saving({.static_single = nan}), invalid_input);
  CHECK_THROWS_AS(precision_saving({-1 * GB, 1 * GB, 1 * GB, 1 * GB}), invalid_input);
  CHECK_THROWS_AS(precision_saving({1 * GB, -1 * GB, 1 * GB, 1 * GB}), invalid_input);
  CHECK_THROWS_AS(precision_saving({1 * GB, 1 * GB, -1 * GB, 1 * GB}), invalid_input);
  CHECK_THROWS_AS(precision_saving({1 * GB, 1 * GB, 1 * GB, -1 * GB}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
