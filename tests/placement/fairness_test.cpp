#include <gpuplan/placement/fairness.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

static_assert(jain_index(std::array{3.0, 3.0, 3.0}) == 1);
static_assert(jain_index(std::array{7.0, 0.0, 0.0, 0.0}) == 0.25);
static_assert(jain_index(std::array{1.0, 2.0}) == 0.9, "9 / (2 x 5)");
static_assert(jain_index(std::array{1e200, 1e200}) == 1, "no square overflows");

TEST_CASE("Jain's index lies in 1/n .. 1 and knows no unit", "[placement][property]") {
  testing::check_property("bounds and scale", [] {
    std::vector<double> values(*rc::gen::inRange<std::size_t>(1, 20));
    for (double& value : values) value = *rc::gen::inRange(0, 1000);
    values.front() += 1;
    const double found = jain_index(values);
    RC_ASSERT(found >= 1.0 / static_cast<double>(values.size()) - 1e-12);
    RC_ASSERT(found <= 1 + 1e-12);
    double sum = 0;
    double squares = 0;
    for (const double value : values) {
      sum += value;
      squares += value * value;
    }
    RC_ASSERT(std::abs(found - sum * sum / (static_cast<double>(values.size()) * squares)) <=
              1e-12);
    for (double& value : values) value *= 3600;
    RC_ASSERT(std::abs(found - jain_index(values)) <= 1e-12);
  });
}

TEST_CASE("the worked example of dominant resource fairness", "[placement][reference]") {
  // Ghodsi et al. 2011, section 4.1: 9 cores and 18 GB; tasks of 1 core and 4 GB, and of 3 cores
  // and 1 GB. The first user runs three tasks, the second two.
  const resources pool{.memory = 18 * GB, .cores = 9};
  const std::array users{fair_user{.task = {.memory = 4 * GB, .cores = 1}},
                         fair_user{.task = {.memory = 1 * GB, .cores = 3}}};
  CHECK(dominant_resource_fairness(pool, users) == std::vector{3, 2});
  CHECK_THAT(dominant_share(3.0 * users[0].task, pool), WithinRel(2.0 / 3, 1e-15));
  CHECK_THAT(dominant_share(2.0 * users[1].task, pool), WithinRel(2.0 / 3, 1e-15));
}

TEST_CASE("dominant resource fairness: within capacity, and nobody envies by more than a task",
          "[placement][property]") {
  testing::check_property("random users", [] {
    const resources pool{.compute = 1000 * TFLOP / second, .memory = 1000 * GB, .cores = 1000};
    std::vector<fair_user> users(*rc::gen::inRange<std::size_t>(1, 6));
    for (fair_user& user : users)
      user.task = {.compute = 1.0 * *rc::gen::inRange(1, 50) * TFLOP / second,
                   .memory = 1.0 * *rc::gen::inRange(1, 50) * GB,
                   .cores = 1.0 * *rc::gen::inRange(1, 50)};
    const std::vector<int> tasks = dominant_resource_fairness(pool, users);
    resources used{};
    for (std::size_t i = 0; i < users.size(); ++i) used = used + 1.0 * tasks[i] * users[i].task;
    RC_ASSERT(holds((1 + 1e-9) * pool, used));
    // Nobody whose task still fits is behind anybody by more than one task of the other.
    for (std::size_t i = 0; i < users.size(); ++i) {
      RC_ASSERT(!holds(pool, used + users[i].task) || tasks[i] == 1000000);
      for (std::size_t j = 0; j < users.size(); ++j) {
        const double mine = dominant_share(users[i].task, pool);
        const double theirs = dominant_share(users[j].task, pool);
        if (holds(pool, used - users[j].task + users[i].task))
          RC_ASSERT(tasks[i] * mine >= (tasks[j] - 1) * theirs - 1e-9);
      }
    }
  });
}

TEST_CASE("weights and limits", "[placement]") {
  const resources pool{.cores = 12};
  std::array users{fair_user{.task = {.cores = 1}, .weight = 2}, fair_user{.task = {.cores = 1}}};
  CHECK(dominant_resource_fairness(pool, users) == std::vector{8, 4});
  users[0].most_tasks = 3;
  CHECK(dominant_resource_fairness(pool, users) == std::vector{3, 9});
  CHECK(dominant_resource_fairness(pool, users, 3) == std::vector{2, 1});
}

TEST_CASE("fairness out of range is refused", "[placement][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(jain_index({}), invalid_input);
  CHECK_THROWS_AS(jain_index(std::array{0.0, 0.0}), invalid_input);
  CHECK_THROWS_AS(jain_index(std::array{1.0, -1.0}), invalid_input);
  CHECK_THROWS_AS(jain_index(std::array{1.0, nan}), invalid_input);
  const resources pool{.cores = 12};
  CHECK_THROWS_AS(dominant_resource_fairness(pool, std::array{fair_user{}}), invalid_input);
  CHECK_THROWS_AS(
      dominant_resource_fairness(pool, std::array{fair_user{.task = {.memory = 1 * GB}}}),
      invalid_input);
  CHECK_THROWS_AS(
      dominant_resource_fairness(pool, std::array{fair_user{.task = {.cores = 1}, .weight = 0}}),
      invalid_input);
  CHECK_THROWS_AS(dominant_resource_fairness(pool, {}, -1), invalid_input);
}

}  // namespace
}  // namespace gpuplan
