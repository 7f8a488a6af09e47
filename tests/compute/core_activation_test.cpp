#include <gpuplan/compute/core_activation.hpp>

#include <cmath>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;
using enum activation_function;

// Four pipes of four lanes at 3.5 GHz, 20 cycles for an exponential.
constexpr processor_core core{
    .clock = 3.5e9 / second, .arithmetic = 16, .cycles_of_special = 20, .memory = 60 * GB / second};

static_assert(core_rates(core).arithmetic == 56 * GFLOP / second);
static_assert(core_rates(core).memory == 60 * GB / second);
static_assert(activation_over_relu(sigmoid, bytes{4}, core_rates(core)) > 40,
              "without units for exponentials they bind");
static_assert(core_activation_time(relu) < core_activation_time(sigmoid));
static_assert(core_activation_time(sigmoid) < core_activation_time(activation_function::tanh));

TEST_CASE("every measured function stands at its place", "[compute][facts]") {
  for (std::size_t i = 0; i < core_activations.size(); ++i)
    CHECK(core_activations[i].function == static_cast<activation_function>(i));
}

TEST_CASE("the rate of exponentials is the clock over their cycles", "[compute][property]") {
  testing::check_property("so a value takes that many cycles", [] {
    const int cycles = *rc::gen::inRange(1, 1000);
    processor_core slow = core;
    slow.cycles_of_special = cycles;
    slow.memory = 1e6 * TB / second;
    slow.arithmetic = 1e6;
    const seconds value = activation_time(sigmoid, 1, bytes{4}, core_rates(slow));
    RC_ASSERT(std::abs(value * slow.clock / cycles - 1) < 1e-12);
  });
}

TEST_CASE("cores refuse what their documentation refuses", "[compute][errors]") {
  CHECK_THROWS_AS(core_activation_time(activation_function::swiglu), invalid_input);
  CHECK_THROWS_AS(core_activation_time(static_cast<activation_function>(-1)), invalid_input);
  for (const auto& spoil : {+[](processor_core& c) { c.clock = per_second{0}; },
                            +[](processor_core& c) { c.arithmetic = 0; },
                            +[](processor_core& c) { c.cycles_of_special = -1; },
                            +[](processor_core& c) { c.memory = bytes_per_second{0}; }}) {
    processor_core bad = core;
    spoil(bad);
    CHECK_THROWS_AS(core_rates(bad), invalid_input);
  }
}

}  // namespace
}  // namespace gpuplan
