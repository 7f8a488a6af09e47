#include <gpuplan/comm/all_gather.hpp>

#include <algorithm>
#include <limits>
#include <vector>

#include <gpuplan/comm/all_reduce.hpp>
#include <gpuplan/comm/lower_bound.hpp>

#include "comm/simulated_ranks.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;
using testing::simulated_message;
using testing::simulated_ranks;
using algorithm = all_gather_algorithm;

constexpr interconnect link{.latency = 5 * us, .bandwidth = 400 * GB / second};
static_assert(ring_all_gather(link, 1, 1 * GB).total() == seconds{0});
static_assert(ring_all_gather(link, 5, bytes{0}).total() == 4 * link.latency);
static_assert(cost_of(algorithm::ring, 5) == collective_cost{4, 0.8, 0});
static_assert(cost_of(algorithm::bruck, 5) == collective_cost{3, 0.8, 0});
static_assert(cost_of(algorithm::recursive_doubling, 1) == collective_cost{});
static_assert(defined_for(algorithm::recursive_doubling, 64) &&
              !defined_for(algorithm::recursive_doubling, 72) && !defined_for(algorithm::ring, 0));
static_assert(name_of(algorithm::bruck) == "Bruck");

template <class... Args>
concept accepts = requires(Args... args) {
  ring_all_gather(args...);
};
static_assert(accepts<interconnect, int, bytes>);
static_assert(!accepts<interconnect, int, seconds>, "a message is not a time");

TEST_CASE("an all-reduce is a reduce-scatter and an all-gather", "[comm][cross-check]") {
  const int ranks = GENERATE(1, 2, 3, 8, 100, 1024);
  const bytes message = GENERATE(0.0, 1.0, 1e9) * byte;
  const auto half = ring_all_gather(link, ranks, message);
  const auto whole = ring_all_reduce(link, ranks, message);
  CHECK_THAT((2 * half.total()).in(second), WithinRel(whole.total().in(second), 1e-14));
}

void recursive_doubling(simulated_ranks& world) {
  const int n = world.size();
  for (int d = 1; d < n; d *= 2) {
    std::vector<simulated_message> messages;
    for (int r = 0; r < n; ++r) {
      simulated_message m{r, r ^ d, {}, false};
      for (int b = r / d * d; b < (r / d + 1) * d; ++b) m.blocks.push_back(b);
      messages.push_back(m);
    }
    world.round(messages);
  }
}

/// Rank r sends all that it has, blocks r to r + d - 1, to r - d; in the last round what is
/// missing.
void bruck(simulated_ranks& world) {
  const int n = world.size();
  for (int d = 1; d < n; d *= 2) {
    std::vector<simulated_message> messages;
    for (int r = 0; r < n; ++r) {
      simulated_message m{r, (r - d + n) % n, {}, false};
      for (int b = 0; b < std::min(d, n - d); ++b) m.blocks.push_back((r + b) % n);
      messages.push_back(m);
    }
    world.round(messages);
  }
}

TEST_CASE("the cost of each all-gather is what its messages, counted, cost", "[comm][simulation]") {
  for (const algorithm chosen : all_gather_algorithms) {
    for (int n = 1; n <= 33; ++n) {
      if (!defined_for(chosen, n)) continue;
      INFO(name_of(chosen) << " over " << n);
      simulated_ranks world{n, n};
      for (int r = 0; r < n; ++r) world.at(r, r) = world.all();
      switch (chosen) {
        case algorithm::ring: testing::pass_round_the_ring(world, 0, false); break;
        case algorithm::recursive_doubling: recursive_doubling(world); break;
        case algorithm::bruck: bruck(world); break;
      }
      CHECK(world.every_rank_has_the_sum());
      CHECK(cost_of(chosen, n) == world.cost());
    }
  }
}

TEST_CASE("no all-gather beats the lower bound", "[comm][property]") {
  testing::check_property("above the bound", [] {
    const auto chosen = *rc::gen::elementOf(all_gather_algorithms);
    const int n = *rc::gen::inRange(1, 5000);
    RC_PRE(defined_for(chosen, n));
    const bytes m = 1.0 * *rc::gen::inRange(0, 1 << 30) * byte;
    RC_ASSERT(all_gather(chosen, link, n, m).total() >=
              lower_bound(collective::all_gather, link, n, m).total());
  });
}

TEST_CASE("all_gather refuses what its documentation refuses", "[comm][errors]") {
  CHECK_THROWS_AS(ring_all_gather(link, 0, 1 * GB), invalid_input);
  CHECK_THROWS_AS(ring_all_gather(link, 2, -1 * GB), invalid_input);
  CHECK_THROWS_AS(ring_all_gather(link, 2, std::numeric_limits<double>::quiet_NaN() * byte),
                  invalid_input);
  CHECK_THROWS_AS(ring_all_gather(interconnect{}, 2, 1 * GB), invalid_input);
  CHECK_THROWS_WITH(all_gather(algorithm::recursive_doubling, link, 3, 1 * GB),
                    ContainsSubstring("power of 2"));
  CHECK_THROWS_AS(cost_of(static_cast<algorithm>(99), 2), invalid_input);
}

}  // namespace
}  // namespace gpuplan
