#include <gpuplan/queue/simulator.hpp>

#include <array>
#include <limits>
#include <vector>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

/// A job by its numbers: when it came, for how long, on how many GPUs.
constexpr trace_job job(double submit, double duration, std::int64_t gpus, int priority = 0) {
  return {seconds{submit}, seconds{duration}, gpus, priority};
}

std::vector<double> starts_under(const char* policy, const std::vector<trace_job>& jobs,
                                 std::int64_t gpus) {
  std::vector<simulated_job> each(jobs.size());
  simulate(jobs, gpus, find_pool_policy(policy)->policy, each);
  std::vector<double> starts;
  for (const simulated_job& of : each) starts.push_back(of.start.in(second));
  return starts;
}

TEST_CASE("a day of a pool, by hand", "[queue][simulator][reference]") {
  // Of 4 GPUs 3 are busy to 10; the second job wants them all; then come a long small job, a short
  // small one, and one that fits beside nothing.
  const std::vector<trace_job> jobs{job(0, 10, 3), job(1, 10, 4), job(2, 30, 1), job(3, 5, 1),
                                    job(4, 1, 2)};
  using starts = std::vector<double>;
  CHECK(starts_under("fcfs", jobs, 4) == starts{0, 10, 20, 20, 20});
  CHECK(starts_under("easy", jobs, 4) == starts{0, 10, 20, 3, 20});
  CHECK(starts_under("conservative", jobs, 4) == starts{0, 10, 20, 3, 20});
  CHECK(starts_under("first-fit", jobs, 4) == starts{0, 32, 2, 10, 10});
}

}  // namespace
}  // namespace gpuplan
