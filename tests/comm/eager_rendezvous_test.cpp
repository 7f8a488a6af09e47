#include <gpuplan/comm/eager_rendezvous.hpp>

#include <limits>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr eager_rendezvous link{.limit = 8 * KiB,
                                .eager = {1 * us, 6 * GB / second},
                                .rendezvous = {3.5 * us, 24 * GB / second}};

static_assert(protocol_of(link, 8 * KiB) == message_protocol::eager, "the limit itself is eager");
static_assert(protocol_of(link, 8193 * byte) == message_protocol::rendezvous);
static_assert(message_time(link, bytes{0}).total() == 1 * us);
static_assert(message_time(link, 8 * KiB).total() == message_time(link.eager, 8 * KiB).total());
static_assert(message_time(link, 1 * GB).total() == message_time(link.rendezvous, 1 * GB).total());
static_assert(message_time(link, 8193 * byte).total() > message_time(link, 8192 * byte).total(),
              "a jump at the limit");

template <class... Args>
concept accepts = requires(Args... args) {
  message_time(args...);
};
static_assert(accepts<eager_rendezvous, bytes>);
static_assert(!accepts<eager_rendezvous, double>, "a message needs a unit");

TEST_CASE("an eager_rendezvous link refuses what either protocol refuses", "[comm][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [](auto change) {
    eager_rendezvous other = link;
    change(other);
    CHECK_THROWS_AS(message_time(other, 1 * byte), invalid_input);
  };
  refused([](eager_rendezvous& l) { l.limit = -1 * byte; });
  refused([&](eager_rendezvous& l) { l.limit = nan * byte; });
  refused([](eager_rendezvous& l) { l.eager = {}; });
  refused([](eager_rendezvous& l) { l.rendezvous.latency = -1 * us; });
  CHECK_THROWS_AS(message_time(link, -1 * byte), invalid_input);
  CHECK_THROWS_AS(message_time(link, nan * byte), invalid_input);
}

}  // namespace
}  // namespace gpuplan
