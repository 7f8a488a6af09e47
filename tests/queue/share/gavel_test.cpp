#include <gpuplan/queue/share/gavel.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr std::array fast_and_slow{4 / second, 1 / second};
constexpr std::array other_way_round{1 / second, 2 / second};
constexpr std::array one_of_each{1, 1};

per_second speed_of(const heterogeneous_job& job, const time_shares& shares, std::size_t m) {
  return effective_speed(job, std::span{shares.share}.subspan(m * shares.types, shares.types));
}

TEST_CASE("each job gets the type of GPU on which it runs best", "[queue][reference]") {
  const std::array jobs{heterogeneous_job{fast_and_slow}, heterogeneous_job{other_way_round}};
  CHECK(equal_share_speed(jobs[0], one_of_each, 2) == 2.5 / second);
  // Of 3 and 1 GPUs two jobs have shares of 1.5 and 0.5, cut down to the whole time.
  const std::array three_and_one{3, 1};
  CHECK(equal_share_speed({.speeds = fast_and_slow}, three_and_one, 2) == 3.25 / second);
  const time_shares shares = fair_shares(jobs, one_of_each);
  CHECK_THAT(shares.of(0, 0), WithinRel(1.0, 1e-12));
  CHECK_THAT(shares.of(1, 1), WithinRel(1.0, 1e-12));
  CHECK_THAT(least_makespan(jobs, one_of_each, std::array{400.0, 100.0}) / second,
             WithinRel(100.0, 1e-12));
}

TEST_CASE("one type of GPU: time is shared by claim", "[queue][reference]") {
  constexpr std::array one_type{1 / second};
  const std::array jobs{heterogeneous_job{one_type, 1, 1}, heterogeneous_job{one_type, 1, 3}};
  const time_shares shares = fair_shares(jobs, std::array{1});
  CHECK_THAT(shares.of(0, 0), WithinRel(0.25, 1e-12));
  CHECK_THAT(shares.of(1, 0), WithinRel(0.75, 1e-12));
  CHECK_THAT(least_makespan(jobs, std::array{1}, std::array{100.0, 200.0}) / second,
             WithinRel(300.0, 1e-12));
}

TEST_CASE("shares keep their rules, and no others are better for the worst off",
          "[queue][property]") {
  testing::check_property("against random shares", [] {
    const std::size_t types = static_cast<std::size_t>(*rc::gen::inRange(1, 4));
    const std::size_t count = static_cast<std::size_t>(*rc::gen::inRange(1, 6));
    std::vector<int> gpus(types);
    for (int& of : gpus) of = *rc::gen::inRange(1, 6);
    std::vector<std::vector<per_second>> speeds(count);
    std::vector<heterogeneous_job> jobs;
    std::vector<per_second> claims;
    for (auto& of : speeds) {
      for (std::size_t j = 0; j < types; ++j) of.push_back(*rc::gen::inRange(1, 100) / second);
      jobs.push_back({of, *rc::gen::inRange(1, 4)});
      claims.push_back(*rc::gen::inRange(1, 10) / second);
    }
    const time_shares shares = max_min_shares(jobs, gpus, claims);
    const auto worst = [&](const time_shares& with) {
      double least = HUGE_VAL;
      for (std::size_t m = 0; m < count; ++m)
        least = std::fmin(least, speed_of(jobs[m], with, m) / claims[m]);
      return least;
    };
    std::vector<double> used(types, 0.0);
    for (std::size_t m = 0; m < count; ++m) {
      double time = 0;
      for (std::size_t j = 0; j < types; ++j) {
        RC_ASSERT(shares.of(m, j) >= 0);
        time += shares.of(m, j);
        used[j] += jobs[m].gpus * shares.of(m, j);
      }
      RC_ASSERT(time <= 1 + 1e-9);
    }
    for (std::size_t j = 0; j < types; ++j) RC_ASSERT(used[j] <= gpus[j] * (1 + 1e-9));

    for (int trial = 0; trial < 20; ++trial) {  // others, cut down until they keep the rules
      time_shares other{.types = types, .share = std::vector<double>(count * types)};
      for (double& share : other.share) share = *rc::gen::inRange(0, 1000) / 1000.0;
      double over = 1;
      for (std::size_t m = 0; m < count; ++m) {
        double time = 0;
        for (std::size_t j = 0; j < types; ++j) time += other.of(m, j);
        over = std::fmax(over, time);
      }
      for (std::size_t j = 0; j < types; ++j) {
        double need = 0;
        for (std::size_t m = 0; m < count; ++m) need += jobs[m].gpus * other.of(m, j);
        over = std::fmax(over, need / gpus[j]);
      }
      for (double& share : other.share) share /= over;
      RC_ASSERT(worst(other) <= worst(shares) * (1 + 1e-9));
    }
  });
}

TEST_CASE("shares do not depend on the unit of speeds, claims and steps", "[queue][property]") {
  testing::check_property("random jobs", [] {
    const std::size_t types = static_cast<std::size_t>(*rc::gen::inRange(1, 4));
    const std::size_t count = static_cast<std::size_t>(*rc::gen::inRange(1, 8));
    std::vector<int> gpus(types);
    for (int& of : gpus) of = *rc::gen::inRange(1, 6);
    std::vector<std::vector<per_second>> speeds(count);
    std::vector<std::vector<per_second>> scaled(count);
    std::vector<per_second> claims;
    std::vector<double> steps;
    for (std::size_t m = 0; m < count; ++m) {
      for (std::size_t j = 0; j < types; ++j)
        speeds[m].push_back(*rc::gen::inRange(1, 100) / second);
      claims.push_back(*rc::gen::inRange(1, 10) / second);
      steps.push_back(*rc::gen::inRange(1, 1000));
    }
    const auto jobs_of = [](const std::vector<std::vector<per_second>>& of) {
      std::vector<heterogeneous_job> jobs;
      for (const auto& speed : of) jobs.push_back({speed, static_cast<int>(jobs.size() % 3) + 1});
      return jobs;
    };
    const time_shares shares = max_min_shares(jobs_of(speeds), gpus, claims);
    const time_shares fair = fair_shares(jobs_of(speeds), gpus);
    const seconds makespan = least_makespan(jobs_of(speeds), gpus, steps);
    const auto alike = [](const time_shares& a, const time_shares& b) {
      for (std::size_t i = 0; i < a.share.size(); ++i)
        if (std::abs(a.share[i] - b.share[i]) > 1e-9) return false;
      return true;
    };
    for (const double by : {1e-12, 1e-6, 1e6, 1e12}) {
      for (std::size_t m = 0; m < count; ++m) {
        scaled[m] = speeds[m];
        for (per_second& each : scaled[m]) each *= by;
      }
      const std::vector<heterogeneous_job> jobs = jobs_of(scaled);
      RC_ASSERT(alike(max_min_shares(jobs, gpus, claims), shares));
      RC_ASSERT(alike(fair_shares(jobs, gpus), fair));
      const double longer = by * (least_makespan(jobs, gpus, steps) / makespan);
      RC_ASSERT(std::abs(longer - 1) <= 1e-9);
    }
  });
}

TEST_CASE("a job of very small claims or speeds gets its share, too", "[queue][limits]") {
  // One type of GPU: shares are as claim / speed.
  const std::array slow{1e-9 / second};
  const std::array fast{1e6 / second};
  const std::array jobs{heterogeneous_job{slow}, heterogeneous_job{fast}};
  const std::array claims{1e-9 / second, 1 / second};
  const time_shares shares = max_min_shares(jobs, std::array{1}, claims);
  CHECK_THAT(shares.of(0, 0), WithinRel(1 / (1 + 1e-6), 1e-12));
  CHECK_THAT(shares.of(1, 0), WithinRel(1e-6 / (1 + 1e-6), 1e-9));
  CHECK_THAT(least_makespan(jobs, std::array{1}, std::array{1e3, 1e12}) / second,
             WithinRel(1e12 + 1e6, 1e-12));
}

TEST_CASE("Gavel refuses what is none", "[queue][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr std::array nowhere{0 / second, 0 / second};
  const std::array broken{nan / second, 0 / second};
  const std::array good{heterogeneous_job{fast_and_slow}};
  CHECK_THROWS_AS(fair_shares({}, one_of_each), invalid_input);
  CHECK_THROWS_AS(fair_shares(good, std::array{-1, 1}), invalid_input);
  CHECK_THROWS_AS(fair_shares(good, std::array{1}), invalid_input);
  CHECK_THROWS_AS(fair_shares(std::array{heterogeneous_job{nowhere}}, one_of_each), invalid_input);
  CHECK_THROWS_AS(fair_shares(std::array{heterogeneous_job{broken}}, one_of_each), invalid_input);
  CHECK_THROWS_AS(fair_shares(std::array{heterogeneous_job{fast_and_slow, 0}}, one_of_each),
                  invalid_input);
  CHECK_THROWS_AS(fair_shares(std::array{heterogeneous_job{fast_and_slow, 1, nan}}, one_of_each),
                  invalid_input);
  CHECK_THROWS_AS(max_min_shares(good, one_of_each, std::array{0 / second}), invalid_input);
  CHECK_THROWS_AS(max_min_shares(good, one_of_each, {}), invalid_input);
  CHECK_THROWS_AS(least_makespan(good, one_of_each, std::array{0.0}), invalid_input);
  CHECK_THROWS_AS(least_makespan(good, one_of_each, {}), invalid_input);
  CHECK_THROWS_AS(
      least_makespan(std::array{heterogeneous_job{nowhere}}, one_of_each, std::array{1.0}),
      invalid_input);
  CHECK_THROWS_AS(effective_speed(good[0], std::array{1.0}), invalid_input);
  CHECK_THROWS_AS(equal_share_speed(good[0], one_of_each, 0), invalid_input);
}

TEST_CASE("shares of a job are parts of one time", "[queue][errors]") {
  const heterogeneous_job job{fast_and_slow};
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(effective_speed(job, std::array{0.25, 0.75}) == 1.75 / second);
  CHECK(effective_speed(job, std::array{1.0, 0.0}) == 4 / second);
  CHECK(effective_speed(job, std::array{1 + 1e-12, -1e-12}) > 3.99 / second);
  CHECK_THROWS_WITH(effective_speed(job, std::array{5.0, 0.0}),
                    "effective_speed: every share must be 0 to 1");
  CHECK_THROWS_WITH(effective_speed(job, std::array{0.5, -0.1}),
                    "effective_speed: every share must be 0 to 1");
  CHECK_THROWS_WITH(effective_speed(job, std::array{0.5, nan}),
                    "effective_speed: every share must be 0 to 1");
  CHECK_THROWS_WITH(effective_speed(job, std::array{0.6, 0.6}),
                    "effective_speed: the shares of a job must sum to <= 1");
}

}  // namespace
}  // namespace gpuplan
