#include <cmath>
#include <vector>

#include "accuracy/least_squares.hpp"
#include "accuracy/statistics.hpp"
#include "support/catch.hpp"

namespace gpuplan::accuracy {
namespace {

TEST_CASE("errors have a middle, a ninth tenth and a worst", "[accuracy][reference]") {
  errors of;
  for (const double error : {0.5, 0.1, 0.4, 0.2, 0.3}) of.add(error);
  CHECK(of.median() == 0.3);
  CHECK_THAT(of.p90(), WithinRel(0.46, 1e-12));  // 0.6 of the way from the fourth to the fifth
  CHECK(of.worst() == 0.5);
  CHECK_THAT(of.mean(), WithinRel(0.3, 1e-12));
  CHECK(median_of({-2, 1, 0, 3}) == 0.5);
  CHECK(errors{}.mean() == 0);
}

TEST_CASE("ranks correlate as Spearman has it", "[accuracy][reference]") {
  CHECK_THAT(rank_correlation({1, 2, 3, 4}, {10, 20, 25, 99}), WithinRel(1.0, 1e-12));
  CHECK_THAT(rank_correlation({1, 2, 3, 4}, {4, 3, 2, 1}), WithinRel(-1.0, 1e-12));
  // 1 - 6 sum d^2 / (n (n^2 - 1)), d = 1, 1, 0, 0, 0
  CHECK_THAT(rank_correlation({1, 2, 3, 4, 5}, {2, 1, 3, 4, 5}), WithinRel(1 - 12.0 / 120, 1e-12));
  CHECK(rank_correlation({1, 2, 3}, {7, 7, 7}) == 0);
  CHECK(ranks_of({5, 1, 5}) == std::vector{1.5, 0.0, 1.5});
}

TEST_CASE("a fit finds what made the measurements, and forgives one that is wrong",
          "[accuracy][property]") {
  // y = a x^b, one point of twenty off by a factor of three.
  const std::vector<double> made{2, 0.7};
  std::vector<double> weights(20, 100);
  const auto residuals = [&](const std::vector<double>& guess) {
    std::vector<double> all;
    for (int i = 1; i <= 20; ++i) {
      const double x = i;
      const double wrong = i == 7 ? std::log(3) : 0;
      all.push_back(std::log(guess[0] * std::pow(x, guess[1])) -
                    std::log(made[0] * std::pow(x, made[1])) - wrong);
    }
    return all;
  };
  const auto found = fitted(
      {.priors = {{1, 1, 0.1, 10}, {1, 1, 0, 2}}, .weights = weights, .residuals = residuals});
  CHECK_THAT(found[0], WithinRel(made[0], 0.01));
  CHECK_THAT(found[1], WithinRel(made[1], 0.01));
}

TEST_CASE("what no measurement speaks of stays where the prior has it, within its bounds",
          "[accuracy][property]") {
  const auto residuals = [](const std::vector<double>& guess) {
    return std::vector{std::log(guess[0] / 5)};
  };
  const auto found = fitted(
      {.priors = {{1, 1, 0.1, 2}, {0.3, 0.1, 0, 1}}, .weights = {1000}, .residuals = residuals});
  CHECK_THAT(found[0], WithinRel(2.0, 1e-9));
  CHECK_THAT(found[1], WithinRel(0.3, 1e-9));
}

}  // namespace
}  // namespace gpuplan::accuracy
