#include <gpuplan/memory/pruned_weights.hpp>

#include <limits>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Four values of 16 bits become two and four bits: 4.5 bytes for 8.
static_assert(pruned_weight_memory(4, 0.5, 2 * byte, pruned_storage::two_of_four, 1) == bytes{4.5});
static_assert(pruned_weight_memory(8, 0.9, 2 * byte, pruned_storage::masked, 1) == bytes{17});
static_assert(pruned_weight_memory(100, 1, 2 * byte, pruned_storage::indexed, 10) == bytes{44});

template <class... Args>
concept accepts = requires(Args... args) {
  pruned_weight_memory(args...);
};
static_assert(accepts<double, double, bytes, pruned_storage, double>);
static_assert(!accepts<double, double, double, pruned_storage, double>);

TEST_CASE("indexes save above two thirds of zeros in 16 bits", "[memory][property]") {
  testing::check_property("indexes save above 4/(b + 4)", [] {
    const double weights = 1e6 * *rc::gen::inRange(1, 1000);
    const double zeros = *rc::gen::inRange(0, 101) / 100.0;
    const bytes stored = pruned_weight_memory(weights, zeros, 2 * byte, pruned_storage::indexed, 0);
    if (zeros > 0.67) RC_ASSERT(stored < weights * (2 * byte));
    if (zeros < 0.66) RC_ASSERT(stored > weights * (2 * byte));
    const bytes masked = pruned_weight_memory(weights, zeros, 2 * byte, pruned_storage::masked, 0);
    RC_ASSERT(masked > weights * (2 * byte));
  });
}

TEST_CASE("pruned weights refuse what is no share", "[memory][errors]") {
  const auto masked = pruned_storage::masked;
  CHECK_THROWS_AS(pruned_weight_memory(-1, 0.5, 2 * byte, masked, 1), invalid_input);
  CHECK_THROWS_AS(pruned_weight_memory(nan, 0.5, 2 * byte, masked, 1), invalid_input);
  CHECK_THROWS_AS(pruned_weight_memory(1, -0.1, 2 * byte, masked, 1), invalid_input);
  CHECK_THROWS_AS(pruned_weight_memory(1, 1.1, 2 * byte, masked, 1), invalid_input);
  CHECK_THROWS_AS(pruned_weight_memory(1, nan, 2 * byte, masked, 1), invalid_input);
  CHECK_THROWS_AS(pruned_weight_memory(1, 0.5, bytes{0}, masked, 1), invalid_input);
  CHECK_THROWS_AS(pruned_weight_memory(1, 0.5, 2 * byte, masked, -1), invalid_input);
  CHECK_THROWS_AS(pruned_weight_memory(1, 0.5, 2 * byte, static_cast<pruned_storage>(9), 1),
                  invalid_input);
}

}  // namespace
}  // namespace gpuplan
