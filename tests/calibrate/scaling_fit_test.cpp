#include <gpuplan/calibrate/scaling_fit.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <gpuplan/scaling/amdahl.hpp>
#include <gpuplan/simulate/random_numbers.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

using points = std::vector<scaling_point>;
using batches = std::vector<batch_point>;

template <class SpeedUp>
points run_on(std::initializer_list<double> devices, SpeedUp speed_up) {
  points all;
  for (const double n : devices) all.push_back({n, 100 * second / speed_up(n)});
  return all;
}

TEST_CASE("the parallel part that was comes back", "[calibrate]") {
  for (const double part : {0.0, 0.5, 0.95, 1.0}) {
    const auto law = [&](double n) { return amdahl_speed_up(part, n); };
    const amdahl_fit fit = fit_amdahl(run_on({1, 2, 4, 8, 64}, law));
    CHECK(std::abs(fit.parallel_part - part) < 1e-12);
    CHECK_THAT(fit.one_device / second, WithinRel(100, 1e-12));
    CHECK(fit.quality.worst < 1e-12);
    // Of two runs, none of them on one device.
    CHECK(std::abs(fit_amdahl(run_on({8, 32}, law)).parallel_part - part) < 1e-12);
  }
}

TEST_CASE("more than linear is said by the error, not by the part", "[calibrate]") {
  const amdahl_fit fit = fit_amdahl(points{{1, 100 * second}, {2, 40 * second}, {4, 16 * second}});
  CHECK(fit.parallel_part == 1);
  CHECK(fit.quality.worst > 0.2);
}

TEST_CASE("contention and coherency that were come back", "[calibrate]") {
  for (const double contention : {0.0, 0.02, 1.0})
    for (const double coherency : {0.0, 1e-4, 0.3}) {
      const usl law{contention, coherency};
      CAPTURE(contention, coherency);
      const usl_fit fit =
          fit_usl(run_on({1, 2, 4, 16, 32}, [&](double n) { return usl_speed_up(law, n); }));
      CHECK(std::abs(fit.law.contention - contention) < 1e-10);
      CHECK(std::abs(fit.law.coherency - coherency) < 1e-11);
      CHECK_THAT(fit.one_device / second, WithinRel(100, 1e-10));
      CHECK(fit.quality.worst < 1e-10);
    }
}

TEST_CASE("contention is no more than all of the work", "[calibrate][limits]") {
  // Each device slows the others by more than its own work.
  const points slower{{1, 10 * second}, {2, 20 * second}, {4, 25 * second}, {8, 27 * second}};
  const usl_fit fit = fit_usl(slower);
  require_valid(fit.law);
  CHECK(fit.law.contention == 1);
  const auto error = [&](const usl& law, seconds one) {
    double sum = 0;
    for (const scaling_point& point : slower)
      sum += std::pow(one / usl_speed_up(law, point.devices) / point.time - 1, 2);
    return std::sqrt(sum / 4);
  };
  CHECK_THAT(error(fit.law, fit.one_device), WithinRel(fit.quality.typical, 1e-12));
  CHECK(error({0.98, fit.law.coherency}, fit.one_device) > fit.quality.typical);
  CHECK(error(fit.law, 1.01 * fit.one_device) > fit.quality.typical);
  CHECK(error({1, fit.law.coherency + 0.001}, fit.one_device) > fit.quality.typical);
}

TEST_CASE("a batch curve from two steps or more", "[calibrate]") {
  const batch_curve curve{.plateau = 400 / second, .half_batch = 12};
  const batch_curve_fit two =
      fit_batch_curve(batches{{8, batch_time(curve, 8)}, {64, batch_time(curve, 64)}});
  CHECK_THAT(two.curve.plateau * second, WithinRel(400, 1e-12));
  CHECK_THAT(two.curve.half_batch, WithinRel(12, 1e-12));
  batches noisy;
  for (const double batch : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0})
    noisy.push_back({batch, batch_time(curve, batch) * (1 + 0.02 * std::sin(batch))});
  const batch_curve_fit fit = fit_batch_curve(noisy);
  CHECK_THAT(fit.curve.plateau * second, WithinRel(400, 0.03));
  CHECK_THAT(fit.curve.half_batch, WithinRel(12, 0.05));
  CHECK(fit.quality.typical < 0.02);
  // Faster than the batch: no rise to a plateau.
  CHECK(fit_batch_curve(batches{{1, 1 * second}, {2, 3 * second}}).curve.half_batch == 0);
}

/// How often, of many measurements with 2 % of noise, each of the bounds held the true number.
template <class Fit>
void covers(Fit fit) {
  random_numbers random{7};
  constexpr int times = 500;
  std::vector<int> held;
  for (int i = 0; i < times; ++i) {
    const std::vector<bool> each =
        fit([&](seconds exact) { return exact * (1 + 0.02 * random.normal()); });
    held.resize(each.size());
    for (std::size_t k = 0; k < held.size(); ++k) held[k] += each[k] ? 1 : 0;
  }
  for (const int count : held)  // a deviation is 1 %
    CHECK(std::abs(count / double{times} - fit_level) < 0.035);
}

TEST_CASE("bounds of scaling laws hold the true numbers as often as they say",
          "[calibrate][statistics]") {
  const auto noisy = [](points all, auto noise) {
    for (scaling_point& point : all) point.time = noise(point.time);
    return all;
  };
  covers([&](auto noise) {
    const amdahl_fit fit = fit_amdahl(noisy(
        run_on({1, 2, 4, 8, 16, 32}, [](double n) { return amdahl_speed_up(0.9, n); }), noise));
    return std::vector<bool>{fit.parallel_part_bounds.holds(0.9),
                             fit.one_device_bounds.holds(100 * second)};
  });
  covers([&](auto noise) {
    const usl law{0.05, 0.002};
    const usl_fit fit = fit_usl(
        noisy(run_on({1, 2, 4, 8, 16, 32, 64, 128}, [&](double n) { return usl_speed_up(law, n); }),
              noise));
    return std::vector<bool>{fit.contention_bounds.holds(law.contention),
                             fit.coherency_bounds.holds(law.coherency),
                             fit.one_device_bounds.holds(100 * second)};
  });
  covers([&](auto noise) {
    const batch_curve curve{.plateau = 400 / second, .half_batch = 12};
    batches all;
    for (const double batch : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0})
      all.push_back({batch, noise(batch_time(curve, batch))});
    const batch_curve_fit fit = fit_batch_curve(all);
    return std::vector<bool>{fit.plateau_bounds.holds(curve.plateau),
                             fit.half_batch_bounds.holds(curve.half_batch)};
  });
}

TEST_CASE("as many points as numbers leave no bounds above", "[calibrate][limits]") {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const amdahl_fit fit = fit_amdahl(points{{2, 5 * second}, {8, 2 * second}});
  CHECK(fit.one_device_bounds.high == seconds{infinite});
  CHECK(fit.parallel_part_bounds.high == 1);  // no share is above
  CHECK(fit.devices.least == 2);
  CHECK(fit.devices.most == 8);
}

TEST_CASE("points that tell no law are refused", "[calibrate][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH(fit_amdahl(points{{4, 1 * second}, {4, 2 * second}}),
                    "fit_amdahl: points must have two numbers of devices or more");
  CHECK_THROWS_AS(fit_amdahl({}), invalid_input);
  CHECK_THROWS_AS(fit_usl(points{{4, 1 * second}}), invalid_input);
  CHECK_THROWS_AS(fit_usl(points{{0.5, 1 * second}, {1, 1 * second}}), invalid_input);
  CHECK_THROWS_AS(fit_usl(points{{1, 0 * second}, {2, 1 * second}}), invalid_input);
  CHECK_THROWS_AS(fit_amdahl(points{{1, nan * second}, {2, 1 * second}}), invalid_input);
  CHECK_THROWS_AS(fit_batch_curve({}), invalid_input);
  CHECK_THROWS_AS(fit_batch_curve(batches{{8, 1 * second}, {8, 2 * second}}), invalid_input);
  CHECK_THROWS_AS(fit_batch_curve(batches{{0, 1 * second}, {8, 2 * second}}), invalid_input);
  CHECK_THROWS_AS(fit_batch_curve(batches{{1, nan * second}, {8, 2 * second}}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
