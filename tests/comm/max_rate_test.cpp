#include <gpuplan/comm/max_rate.hpp>

#include <limits>

#include <gpuplan/comm/hockney.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr interconnect rank{.latency = 2 * us, .bandwidth = 10 * GB / second};
constexpr bytes_per_second port = 25 * GB / second;

static_assert(max_rate_message_time(rank, 1, port, 1 * GB).total() ==
                  message_time(rank, 1 * GB).total(),
              "one rank does not fill the port");
static_assert(max_rate_message_time(rank, 2, port, 1 * GB).transfer == 100 * ms);
static_assert(max_rate_message_time(rank, 5, port, 1 * GB).transfer == 200 * ms, "5 GB at 25 GB/s");

template <class... Args>
concept accepts = requires(Args... args) {
  max_rate_message_time(args...);
};
static_assert(accepts<interconnect, int, bytes_per_second, bytes>);
static_assert(!accepts<interconnect, int, bytes, bytes_per_second>, "the port comes first");

TEST_CASE("more ranks never finish sooner, and at most as fast as the port", "[comm][property]") {
  const bytes message = GENERATE(0.0, 1e3, 1e9) * byte;
  for (int ranks = 1; ranks < 20; ++ranks) {
    const auto now = max_rate_message_time(rank, ranks, port, message);
    CHECK(max_rate_message_time(rank, ranks + 1, port, message).total() >= now.total());
    CHECK(now.transfer >= 1.0 * ranks * message / port * (1 - 1e-15));
  }
}

TEST_CASE("max_rate_message_time refuses what is no port or message", "[comm][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(max_rate_message_time(rank, 0, port, 1 * GB), invalid_input);
  CHECK_THROWS_AS(max_rate_message_time(rank, 1, bytes_per_second{0}, 1 * GB), invalid_input);
  CHECK_THROWS_AS(max_rate_message_time(rank, 1, nan * port, 1 * GB), invalid_input);
  CHECK_THROWS_AS(max_rate_message_time(rank, 1, port, nan * byte), invalid_input);
  CHECK_THROWS_AS(max_rate_message_time(interconnect{}, 1, port, 1 * GB), invalid_input);
}

}  // namespace
}  // namespace gpuplan
