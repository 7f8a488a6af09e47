#include <gpuplan/scaling/noise_scale.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "support/property.hpp"

namespace gpuplan {
namespace {

static_assert(gradient_noise_scale({.squared_mean = 0.5, .variance = 100}) == 200);
static_assert(gradient_noise_scale({.squared_mean = 1}) == 0, "no noise");
static_assert(gradient_noise_scale({.variance = 1}) == std::numeric_limits<double>::infinity());
static_assert(step_progress(200, 200) == 0.5 && step_progress(1, 0) == 1);
// |G|^2 = 2 and tr(Sigma) = 8 give 10 at a batch of 1, 4 at 4.
static_assert(gradient_statistics_of({1, 10}, {4, 4}).squared_mean == 2);
static_assert(gradient_statistics_of({1, 10}, {4, 4}).variance == 8);

TEST_CASE("how far the noise scale is from the critical batch", "[scaling][reference]") {
  // McCandlish et al. 2018, critical batch and simple noise scale of six tasks: the documentation
  // of gradient_noise_scale says how close they are.
  struct row {
    double critical;
    double simple;
  };
  constexpr std::array tasks{row{200, 900},   row{40, 2},    row{200, 10},
                             row{1e5, 1.5e5}, row{3e6, 3e5}, row{8e6, 24e6}};
  const auto apart = [](const row& task) {
    return (std::max)(task.critical / task.simple, task.simple / task.critical);
  };
  CHECK(std::all_of(tasks.begin(), tasks.end(), [&](const row& t) { return apart(t) <= 20; }));
  CHECK(std::count_if(tasks.begin(), tasks.end(), [&](const row& t) { return apart(t) <= 5; }) ==
        3);
}

TEST_CASE("two batch sizes give the statistics back", "[scaling][property]") {
  testing::check_property("inverse", [] {
    const gradient_statistics true_ones{.squared_mean = *rc::gen::inRange(1, 10000) * 1e-3,
                                        .variance = *rc::gen::inRange(0, 10000) * 1e-1};
    const auto seen = [&](double batch) {
      return batch_gradient{batch, true_ones.squared_mean + true_ones.variance / batch};
    };
    const double small = *rc::gen::inRange(1, 1000);
    const gradient_statistics found =
        gradient_statistics_of(seen(small), seen(small * *rc::gen::inRange(2, 100)));
    RC_ASSERT(std::abs(found.squared_mean - true_ones.squared_mean) <=
              1e-9 * (true_ones.squared_mean + true_ones.variance));
    RC_ASSERT(std::abs(found.variance - true_ones.variance) <=
              1e-9 * (true_ones.variance + small * true_ones.squared_mean));
  });
}

TEST_CASE("noise scales refuse what their documentation refuses", "[scaling][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(gradient_noise_scale({.squared_mean = -1, .variance = 1}), invalid_input);
  CHECK_THROWS_AS(gradient_noise_scale({.squared_mean = 1, .variance = -1}), invalid_input);
  CHECK_THROWS_AS(gradient_noise_scale({}), invalid_input);
  CHECK_THROWS_AS(gradient_noise_scale({.squared_mean = nan, .variance = 1}), invalid_input);
  CHECK_THROWS_AS(gradient_statistics_of({0, 1}, {2, 1}), invalid_input);
  CHECK_THROWS_AS(gradient_statistics_of({2, 1}, {2, 1}), invalid_input);
  CHECK_THROWS_AS(gradient_statistics_of({1, -1}, {2, 1}), invalid_input);
  CHECK_THROWS_AS(gradient_statistics_of({1, 1}, {2, nan}), invalid_input);
  CHECK_THROWS_AS(step_progress(0, 1), invalid_input);
  CHECK_THROWS_AS(step_progress(1, nan), invalid_input);
}

}  // namespace
}  // namespace gpuplan
