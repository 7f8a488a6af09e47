#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/plan/estimate.hpp>

#include "support/allocations.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/random_job.hpp"

namespace gpuplan {
namespace {

using testing::allocations;
using testing::check_property;
using testing::random_job;

/// What an evaluation answers, so that none of it can be left out.
double answer_to(const random_job& job) {
  const estimate e = evaluate(job.model, job.pool, job.recipe, job.parallelism);
  const stage_footprint worst = e.memory.worst_stage();
  return worst.total().in(units::byte) + e.time.total().in(units::second) +
         e.model_flop_utilization() + e.throughput().in(units::token / units::second);
}

TEST_CASE("no job's evaluation allocates", "[plan][allocation]") {
  check_property("evaluate and worst_stage", [] {
    const random_job job = testing::random_job_any();
    const auto before = allocations();
    const double answer = answer_to(job);
    const auto after = allocations();
    RC_ASSERT(answer >= 0);
    RC_ASSERT(after == before);
  });
}

TEST_CASE("an evaluation that ends in a refusal allocates nothing", "[plan][allocation]") {
  check_property("evaluate of a layout that breaks a rule", [] {
    random_job job = testing::random_job_any();
    job.parallelism.tensor = 7 * job.model.attention_heads;
    const auto before = allocations();
    const estimate answer = evaluate(job.model, job.pool, job.recipe, job.parallelism);
    const auto after = allocations();
    RC_ASSERT(!answer.costed() && !answer.fits());
    RC_ASSERT(after == before);
  });
}

TEST_CASE("every stage of a footprint is computed without allocating", "[memory][allocation]") {
  check_property("memory_footprint and stage", [] {
    const random_job job = testing::random_job_any();
    const auto before = allocations();
    const footprint memory = memory_footprint(job.model, job.recipe, job.parallelism);
    bytes sum{};
    for (int i = 0; i < memory.stages(); ++i) sum += memory.stage(i).total();
    const auto after = allocations();
    RC_ASSERT(sum > bytes{0});
    RC_ASSERT(after == before);
  });
}

}  // namespace
}  // namespace gpuplan
