#include <gpuplan/comm/all_to_all.hpp>

#include <gpuplan/comm/hockney.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr interconnect link{.latency = 5 * us, .bandwidth = 50 * GB / second};
static_assert(pairwise_all_to_all(link, 1, 1 * GB).total() == seconds{0});

TEST_CASE("an all-to-all is one message of a piece to each other rank", "[comm][cross-check]") {
  const int ranks = GENERATE(2, 3, 8, 64);
  seconds sum;
  for (int other = 1; other < ranks; ++other) sum += message_time(link, 1 * GB / ranks).total();
  CHECK_THAT(pairwise_all_to_all(link, ranks, 1 * GB).total().in(second),
             WithinRel(sum.in(second), 1e-13));
}

TEST_CASE("pairwise_all_to_all refuses what its documentation refuses", "[comm][errors]") {
  CHECK_THROWS_AS(pairwise_all_to_all(link, 0, 1 * GB), invalid_input);
  CHECK_THROWS_AS(pairwise_all_to_all(link, 2, -1 * GB), invalid_input);
  CHECK_THROWS_AS(pairwise_all_to_all(interconnect{}, 2, 1 * GB), invalid_input);
}

}  // namespace
}  // namespace gpuplan
