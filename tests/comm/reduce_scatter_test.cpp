#include <gpuplan/comm/reduce_scatter.hpp>

#include <limits>

#include <gpuplan/comm/all_gather.hpp>
#include <gpuplan/comm/lower_bound.hpp>

#include "comm/simulated_ranks.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;
using testing::simulated_message;
using testing::simulated_ranks;
using algorithm = reduce_scatter_algorithm;

constexpr interconnect link{.latency = 5 * us, .bandwidth = 100 * GB / second};
constexpr seconds_per_byte gamma = 1 * ns / kB;

static_assert(ring_reduce_scatter(link, 1, 1 * GB, gamma).total() == seconds{0});
static_assert(ring_reduce_scatter(link, 4, 1 * GB).transfer == 7.5 * ms, "3 quarters are sent");
static_assert(ring_reduce_scatter(link, 4, 1 * GB, gamma).compute == 750 * MB * gamma);
static_assert(ring_reduce_scatter(link, 4, 1 * GB).total() ==
                  ring_all_gather(link, 4, 1 * GB).total(),
              "an all-gather backwards");
static_assert(cost_of(algorithm::circulant, 5) == collective_cost{3, 0.8, 0.8});
static_assert(cost_of(algorithm::recursive_halving, 8) == cost_of(algorithm::circulant, 8));
static_assert(defined_for(algorithm::recursive_halving, 8) &&
              !defined_for(algorithm::recursive_halving, 12) &&
              defined_for(algorithm::circulant, 12) && !defined_for(algorithm::ring, 0));
static_assert(name_of(algorithm::recursive_halving) == "recursive halving");

template <class... Args>
concept accepts = requires(Args... args) {
  ring_reduce_scatter(args...);
};
static_assert(accepts<interconnect, int, bytes>);
static_assert(!accepts<interconnect, int, double>, "a message needs a unit");
static_assert(!accepts<interconnect, bytes, int>, "ranks come first");

void recursive_halving(simulated_ranks& world) {
  const int n = world.size();
  for (int d = n / 2; d >= 1; d /= 2) {
    std::vector<simulated_message> messages;
    for (int r = 0; r < n; ++r) {
      simulated_message m{r, r ^ d, {}, true};
      for (int b = 0; b < n; ++b)
        if (b / d == (r ^ d) / d) m.blocks.push_back(b);
      messages.push_back(m);
    }
    world.round(messages);
  }
}

TEST_CASE("the cost of each reduce-scatter is what its messages, counted, cost",
          "[comm][simulation]") {
  for (const algorithm chosen : reduce_scatter_algorithms) {
    for (int n = 1; n <= 33; ++n) {
      if (!defined_for(chosen, n)) continue;
      INFO(name_of(chosen) << " over " << n);
      simulated_ranks world{n, n};
      world.give_each_its_vector();
      switch (chosen) {
        case algorithm::ring: testing::pass_round_the_ring(world, -1, true); break;
        case algorithm::recursive_halving: recursive_halving(world); break;
        case algorithm::circulant: testing::circulant_reduce_scatter(world); break;
      }
      for (int r = 0; r < n; ++r) CHECK(world.at(r, r) == world.all());
      CHECK(cost_of(chosen, n) == world.cost());
    }
  }
}

TEST_CASE("no reduce-scatter beats the lower bound", "[comm][property]") {
  testing::check_property("above the bound", [] {
    const auto chosen = *rc::gen::elementOf(reduce_scatter_algorithms);
    const int n = *rc::gen::inRange(1, 5000);
    RC_PRE(defined_for(chosen, n));
    const bytes m = 1.0 * *rc::gen::inRange(0, 1 << 30) * byte;
    RC_ASSERT(reduce_scatter(chosen, link, n, m, gamma).total() >=
              lower_bound(collective::reduce_scatter, link, n, m, gamma).total());
  });
}

TEST_CASE("reduce_scatter refuses what is no group or message", "[comm][errors]") {
  CHECK_THROWS_AS(ring_reduce_scatter(link, 0, 1 * GB), invalid_input);
  CHECK_THROWS_AS(ring_reduce_scatter(link, 2, -1 * byte), invalid_input);
  CHECK_THROWS_AS(ring_reduce_scatter(link, 2, std::numeric_limits<double>::quiet_NaN() * byte),
                  invalid_input);
  CHECK_THROWS_WITH(reduce_scatter(algorithm::recursive_halving, link, 12, 1 * GB),
                    ContainsSubstring("power of 2"));
  CHECK_THROWS_AS(cost_of(static_cast<algorithm>(99), 2), invalid_input);
}

}  // namespace
}  // namespace gpuplan
