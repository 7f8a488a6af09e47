#include <gpuplan/scaling/critical_batch.hpp>

#include <cmath>
#include <limits>

#include <gpuplan/scaling/goodput.hpp>
#include <gpuplan/scaling/noise_scale.hpp>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr training_tradeoff as{.least_steps = 1000, .least_samples = 256000};
static_assert(as.critical_batch() == 256);
static_assert(training_at_batch(as, 256).steps == 2000, "twice the least of steps");
static_assert(training_at_batch(as, 256).samples == 512000, "and of samples");

TEST_CASE("samples and steps trade as the source's equation says", "[scaling][property]") {
  testing::check_property("(S/S_min - 1)(E/E_min - 1) = 1", [] {
    const training_tradeoff any{.least_steps = double(*rc::gen::inRange(1, 1000000)),
                                .least_samples = double(*rc::gen::inRange(1, 1000000))};
    const double batch = any.critical_batch() * *rc::gen::inRange(1, 10000) * 1e-2;
    const training_length run = training_at_batch(any, batch);
    const auto close = [](double a, double b) { return std::abs(a / b - 1) < 1e-9; };
    RC_ASSERT(close((run.steps / any.least_steps - 1) * (run.samples / any.least_samples - 1), 1));
    RC_ASSERT(close(run.samples, run.steps * batch));

    // A step makes the progress that the noise scale says, a sample the worth that Pollux says.
    RC_ASSERT(close(any.least_steps / run.steps, step_progress(batch, any.critical_batch())));
    const double base = batch / 3;
    RC_ASSERT(close(training_at_batch(any, base).samples / run.samples,
                    statistical_efficiency(any.critical_batch(), base, batch)));

    const training_tradeoff found = training_tradeoff_through(training_at_batch(any, batch / 2),
                                                              training_at_batch(any, 2 * batch));
    RC_ASSERT(std::abs(found.least_steps / any.least_steps - 1) < 1e-6);
    RC_ASSERT(std::abs(found.least_samples / any.least_samples - 1) < 1e-6);
  });
}

TEST_CASE("a lower loss bears a larger batch", "[scaling][limits]") {
  CHECK_THAT(coarse_critical_batch(1).in(token), WithinRel(2.1e8, 1e-12));
  CHECK_THAT(coarse_critical_batch(3).in(token), WithinRel(1.12e6, 0.01));
  CHECK(coarse_critical_batch(2.5) > coarse_critical_batch(3));
}

TEST_CASE("the trade-off refuses what its documentation refuses", "[scaling][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(training_at_batch({0, 1}, 1), invalid_input);
  CHECK_THROWS_AS(training_at_batch({1, nan}, 1), invalid_input);
  CHECK_THROWS_AS(training_at_batch(as, 0), invalid_input);
  CHECK_THROWS_AS(training_at_batch(as, nan), invalid_input);
  CHECK_THROWS_AS(training_tradeoff_through({2000, 1000}, {2000, 4000}), invalid_input);
  CHECK_THROWS_AS(training_tradeoff_through({2000, 4000}, {1000, 4000}), invalid_input);
  CHECK_THROWS_AS(training_tradeoff_through({2000, 0}, {1000, 4000}), invalid_input);
  CHECK_THROWS_AS(training_tradeoff_through({2000, 1000}, {nan, 4000}), invalid_input);
  CHECK_THROWS_AS(coarse_critical_batch(0), invalid_input);
  CHECK_THROWS_AS(coarse_critical_batch(nan), invalid_input);
}

}  // namespace
}  // namespace gpuplan
