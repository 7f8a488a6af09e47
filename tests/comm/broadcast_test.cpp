#include <gpuplan/comm/broadcast.hpp>

#include <algorithm>
#include <limits>

#include <gpuplan/comm/lower_bound.hpp>

#include "comm/simulated_ranks.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;
using testing::direction;
using testing::simulated_ranks;
using algorithm = broadcast_algorithm;

constexpr interconnect link{.latency = 5 * us, .bandwidth = 100 * GB / second};
static_assert(broadcast(algorithm::binomial, link, 1, 1 * GB).total() == seconds{0});
static_assert(cost_of(algorithm::binomial, 8) == collective_cost{3, 3, 0});
static_assert(cost_of(algorithm::scatter_all_gather, 8) == collective_cost{10, 1.75, 0});
static_assert(broadcast(algorithm::binomial, link, 5, 1 * GB).transfer == 30 * ms);
static_assert(name_of(algorithm::scatter_all_gather) == "scatter, all-gather");

template <class... Args>
concept accepts = requires(Args... args) {
  broadcast(args...);
};
static_assert(accepts<algorithm, interconnect, int, bytes>);
static_assert(!accepts<algorithm, interconnect, int, double>, "a message needs a unit");

TEST_CASE("the cost of each broadcast is what its messages, counted, cost", "[comm][simulation]") {
  for (const algorithm chosen : broadcast_algorithms) {
    for (int n = 1; n <= 33; ++n) {
      INFO(name_of(chosen) << " to " << n);
      simulated_ranks world{n, n};
      for (int b = 0; b < n; ++b) world.at(0, b) = world.all();
      auto distances = testing::binomial_distances(n);
      std::reverse(distances.begin(), distances.end());
      for (const int d : distances) {
        if (chosen == algorithm::binomial)
          testing::binomial_round(world, d, direction::from_root, false);
        else
          testing::binomial_piece_round(world, d, direction::from_root);
      }
      if (chosen == algorithm::scatter_all_gather) testing::pass_round_the_ring(world, 0, false);
      CHECK(world.every_rank_has_the_sum());
      CHECK(cost_of(chosen, n).messages == world.cost().messages);
      CHECK_THAT(cost_of(chosen, n).sent, Catch::Matchers::WithinAbs(world.cost().sent, 1e-13));
    }
  }
}

TEST_CASE("no broadcast beats the lower bound", "[comm][property]") {
  testing::check_property("above the bound", [] {
    const auto chosen = *rc::gen::elementOf(broadcast_algorithms);
    const int n = *rc::gen::inRange(1, 5000);
    const bytes m = 1.0 * *rc::gen::inRange(0, 1 << 30) * byte;
    RC_ASSERT(broadcast(chosen, link, n, m).total() >=
              lower_bound(collective::broadcast, link, n, m).total());
  });
}

TEST_CASE("broadcast refuses what is no group or message", "[comm][errors]") {
  CHECK_THROWS_AS(broadcast(algorithm::binomial, link, 0, 1 * GB), invalid_input);
  CHECK_THROWS_AS(broadcast(algorithm::binomial, link, 2, -1 * GB), invalid_input);
  CHECK_THROWS_AS(
      broadcast(algorithm::binomial, link, 2, std::numeric_limits<double>::quiet_NaN() * byte),
      invalid_input);
  CHECK_THROWS_AS(cost_of(static_cast<algorithm>(99), 2), invalid_input);
}

}  // namespace
}  // namespace gpuplan
