#include <gpuplan/placement/job_order.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;
using order = std::vector<std::size_t>;

static_assert(waiting_job{}.priority == 0 && waiting_job{}.gpus == 1);
static_assert(slack_of({.expected = 2 * hour, .deadline = 5 * hour}, 1 * hour) == 2 * hour);

TEST_CASE("each ranking by hand", "[placement][reference]") {
  const std::array jobs{
      waiting_job{.submit = 0 * hour, .gpus = 4, .priority = 1, .expected = 5 * hour},
      waiting_job{.submit = 1 * hour,
                  .gpus = 8,
                  .priority = 3,
                  .expected = 1 * hour,
                  .deadline = 9 * hour,
                  .attained = 2 * hour},
      waiting_job{.submit = 2 * hour,
                  .gpus = 1,
                  .priority = 1,
                  .expected = 3 * hour,
                  .deadline = 8 * hour,
                  .attained = 1 * hour}};
  const auto by = [&](job_ranking ranking) { return order_jobs(jobs, ranking, 2 * hour); };
  CHECK(by(job_ranking::arrival) == order{0, 1, 2});
  CHECK(by(job_ranking::priority) == order{1, 0, 2});
  CHECK(by(job_ranking::least_slack) == order{2, 1, 0});  // 3 h, 6 h, never
  CHECK(by(job_ranking::largest_first) == order{1, 0, 2});
  CHECK(by(job_ranking::smallest_first) == order{2, 0, 1});
  CHECK(by(job_ranking::shortest_first) == order{1, 2, 0});
  CHECK(by(job_ranking::least_attained) == order{0, 2, 1});
  CHECK(by(job_ranking::smallest_work) == order{2, 1, 0});  // 3, 8, 20 GPU hours
  CHECK(by(job_ranking::urgency) == order{1, 2, 0});        // priority 3, then 3 h of slack
  for (const job_ranking ranking : job_rankings) CHECK(name_of(ranking)[0] != '\0');
}

TEST_CASE("urgency by hand: class, slack, size, arrival, and waiting lifts the class",
          "[placement][reference]") {
  const std::array jobs{waiting_job{.submit = 1 * hour, .gpus = 2, .priority = 1},
                        waiting_job{.submit = 2 * hour, .gpus = 4, .priority = 1},
                        waiting_job{.submit = 3 * hour, .gpus = 1, .priority = 2},
                        waiting_job{.submit = 4 * hour, .gpus = 4, .priority = 1},
                        waiting_job{.submit = 5 * hour, .priority = 1, .deadline = 99 * hour}};
  CHECK(order_jobs(jobs, job_ranking::urgency, 5 * hour) == order{2, 4, 1, 3, 0});
  // Classes with 2 h of ageing: 3, 2, 3, 1, 1.
  CHECK(order_jobs(jobs, job_ranking::urgency, 5 * hour, 2 * hour) == order{0, 2, 1, 4, 3});
  CHECK(aged_priority(jobs[0], 5 * hour, 2 * hour) == 3);
  CHECK(aged_priority(jobs[0], 4.9 * hour, 2 * hour) == 2);
  CHECK(aged_priority(jobs[4], 1 * hour, 2 * hour) == 1);  // not yet submitted
  CHECK(aged_priority({}, 0.3 * second, 0.1 * second) == 3);
}

TEST_CASE("of equal jobs the one submitted first, then that listed first", "[placement]") {
  const std::array jobs{waiting_job{.submit = 2 * hour}, waiting_job{.submit = 1 * hour},
                        waiting_job{.submit = 1 * hour}};
  for (const job_ranking ranking : job_rankings)
    CHECK(order_jobs(jobs, ranking, 0 * hour) == order{1, 2, 0});
  CHECK(order_jobs({}, job_ranking::arrival, 0 * hour).empty());
}

TEST_CASE("jobs to order out of range are refused", "[placement][errors]") {
  const seconds nan{std::numeric_limits<double>::quiet_NaN()};
  for (const waiting_job& bad :
       {waiting_job{.submit = nan}, waiting_job{.gpus = -1}, waiting_job{.expected = nan},
        waiting_job{.expected = seconds{std::numeric_limits<double>::infinity()}},
        waiting_job{.deadline = nan}, waiting_job{.attained = -1 * hour}})
    CHECK_THROWS_AS(order_jobs(std::array{bad}, job_ranking::arrival, 0 * hour), invalid_input);
  CHECK_THROWS_AS(order_jobs({}, job_ranking::arrival, nan), invalid_input);
  for (const seconds bad : {nan, 0 * hour, -1 * hour}) {
    CHECK_THROWS_AS(aged_priority({}, 0 * hour, bad), invalid_input);
    CHECK_THROWS_AS(order_jobs(std::array{waiting_job{}}, job_ranking::urgency, 0 * hour, bad),
                    invalid_input);
  }
}

}  // namespace
}  // namespace gpuplan
