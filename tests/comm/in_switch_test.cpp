#include <gpuplan/comm/in_switch.hpp>

#include <limits>

#include <gpuplan/comm/all_reduce.hpp>
#include <gpuplan/comm/bandwidth.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr interconnect nvlink{.latency = 25 * us, .bandwidth = 400 * GB / second};
constexpr interconnect port{.latency = 1 * us, .bandwidth = 50 * GB / second};

static_assert(nvls_all_reduce(nvlink, 1, 1 * GB).total() == seconds{0});
static_assert(nvls_all_reduce(nvlink, 8, bytes{0}).total() == 25 * us);
static_assert(nvls_all_reduce(nvlink, 8, 400 * GB).transfer == 1.125 * second);
static_assert(nvls_all_gather(nvlink, 8, 400 * GB).transfer == 1 * second);
static_assert(nvls_all_gather(nvlink, 1, 400 * GB).total() == seconds{0});
static_assert(sharp_all_reduce(port, 64, 50 * GB).total() == 1 * second + port.latency);
static_assert(sharp_all_reduce(port, 64, bytes{0}, {.hops = 5, .each = 300 * ns}).total() ==
                  2 * port.latency + 5 * (300 * ns),
              "two endpoints, up two levels, the root, down two");
static_assert(sharp_all_reduce(port, 1, 1 * GB, {.hops = 5}).total() == seconds{0});

template <class... Args>
concept accepts = requires(Args... args) {
  nvls_all_reduce(args...);
};
static_assert(accepts<interconnect, int, bytes>);
static_assert(!accepts<interconnect, int, double>, "a message needs a unit");

TEST_CASE("a switch that sums sends less than ranks among themselves, from three on",
          "[comm][cross-check]") {
  CHECK(nvls_all_reduce(nvlink, 3, 1 * GB).transfer == ring_all_reduce(nvlink, 3, 1 * GB).transfer);
  for (int n = 4; n < 100; ++n)
    CHECK(nvls_all_reduce(nvlink, n, 1 * GB).transfer <
          ring_all_reduce(nvlink, n, 1 * GB).transfer);
  // Eight ranks: at most 14/9 of the wire.
  const bytes much = 1 * PB;
  const auto rate =
      bus_bandwidth(collective::all_reduce, 8, much, nvls_all_reduce(nvlink, 8, much).total());
  CHECK_THAT(rate / nvls_bus_bandwidth_limit(nvlink.bandwidth, 8), WithinRel(1.0, 1e-6));
}

TEST_CASE("in_switch refuses what its documentation refuses", "[comm][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(nvls_all_reduce(nvlink, 0, 1 * GB), invalid_input);
  CHECK_THROWS_AS(nvls_all_reduce(nvlink, 2, nan * byte), invalid_input);
  CHECK_THROWS_AS(nvls_all_gather(nvlink, 0, 1 * GB), invalid_input);
  CHECK_THROWS_AS(nvls_all_gather(interconnect{}, 2, 1 * GB), invalid_input);
  CHECK_THROWS_AS(sharp_all_reduce(port, 0, 1 * GB), invalid_input);
  CHECK_THROWS_AS(sharp_all_reduce(port, 2, -1 * GB), invalid_input);
  CHECK_THROWS_AS(sharp_all_reduce(port, 0, 1 * GB, {}), invalid_input);
  CHECK_THROWS_AS(sharp_all_reduce(port, 2, 1 * GB, {.hops = 0}), invalid_input);
  CHECK_THROWS_AS(sharp_all_reduce(port, 2, 1 * GB, {.each = nan * us}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
