#include <gpuplan/placement/knapsack.hpp>

#include <array>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

TEST_CASE("worked by hand: greed by worth per GPU is not enough", "[placement][reference]") {
  const std::vector<knapsack_item> jobs{{5, 10}, {4, 7.9}, {4, 7.9}};
  const knapsack_choice best = best_jobs(jobs, 8);
  CHECK(best.chosen == std::vector<std::size_t>{1, 2});
  CHECK_THAT(best.worth, WithinRel(15.8, 1e-15));
  CHECK(best.gpus == 8);
  CHECK(best_jobs(jobs, 0).chosen.empty());
  CHECK(best_jobs({}, 8).worth == 0);
  CHECK(best_jobs(std::vector<knapsack_item>{{0, 3}}, 0).chosen.size() == 1);
}

TEST_CASE("it is the best of all subsets", "[placement][property]") {
  testing::check_property("each of them tried", [] {
    const int gpus = *rc::gen::inRange(0, 30);
    std::vector<knapsack_item> jobs(*rc::gen::inRange<std::size_t>(0, 11));
    for (knapsack_item& job : jobs)
      job = {*rc::gen::inRange(0, 12), 1.0 * *rc::gen::inRange(0, 50)};
    double most = 0;
    for (std::size_t set = 0; set < (std::size_t{1} << jobs.size()); ++set) {
      int needs = 0;
      double worth = 0;
      for (std::size_t j = 0; j < jobs.size(); ++j)
        if ((set >> j & 1U) != 0) {
          needs += jobs[j].gpus;
          worth += jobs[j].worth;
        }
      if (needs <= gpus) most = std::max(most, worth);
    }
    const knapsack_choice best = best_jobs(jobs, gpus);
    int needs = 0;
    double worth = 0;
    for (const std::size_t j : best.chosen) {
      needs += jobs[j].gpus;
      worth += jobs[j].worth;
    }
    RC_ASSERT(best.worth == most);
    RC_ASSERT(worth == most);
    RC_ASSERT(needs == best.gpus && needs <= gpus);
  });
}

TEST_CASE("a knapsack out of range is refused", "[placement][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(best_jobs({}, -1), invalid_input);
  for (const knapsack_item bad : {knapsack_item{-1, 1}, knapsack_item{1, -1}, knapsack_item{1, nan},
                                  knapsack_item{1, std::numeric_limits<double>::infinity()}})
    CHECK_THROWS_AS(best_jobs(std::vector{bad}, 4), invalid_input);
  CHECK_THROWS_AS(best_jobs(std::vector<knapsack_item>(2), 1000000000), invalid_input);
}

TEST_CASE("GPUs that no job asks for cost nothing", "[placement]") {
  constexpr int very_many = 2000000000;
  CHECK(best_jobs({}, very_many).worth == 0);
  const std::array small{knapsack_item{.gpus = 3, .worth = 1}};
  CHECK_THROWS_AS(best_jobs(small, very_many), invalid_input);
  CHECK(best_jobs(small, 1000000000).gpus == 3);
}

}  // namespace
}  // namespace gpuplan
