#include <gpuplan/memory/fragmentation.hpp>

#include <limits>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

static_assert(memory_fragmentation(3 * GB, 12 * GB) == 0.75);
static_assert(memory_fragmentation(12 * GB, 12 * GB) == 0, "one block is all");
static_assert(memory_fragmentation(0 * GB, 0 * GB) == 0, "nothing is free, nothing is lost");
static_assert(allocator_slack(60 * GB, 80 * GB) == 0.25);
static_assert(allocator_slack(0 * GB, 0 * GB) == 0);

template <class... Args>
concept fragmentation_accepts = requires(Args... args) {
  memory_fragmentation(args...);
};
static_assert(!fragmentation_accepts<double, double>, "blocks are in bytes");

TEST_CASE("fragmentation refuses what its documentation refuses", "[memory][errors]") {
  const bytes nan{std::numeric_limits<double>::quiet_NaN()};
  CHECK_THROWS_AS(memory_fragmentation(-1 * GB, 1 * GB), invalid_input);
  CHECK_THROWS_AS(memory_fragmentation(2 * GB, 1 * GB), invalid_input);
  CHECK_THROWS_AS(memory_fragmentation(nan, 1 * GB), invalid_input);
  CHECK_THROWS_AS(memory_fragmentation(1 * GB, nan), invalid_input);
  CHECK_THROWS_AS(allocator_slack(-1 * GB, 1 * GB), invalid_input);
  CHECK_THROWS_AS(allocator_slack(2 * GB, 1 * GB), invalid_input);
}

}  // namespace
}  // namespace gpuplan
