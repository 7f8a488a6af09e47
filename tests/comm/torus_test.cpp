#include <gpuplan/comm/torus.hpp>

#include <array>
#include <limits>

#include <gpuplan/comm/all_reduce.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr interconnect link{.latency = 1 * us, .bandwidth = 50 * GB / second};
constexpr std::array<torus_dimension, 1> ring{{{.ranks = 16, .link = link}}};
constexpr std::array<torus_dimension, 3> cube{{{4, link}, {4, link}, {4, link}}};
constexpr std::array<torus_dimension, 3> point{{{1, link}, {1, link}, {1, link}}};

constexpr seconds serial(std::span<const torus_dimension> torus, bytes m) {
  return torus_all_reduce(torus, m).total();
}

static_assert(serial(point, 1 * GB) == seconds{0});
static_assert(serial({}, 1 * GB) == seconds{0}, "no dimension, one rank");
static_assert(serial(ring, 1 * GB) == ring_all_reduce(link, 16, 1 * GB).total());
static_assert(serial(cube, bytes{0}) == 18 * link.latency, "2 x 3 in each of three dimensions");

TEST_CASE("on a torus as many bytes are sent as on one ring over all ranks",
          "[comm][cross-check]") {
  CHECK_THAT(torus_all_reduce<double>(cube, 1 * GB).transfer.in(second),
             WithinRel(ring_all_reduce(link, 64, 1 * GB).transfer.in(second), 1e-14));
}

TEST_CASE("all dimensions at once share the bytes of equal dimensions", "[comm][cross-check]") {
  const auto one = torus_all_reduce<double>(cube, 1 * GB);
  const auto all = concurrent_torus_all_reduce<double>(cube, 1 * GB);
  CHECK(all.latency == one.latency);
  CHECK_THAT((3 * all.transfer).in(second), WithinRel(one.transfer.in(second), 1e-14));
  CHECK(concurrent_torus_all_reduce<double>(ring, 1 * GB).total() == serial(ring, 1 * GB));
}

TEST_CASE("pieces shrink as they go: step by step", "[comm][simulation]") {
  const std::array<torus_dimension, 3> box{{{2, {1 * us, 10 * GB / second}},
                                            {3, {2 * us, 20 * GB / second}},
                                            {5, {4 * us, 5 * GB / second}}}};
  seconds time;
  bytes piece = 1 * GB;
  for (const auto& along : box) {
    for (int step = 1; step < along.ranks; ++step)
      time += 2 * (along.link.latency + piece / along.ranks / along.link.bandwidth);
    piece = piece / along.ranks;
  }
  CHECK_THAT(serial(box, 1 * GB).in(second), WithinRel(time.in(second), 1e-13));
}

TEST_CASE("all dimensions at once are no slower than one after another by much",
          "[comm][property]") {
  testing::check_property("between 1/D and once", [] {
    const interconnect wire{*rc::gen::inRange(0, 9) * us, *rc::gen::inRange(1, 99) * GB / second};
    const int side = *rc::gen::inRange(1, 20);
    const std::array<torus_dimension, 3> torus{{{side, wire}, {side, wire}, {side, wire}}};
    const bytes m = 1.0 * *rc::gen::inRange(0, 1 << 30) * byte;
    const seconds one = serial(torus, m);
    const seconds all = concurrent_torus_all_reduce<double>(torus, m).total();
    RC_ASSERT(all <= one * (1 + 1e-12));
    RC_ASSERT(3 * all >= one * (1 - 1e-12));
  });
}

TEST_CASE("a torus refuses what is no dimension or message", "[comm][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::array<torus_dimension, 1> empty{{{0, link}}};
  const std::array<torus_dimension, 1> dark{{{4, {}}}};
  CHECK_THROWS_AS(serial(empty, 1 * GB), invalid_input);
  CHECK_THROWS_AS(serial(dark, 1 * GB), invalid_input);
  CHECK_THROWS_AS(serial(ring, nan * byte), invalid_input);
  CHECK_THROWS_AS(concurrent_torus_all_reduce<double>(empty, 1 * GB), invalid_input);
  CHECK_THROWS_AS(concurrent_torus_all_reduce<double>(dark, 1 * GB), invalid_input);
  CHECK_THROWS_AS(concurrent_torus_all_reduce<double>(ring, -1 * byte), invalid_input);
}

}  // namespace
}  // namespace gpuplan
