#include <gpuplan/placement/objective.hpp>

#include <array>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

TEST_CASE("the five aims of two jobs, by hand", "[placement][reference]") {
  const std::array jobs{
      scheduled_job{0 * hour, 0 * hour, 2 * hour, 4, 2 * kW, 0},
      scheduled_job{1 * hour, 2 * hour, 4 * hour, 8, 4 * kW, 1},
  };
  const schedule_objectives of = objectives_of(jobs, 8);
  CHECK_THAT(of.mean_wait / hour, WithinRel(0.5, 1e-15));
  CHECK_THAT(of.throughput * hour, WithinRel(0.5, 1e-15));
  CHECK_THAT(of.utilization, WithinRel((8.0 + 16) / 32, 1e-15));
  CHECK_THAT(of.energy / kWh, WithinRel(12.0, 1e-15));
  CHECK_THAT(of.fairness, WithinRel(24.0 * 24 / (2 * (64 + 256)), 1e-15));
  CHECK(of.to_minimize()[0] == 1800);
  CHECK(of.to_minimize()[4] == -of.fairness);

  // A day later and in another order they are as good: the first to come need not stand first.
  std::array later{jobs[1], jobs[0]};
  for (scheduled_job& job : later) {
    job.submit = job.submit + 24 * hour;
    job.start = job.start + 24 * hour;
    job.end = job.end + 24 * hour;
  }
  const schedule_objectives same = objectives_of(later, 8);
  CHECK_THAT(same.throughput * hour, WithinRel(0.5, 1e-15));
  CHECK_THAT(same.utilization, WithinRel(of.utilization, 1e-15));
}

TEST_CASE("numbers of users without a job are no users", "[placement]") {
  const scheduled_job job{0 * hour, 0 * hour, 2 * hour, 4, 2 * kW, 0};
  scheduled_job other = job;
  other.user = 5;
  CHECK(objectives_of(std::array{job, other}, 8).fairness == 1);
  other.end = other.start;  // has one, and got nothing
  CHECK(objectives_of(std::array{job, other}, 8).fairness == 0.5);
}

TEST_CASE("normalised aims, weights, and what cannot tell candidates apart",
          "[placement][reference]") {
  objective_table aims(3, 3);
  aims << 10, 5, 7,  //
      20, 3, 7,      //
      15, 1, 7;
  const objective_table scaled = normalized(aims);
  CHECK(scaled(0, 0) == 0);
  CHECK(scaled(1, 0) == 1);
  CHECK(scaled(2, 0) == 0.5);
  CHECK((scaled.col(2).array() == 0).all());
  Eigen::Vector3d weights(1, 1, 2);
  const Eigen::VectorXd sum = weighted_sum(aims, weights);
  CHECK_THAT(sum(0), WithinRel(0.25, 1e-15));
  CHECK_THAT(sum(1), WithinRel(0.25 * (1 + 0.5), 1e-15));
  CHECK_THAT(sum(2), WithinRel(0.125, 1e-15));
  CHECK(objective_front(aims) == std::vector<Eigen::Index>{0, 2});
}

TEST_CASE("weights lean to what is worst, by hand", "[placement][reference]") {
  // Deviations of (0, 1): -1/2 and 1/2 over sigma 1/2.
  const Eigen::Vector2d even(1, 1);
  const Eigen::Vector2d aims(0, 1);
  const Eigen::VectorXd leaned = dynamic_weights(even, aims, 0.5);
  CHECK_THAT(leaned(0), WithinRel(0.25, 1e-15));
  CHECK_THAT(leaned(1), WithinRel(0.75, 1e-15));
  CHECK(dynamic_weights(even, aims, 0)(0) == 0.5);
  CHECK(dynamic_weights(even, Eigen::Vector2d(3, 3), 9)(0) == 0.5);
  const Eigen::VectorXd hard = dynamic_weights(even, aims, 5);  // 1 - 5 would be negative
  CHECK(hard(0) == 0);
  CHECK(hard(1) == 1);
  CHECK(dynamic_weights(Eigen::Vector2d(1, 0), aims, 5)(0) == 1);  // all would be 0
}

TEST_CASE("weights sum to one after each update, and the front is beaten by no candidate",
          "[placement][property]") {
  testing::check_property("random aims", [] {
    const auto count = *rc::gen::inRange(1, 8);
    Eigen::VectorXd weights(count);
    for (double& weight : weights) weight = *rc::gen::inRange(0, 10);
    weights(0) += 1;
    objective_table aims(*rc::gen::inRange(1, 12), count);
    for (Eigen::Index row = 0; row < aims.rows(); ++row)
      for (Eigen::Index aim = 0; aim < count; ++aim) aims(row, aim) = *rc::gen::inRange(-5, 6);
    for (int update = 0; update < 20; ++update) {
      const objective_table scaled = normalized(aims);
      weights = dynamic_weights(weights, scaled.row(update % scaled.rows()).transpose(),
                                *rc::gen::inRange(0, 30) / 10.0);
      RC_ASSERT(std::abs(weights.sum() - 1) <= 1e-12);
      RC_ASSERT(weights.minCoeff() >= 0);
      RC_ASSERT(scaled.minCoeff() >= 0 && scaled.maxCoeff() <= 1);
    }
    const Eigen::VectorXd sum = weighted_sum(aims, weights.array() + 0.1);
    Eigen::Index best = 0;
    sum.minCoeff(&best);
    const std::vector<Eigen::Index> front = objective_front(aims);
    RC_ASSERT(!front.empty());
    bool as_good = false;  // positive weights: what is best by the sum lies on the front
    for (const Eigen::Index row : front) as_good = as_good || row == best;
    RC_ASSERT(as_good);
  });
}

TEST_CASE("aims out of range are refused", "[placement][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(objectives_of({}, 8), invalid_input);
  CHECK_THROWS_AS(objectives_of(std::array{scheduled_job{}}, 0), invalid_input);
  CHECK_THROWS_AS(objectives_of(std::array{scheduled_job{.submit = 1 * hour}}, 8), invalid_input);
  CHECK_THROWS_AS(objectives_of(std::array{scheduled_job{.user = -1}}, 8), invalid_input);
  objective_table bad(1, 1);
  bad << nan;
  CHECK_THROWS_AS(normalized(bad), invalid_input);
  bad << 1e301;
  CHECK_THROWS_AS(normalized(bad), invalid_input);
  bad << nan;
  CHECK_THROWS_AS(objective_front(bad), invalid_input);
  CHECK_THROWS_AS(normalized(objective_table(0, 1)), invalid_input);
  const objective_table one = objective_table::Zero(1, 2);
  CHECK_THROWS_AS(weighted_sum(one, Eigen::Vector3d(1, 1, 1)), invalid_input);
  CHECK_THROWS_AS(weighted_sum(one, Eigen::Vector2d(0, 0)), invalid_input);
  CHECK_THROWS_AS(weighted_sum(one, Eigen::Vector2d(1, -1)), invalid_input);
  CHECK_THROWS_AS(weighted_sum(one, Eigen::Vector2d(1, nan)), invalid_input);
  CHECK_THROWS_AS(dynamic_weights(Eigen::Vector2d(1, 1), Eigen::Vector2d(0, 1), -1), invalid_input);
  CHECK_THROWS_AS(dynamic_weights(Eigen::Vector2d(1e308, 1e308), Eigen::Vector2d(0, 1), 1),
                  invalid_input);
  CHECK_THROWS_AS(dynamic_weights(Eigen::Vector2d(1, 1), Eigen::Vector2d(0, nan), 1),
                  invalid_input);
}

}  // namespace
}  // namespace gpuplan
