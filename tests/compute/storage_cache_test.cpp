#include <gpuplan/compute/storage_cache.hpp>

#include <limits>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

static_assert(cache_hits(75 * GB, 150 * GB) == 0.5);
static_assert(cache_hits(200 * GB, 150 * GB) == 1, "no more than all");
static_assert(cached_bandwidth(0, bytes_per_second{16}, bytes_per_second{8}) ==
              bytes_per_second{8});
static_assert(cached_bandwidth(1, bytes_per_second{16}, bytes_per_second{8}) ==
              bytes_per_second{16});

TEST_CASE("hits and misses take the time of both", "[compute][reference]") {
  // 9 GB at 10 GB/s and 1 GB at 0.1 GB/s: 0.9 s + 10 s.
  CHECK_THAT(cached_bandwidth(0.9, 10 * GB / second, 0.1 * GB / second).in(GB / second),
             WithinRel(10 / 10.9, 1e-12));
}

TEST_CASE("storage behind a cache lies between both", "[compute][property]") {
  testing::check_property("between both, and no slower with more hits", [] {
    const double hits = *rc::gen::inRange(0, 100) / 100.0;
    const bytes_per_second storage = *rc::gen::inRange(1, 1000) * MB / second;
    const bytes_per_second cache = storage * *rc::gen::inRange(1, 1000);
    const bytes_per_second both = cached_bandwidth(hits, cache, storage);
    RC_ASSERT(both >= storage * (1 - 1e-12));
    RC_ASSERT(both <= cache * (1 + 1e-12));
    RC_ASSERT(cached_bandwidth(hits + 0.01, cache, storage) >= both * (1 - 1e-12));
  });
}

TEST_CASE("a cache refuses what is none", "[compute][errors]") {
  CHECK_THROWS_AS(cache_hits(-1 * GB, 1 * GB), invalid_input);
  CHECK_THROWS_AS(cache_hits(nan * GB, 1 * GB), invalid_input);
  CHECK_THROWS_AS(cache_hits(1 * GB, 0 * GB), invalid_input);
  CHECK_THROWS_AS(cached_bandwidth(1.1, 1 * GB / second, 1 * GB / second), invalid_input);
  CHECK_THROWS_AS(cached_bandwidth(-0.1, 1 * GB / second, 1 * GB / second), invalid_input);
  CHECK_THROWS_AS(cached_bandwidth(nan, 1 * GB / second, 1 * GB / second), invalid_input);
  CHECK_THROWS_AS(cached_bandwidth(1, 0 * GB / second, 1 * GB / second), invalid_input);
  CHECK_THROWS_AS(cached_bandwidth(0, 1 * GB / second, 0 * GB / second), invalid_input);
}

}  // namespace
}  // namespace gpuplan
