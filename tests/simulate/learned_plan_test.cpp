#include <gpuplan/simulate/learned_plan.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gpuplan/queue/markov_decision.hpp>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

// Broken, a machine costs 10 an hour.  Repair takes an hour, or half of one for 4 more an hour.
const std::array machine{markov_option{0, 0, {{1, 1 / hour}}},
                         markov_option{1, 10, {{0, 1 / hour}}},
                         markov_option{1, 14, {{0, 2 / hour}}}};

TEST_CASE("a learner finds the repair that pays", "[simulate][cross-check]") {
  const markov_plan exact = best_markov_plan(2, machine);
  const markov_plan learned = learned_markov_plan(2, machine);
  CHECK(learned.option == exact.option);
  CHECK_THAT(learned.mean_cost, WithinRel(exact.mean_cost, 0.01));
}

TEST_CASE("the mean is that of the learner's own choices, and the same for a seed", "[simulate]") {
  // Rates and costs far apart: early mistakes and trials would show in the mean.
  const std::array uneven{markov_option{0, 0, {{1, 0.45 / hour}}},
                          markov_option{1, 80, {{0, 0.05 / hour}}},
                          markov_option{1, 1, {{0, 3 / hour}}}};
  const double exact = best_markov_plan(2, uneven).mean_cost;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    CAPTURE(seed);
    const double mean = learned_markov_plan(2, uneven, {.seed = seed}).mean_cost;
    CHECK_THAT(mean, WithinRel(exact, 0.01));
    CHECK(learned_markov_plan(2, uneven, {.seed = seed}).mean_cost == mean);
  }
}

TEST_CASE("who mostly tries learns the choices, too", "[simulate][limits]") {
  const markov_plan exact = best_markov_plan(2, machine);
  const markov_plan learned = learned_markov_plan(2, machine, {.exploration = 0.99});
  CHECK(learned.option == exact.option);
  CHECK_THAT(learned.mean_cost, WithinRel(exact.mean_cost, 0.1));
}

TEST_CASE("what is learned costs no less than the exact plan", "[simulate][property]") {
  testing::check_property("a random model of three states", [] {
    std::vector<markov_option> options;
    for (int state = 0; state < 3; ++state)
      for (int choice = 0; choice < 2; ++choice) {
        markov_option option{.state = state, .cost = 1.0 * *rc::gen::inRange(0, 20)};
        for (int to = 0; to < 3; ++to)
          if (to != state) option.moves.emplace_back(to, *rc::gen::inRange(1, 10) / hour);
        options.push_back(option);
      }
    const markov_plan exact = best_markov_plan(3, options);
    const markov_plan learned = learned_markov_plan(3, options, {.steps = 100'000});
    // The cost of what was chosen, by the exact method with no other choice.
    std::vector<markov_option> chosen;
    for (const std::size_t o : learned.option) chosen.push_back(options[o]);
    const double cost = best_markov_plan(3, chosen).mean_cost;
    RC_ASSERT(cost >= exact.mean_cost - 1e-9 * (1 + exact.mean_cost));
    RC_ASSERT(cost <= 1.05 * exact.mean_cost + 0.2);
  });
}

TEST_CASE("models that cannot be learned are refused", "[simulate][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(learned_markov_plan(0, machine), invalid_input);
  CHECK_THROWS_AS(learned_markov_plan(3, machine), invalid_input);
  CHECK_THROWS_AS(learned_markov_plan(1, std::array{markov_option{0, 3, {}}}), invalid_input);
  CHECK_THROWS_AS(learned_markov_plan(1, std::array{markov_option{0, nan, {{0, 1 / hour}}}}),
                  invalid_input);
  CHECK_THROWS_AS(learned_markov_plan(1, std::array{markov_option{0, 1, {{1, 1 / hour}}}}),
                  invalid_input);
  CHECK_THROWS_AS(learned_markov_plan(2, machine, {.steps = 0}), invalid_input);
  CHECK_THROWS_AS(learned_markov_plan(2, machine, {.exploration = nan}), invalid_input);
  CHECK_THROWS_AS(learned_markov_plan(2, machine, {.exploration = 2}), invalid_input);
  CHECK_THROWS_AS(learned_markov_plan(2, machine, {.slowdown = 0}), invalid_input);
  // Who only tries has no choices of his own, and their mean cost is not 0.
  CHECK_THROWS_WITH(learned_markov_plan(2, machine, {.exploration = 1}),
                    "markov_learning.exploration must be >= 0 and < 1");
  CHECK_THROWS_WITH(learned_markov_plan(2, machine, {.steps = 100, .exploration = 1 - 1e-9}),
                    "markov_learning: of the second half of the steps one must be greedy, so "
                    "steps must be more, or exploration less");
  CHECK_THROWS_WITH(learned_markov_plan((std::numeric_limits<int>::max)(), machine),
                    "learned_markov_plan: every state must have an option");
}

}  // namespace
}  // namespace gpuplan
