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
  CHECK_THAT(*of.mean_wait / hour, WithinRel(0.5, 1e-15));
  CHECK_THAT(of.throughput * hour, WithinRel(0.5, 1e-15));
  CHECK_THAT(of.utilization, WithinRel((8.0 + 16) / 32, 1e-15));
  CHECK_THAT(of.energy / kWh, WithinRel(12.0, 1e-15));
  CHECK_THAT(*of.fairness, WithinRel(24.0 * 24 / (2 * (64 + 256)), 1e-15));
  CHECK(of.to_minimize()[0] == 1800);
  CHECK(of.to_minimize()[4] == -*of.fairness);

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

TEST_CASE("aims within a stretch of time", "[placement][reference]") {
  constexpr seconds never{std::numeric_limits<double>::infinity()};
  const std::array jobs{
      scheduled_job{0 * hour, 0 * hour, 2 * hour, 4, 2 * kW, 0},
      scheduled_job{1 * hour, 2 * hour, 4 * hour, 8, 4 * kW, 1},
      scheduled_job{3 * hour, never, never, 8, 0 * kW, 0, 5 * hour},  // given up after 2 h
      scheduled_job{3 * hour, 4 * hour, never, 8, 4 * kW, 1}};        // runs on
  const schedule_objectives of = objectives_between(jobs, 8, 1 * hour, 3 * hour);
  CHECK_THAT(*of.mean_wait / hour, WithinRel(1.0, 1e-15));  // of the second alone
  CHECK_THAT(of.throughput * hour, WithinRel(0.5, 1e-15));  // the first ends
  CHECK_THAT(of.utilization, WithinRel((4.0 + 8) / 16, 1e-15));
  CHECK_THAT(of.energy / kWh, WithinRel(6.0, 1e-15));
  CHECK_THAT(*of.fairness, WithinRel(12.0 * 12 / (2 * (16 + 64)), 1e-15));
  // Wanted within it: user 0 has 4 x 1 h of 4 x 1 h, user 1 has 8 x 1 h of 8 x 2 h.
  const auto granted = [&](seconds from, seconds until) {
    return *objectives_between(jobs, 8, from, until, user_share::granted_part).fairness;
  };
  CHECK_THAT(granted(1 * hour, 3 * hour), WithinRel(1.5 * 1.5 / (2 * 1.25), 1e-15));
  // From 3 h to 6 h user 0 wants 8 x 2 h and gets none.
  CHECK_THAT(granted(3 * hour, 6 * hour), WithinRel(0.5, 1e-15));
  const schedule_objectives all = objectives_of(jobs, 8);  // until 4 h, the last that is known
  CHECK_THAT(all.throughput * hour, WithinRel(0.5, 1e-15));
  CHECK_FALSE(objectives_between(jobs, 8, 20 * hour, 21 * hour).mean_wait);
  CHECK_FALSE(objectives_between(jobs, 8, 20 * hour, 21 * hour).to_minimize()[0]);
  CHECK_FALSE(objectives_between({}, 8, 0 * hour, 1 * hour).fairness);
}

TEST_CASE("weights lean to what is worse than it was, by hand", "[placement][reference]") {
  // The first aim was 0 and 2: mean 1, sigma 1; it is 3 now: 2 sigma above. The second was 10 and
  // 30: mean 20, sigma 10; it is 15 now: half a sigma below. Units do not meet.
  objective_table history(2, 2);
  history << 0, 10,  //
      2, 30;
  const Eigen::Vector2d even(1, 1);
  const Eigen::Vector2d now(3, 15);
  const Eigen::VectorXd leaned = dynamic_weights(even, now, history, 0.5);
  CHECK_THAT(leaned(0), WithinRel(2 / (2 + 0.75), 1e-15));
  CHECK_THAT(leaned(1), WithinRel(0.75 / (2 + 0.75), 1e-15));
  CHECK(dynamic_weights(even, now, history, 0)(0) == 0.5);
  CHECK(dynamic_weights(even, now, objective_table(0, 2), 9)(0) == 0.5);
  const Eigen::VectorXd hard = dynamic_weights(even, now, history, 4);  // 1 - 2 is negative
  CHECK(hard(0) == 1);
  CHECK(hard(1) == 0);
  CHECK(dynamic_weights(Eigen::Vector2d(0, 1), now, history, 4)(1) == 1);  // all would be 0
  history.col(0).setConstant(
      7);  // sigma 0: the weight of the first stays, that of the second falls
  CHECK_THAT(dynamic_weights(even, now, history, 0.5)(0), WithinRel(1 / 1.75, 1e-15));
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
      weights =
          dynamic_weights(weights, aims.row(update % aims.rows()).transpose(),
                          aims.topRows(update % aims.rows()), *rc::gen::inRange(0, 30) / 10.0);
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
  const objective_table past = objective_table::Zero(2, 2);
  const Eigen::Vector2d ones(1, 1);
  CHECK_THROWS_AS(dynamic_weights(ones, ones, past, -1), invalid_input);
  CHECK_THROWS_AS(dynamic_weights(ones, Eigen::Vector3d(1, 1, 1), {}, 1), invalid_input);
  CHECK_THROWS_AS(dynamic_weights(Eigen::Vector2d(1e308, 1e308), ones, past, 1), invalid_input);
  CHECK_THROWS_AS(dynamic_weights(ones, Eigen::Vector2d(0, nan), past, 1), invalid_input);
  CHECK_THROWS_AS(dynamic_weights(ones, ones, objective_table::Zero(2, 3), 1), invalid_input);
  CHECK_THROWS_AS(dynamic_weights(ones, ones, past * nan, 1), invalid_input);
  CHECK_THROWS_AS(objectives_between({}, 8, 1 * hour, 1 * hour), invalid_input);
}

}  // namespace
}  // namespace gpuplan
