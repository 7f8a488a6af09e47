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

TEST_CASE("integrity, locality, topology, service: the worst job, by how much", "[placement]") {
  const std::array jobs{
      job_location{.gpus_asked = 8, .gpus_given = 8},
      job_location{.gpus_asked = 8, .gpus_given = 6, .local_data = 0.5, .least_local_data = 0.8},
      job_location{.gpus_asked = 4,
                   .gpus_given = 0,
                   .span = topology_span::whole_cluster,
                   .widest = topology_span::one_node},
      job_location{.gpus_asked = 1, .gpus_given = 2, .end = 3 * hour, .deadline = 2.5 * hour}};
  CHECK(integrity_violation(jobs).amount == 2);
  CHECK(integrity_violation(jobs).job == 1);
  CHECK_THAT(locality_violation(jobs).amount, WithinRel(0.3, 1e-12));
  CHECK(locality_violation(jobs).job == 1);
  CHECK(topology_violation(jobs).amount == 2);
  CHECK(topology_violation(jobs).job == 2);
  CHECK(service_violation(jobs).amount == 1800);
  CHECK(service_violation(jobs).job == 3);
}

TEST_CASE("who obeys, breaks nothing: a gang that waits, data that is there, no deadline",
          "[placement]") {
  const std::array jobs{job_location{}, job_location{.gpus_asked = 8, .gpus_given = 8}};
  CHECK(integrity_violation(jobs).holds());
  CHECK(locality_violation(jobs).holds());
  CHECK(topology_violation(jobs).holds());
  CHECK(service_violation(jobs).holds());
  CHECK(service_violation({}).holds());
  for (const placement_rule rule :
       {placement_rule::capacity, placement_rule::integrity, placement_rule::locality,
        placement_rule::topology, placement_rule::service})
    CHECK(name_of(rule)[0] != '\0');
}

TEST_CASE("locations out of range are refused", "[placement][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(integrity_violation(std::array{job_location{.gpus_asked = -1}}), invalid_input);
  CHECK_THROWS_AS(locality_violation(std::array{job_location{.local_data = 1.5}}), invalid_input);
  CHECK_THROWS_AS(locality_violation(std::array{job_location{.least_local_data = nan}}),
                  invalid_input);
  CHECK_THROWS_AS(service_violation(std::array{job_location{.end = seconds{nan}}}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
