#include <gpuplan/queue/poisson.hpp>

#include <cmath>
#include <limits>

#include <boost/math/distributions/poisson.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

TEST_CASE("probabilities of the Poisson law known by hand", "[queue][reference]") {
  CHECK_THAT(std::exp(log_poisson_probability(1, 0)), WithinRel(std::exp(-1.0), 1e-15));
  CHECK_THAT(std::exp(log_poisson_probability(2, 3)), WithinRel(8 * std::exp(-2.0) / 6, 1e-15));
  CHECK_THAT(poisson_tail(2, 1), WithinRel(1 - 3 * std::exp(-2.0), 1e-15));
  CHECK(log_poisson_probability(0, 0) == 0);
  CHECK(log_poisson_probability(0, 1) == -std::numeric_limits<double>::infinity());
  CHECK(poisson_tail(0, 0) == 0);
  constexpr double endless = std::numeric_limits<double>::infinity();
  for (const int busy : {0, 3, (std::numeric_limits<int>::max)()}) {
    for (const double load : {1e308, endless}) CHECK(poisson_tail(load, busy) == 1);
    CHECK(log_poisson_probability(endless, busy) == -endless);
    CHECK(log_poisson_probability(1e308, busy) == -1e308);
  }
}

TEST_CASE("the Poisson law agrees with that of Boost.Math", "[queue][cross-check]") {
  const double mean = GENERATE(0.01, 0.7, 5.0, 17.3, 100.0, 3000.0);
  const boost::math::poisson theirs{mean};
  for (const double place : {0.0, 0.3, 0.9, 1.0, 1.1, 2.0, 5.0}) {
    const int n = static_cast<int>(place * mean) + 1;
    INFO("mean " << mean << ", n " << n);
    const double probability = pdf(theirs, n);
    if (probability > 1e-290) {
      CHECK_THAT(std::exp(log_poisson_probability(mean, n)), WithinRel(probability, 2e-12));
      CHECK_THAT(detail::poisson(mean, n), WithinRel(probability, 2e-12));
      CHECK_THAT(poisson_tail(mean, n), WithinRel(cdf(complement(theirs, n)), 2e-12));
    }
  }
}

TEST_CASE("probabilities and tail of the Poisson law sum to one", "[queue][property]") {
  const double mean = GENERATE(0.1, 1.0, 20.0, 400.0);
  double sum = 0;
  for (int n = 0; n < 3 * mean + 10; ++n) {
    sum += std::exp(log_poisson_probability(mean, n));
    CHECK(std::abs(sum + poisson_tail(mean, n) - 1) <= 1e-13);
  }
}

TEST_CASE("the Poisson law refuses what is none", "[queue][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(log_poisson_probability(-1, 0), invalid_input);
  CHECK_THROWS_AS(log_poisson_probability(nan, 0), invalid_input);
  CHECK_THROWS_AS(log_poisson_probability(1, -1), invalid_input);
  CHECK_THROWS_AS(poisson_tail(nan, 0), invalid_input);
  CHECK_THROWS_AS(poisson_tail(1, -1), invalid_input);
}

}  // namespace
}  // namespace gpuplan
