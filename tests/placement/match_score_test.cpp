#include <gpuplan/placement/match_score.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

static_assert(match_score({.fit = 1, .fragmentation = 1, .balance = 1}, {}) == 1);
static_assert(match_score({.fit = 0.75, .fragmentation = 0.5, .balance = 0.25},
                          {.fit = 1, .fragmentation = 2, .balance = 1}) == 0.5);
static_assert(match_score({.fit = 0.25}, {.fit = 3, .fragmentation = 0, .balance = 0}) == 0.25);

TEST_CASE("a match is between its aims, and grows with each that has a weight",
          "[placement][property]") {
  testing::check_property("any aims and weights", [] {
    const auto part = [] { return *rc::gen::inRange(0, 101) / 100.0; };
    const match_weights weights{part(), part() + 0.01, part()};
    const match_aims aims{part(), part(), part()};
    const double score = match_score(aims, weights);
    const double least = std::min({aims.fit, aims.fragmentation, aims.balance});
    const double most = std::max({aims.fit, aims.fragmentation, aims.balance});
    RC_ASSERT(score >= least - 1e-12 && score <= most + 1e-12);
    const match_weights twice{2 * weights.fit, 2 * weights.fragmentation, 2 * weights.balance};
    RC_ASSERT(std::abs(match_score(aims, twice) - score) <= 1e-12);
    match_aims fitter = aims;
    fitter.fit += 0.5;
    RC_ASSERT((match_score(fitter, weights) > score) == (weights.fit > 0));
    match_aims more_even = aims;
    more_even.balance += 0.5;
    RC_ASSERT((match_score(more_even, weights) > score) == (weights.balance > 0));
  });
}

TEST_CASE("weights out of range are refused", "[placement][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {-1.0, nan, std::numeric_limits<double>::infinity()}) {
    CHECK_THROWS_AS(match_score({}, {.fit = bad}), invalid_input);
    CHECK_THROWS_AS(match_score({}, {.fragmentation = bad}), invalid_input);
    CHECK_THROWS_AS(match_score({}, {.balance = bad}), invalid_input);
  }
  CHECK_THROWS_AS(match_score({}, {.fit = 0, .fragmentation = 0, .balance = 0}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
