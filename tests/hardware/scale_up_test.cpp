#include <gpuplan/hardware/scale_up.hpp>

#include <cmath>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr bytes_per_second rate(double gigabytes) {
  return gigabytes * GB / second;
}

// The 8 MI300X of a board by the figures of S. Bekman's book: 64 GB/s to each peer of 7.
constexpr scale_up_links mi300x{.joined = wiring::direct,
                                .links = 7,
                                .all_peers = {.advertised = per_direction(rate(448))},
                                .one_peer = {.advertised = per_direction(rate(64))}};
static_assert(scale_up_rate(mi300x, 2) == rate(64), "a pair has one link");
static_assert(scale_up_rate(mi300x, 4) == rate(3 * 64));
static_assert(scale_up_rate(mi300x, 8) == rate(448));
static_assert(scale_up_rate(mi300x, 16) == rate(448), "no more links than there are");

constexpr scale_up_links switched{.joined = wiring::switched,
                                  .all_peers = {.advertised = per_direction(rate(450)),
                                                .achievable = per_direction(rate(367.2))}};
static_assert(scale_up_rate(switched, 2) == rate(367.2), "the planned rate, to any number");
static_assert(scale_up_rate(switched, 8) == rate(367.2));

constexpr scale_up_links bridge{.joined = wiring::pair,
                                .all_peers = {.advertised = per_direction(rate(100))}};
static_assert(scale_up_rate(bridge, 2) == rate(100));
static_assert(scale_up_rate(bridge, 3) == rate(0), "a bridge has two ends");
static_assert(scale_up_rate(scale_up_links{}, 2) == rate(0));
static_assert(scale_up_links{}.links == 0, "not counted");

TEST_CASE("two GPUs of a board of MI300X are 6.5 times slower than eight",
          "[hardware][reference]") {
  // S. Bekman, "Machine Learning Engineering Open Book", network/README.md, peer-to-peer bandwidth:
  // bus bandwidth of an all-reduce of 4 GB, 47.671 GB/s on 2 GPUs and 312.912 on 8.
  scale_up_links measured = mi300x;
  measured.all_peers.achievable = per_direction(rate(312.912));
  measured.one_peer.achievable = per_direction(rate(47.671));
  const double slower = scale_up_rate(measured, 8) / scale_up_rate(measured, 2);
  CHECK(std::abs(slower - 6.5) < 0.1);
}

TEST_CASE("more peers never get less from one accelerator, but for a bridge",
          "[hardware][property]") {
  testing::check_property("monotone in ranks", [] {
    scale_up_links drawn = mi300x;
    drawn.joined = *rc::gen::element(wiring::none, wiring::direct, wiring::switched, wiring::torus,
                                     wiring::board);
    if (drawn.joined != wiring::direct) drawn.one_peer = {};
    if (drawn.joined == wiring::none) drawn.all_peers = {};
    const int ranks = *rc::gen::inRange(2, 1000);
    RC_ASSERT(scale_up_rate(drawn, ranks) <= scale_up_rate(drawn, ranks + 1));
    RC_ASSERT(scale_up_rate(drawn, ranks) <= rate(448));
  });
}

TEST_CASE("links that contradict each other are refused", "[hardware][errors]") {
  CHECK_THROWS_AS(scale_up_rate(mi300x, 1), invalid_input);
  CHECK_THROWS_AS(require_valid(scale_up_links{.joined = wiring::switched}), invalid_input);
  CHECK_THROWS_AS(require_valid(scale_up_links{.all_peers = mi300x.all_peers}), invalid_input);
  CHECK_THROWS_AS(
      require_valid(scale_up_links{.joined = wiring::direct, .all_peers = mi300x.all_peers}),
      invalid_input);
  CHECK_THROWS_AS(
      require_valid(scale_up_links{
          .joined = wiring::switched, .all_peers = mi300x.all_peers, .one_peer = mi300x.one_peer}),
      invalid_input);
  CHECK_THROWS_AS(require_valid(scale_up_links{.links = -1}), invalid_input);
  scale_up_links odd = switched;
  odd.joined = wiring{99};
  CHECK_THROWS_AS(scale_up_rate(odd, 2), invalid_input);
}

}  // namespace
}  // namespace gpuplan
