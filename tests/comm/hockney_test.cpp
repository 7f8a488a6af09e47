#include <gpuplan/comm/hockney.hpp>

#include <limits>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr interconnect link{.latency = 5 * us, .bandwidth = 50 * GB / second};
static_assert(message_time(link, bytes{0}).total() == link.latency);
static_assert(message_time(link, 1 * GB).transfer == 20 * ms);
static_assert(message_time(link, 2 * GB).latency == link.latency);

template <class... Args>
concept sends = requires(Args... args) {
  message_time(args...);
};
static_assert(sends<interconnect, bytes>);
static_assert(!sends<interconnect, double>, "a message needs a unit");
static_assert(!sends<interconnect, flop>);

TEST_CASE("message_time refuses a negative message and an invalid link", "[comm][errors]") {
  CHECK_THROWS_AS(message_time(link, -1 * byte), invalid_input);
  CHECK_THROWS_AS(message_time(link, bytes{std::numeric_limits<double>::quiet_NaN()}),
                  invalid_input);
  CHECK_THROWS_AS(message_time(interconnect{}, 1 * GB), invalid_input);
}

}  // namespace
}  // namespace gpuplan
