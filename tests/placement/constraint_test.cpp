#include <gpuplan/placement/constraint.hpp>

#include <array>
#include <limits>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr std::array pool{resources{.memory = 80 * GB, .cores = 16},
                          resources{.memory = 40 * GB, .cores = 16}};

TEST_CASE("capacity: the worst node, by how much", "[placement]") {
  const std::array within{resources{.memory = 80 * GB}, resources{.cores = 16}};
  CHECK(capacity_violation(within, pool).holds());
  const std::array beyond{resources{.memory = 88 * GB}, resources{.memory = 50 * GB, .cores = 18}};
  const violation found = capacity_violation(beyond, pool);
  CHECK_THAT(found.amount, WithinRel(0.25, 1e-12));
  CHECK(found.node == 1);
  CHECK(found.job == no_one);
  const std::array lacking{resources{.network = 1 * GB / second}, resources{}};
  CHECK(capacity_violation(lacking, pool).amount == std::numeric_limits<double>::infinity());
  CHECK_THROWS_AS(capacity_violation(within, {}), invalid_input);
}

constexpr job_location on_nodes(int nodes, int with_data, double alpha) {
  return {.nodes = nodes, .data_nodes = with_data, .least_data_nodes = alpha};
}

// alpha sum of x: 0.8 x 4 nodes is 3.2, of which 2 are there; 0.8 x 5 is 4.
static_assert(locality_excess(on_nodes(4, 2, 0.8)) > 1.2 - 1e-12);
static_assert(locality_excess(on_nodes(4, 2, 0.8)) < 1.2 + 1e-12);
static_assert(locality_excess(on_nodes(5, 4, 0.8)) == 0, "4 of 5 are 0.8 of them");
static_assert(locality_excess(on_nodes(5, 0, 0)) == 0, "nothing is asked");
static_assert(locality_excess(on_nodes(0, 0, 1)) == 0, "a job that waits is nowhere");
static_assert(topology_excess({.nodes = 2, .most_nodes = 2}) == 0);
static_assert(topology_excess({.nodes = 5, .most_nodes = 2}) == 3);
static_assert(topology_excess({.nodes = 1000}) == 0, "no limit");

TEST_CASE("integrity, locality, topology, service: the worst job, by how much, and how many",
          "[placement]") {
  const std::array jobs{job_location{.gpus_asked = 8, .gpus_given = 8, .nodes = 1},
                        job_location{.gpus_asked = 8,
                                     .gpus_given = 6,
                                     .nodes = 3,
                                     .data_nodes = 1,
                                     .least_data_nodes = 1,
                                     .most_nodes = 2},
                        job_location{.gpus_asked = 4,
                                     .gpus_given = 0,
                                     .span = topology_span::whole_cluster,
                                     .widest = topology_span::one_node},
                        job_location{.gpus_asked = 1,
                                     .gpus_given = 2,
                                     .nodes = 5,
                                     .most_nodes = 1,
                                     .end = 3 * hour,
                                     .deadline = 2.5 * hour}};
  const auto check = [&](placement_rule rule, double amount, std::size_t job, int broken) {
    const rule_check found = check_rule(rule, jobs);
    CHECK(found.worst.rule == rule);
    CHECK(found.worst.amount == amount);
    CHECK(found.worst.job == job);
    CHECK(found.broken == broken);
  };
  check(placement_rule::integrity, 2, 1, 2);
  check(placement_rule::locality, 2, 1, 1);
  check(placement_rule::topology, 4, 3, 2);
  check(placement_rule::service, 1800, 3, 1);
  check(placement_rule::span, 2, 2, 1);
  check(placement_rule::capacity, 0, no_one, 0);  // is about nodes
}

TEST_CASE("who obeys, breaks nothing: a gang that waits, data that is there, no deadline",
          "[placement]") {
  const std::array jobs{
      job_location{},
      job_location{
          .gpus_asked = 8, .gpus_given = 8, .nodes = 2, .data_nodes = 2, .least_data_nodes = 1}};
  for (const placement_rule rule : placement_rules) {
    CHECK(check_rule(rule, jobs).worst.holds());
    CHECK(check_rule(rule, {}).broken == 0);
    CHECK(name_of(rule)[0] != '\0');
  }
}

TEST_CASE("locations out of range are refused", "[placement][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(integrity_excess({.gpus_asked = -1}), invalid_input);
  CHECK_THROWS_AS(locality_excess(on_nodes(1, 2, 0.5)), invalid_input);
  CHECK_THROWS_AS(locality_excess(on_nodes(1, -1, 0.5)), invalid_input);
  CHECK_THROWS_AS(locality_excess(on_nodes(1, 1, nan)), invalid_input);
  CHECK_THROWS_AS(locality_excess(on_nodes(1, 1, 1.5)), invalid_input);
  CHECK_THROWS_AS(topology_excess({.nodes = -1}), invalid_input);
  CHECK_THROWS_AS(topology_excess({.most_nodes = 0}), invalid_input);
  CHECK_THROWS_AS(service_excess({.end = seconds{nan}}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
