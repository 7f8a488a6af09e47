#include <gpuplan/plan/run_with_failures.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr checkpoint_policy how{
    .interval = 30 * minute, .write = 1 * minute, .restart = 10 * minute, .mtbf = 3 * hour};

TEST_CASE("without failures only checkpoints are added", "[plan][limits]") {
  checkpoint_policy never = how;
  never.mtbf = seconds{infinity};
  const failing_run run = run_with_failures(100 * hour, never);
  CHECK(run.total() == 100 * hour + 200 * minute);
  CHECK(run.interruptions == 0);
  CHECK(run.rework == seconds{0});
  never.interval = seconds{infinity};
  CHECK(run_with_failures(100 * hour, never).total() == 100 * hour);
  CHECK(run_with_failures(seconds{0}, how).total() == seconds{0});
  CHECK(run_with_failures(seconds{0}, how).effective_training_time() == 1);

  // Rare failures: half an interval is lost with each, and a restart.
  checkpoint_policy rarely = how;
  rarely.mtbf = 1e6 * hour;
  const failing_run calm = run_with_failures(1e6 * hour, rarely);
  CHECK_THAT(calm.interruptions, WithinRel(31. / 30, 1e-3));
  CHECK_THAT((calm.rework / calm.interruptions).in(minute), WithinRel(15.5, 1e-3));
  CHECK_THAT((calm.restarts / calm.interruptions).in(minute), WithinRel(10.0, 1e-3));
}

TEST_CASE("the parts make up Daly's total", "[plan][cross-check]") {
  testing::check_property("sum of the parts", [] {
    const seconds mtbf = *rc::gen::inRange(100, 100000) * second;
    const checkpoint_policy any{.interval = mtbf * *rc::gen::inRange(1, 3000) * 1e-3,
                                .write = mtbf * *rc::gen::inRange(0, 1000) * 1e-3,
                                .restart = mtbf * *rc::gen::inRange(0, 1000) * 1e-3,
                                .mtbf = mtbf};
    const failing_run run = run_with_failures(1 * day, any);
    const seconds total = mtbf * std::exp(any.restart / mtbf) *
                          (std::exp((any.interval + any.write) / mtbf) - 1) *
                          (1 * day / any.interval);
    RC_ASSERT(std::abs(run.total() / total - 1) < 1e-9);
    RC_ASSERT(std::abs(run.interruptions * mtbf / total - 1) < 1e-9);
    RC_ASSERT(run.rework >= seconds{0} && run.restarts >= seconds{0});
    RC_ASSERT(run.effective_training_time() > 0 && run.effective_training_time() < 1);
  });
}

/// One run, failure by failure: another way to the same means.
struct played {
  double total = 0;
  double restarts = 0;
  double interruptions = 0;
};
played play(std::mt19937_64& random, int segments, const checkpoint_policy& as) {
  std::exponential_distribution<double> gap{1 / as.mtbf.in(second)};
  played run;
  for (int done = 0; done < segments;) {
    const double length = (as.interval + as.write).in(second);
    const double failure = gap(random);
    run.total += (std::min)(length, failure);
    if (failure >= length) {
      ++done;
      continue;
    }
    ++run.interruptions;
    const double restart = as.restart.in(second);
    for (double again = gap(random);; again = gap(random)) {
      run.total += (std::min)(restart, again);
      run.restarts += (std::min)(restart, again);
      if (again >= restart) break;
      ++run.interruptions;
    }
  }
  return run;
}

TEST_CASE("a run played failure by failure takes as long", "[plan][cross-check]") {
  std::mt19937_64 random{1};
  const int segments = 200000;
  checkpoint_policy rough = how;
  rough.mtbf = 40 * minute;
  const played found = play(random, segments, rough);
  const failing_run run = run_with_failures(segments * rough.interval, rough);
  CHECK_THAT(found.total, WithinRel(run.total().in(second), 0.01));
  CHECK_THAT(found.restarts, WithinRel(run.restarts.in(second), 0.02));
  CHECK_THAT(found.interruptions, WithinRel(run.interruptions, 0.01));
}

TEST_CASE("Daly's interval is as good as its documentation says", "[plan][limits]") {
  double worst = 0;
  for (double share = 1e-6; share < 2; share *= 1.3) {
    const seconds write = share * hour;
    const auto total = [&](seconds interval) {
      return run_with_failures(100 * hour, {interval, write, 10 * minute, 1 * hour}).total();
    };
    seconds best = total(1 * hour);
    for (double tau = 1e-4; tau < 10; tau *= 1.01) best = smaller(best, total(tau * hour));
    worst = (std::max)(worst, total(daly_interval(write, 1 * hour)) / best - 1);
  }
  CHECK(worst <= 0.002);
}

TEST_CASE("small chances are not lost to rounding", "[plan][limits]") {
  // 1e-9 failures a segment: half a segment each, to many digits.
  const failing_run run =
      run_with_failures(1e9 * second, {1 * second, seconds{0}, 1 * second, 1e9 * second});
  CHECK_THAT(run.rework.in(second), WithinRel(0.5, 1e-8));
  CHECK_THAT(run.restarts.in(second), WithinRel(1.0, 1e-8));
  for (const double x : {1e-4, 0.99e-3, 1.01e-3, 0.1})
    CHECK_THAT(detail::mean_excess(x),
               WithinRel(x / 2 + x * x / 6 + x * x * x / 24, x > 0.01 ? 1e-3 : 1e-8));
}

TEST_CASE("a run that fails before every checkpoint is endless, not without a value",
          "[plan][limits]") {
  for (const seconds restart : {0 * second, 1 * second}) {
    const failing_run run = run_with_failures(
        10 * second,
        {.interval = 1000 * second, .write = 1 * second, .restart = restart, .mtbf = 1 * second});
    CHECK(!isfinite(run.total()));
    CHECK(run.total() > run.work);
  }
}

TEST_CASE("a run is charged for the time that failures add", "[plan][reference]") {
  const run_estimate ideal = training_run(
      {.gpus = 1024, .tokens_per_step = 4e6 * token, .step = 10 * second, .gpu_power = 400 * watt},
      400e9 * token, {.gpu = 2 * dollar / hour, .electricity = 0.1 * dollar / kWh});
  const failing_run time =
      run_with_failures(ideal.time, best_checkpoint_policy(1 * minute, 10 * minute, 3 * hour));
  const run_estimate real = with_failures(ideal, time);
  CHECK(real.steps == ideal.steps);
  CHECK_THAT(real.time.in(second), WithinRel(time.total().in(second), 1e-12));
  CHECK_THAT(real.cost() / ideal.cost(), WithinRel(time.total() / time.work, 1e-12));
  CHECK_THAT(real.energy / ideal.energy, WithinRel(time.total() / time.work, 1e-12));
}

TEST_CASE("runs with failures refuse what their documentation refuses", "[plan][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [](auto change) {
    checkpoint_policy bad = how;
    change(bad);
    CHECK_THROWS_AS(run_with_failures(1 * hour, bad), invalid_input);
  };
  refused([](checkpoint_policy& c) { c.interval = seconds{0}; });
  refused([&](checkpoint_policy& c) { c.interval = seconds{nan}; });
  refused([](checkpoint_policy& c) { c.interval = seconds{infinity}; });
  refused([](checkpoint_policy& c) { c.write = seconds{-1}; });
  refused([&](checkpoint_policy& c) { c.restart = seconds{nan}; });
  refused([](checkpoint_policy& c) { c.mtbf = seconds{0}; });
  refused([&](checkpoint_policy& c) { c.mtbf = seconds{nan}; });
  CHECK_THROWS_AS(run_with_failures(seconds{-1}, how), invalid_input);
  CHECK_THROWS_AS(run_with_failures(seconds{nan}, how), invalid_input);
  CHECK_THROWS_AS(best_checkpoint_policy(seconds{0}, minute, hour), invalid_input);
  CHECK_THROWS_AS(best_checkpoint_policy(minute, seconds{-1}, hour), invalid_input);
  CHECK_THROWS_AS(with_failures({.time = 1 * hour}, run_with_failures(2 * hour, how)),
                  invalid_input);
}

}  // namespace
}  // namespace gpuplan
