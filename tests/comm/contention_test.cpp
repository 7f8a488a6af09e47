#include <gpuplan/comm/contention.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <tuple>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr interference both{.computation = 1.25, .communication = 2};

static_assert(beside_each_other(3 * ms, 2 * ms) == 3 * ms, "without interference: the longer");
static_assert(beside_each_other(8 * ms, seconds{0}, both) == 8 * ms);
static_assert(beside_each_other(seconds{0}, 2 * ms, both) == 2 * ms);
// 4 s of computation take 5 beside communication, of which 2.5 of 10 s are done by then.
static_assert(beside_each_other(4 * second, 10 * second, both) == 12.5 * second);
static_assert(slowdown_at_share(0.2) == 1.25);
static_assert(shared_bandwidth(50 * GB / second, 4, 100 * GB / second) == 25 * GB / second);
static_assert(shared_bandwidth(50 * GB / second, 1, 100 * GB / second) == 50 * GB / second);
static_assert(oversubscribed_bandwidth(50 * GB / second, 2) == 25 * GB / second);

template <class... Args>
concept accepts = requires(Args... args) {
  beside_each_other(args...);
};
static_assert(accepts<seconds, seconds>);
static_assert(!accepts<seconds, bytes>, "communication is a time");

TEST_CASE("two that slow each other, in small steps", "[comm][simulation]") {
  testing::check_property("the same", [] {
    const seconds computation = *rc::gen::inRange(0, 50) * ms;
    const seconds communication = *rc::gen::inRange(0, 50) * ms;
    const interference factor{.computation = 1 + *rc::gen::inRange(0, 10) * 0.1,
                              .communication = 1 + *rc::gen::inRange(0, 10) * 0.1};
    seconds to_compute = computation;
    seconds to_send = communication;
    seconds now;
    const seconds step = 0.01 * ms;
    while (to_compute > 1 * ns || to_send > 1 * ns) {
      const bool busy = to_compute > 1 * ns && to_send > 1 * ns;
      if (to_compute > 1 * ns) to_compute -= step / (busy ? factor.computation : 1);
      if (to_send > 1 * ns) to_send -= step / (busy ? factor.communication : 1);
      now += step;
    }
    const seconds closed = beside_each_other(computation, communication, factor);
    RC_ASSERT(abs(closed - now) <= 3 * step);
    RC_ASSERT(closed >= larger(computation, communication) * (1 - 1e-12));
    RC_ASSERT(closed <= (computation * factor.computation + communication * factor.communication) *
                            (1 + 1e-12));
  });
}

/// The mean number of balls in the fullest of u bins, of f thrown at random: f! / u^f times the
/// coefficient of x^f in (sum_{k <= m} x^k / k!)^u is the chance that none has more than m.
double mean_of_fullest(int f, int u) {
  const double share = 1.0 * f / u;
  const double whole = std::exp(f * std::log(1.0 * f) - f - std::lgamma(f + 1.0));
  double mean = 0;
  for (int most = 0; most <= f; ++most) {
    std::vector<double> chance(static_cast<std::size_t>(f) + 1, 0);
    chance[0] = 1;
    for (int bin = 0; bin < u; ++bin) {
      std::vector<double> next(chance.size(), 0);
      for (std::size_t have = 0; have < chance.size(); ++have)
        for (std::size_t k = 0; k <= static_cast<std::size_t>(most) && have + k < next.size(); ++k)
          next[have + k] +=
              chance[have] * std::exp(static_cast<double>(k) * std::log(share) - share -
                                      std::lgamma(static_cast<double>(k) + 1));
      chance = next;
    }
    const double more = 1 - chance.back() / whole;
    mean += more;
    if (most > share && more < 1e-9) break;
  }
  return mean;
}

TEST_CASE("the fullest uplink is as far off as it says", "[comm][cross-check]") {
  CHECK(fullest_uplink(7, 1) == 7);
  CHECK(fullest_uplink(0, 8) == 0);
  for (const auto& [uplinks, least, most] :
       {std::tuple{2, 1.12, 1.14}, {4, 1.11, 1.13}, {16, 1.08, 1.09}}) {
    const double ratio =
        fullest_uplink(16 * uplinks, uplinks) / mean_of_fullest(16 * uplinks, uplinks);
    INFO(uplinks << " uplinks: " << ratio);
    CHECK(ratio > least);
    CHECK(ratio < most);
  }
}

TEST_CASE("contention refuses factors below one and negative times", "[comm][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(beside_each_other(-1 * ms, 1 * ms), invalid_input);
  CHECK_THROWS_AS(beside_each_other(1 * ms, nan * ms), invalid_input);
  CHECK_THROWS_AS(beside_each_other(1 * ms, 1 * ms, {.computation = 0.9}), invalid_input);
  CHECK_THROWS_AS(beside_each_other(1 * ms, 1 * ms, {.communication = nan}), invalid_input);
  CHECK_THROWS_AS(slowdown_at_share(1.0), invalid_input);
  CHECK_THROWS_AS(slowdown_at_share(-0.1), invalid_input);
  CHECK_THROWS_AS(slowdown_at_share(nan), invalid_input);
  CHECK_THROWS_AS(shared_bandwidth(bytes_per_second{0}, 1, 1 * GB / second), invalid_input);
  CHECK_THROWS_AS(shared_bandwidth(1 * GB / second, 0.5, 1 * GB / second), invalid_input);
  CHECK_THROWS_AS(shared_bandwidth(1 * GB / second, 1, nan * GB / second), invalid_input);
  CHECK_THROWS_AS(oversubscribed_bandwidth(1 * GB / second, 0.5), invalid_input);
  CHECK_THROWS_AS(oversubscribed_bandwidth(nan * GB / second, 2), invalid_input);
  CHECK_THROWS_AS(fullest_uplink(nan, 2), invalid_input);
  CHECK_THROWS_AS(fullest_uplink(1, 0), invalid_input);
}

}  // namespace
}  // namespace gpuplan
