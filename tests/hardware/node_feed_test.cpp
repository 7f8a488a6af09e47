#include <gpuplan/hardware/node_feed.hpp>

#include <limits>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

static_assert(!node_feed{}.is_known());
static_assert(node_feed{.preprocessing = 1 * ms}.is_known());
static_assert(node_feed{.stored_sample = 1 * kB, .storage = 1 * GB / second}.is_known());

TEST_CASE("feeds out of range are refused", "[hardware]") {
  CHECK_NOTHROW(require_valid(node_feed{}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {-1.0, nan}) {
    CHECK_THROWS_AS(require_valid(node_feed{.stored_sample = bytes{bad}}), invalid_input);
    CHECK_THROWS_AS(require_valid(node_feed{.storage = bytes_per_second{bad}}), invalid_input);
    CHECK_THROWS_AS(require_valid(node_feed{.preprocessing = seconds{bad}}), invalid_input);
    CHECK_THROWS_AS(require_valid(node_feed{.workers = bad}), invalid_input);
  }
  CHECK_THROWS_AS(require_valid(node_feed{.workers = 0}), invalid_input);
  CHECK_THROWS_AS(require_valid(node_feed{.stored_sample = 1 * kB}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
