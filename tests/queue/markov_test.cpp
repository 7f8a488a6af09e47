#include <gpuplan/queue/markov.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <gpuplan/queue/impatient.hpp>
#include <gpuplan/queue/limited.hpp>
#include <gpuplan/queue/markov_decision.hpp>
#include <gpuplan/queue/priority.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

TEST_CASE("the chain of M/M/c/K and of Erlang A", "[queue][cross-check]") {
  const int servers = GENERATE(1, 3, 8);
  const double load = servers * GENERATE(0.01, 0.7, 1.4);
  const double impatience = GENERATE(0.0, 0.3);
  const int places = servers + 60;
  std::vector<markov_move> moves;
  for (int n = 0; n < places; ++n) {
    moves.push_back({n, n + 1, load / hour});
    moves.push_back(
        {n + 1, n,
         (std::fmin(n + 1, servers) + impatience * std::fmax(0, n + 1 - servers)) / hour});
  }
  const std::vector<double> law = stationary_law(places + 1, moves);
  const workload jobs{load / hour, 1 * hour, servers};
  double length = 0;
  for (int n = servers; n <= places; ++n)
    length += (n - servers) * law[static_cast<std::size_t>(n)];
  if (impatience == 0) {
    const limited_waiting closed = limited_wait(jobs, places);
    CHECK_THAT(law.back(), WithinRel(closed.blocked, 1e-12));
    CHECK_THAT(length, WithinRel(closed.accepted.queue_length(), 1e-12));
  } else {
    CHECK_THAT(length, WithinRel(impatient_wait(jobs, hour / impatience).queue_length(), 1e-9));
  }
}

TEST_CASE("a choice by hand", "[queue][reference]") {
  // Broken, a machine costs 10 an hour.  Repair takes an hour, or half of one for 4 more an hour.
  // It breaks once an hour: 10/2 against 14/3 on average.
  const std::array options{markov_option{0, 0, {{1, 1 / hour}}},
                           markov_option{1, 10, {{0, 1 / hour}}},
                           markov_option{1, 14, {{0, 2 / hour}}}};
  const markov_plan plan = best_markov_plan(2, options);
  CHECK_THAT(plan.mean_cost, WithinRel(14.0 / 3, 1e-14));
  CHECK(plan.option[1] == 2);
}

TEST_CASE("choices do not depend on the unit of costs", "[queue][facts]") {
  for (const double unit : {1e-13, 1.0, 1e13}) {
    const std::vector<markov_option> options{{.state = 0, .cost = 10 * unit},
                                             {.state = 0, .cost = unit}};
    const markov_plan plan = best_markov_plan(1, options);
    CHECK(plan.option.front() == 1);
    CHECK_THAT(plan.mean_cost, WithinRel(unit, 1e-12));
  }
}

TEST_CASE("the best order is by cost over service", "[queue][cross-check]") {
  // One server, two kinds: with much room the optimum is Cobham's priority, the larger cost over
  // mean service first.
  const seconds slow = 1 * hour;
  const seconds fast = 0.5 * hour;
  const std::array kinds{gang_kind{0.25 / hour, slow, 1, 1, 1 * day},
                         gang_kind{0.5 / hour, fast, 1, 1, 1 * day}};
  const auto of = [](const gang_kind& kind) {
    return priority_class{kind.arrival_rate, kind.mean_service,
                          2 * (kind.mean_service * kind.mean_service)};
  };
  const std::array order{of(kinds[1]), of(kinds[0])};
  double expected = 0;
  for (std::size_t k = 0; k < 2; ++k)
    expected += order[k].arrival_rate * (priority_wait(order, k) + order[k].mean_service);
  CHECK_THAT(least_gang_cost(kinds, {.gpus = 1, .room = 10}), WithinRel(expected, 1e-3));
}

TEST_CASE("one kind of job is the queue of its servers", "[queue][cross-check]") {
  const std::array kinds{gang_kind{3 / hour, 1 * hour, 2, 1, 1 * day}};
  const limited_waiting closed = limited_wait({3 / hour, 1 * hour, 4}, 4 + 10);
  CHECK_THAT(least_gang_cost(kinds, {.gpus = 8, .room = 10}),
             WithinRel(closed.accepted.jobs() + 3 * 24 * closed.blocked, 1e-9));
}

TEST_CASE("more room to choose never costs more", "[queue][property]") {
  const std::array gangs{gang_kind{0.6 / hour, 1 * hour, 1, 1},
                         gang_kind{0.2 / hour, 1 * hour, 3, 1}};
  const double small_pool = least_gang_cost(gangs, {.gpus = 3, .room = 4});
  CHECK(least_gang_cost(gangs, {.gpus = 4, .room = 4}) < small_pool);
  CHECK(small_pool > 0.8);  // as if each job had GPUs of its own
}

TEST_CASE("Markov models refuse what is none", "[queue][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(stationary_law(0, {}), invalid_input);
  CHECK_THROWS_AS(stationary_law(2, {}), invalid_input);
  for (const auto& [from, to] :
       {std::pair{0, 2}, std::pair{2, 0}, std::pair{0, -1}, std::pair{-1, 0}})
    CHECK_THROWS_WITH(stationary_law(2, std::array{markov_move{from, to, 1 / hour}}),
                      "markov_move: from and to must be states");
  CHECK_THROWS_AS(stationary_law(2, std::array{markov_move{1, 0, nan / hour}}), invalid_input);
  CHECK(stationary_law(1, {}) == std::vector<double>{1});
  CHECK_THROWS_AS(best_markov_plan(1, {}), invalid_input);
  for (const int states : {10'001, (std::numeric_limits<int>::max)()}) {
    CHECK_THROWS_WITH(stationary_law(states, {}),
                      "stationary_law: states must be >= 1 and <= 10000");
    CHECK_THROWS_WITH(best_markov_plan(states, {}),
                      "best_markov_plan: states must be >= 1 and <= 10000");
  }
  CHECK_THROWS_AS(best_markov_plan(1, std::array{markov_option{1, 0, {}}}), invalid_input);
  CHECK_THROWS_AS(best_markov_plan(1, std::array{markov_option{0, nan, {}}}), invalid_input);
  CHECK_THROWS_AS(best_markov_plan(1, std::array{markov_option{0, 1, {{3, 1 / hour}}}}),
                  invalid_input);
  CHECK_THROWS_AS(best_markov_plan(2, std::array{markov_option{0, 1, {}}, markov_option{1, 2, {}}}),
                  invalid_input);
  CHECK(best_markov_plan(1, std::array{markov_option{0, 3, {}}}).mean_cost == 3);
  const std::array kinds{gang_kind{3 / hour, 1 * hour, 2, 1}};
  CHECK_THROWS_AS(least_gang_cost(kinds, {.gpus = 1, .room = 1}), invalid_input);
  CHECK_THROWS_AS(least_gang_cost(kinds, {.gpus = 2, .room = 0}), invalid_input);
  CHECK_THROWS_AS(least_gang_cost(kinds, {.gpus = 800, .room = 100}), invalid_input);
  for (const gang_pool pool : {gang_pool{.gpus = 8, .room = (1 << 29) - 1},
                               gang_pool{.gpus = 8, .room = (std::numeric_limits<int>::max)()},
                               gang_pool{.gpus = (std::numeric_limits<int>::max)(), .room = 1}})
    CHECK_THROWS_WITH(least_gang_cost(std::array{gang_kind{3 / hour, 1 * hour, 1}}, pool),
                      "best_gang_plan: states must be <= 4000");
  CHECK_THROWS_AS(least_gang_cost({}, {}), invalid_input);
  CHECK_THROWS_AS(least_gang_cost(std::array{gang_kind{nan / hour, 1 * hour}}, {}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
