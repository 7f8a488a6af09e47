#include <gpuplan/plan/checkpoint_interval.hpp>

#include <cmath>
#include <limits>

#include <gpuplan/plan/failures.hpp>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

// 405e9 parameters of 14 bytes: BF16 weights and three FP32 states; 2 TB/s.
static_assert(checkpoint_time(405e9 * 14 * byte, 2 * TB / second) == 2.835 * second);
static_assert(checkpoint_time(bytes{0}, 1 * TB / second) == seconds{0});

template <class State, class Rate>
concept writes = requires(State state, Rate rate) {
  checkpoint_time(state, rate);
};
static_assert(writes<bytes, bytes_per_second>);
static_assert(!writes<double, bytes_per_second> && !writes<bytes, flop_per_second>);

TEST_CASE("intervals of the papers", "[plan][reference]") {
  // Y. Low et al., "Distributed GraphLab", PVLDB 5 (2012), section 4.3: 64 machines that fail once
  // a year each, two minutes a checkpoint: "3 hrs", by Young's formula.
  CHECK(std::abs(young_interval(2 * minute, job_mtbf(365 * day, 64)).in(hour)-3) <= 0.05);

  // Daly 2006, figures 3 to 5: delta = 5 min.
  struct row {
    seconds mtbf;
    double printed_minutes;
    double tolerance;
  };
  const auto daly =
      GENERATE(row{24 * hour, 117, 0.5}, row{6 * hour, 57, 0.5}, row{15 * minute, 9.1, 0.05});
  CHECK(std::abs(daly_interval(5 * minute, daly.mtbf).in(minute)-daly.printed_minutes) <=
        daly.tolerance);
}

TEST_CASE("a job of many parts may fail every half second", "[plan][limits]") {
  CHECK_THAT(young_interval(0.01 * second, 0.5 * second).in(second), WithinRel(0.1, 1e-14));
  CHECK(daly_interval(0.01 * second, 0.5 * second) < 0.1 * second);
}

TEST_CASE("Daly's interval becomes Young's where checkpoints are short", "[plan][limits]") {
  CHECK_THAT(daly_interval(1 * us, 1 * day) / young_interval(1 * us, 1 * day),
             WithinRel(1.0, 1e-5));
  CHECK(daly_interval(2 * hour, 1 * hour) == 1 * hour);
  CHECK_THAT(daly_interval(1.999999 * hour, 1 * hour).in(hour), WithinRel(8. / 9, 1e-5));
}

TEST_CASE("rarer failures and longer writes want longer intervals", "[plan][property]") {
  testing::check_property("monotone", [] {
    const seconds mtbf = *rc::gen::inRange(1, 1000000) * second;
    const seconds write = mtbf * *rc::gen::inRange(1, 1000) * 1e-3;
    RC_ASSERT(daly_interval(write, mtbf) > seconds{0});
    RC_ASSERT(daly_interval(write, mtbf) <= daly_interval(write, 1.01 * mtbf) * (1 + 1e-12));
    RC_ASSERT(young_interval(write, mtbf) < young_interval(1.01 * write, mtbf));
    RC_ASSERT(young_interval(write, mtbf) < young_interval(write, 1.01 * mtbf));
  });
}

TEST_CASE("intervals refuse what their documentation refuses", "[plan][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(checkpoint_time(bytes{-1}, TB / second), invalid_input);
  CHECK_THROWS_AS(checkpoint_time(bytes{nan}, TB / second), invalid_input);
  CHECK_THROWS_AS(checkpoint_time(TB, bytes_per_second{0}), invalid_input);
  for (const double bad : {0.0, -1.0, nan}) {
    CHECK_THROWS_AS(young_interval(seconds{bad}, hour), invalid_input);
    CHECK_THROWS_AS(young_interval(hour, seconds{bad}), invalid_input);
    CHECK_THROWS_AS(daly_interval(seconds{bad}, hour), invalid_input);
    CHECK_THROWS_AS(daly_interval(hour, seconds{bad}), invalid_input);
  }
}

}  // namespace
}  // namespace gpuplan
