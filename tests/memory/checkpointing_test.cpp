#include <gpuplan/memory/checkpointing.hpp>

#include <cmath>
#include <limits>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr checkpointed_chain hundred{.layers = 100, .input = 1 * GB, .layer = 1 * GB};
static_assert(checkpoint_nothing(hundred).total() == 100 * GB);
static_assert(checkpoint_nothing(hundred).extra_flop() == 0);
static_assert(checkpoint_every(hundred, 10).total() == 19 * GB,
              "T. Chen et al. (2016): 2 sqrt(n), one shared");
static_assert(best_checkpoint_interval(hundred) == 10, "sqrt(n)");
static_assert(checkpoint_every(hundred, 10).extra_flop() == 1.0 / 3, "a third of a step");
static_assert(checkpoint_every({.layers = 7, .input = 1 * GB, .layer = 5 * GB}, 3).total() ==
                  (3 + 15 - 1) * GB,
              "three blocks, the last of one layer");
static_assert(checkpoint_every(hundred, 1000).total() == 100 * GB);
static_assert(checkpoint_first(hundred, 0).total() == 100 * GB);
static_assert(checkpoint_first({.layers = 10, .input = 1 * GB, .layer = 5 * GB}, 10).total() ==
              14 * GB);
static_assert(checkpoint_first(hundred, 50).forward_again == 0.5);

TEST_CASE("the best interval is the best of all, and near sqrt(n x/a)", "[memory][property]") {
  testing::check_property("best interval", [] {
    const double input = *rc::gen::inRange(1, 100);
    const double factor = *rc::gen::inRange(1, 50);
    const checkpointed_chain chain{
        .layers = *rc::gen::inRange(1, 300), .input = input * MB, .layer = factor * input * MB};
    const int best = best_checkpoint_interval(chain);
    for (int every = 1; every <= chain.layers; ++every)
      RC_ASSERT(checkpoint_every(chain, best).total() <= checkpoint_every(chain, every).total());
    const double ideal = std::sqrt(chain.layers / factor);
    const double bound = 2 * std::sqrt(chain.layers * factor) * input + factor * input + input;
    RC_ASSERT(checkpoint_every(chain, best).total() <= bound * MB);
    RC_ASSERT(best <= 2 * ideal + 2);
  });
}

TEST_CASE("checkpointing refuses what its documentation refuses", "[memory][errors]") {
  CHECK_THROWS_AS(checkpoint_every(hundred, 0), invalid_input);
  CHECK_THROWS_AS(checkpoint_every({.layers = 0}, 1), invalid_input);
  CHECK_THROWS_AS(checkpoint_every({.layers = 1, .input = -1 * GB, .layer = 1 * GB}, 1),
                  invalid_input);
  CHECK_THROWS_AS(checkpoint_every({.layers = 1, .input = 2 * GB, .layer = 1 * GB}, 1),
                  invalid_input);
  CHECK_THROWS_AS(checkpoint_first(hundred, 101), invalid_input);
  CHECK_THROWS_AS(checkpoint_first(hundred, -1), invalid_input);
  const bytes nan{std::numeric_limits<double>::quiet_NaN()};
  CHECK_THROWS_AS(checkpoint_nothing({.layers = 1, .input = nan, .layer = nan}), invalid_input);
  CHECK_THROWS_AS(best_checkpoint_interval({.layers = 0}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
