#include <gpuplan/comm/all_gather.hpp>

#include <gpuplan/comm/all_reduce.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr interconnect link{.latency = 5 * us, .bandwidth = 400 * GB / second};
static_assert(ring_all_gather(link, 1, 1 * GB).total() == seconds{0});
static_assert(ring_all_gather(link, 5, bytes{0}).total() == 4 * link.latency);

TEST_CASE("an all-reduce is a reduce-scatter and an all-gather", "[comm][cross-check]") {
  const int ranks = GENERATE(1, 2, 3, 8, 100, 1024);
  const bytes message = GENERATE(0.0, 1.0, 1e9) * byte;
  const auto half = ring_all_gather(link, ranks, message);
  const auto whole = ring_all_reduce(link, ranks, message);
  CHECK_THAT((2 * half.total()).in(second), WithinRel(whole.total().in(second), 1e-14));
}

TEST_CASE("ring_all_gather refuses what its documentation refuses", "[comm][errors]") {
  CHECK_THROWS_AS(ring_all_gather(link, 0, 1 * GB), invalid_input);
  CHECK_THROWS_AS(ring_all_gather(link, 2, -1 * GB), invalid_input);
  CHECK_THROWS_AS(ring_all_gather(interconnect{}, 2, 1 * GB), invalid_input);
}

}  // namespace
}  // namespace gpuplan
