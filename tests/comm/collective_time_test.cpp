#include <gpuplan/comm/collective_time.hpp>

#include <limits>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr interconnect link{.latency = 5 * us, .bandwidth = 50 * GB / second};
constexpr seconds_per_byte gamma = 1 * ns / kB;

static_assert(time_of({2, 3, 4}, link, 1 * GB).latency == 10 * us);
static_assert(time_of({2, 3, 4}, link, 1 * GB).transfer == 60 * ms);
static_assert(time_of({2, 3, 4}, link, 1 * GB).compute == seconds{0}, "the sum is free");
static_assert(time_of({2, 3, 4}, link, 1 * GB, gamma).compute == 4e9 * byte * gamma);
static_assert(time_of({2, 3, 4}, link, bytes{0}, gamma).total() == 2 * link.latency);
static_assert(time_of({}, link, 1 * GB, gamma).total() == seconds{0});
static_assert(collective_time{1 * us, 2 * us, 4 * us}.total() == 1 * us + 2 * us + 4 * us);
static_assert(collective_cost{1, 2, 3} + collective_cost{4, 5, 6} == collective_cost{5, 7, 9});

// Rounds of doubling.
static_assert(detail::doublings_to_reach(1) == 0 && detail::doublings_within(1) == 0);
static_assert(detail::doublings_to_reach(8) == 3 && detail::doublings_within(8) == 3);
static_assert(detail::doublings_to_reach(9) == 4 && detail::doublings_within(9) == 3);
static_assert(detail::doublings_to_reach(std::numeric_limits<int>::max()) == 31);
static_assert(detail::is_power_of_two(64) && !detail::is_power_of_two(72));

// What must not compile.
template <class... Args>
concept takes_time = requires(Args... args) {
  time_of(args...);
};
static_assert(takes_time<collective_cost, interconnect, bytes>);
static_assert(takes_time<collective_cost, interconnect, bytes, seconds_per_byte>);
static_assert(!takes_time<collective_cost, interconnect, double>, "a message needs a unit");
static_assert(!takes_time<collective_cost, interconnect, bytes, bytes_per_second>,
              "gamma is a time for each byte, not a rate");

TEST_CASE("time_of refuses what is no message, sum or link", "[comm][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(time_of({1, 1, 1}, link, -1 * byte), invalid_input);
  CHECK_THROWS_AS(time_of({1, 1, 1}, link, nan * byte), invalid_input);
  CHECK_THROWS_AS(time_of({1, 1, 1}, link, 1 * byte, -1.0 * gamma), invalid_input);
  CHECK_THROWS_AS(time_of({1, 1, 1}, link, 1 * byte, nan * gamma), invalid_input);
  CHECK_THROWS_AS(time_of({1, 1, 1}, interconnect{.latency = 1 * us}, 1 * byte), invalid_input);
}

}  // namespace
}  // namespace gpuplan
