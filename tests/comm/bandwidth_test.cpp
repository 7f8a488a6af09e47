#include <gpuplan/comm/bandwidth.hpp>

#include <limits>

#include <gpuplan/comm/all_gather.hpp>
#include <gpuplan/comm/all_reduce.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

static_assert(bus_factor(collective::all_reduce, 8) == 1.75);
static_assert(bus_factor(collective::all_gather, 4) == 0.75);
static_assert(bus_factor(collective::reduce_scatter, 4) == 0.75);
static_assert(bus_factor(collective::all_to_all, 4) == 0.75);
static_assert(bus_factor(collective::broadcast, 4) == 1);
static_assert(bus_factor(collective::reduce, 4) == 1);
static_assert(bus_factor(collective::send_receive, 1) == 1);
static_assert(bus_factor(collective::all_reduce, 1) == 0, "one rank moves nothing");
static_assert(algorithm_bandwidth(1 * GB, 1 * ms) == 1 * TB / second);
static_assert(bus_bandwidth(collective::all_reduce, 2, 1 * GB, 1 * ms) == 1 * TB / second);

template <class... Args>
concept accepts = requires(Args... args) {
  algorithm_bandwidth(args...);
};
static_assert(accepts<bytes, seconds>);
static_assert(!accepts<seconds, bytes>, "bytes come first");

TEST_CASE("the bus bandwidth of a ring without latency is its link's", "[comm][cross-check]") {
  const interconnect link{.bandwidth = 50 * GB / second};
  const int n = GENERATE(2, 3, 8, 1440);
  const auto reduced = ring_all_reduce(link, n, 1 * GB).total();
  const auto gathered = ring_all_gather(link, n, 1 * GB).total();
  CHECK_THAT(bus_bandwidth(collective::all_reduce, n, 1 * GB, reduced) / link.bandwidth,
             WithinRel(1.0, 1e-14));
  CHECK_THAT(bus_bandwidth(collective::all_gather, n, 1 * GB, gathered) / link.bandwidth,
             WithinRel(1.0, 1e-14));
  CHECK_THAT(time_at_bus_bandwidth(collective::all_reduce, n, 1 * GB, link.bandwidth) / reduced,
             WithinRel(1.0, 1e-14));
}

TEST_CASE("limits of switches and ports", "[comm][reference]") {
  // Eight H200 at 450 GB/s: 700 GB/s at most (480 measured).
  CHECK_THAT(nvls_bus_bandwidth_limit(450 * GB / second, 8) / (GB / second), WithinRel(700, 1e-14));
  // Four nodes of eight with a port for each GPU: 3/31 of the bus bandwidth.
  CHECK_THAT(port_bandwidth(377.3 * GB / second, 8, 4, 8) / (GB / second),
             WithinRel(377.3 * 3 / 31, 1e-14));
  CHECK(port_bandwidth(100 * GB / second, 8, 1, 8) == bytes_per_second{0});
}

TEST_CASE("bandwidths refuse what is no message, time or group", "[comm][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(bus_factor(collective::all_reduce, 0), invalid_input);
  CHECK_THROWS_AS(bus_factor(static_cast<collective>(99), 2), invalid_input);
  CHECK_THROWS_AS(algorithm_bandwidth(nan * byte, 1 * ms), invalid_input);
  CHECK_THROWS_AS(algorithm_bandwidth(1 * byte, seconds{0}), invalid_input);
  CHECK_THROWS_AS(algorithm_bandwidth(1 * byte, nan * ms), invalid_input);
  CHECK_THROWS_AS(time_at_bus_bandwidth(collective::reduce, 2, 1 * byte, bytes_per_second{0}),
                  invalid_input);
  CHECK_THROWS_AS(time_at_bus_bandwidth(collective::reduce, 2, -1 * byte, 1 * GB / second),
                  invalid_input);
  CHECK_THROWS_AS(nvls_bus_bandwidth_limit(1 * GB / second, 1), invalid_input);
  CHECK_THROWS_AS(nvls_bus_bandwidth_limit(nan * GB / second, 2), invalid_input);
  CHECK_THROWS_AS(port_bandwidth(1 * GB / second, 1, 1, 1), invalid_input);
  CHECK_THROWS_AS(port_bandwidth(1 * GB / second, 0, 2, 1), invalid_input);
  CHECK_THROWS_WITH(port_bandwidth(1 * GB / second, 8, 0, 1),
                    "port_bandwidth: nodes must be >= 1");
  CHECK_THROWS_AS(port_bandwidth(1 * GB / second, 8, 2, 0), invalid_input);
  CHECK_THROWS_AS(port_bandwidth(nan * GB / second, 8, 2, 8), invalid_input);
}

}  // namespace
}  // namespace gpuplan
