#include <gpuplan/queue/share/sia.hpp>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr std::array both{sia_configuration{0, 1}, sia_configuration{0, 2},
                          sia_configuration{1, 1}};

TEST_CASE("costs by hand", "[queue][reference]") {
  constexpr std::array goodput{2 / second, 3 / second, 8 / second};
  const sia_job waits{goodput};
  CHECK_THAT(sia_cost(waits, 0, {}), WithinRel(1.01, 1e-14));
  CHECK_THAT(sia_cost(waits, 2, {}), WithinRel(0.51, 1e-14));  // four times the least
  CHECK_THAT(sia_cost(waits, -1, {}), WithinRel(1.1, 1e-14));
  const sia_job runs{goodput, 0, 270 * second, 1};
  CHECK_THAT(sia_cost(runs, 0, {}), WithinRel(1.0, 1e-14));
  // (270 - 30) / 300 of four times the least, and two changes
  CHECK_THAT(sia_cost(runs, 2, {}), WithinRel(1 / std::sqrt(3.2) + 0.02, 1e-14));
  CHECK_THAT(sia_cost(runs, -1, {}), WithinRel(1.11, 1e-14));
}

TEST_CASE("the allocation is the best of all", "[queue][property]") {
  testing::check_property("against every way", [] {
    const std::array gpus{*rc::gen::inRange(0, 4), *rc::gen::inRange(0, 3)};
    std::vector<std::vector<per_second>> goodputs(
        static_cast<std::size_t>(*rc::gen::inRange(1, 6)));
    std::vector<sia_job> jobs;
    for (auto& of : goodputs) {
      for (std::size_t c = 0; c < both.size(); ++c) of.push_back(*rc::gen::inRange(0, 20) / second);
      jobs.push_back({of, *rc::gen::inRange(-1, 3), *rc::gen::inRange(0, 1000) * second,
                      *rc::gen::inRange(0, 3)});
    }
    const std::vector<int> chosen = sia_allocation(jobs, both, gpus);
    const auto cost_of = [&](const std::vector<int>& of) {
      std::array<int, 2> used{};
      double sum = 0;
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        sum += sia_cost(jobs[i], of[i], {});
        if (of[i] < 0) continue;
        const sia_configuration& taken = both[static_cast<std::size_t>(of[i])];
        used[static_cast<std::size_t>(taken.type)] += taken.gpus;
      }
      return used[0] <= gpus[0] && used[1] <= gpus[1] ? sum : HUGE_VAL;
    };
    const double ours = cost_of(chosen);
    RC_ASSERT(ours < HUGE_VAL);
    std::vector<int> other(jobs.size(), -1);
    const std::function<void(std::size_t)> all = [&](std::size_t i) {
      if (i == jobs.size()) {
        RC_ASSERT(ours <= cost_of(other) + 1e-12);
        return;
      }
      for (other[i] = -1; other[i] < 3; ++other[i]) all(i + 1);
    };
    all(0);
  });
}

TEST_CASE("Sia refuses what is none", "[queue][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr std::array goodput{2 / second, 3 / second, 8 / second};
  const std::array broken{2 / second, 3 / second, nan / second};
  constexpr std::array gpus{1, 1};
  const std::array jobs{sia_job{goodput}};
  CHECK_THROWS_AS(sia_cost(jobs[0], 3, {}), invalid_input);
  CHECK_THROWS_AS(sia_allocation(jobs, both, {}), invalid_input);
  CHECK_THROWS_AS(sia_allocation(jobs, both, std::array{1}), invalid_input);
  CHECK_THROWS_AS(sia_allocation(jobs, both, std::array{1, -1}), invalid_input);
  CHECK_THROWS_AS(sia_allocation(jobs, both, std::array{5000, 5000}), invalid_input);
  CHECK_THROWS_AS(sia_allocation(jobs, std::array{sia_configuration{0, 0}}, gpus), invalid_input);
  CHECK_THROWS_AS(sia_allocation(std::array{sia_job{broken}}, both, gpus), invalid_input);
  CHECK_THROWS_AS(sia_allocation(std::array{sia_job{goodput, 7}}, both, gpus), invalid_input);
  CHECK_THROWS_AS(sia_allocation(std::array{sia_job{goodput, 0, nan * second}}, both, gpus),
                  invalid_input);
  CHECK_THROWS_AS(sia_allocation(std::array{sia_job{goodput, 0, 1 * second, -1}}, both, gpus),
                  invalid_input);
  CHECK_THROWS_WITH(sia_allocation(jobs, both, std::array{1, (std::numeric_limits<int>::max)()}),
                    "sia_allocation: states must be <= 2^22");
}

TEST_CASE("Sia refuses weights that weigh nothing", "[queue][errors]") {
  constexpr std::array goodput{2 / second, 3 / second, 8 / second};
  constexpr std::array gpus{1, 1};
  const std::array jobs{sia_job{goodput}};
  const auto refuses = [&](const sia_weights& weights, const std::string& why) {
    CHECK_THROWS_WITH(sia_cost(jobs[0], 0, weights), why);
    CHECK_THROWS_WITH(sia_cost(jobs[0], -1, weights), why);
    CHECK_THROWS_WITH(sia_allocation(jobs, both, gpus, weights), why);
    CHECK_THROWS_WITH(sia_allocation({}, both, gpus, weights), why);
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double endless = std::numeric_limits<double>::infinity();
  for (const double bad : {0.0, 1.0, nan, -endless})
    refuses({.power = bad}, "sia_weights.power must be < 0 and finite");
  for (const double bad : {-1e-9, nan, endless}) {
    refuses({.waiting = bad}, "sia_weights.waiting must be >= 0 and finite");
    refuses({.change = bad}, "sia_weights.change must be >= 0 and finite");
    refuses({.restart_time = bad * second}, "sia_weights.restart_time must be >= 0 s and finite");
  }
  CHECK(sia_cost(jobs[0], -1, {.waiting = 0}) == 0);
  CHECK(sia_cost(jobs[0], 0, {.change = 0, .restart_time = 0 * second}) == 1);
}

}  // namespace
}  // namespace gpuplan
