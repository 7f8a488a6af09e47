#include <gpuplan/comm/loggp.hpp>

#include <limits>

#include <gpuplan/comm/hockney.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr loggp net{
    .latency = 5 * us, .overhead = 1 * us, .gap = 2 * us, .gap_per_byte = 1 * ns / byte};
constexpr loggp logp{.latency = 5 * us, .overhead = 1 * us, .gap = 2 * us};

static_assert(loggp_message_time(net, 1 * byte).total() == 5 * us + 2 * (1 * us), "L + 2 o");
static_assert(loggp_message_time(net, 1 * byte).transfer == seconds{0});
static_assert(loggp_messages_time(logp, 4, 1 * byte).transfer == 3 * (2 * us), "(k - 1) g");

template <class... Args>
concept accepts = requires(Args... args) {
  loggp_message_time(args...);
};
static_assert(accepts<loggp, bytes>);
static_assert(!accepts<loggp, double>, "a message needs a unit");
static_assert(!accepts<interconnect, bytes>);

TEST_CASE("a processor slower than the network spaces its messages", "[comm]") {
  loggp busy = logp;
  busy.overhead = 3 * us;
  CHECK(loggp_messages_time(busy, 5, 1 * byte).transfer == 4 * (3 * us));
}

TEST_CASE("LogGP and the alpha-beta model agree on single messages", "[comm][cross-check]") {
  const bytes message = GENERATE(1.0, 8.0, 4096.0, 1e9) * byte;
  const interconnect same = interconnect_of(net);
  CHECK_THAT(loggp_message_time(net, message).total().in(second),
             WithinRel(message_time(same, message).total().in(second), 1e-14));
}

TEST_CASE("messages sent one by one, in steps of the processor and the wire",
          "[comm][simulation]") {
  // Each message leaves when the processor is free and the wire has been idle for its gap.
  const int count = GENERATE(1, 2, 10);
  const bytes message = GENERATE(1.0, 100.0, 1e5) * byte;
  seconds ready;
  seconds arrived;
  for (int i = 0; i < count; ++i) {
    const seconds wire = (message - 1 * byte) * net.gap_per_byte;
    arrived = ready + net.overhead + wire + net.latency + net.overhead;
    ready += larger(net.overhead, net.gap + wire);
  }
  CHECK_THAT(loggp_messages_time(net, count, message).total().in(second),
             WithinRel(arrived.in(second), 1e-13));
}

TEST_CASE("LogGP refuses what is no network or message", "[comm][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(loggp_message_time(net, bytes{0}), invalid_input);
  CHECK_THROWS_AS(loggp_message_time(net, nan * byte), invalid_input);
  CHECK_THROWS_AS(loggp_messages_time(net, 0, 1 * byte), invalid_input);
  CHECK_THROWS_AS(loggp_message_time(loggp{.latency = -1 * us}, 1 * byte), invalid_input);
  CHECK_THROWS_AS(loggp_message_time(loggp{.overhead = nan * us}, 1 * byte), invalid_input);
  CHECK_THROWS_AS(loggp_message_time(loggp{.gap = -1 * us}, 1 * byte), invalid_input);
  CHECK_THROWS_AS(loggp_message_time(loggp{.gap_per_byte = -1 * ns / byte}, 1 * byte),
                  invalid_input);
  CHECK_THROWS_AS(interconnect_of(logp), invalid_input);
  CHECK_THROWS_AS(interconnect_of(loggp{.gap_per_byte = 1 * ns / byte}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
