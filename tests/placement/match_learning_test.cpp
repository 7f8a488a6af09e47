#include <gpuplan/placement/match_learning.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "support/property.hpp"

namespace gpuplan {
namespace {

TEST_CASE("two candidates share as their losses say", "[placement][reference]") {
  // Rate sqrt(8 ln 2 / 2); losses of 0.5 and 1, then 0.25 and 0.
  const std::vector<double> losses{0.5, 1, 0.25, 0};
  const learned_candidates learned = learn_candidates(losses, 2);
  const double rate = std::sqrt(4 * std::log(2.0));
  const double first = std::exp(-rate * 0.75);
  const double second = std::exp(-rate * 1.0);
  CHECK(learned.share[0] == Approx(first / (first + second)).epsilon(1e-14));
  CHECK(learned.best() == 0);
  CHECK(learned.best_loss == 0.75);
  const double then = 1 / (1 + std::exp(-rate * 0.5));
  CHECK(learned.loss == Approx(0.75 + 0.25 * then).epsilon(1e-14));
}

TEST_CASE("what the learner loses stays near the best candidate", "[placement][property]") {
  testing::check_property("whatever the losses", [] {
    const auto n = *rc::gen::inRange<std::size_t>(1, 8);
    const auto rounds = *rc::gen::inRange<std::size_t>(1, 40);
    const bool turns = *rc::gen::arbitrary<bool>();
    std::vector<double> losses;
    std::vector<double> sums(n, 0.0);
    for (std::size_t i = 0; i < rounds * n; ++i) {
      // Drawn, or against the learner: the candidate that has lost least loses all.
      const bool leads = i % n == static_cast<std::size_t>(
                                      std::min_element(sums.begin(), sums.end()) - sums.begin());
      losses.push_back(turns ? (leads ? 1.0 : 0.0) : *rc::gen::inRange(0, 1001) * 1e-3);
      if (i % n == n - 1)
        for (std::size_t c = 0; c < n; ++c) sums[c] += losses[i - (n - 1) + c];
    }
    const learned_candidates learned = learn_candidates(losses, n);
    // The best fixed candidate, in hindsight, by adding up.
    const double best = *std::min_element(sums.begin(), sums.end());
    RC_ASSERT(std::abs(learned.best_loss - best) < 1e-9);
    RC_ASSERT(learned.loss - best <=
              largest_regret(static_cast<double>(n), static_cast<double>(rounds)) + 1e-9);
    RC_ASSERT(std::abs(std::accumulate(learned.share.begin(), learned.share.end(), 0.0) - 1) <
              1e-12);
    RC_ASSERT(std::abs(sums[learned.best()] - best) < 1e-9);
  });
}

TEST_CASE("the candidates are the default and each choice of aims", "[placement][facts]") {
  const auto all = match_candidates();
  CHECK(all.size() == 7);
  CHECK(all.front() == match_weights{});
  std::set<std::vector<double>> different;
  for (const match_weights& each : all) {
    CHECK_NOTHROW(require_valid(each));
    different.insert({each.fit, each.fragmentation, each.balance});
  }
  CHECK(different.size() == all.size());
}

TEST_CASE("a long run ends with the best candidate alone", "[placement][reference]") {
  std::vector<double> losses;
  for (int i = 0; i < 10000; ++i) losses.insert(losses.end(), {0.5, 0.4, 0.6});
  const learned_candidates learned = learn_candidates(losses, 3);
  CHECK(learned.best() == 1);
  CHECK(learned.share[1] > 0.999999);
  CHECK(kept_after_loss(2, 0.5) == Approx(std::exp(-1.0)).epsilon(1e-15));
}

TEST_CASE("learning refuses what its documentation refuses", "[placement][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> three{0, 0, 0};
  CHECK_THROWS_AS(learn_candidates(three, 0), invalid_input);
  CHECK_THROWS_AS(learn_candidates(three, 2), invalid_input);
  CHECK_THROWS_AS(learn_candidates({}, 1), invalid_input);
  CHECK_THROWS_AS(learn_candidates(std::vector<double>{0, nan}, 2), invalid_input);
  CHECK_THROWS_AS(learn_candidates(std::vector<double>{0, 1.5}, 2), invalid_input);
  CHECK_THROWS_AS(kept_after_loss(-1, 0), invalid_input);
  CHECK_THROWS_AS(kept_after_loss(1, 2), invalid_input);
  CHECK_THROWS_AS(learning_rate_of_rounds(0, 1), invalid_input);
  CHECK_THROWS_AS(learning_rate_of_rounds(1, 0), invalid_input);
  CHECK_THROWS_AS(largest_regret(nan, 1), invalid_input);
}

}  // namespace
}  // namespace gpuplan
