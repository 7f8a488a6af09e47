#include <gpuplan/comm/pipelined_link.hpp>

#include <limits>

#include <gpuplan/comm/hockney.hpp>
#include <gpuplan/comm/pipelined_broadcast.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr pipelined_link sweep{.latency = 30 * us, .fill = 10 * us, .bandwidth = 130 * GB / second};

template <class... Args>
concept accepts = requires(Args... args) {
  pipelined_time(args...);
};
static_assert(accepts<pipelined_link, bytes>);
static_assert(!accepts<pipelined_link, double>, "a message needs a unit");

TEST_CASE("a chain of the best number of segments is such a link", "[comm][cross-check]") {
  const interconnect wire{5 * us, 100 * GB / second};
  const bytes m = GENERATE(0.0, 1e3, 1e9) * byte;
  const auto chain = pipelined_broadcast_unrounded(pipeline_shape::chain, wire, 10, m);
  const pipelined_link same{
      .latency = 8 * wire.latency, .fill = 8 * wire.latency, .bandwidth = wire.bandwidth};
  CHECK_THAT(pipelined_time(same, m).total().in(second),
             WithinRel(chain.total().in(second), 1e-14));
}

TEST_CASE("without a fill it is the alpha-beta model", "[comm][cross-check]") {
  const pipelined_link plain{.latency = 5 * us, .bandwidth = 100 * GB / second};
  CHECK(pipelined_time(plain, 1 * GB).total() ==
        message_time(interconnect{5 * us, 100 * GB / second}, 1 * GB).total());
}

TEST_CASE("it grows from its latency towards its rate", "[comm][property]") {
  testing::check_property("monotone", [] {
    const bytes m = 1.0 * *rc::gen::inRange(0, 1 << 30) * byte;
    const auto time = pipelined_time(sweep, m);
    RC_ASSERT(pipelined_time(sweep, m + 1 * byte).total() > time.total());
    RC_ASSERT(time.total() >= sweep.latency + m / sweep.bandwidth);
  });
  CHECK(pipelined_time(sweep, bytes{0}).total() == sweep.latency);
}

TEST_CASE("a pipelined link refuses what it cannot be", "[comm][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(pipelined_time(sweep, nan * byte), invalid_input);
  CHECK_THROWS_AS(pipelined_time(pipelined_link{}, 1 * byte), invalid_input);
  const auto refused = [](auto change) {
    pipelined_link link = sweep;
    change(link);
    CHECK_THROWS_AS(pipelined_time(link, 1 * byte), invalid_input);
  };
  refused([](pipelined_link& l) { l.latency = -1 * us; });
  refused([&](pipelined_link& l) { l.fill = nan * us; });
  refused([](pipelined_link& l) { l.bandwidth = bytes_per_second{0}; });
}

}  // namespace
}  // namespace gpuplan
