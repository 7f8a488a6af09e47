#include <gpuplan/comm/token_exchange.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr basic_exchange_unit<double> unit{
    .start = 40 * us, .a_token = 20 * ns, .rate = 300 * GB / second, .network = 45 * GB / second};

static_assert(token_exchange_time(token_exchange{}, unit) == 40 * us, "nothing to send");

template <class... Args>
concept exchanges = requires(Args... args) {
  token_exchange_time(args...);
};
static_assert(exchanges<token_exchange, basic_exchange_unit<double>>);
static_assert(!exchanges<double, basic_exchange_unit<double>>);

TEST_CASE("tokens go once to each rank, and over the network once to each node", "[comm][facts]") {
  // By hand: 4096 tokens of 7168 values of 2 bytes to 4.5 ranks at 300 GB/s, 20 ns each; to 2
  // nodes at 45 GB/s.
  const token_exchange inside{.tokens = 4096, .ranks = 4.5, .token = 14336 * byte};
  CHECK_THAT(token_exchange_time(inside, unit).in(us),
             WithinRel(40 + 4096 * (0.02 + 4.5 * 14336 / 0.3e6), 1e-13));
  token_exchange between = inside;
  between.nodes = 2;
  CHECK_THAT(token_exchange_time(between, unit).in(us),
             WithinRel(40 + 4096 * 2 * 14336 / 0.045e6, 1e-13));
}

TEST_CASE("token_exchange_time refuses what its documentation refuses", "[comm][errors]") {
  const auto refused = [](auto change) {
    token_exchange sent{.tokens = 1, .ranks = 1, .nodes = 1, .token = 1 * byte};
    basic_exchange_unit<double> by = unit;
    change(sent, by);
    CHECK_THROWS_AS(token_exchange_time(sent, by), invalid_input);
  };
  refused([](auto& sent, auto&) { sent.tokens = -1; });
  refused([](auto& sent, auto&) { sent.ranks = -1; });
  refused([](auto& sent, auto&) { sent.nodes = -1; });
  refused([](auto& sent, auto&) { sent.token = -1 * byte; });
  refused([](auto&, auto& by) { by.start = -1 * us; });
  refused([](auto&, auto& by) { by.a_token = -1 * us; });
  refused([](auto&, auto& by) { by.rate = bytes_per_second{0}; });
  refused([](auto&, auto& by) { by.network = bytes_per_second{0}; });
}

}  // namespace
}  // namespace gpuplan
