#include <gpuplan/compute/activation_function.hpp>

#include <cmath>
#include <limits>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;
using enum activation_function;

// An A100: 19.5 TFLOP/s outside of tensor cores, a quarter of it special, 2 TB/s.
constexpr activation_rates a100{.arithmetic = 19.5 * TFLOP / second,
                                .special = 4.9 * TFLOP / second,
                                .memory = 2 * TB / second};
// A processor that computes slowly beside its memory: arithmetic binds there.
constexpr activation_rates slow{
    .arithmetic = 8 * GFLOP / second, .special = 1 * GFLOP / second, .memory = 50 * GB / second};

static_assert(activation_work_of(relu).arithmetic == 1 && activation_work_of(relu).special == 0);
static_assert(activation_work_of(gelu_tanh).arithmetic > activation_work_of(gelu).arithmetic);
static_assert(activation_work_of(relu).moved() == 2 && activation_work_of(relu).moved_back() == 3);
static_assert(activation_work_of(swiglu).moved() == 3 &&
              activation_work_of(swiglu).moved_back() == 5);
static_assert(activation_over_relu(gelu, bytes{2}, a100) == 1, "memory binds both");
static_assert(activation_over_relu(gelu_tanh, bytes{2}, a100) == 1);
static_assert(activation_over_relu(activation_function::swiglu, bytes{2}, a100) == 1.5,
              "two values read");
static_assert(activation_time(relu, 1e9, bytes{2}, a100) == 2 * ms);
static_assert(activation_time(gelu, 1e9, bytes{4}, slow) == 1 * second, "an erf a nanosecond");
static_assert(activation_over_relu(gelu, bytes{4}, slow) > 6.2, "1 ns over 0.16 ns");
static_assert(coarse_activation_cost(gelu).least == 3 && coarse_activation_cost(gelu).most == 4);

TEST_CASE("every row of activation functions stands at its place", "[compute][facts]") {
  for (std::size_t i = 0; i < activation_works.size(); ++i)
    CHECK(activation_works[i].function == static_cast<activation_function>(i));
}

TEST_CASE("activation functions have the values of their definitions", "[compute][reference]") {
  CHECK(activated(relu, -3) == 0);
  CHECK(activated(relu, 3) == 3);
  CHECK(activated(sigmoid, 0) == 0.5);
  CHECK(activated(activation_function::tanh, 1) == Approx(0.7615941559557649).epsilon(1e-15));
  // Phi(1) = 0.841344746068543, Phi(-2) = 0.0227501319481792: tables of the normal distribution.
  CHECK(activated(gelu, 1) == Approx(0.841344746068543).epsilon(1e-14));
  CHECK(activated(gelu, -2) == Approx(-2 * 0.0227501319481792).epsilon(1e-13));
  CHECK(activated(silu, 1) == Approx(0.7310585786300049).epsilon(1e-15));
  CHECK(gpuplan::swiglu(1, -2) == Approx(-2 * 0.7310585786300049).epsilon(1e-15));
  CHECK(activated(gelu, -1e3) == 0);
  CHECK(activated(silu, -1e3) == 0);
}

TEST_CASE("GELU and its approximation differ by at most 4.73e-4", "[compute][reference]") {
  double largest = 0;
  double at = 0;
  for (int i = -60000; i <= 60000; ++i) {
    const double x = i * 1e-4;
    const double difference = std::abs(activated(gelu, x) - activated(gelu_tanh, x));
    if (difference > largest) {
      largest = difference;
      at = std::abs(x);
    }
  }
  CHECK(largest == Approx(largest_gelu_difference).epsilon(1e-6));
  CHECK(at == Approx(largest_gelu_difference_at).margin(1e-4));
}

TEST_CASE("activation time is its slowest part's", "[compute][property]") {
  testing::check_property("more results and slower memory never take less time", [] {
    const auto f = activation_works[*rc::gen::inRange<std::size_t>(0, 7)].function;
    const double results = *rc::gen::inRange(0, 1'000'000);
    activation_rates rates = a100;
    const seconds time = activation_time(f, results, bytes{2}, rates);
    RC_ASSERT(time >= results * bytes{2} / rates.memory);
    RC_ASSERT(activation_time(f, results + 1, bytes{2}, rates) > time);
    rates.special = rates.special / 1000.0;
    RC_ASSERT(activation_time(f, results, bytes{2}, rates) >= time);
  });
}

TEST_CASE("activation functions refuse what they cannot compute", "[compute][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(activated(relu, nan), invalid_input);
  CHECK_THROWS_AS(activated(activation_function::swiglu, 1), invalid_input);
  CHECK_THROWS_AS(activated(activation_function{99}, 1), invalid_input);
  CHECK_THROWS_AS(gpuplan::swiglu(1, nan), invalid_input);
  CHECK_THROWS_AS(gpuplan::swiglu(nan, 1), invalid_input);
  CHECK_THROWS_AS(activation_work_of(activation_function{7}), invalid_input);
  CHECK_THROWS_AS(activation_time(relu, -1, bytes{2}, a100), invalid_input);
  CHECK_THROWS_AS(activation_time(relu, nan, bytes{2}, a100), invalid_input);
  CHECK_THROWS_AS(activation_time(relu, 1, bytes{0}, a100), invalid_input);
  CHECK_THROWS_AS(activation_time(relu, 1, bytes{2}, {}), invalid_input);
  CHECK_THROWS_AS(coarse_activation_cost(silu), invalid_input);
}

}  // namespace
}  // namespace gpuplan
