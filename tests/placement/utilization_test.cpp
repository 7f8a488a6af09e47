#include <gpuplan/placement/utilization.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr resources box{
    .compute = 1000 * TFLOP / second, .memory = 80 * GB, .cores = 16, .network = 50 * GB / second};

TEST_CASE("two nodes by hand", "[placement][reference]") {
  const std::array nodes{node_usage{box,
                                    {.compute = 500 * TFLOP / second,
                                     .memory = 40 * GB,
                                     .cores = 8,
                                     .network = 25 * GB / second}},
                         node_usage{box, {.compute = 1000 * TFLOP / second, .memory = 80 * GB}}};
  const utilization_matrix use = utilization_of(nodes);
  CHECK(use.rows() == 2);
  CHECK((use.row(0).array() == 0.5).all());
  CHECK(use(1, 0) == 1);
  CHECK(use(1, 3) == 0);
  // The first is used evenly; the second 1, 1, 0, 0: deviation 1/2, or sqrt(1/3) of a sample.
  CHECK_THAT(resource_imbalance(use), WithinRel(0.25, 1e-15));
  CHECK_THAT(resource_imbalance(use, deviation::sample), WithinRel(std::sqrt(1.0 / 3) / 2, 1e-15));
}

TEST_CASE("imbalance is 0 .. 1/2, and the sample form is 2/sqrt(3) of it",
          "[placement][property]") {
  testing::check_property("any nodes", [] {
    std::vector<node_usage> nodes(*rc::gen::inRange<std::size_t>(1, 12));
    for (node_usage& each : nodes) {
      const auto part = [] { return *rc::gen::inRange(0, 101) / 100.0; };
      each = {box,
              {.compute = part() * box.compute,
               .memory = part() * box.memory,
               .cores = part() * box.cores,
               .network = part() * box.network}};
    }
    const utilization_matrix use = utilization_of(nodes);
    const double found = resource_imbalance(use);
    RC_ASSERT(found >= 0 && found <= 0.5 + 1e-12);
    RC_ASSERT(std::abs(resource_imbalance(use, deviation::sample) - found * 2 / std::sqrt(3.0)) <=
              1e-12);
  });
}

TEST_CASE("use over time: only what lies inside counts", "[placement][reference]") {
  const std::array holds{gpu_hold{0 * hour, 2 * hour, 4}, gpu_hold{1 * hour, 5 * hour, 2.5},
                         gpu_hold{9 * hour, 12 * hour, 8}};
  // From 1 h to 5 h: 4 x 1 h + 2.5 x 4 h of 8 x 4 h.
  CHECK_THAT(mean_utilization(holds, 8, 1 * hour, 5 * hour), WithinRel(14.0 / 32, 1e-15));
  CHECK(mean_utilization({}, 8, 0 * hour, 1 * hour) == 0);
}

TEST_CASE("fragmentation in time: gaps between the jobs over the time", "[placement][reference]") {
  // Gaps of 0.5 and 1 h between three jobs; what is before the first and after the last is none.
  const std::vector<gpu_hold> three{
      {1 * hour, 4 * hour, 1}, {4.5 * hour, 8 * hour, 1}, {9 * hour, 9.5 * hour, 1}};
  CHECK_THAT(time_fragmentation(std::array{three}, 10 * hour), WithinRel(0.15, 1e-12));
  CHECK_THAT(time_fragmentation(std::array{three, std::vector<gpu_hold>{}}, 10 * hour),
             WithinRel(0.075, 1e-12));
  CHECK(time_fragmentation(std::array{std::vector<gpu_hold>{three[0]}}, 10 * hour) == 0);
  CHECK_THROWS_AS(time_fragmentation({}, 1 * hour), invalid_input);
  CHECK_THROWS_AS(time_fragmentation(std::array{three}, 0 * hour), invalid_input);
  CHECK_THROWS_AS(time_fragmentation(std::array{std::vector{three[1], three[0]}}, 1 * hour),
                  invalid_input);
}

TEST_CASE("the imbalance leaves out what is unknown", "[placement]") {
  const std::array nodes{node_usage{box, {.compute = 1000 * TFLOP / second, .memory = 40 * GB}}};
  const utilization_matrix use = utilization_of(nodes);
  constexpr std::array known{resource_kind::compute, resource_kind::memory};
  CHECK_THAT(resource_imbalance(use, deviation::population, known), WithinRel(0.25, 1e-15));
  CHECK(resource_imbalance(use) > 0.4);
  CHECK_THROWS_AS(resource_imbalance(use, deviation::population, std::span<const resource_kind>{}),
                  invalid_input);
  CHECK_THROWS_AS(resource_imbalance(use, deviation::sample, std::span{known}.first(1)),
                  invalid_input);
}

TEST_CASE("idle time in pauses too short for a job", "[placement][reference]") {
  const std::vector<std::vector<gpu_hold>> gpus{
      {{1 * hour, 4 * hour, 1}, {4.5 * hour, 8 * hour, 1}},  // idle 1, 0.5, 2 h
      {}};                                                   // idle 10 h
  CHECK_THAT(short_idle_share(gpus, 0 * hour, 10 * hour, 1 * hour), WithinRel(0.5 / 13.5, 1e-12));
  CHECK_THAT(short_idle_share(gpus, 0 * hour, 10 * hour, 2 * hour), WithinRel(1.5 / 13.5, 1e-12));
  CHECK(short_idle_share(gpus, 0 * hour, 10 * hour, 11 * hour) == 1);
  const std::vector<std::vector<gpu_hold>> busy{{{0 * hour, 12 * hour, 1}}};
  CHECK(short_idle_share(busy, 1 * hour, 10 * hour, 1 * hour) == 0);
}

TEST_CASE("use out of range is refused", "[placement][errors]") {
  const seconds nan{std::numeric_limits<double>::quiet_NaN()};
  CHECK(utilization_of(std::array{node_usage{box, 2.0 * box}})(0, 1) == 2);  // says by how much
  CHECK_THROWS_AS(utilization_of(std::array{node_usage{{}, box}}), invalid_input);
  CHECK_THROWS_AS(resource_imbalance(utilization_matrix(0, 4)), invalid_input);
  const std::array holds{gpu_hold{2 * hour, 1 * hour, 4}};
  CHECK_THROWS_AS(mean_utilization(holds, 8, 0 * hour, 1 * hour), invalid_input);
  CHECK_THROWS_AS(mean_utilization({}, 0, 0 * hour, 1 * hour), invalid_input);
  CHECK_THROWS_AS(mean_utilization({}, 8, 1 * hour, 1 * hour), invalid_input);
  CHECK_THROWS_AS(mean_utilization({}, 8, 1 * hour, nan), invalid_input);
  const std::vector<std::vector<gpu_hold>> overlapping{
      {{1 * hour, 4 * hour, 1}, {3 * hour, 5 * hour, 1}}};
  CHECK_THROWS_AS(short_idle_share(overlapping, 0 * hour, 9 * hour, 1 * hour), invalid_input);
  CHECK_THROWS_AS(short_idle_share({}, 0 * hour, 9 * hour, 0 * hour), invalid_input);
}

}  // namespace
}  // namespace gpuplan
