#include <gpuplan/hardware/interconnect.hpp>

#include <limits>

#include <gpuplan/units/link_rate.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr interconnect ndr{.latency = 14 * us, .bandwidth = 400 * Gbit / second};
static_assert((require_valid(ndr), true));
static_assert(ndr.bandwidth == 50 * GB / second, "a bit is an eighth of a byte");
static_assert((require_valid(interconnect{.bandwidth = 1 * GB / second}), true),
              "no latency is a limit worth asking about");

template <class Rate>
concept carries = requires(Rate rate) {
  interconnect{.bandwidth = rate};
};
static_assert(carries<bytes_per_second>);
static_assert(!carries<double>, "400 of what?");
static_assert(!carries<bytes>, "a size is not a rate");
static_assert(!carries<link_rate>, "one direction or both?");

TEST_CASE("a link that carries nothing or runs back in time is refused", "[hardware][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(require_valid(interconnect{}), invalid_input);
  CHECK_THROWS_AS(require_valid(interconnect{.latency = -1 * us, .bandwidth = ndr.bandwidth}),
                  invalid_input);
  CHECK_THROWS_AS(require_valid(interconnect{.latency = nan * us, .bandwidth = ndr.bandwidth}),
                  invalid_input);
  CHECK_THROWS_AS(require_valid(interconnect{.bandwidth = nan * GB / second}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
