#include <gpuplan/memory/sequential_batches.hpp>

#include <array>
#include <limits>
#include <vector>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr std::array three{sequential_batch{4 * GB, 2 * second},
                           sequential_batch{9 * GB, 1 * second},
                           sequential_batch{5 * GB, 3 * second}};
static_assert(in_sequence(three).peak == 9 * GB, "the largest, not the sum");
static_assert(in_sequence(three).time == 6 * second, "the sum, not the largest");
static_assert(in_sequence(three).fits(10 * GB, 6 * second));
static_assert(!in_sequence(three).fits(8 * GB, 6 * second));
static_assert(!in_sequence(three).fits(10 * GB, 5 * second));
static_assert(in_sequence(std::array<sequential_batch, 0>{}).peak == bytes{0});

TEST_CASE("in_sequence refuses what its documentation refuses", "[memory][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  using batches = std::vector<sequential_batch>;
  CHECK_THROWS_AS(in_sequence(batches{{-1 * GB, 1 * second}}), invalid_input);
  CHECK_THROWS_AS(in_sequence(batches{{1 * GB, -1 * second}}), invalid_input);
  CHECK_THROWS_AS(in_sequence(batches{{bytes{nan}, 1 * second}}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
