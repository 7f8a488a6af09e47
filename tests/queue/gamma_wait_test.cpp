#include <gpuplan/queue/gamma_wait.hpp>

#include <cmath>
#include <limits>

#include <gpuplan/queue/mmc.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

static_assert(gamma_wait_law{0.5, 4 * second, 0.3}.mean() == 2 * second);
static_assert(gamma_wait_law{}.mean() == 0 * second, "no wait");

TEST_CASE("a variability of 1 is an exponential wait", "[queue][limits]") {
  const wait_law exponential{0.6, 3 * hour};
  const gamma_wait_law gamma{0.6, 3 * hour, 1};
  for (const double t : {0.0, 0.1, 3.0, 30.0})
    CHECK_THAT(gamma.tail(t * hour), WithinRel(exponential.tail(t * hour), 1e-12));
  for (const double q : {0.1, 0.4, 0.5, 0.9, 0.999})
    CHECK(abs(gamma.percentile(q) - exponential.percentile(q)) < 1e-9 * hour);
}

// M. Abramowitz and I. Stegun (1964), table 26.8: 10 degrees of freedom are a gamma of shape 5 and
// mean 10; 200 are one of shape 100 and mean 200.
TEST_CASE("percentiles of chi-square", "[queue][reference]") {
  const gamma_wait_law ten{1, 10 * second, 0.2};
  CHECK_THAT(ten.percentile(0.05) / second, WithinRel(3.94030, 1e-5));
  CHECK_THAT(ten.percentile(0.95) / second, WithinRel(18.3070, 1e-5));
  const gamma_wait_law many{1, 200 * second, 0.01};
  CHECK_THAT(many.percentile(0.05) / second, WithinRel(168.279, 1e-4));
  CHECK_THAT(many.percentile(0.95) / second, WithinRel(233.994, 1e-4));
}

TEST_CASE("gamma percentiles are inverse to tails", "[queue][property]") {
  testing::check_property("tail(percentile(q)) = 1 - q", [] {
    const double probability = *rc::gen::inRange(1, 1001) / 1000.0;
    const double variability = std::exp(*rc::gen::inRange(-900, 300) / 100.0);
    const double q = *rc::gen::inRange(0, 1000) / 1000.0;
    const gamma_wait_law law{probability, 2 * hour, variability};
    const seconds t = law.percentile(q);
    if (probability <= 1 - q)
      RC_ASSERT(t == seconds{0});
    else
      RC_ASSERT(std::abs(law.tail(t) - (1 - q)) < 1e-9);
    RC_ASSERT(law.tail(t + 1 * hour) <= law.tail(t));
  });
}

TEST_CASE("waits without end, and what is no wait", "[queue][errors]") {
  const seconds never{std::numeric_limits<double>::infinity()};
  const gamma_wait_law endless{1, never};
  CHECK(endless.tail(5 * hour) == 1);
  CHECK(endless.percentile(0.5) == never);
  CHECK(gamma_wait_law{}.tail(0 * hour) == 0);
  CHECK(gamma_wait_law{}.percentile(0.99) == 0 * hour);
  CHECK_THROWS_WITH(endless.tail(-1 * second), "gamma_wait_law.tail: t must be >= 0 s");
  for (const double q : {-0.1, 1.0, std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_WITH(endless.percentile(q), "gamma_wait_law.percentile: q must be >= 0 and < 1");
}

}  // namespace
}  // namespace gpuplan
