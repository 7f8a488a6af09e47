#include <gpuplan/comm/reduce.hpp>

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
using algorithm = reduce_algorithm;

constexpr interconnect link{.latency = 5 * us, .bandwidth = 100 * GB / second};
constexpr seconds_per_byte gamma = 1 * ns / kB;
static_assert(reduce(algorithm::rabenseifner, link, 1, 1 * GB, gamma).total() == seconds{0});
static_assert(cost_of(algorithm::binomial, 8) == collective_cost{3, 3, 3});
static_assert(cost_of(algorithm::rabenseifner, 8) == collective_cost{6, 1.75, 0.875});
static_assert(reduce(algorithm::binomial, link, 2, 1 * GB, gamma).compute == 1 * GB * gamma);
static_assert(name_of(algorithm::rabenseifner) == "Rabenseifner");

template <class... Args>
concept accepts = requires(Args... args) {
  reduce(args...);
};
static_assert(accepts<algorithm, interconnect, int, bytes>);
static_assert(!accepts<algorithm, interconnect, int, seconds>, "a message is not a time");

TEST_CASE("the cost of each reduce is what its messages, counted, cost", "[comm][simulation]") {
  for (const algorithm chosen : reduce_algorithms) {
    for (int n = 1; n <= 33; ++n) {
      INFO(name_of(chosen) << " over " << n);
      simulated_ranks world{n, n};
      world.give_each_its_vector();
      if (chosen == algorithm::rabenseifner) testing::circulant_reduce_scatter(world);
      for (const int d : testing::binomial_distances(n)) {
        if (chosen == algorithm::binomial)
          testing::binomial_round(world, d, direction::to_root, true);
        else
          testing::binomial_piece_round(world, d, direction::to_root);
      }
      for (int b = 0; b < n; ++b) CHECK(world.at(0, b) == world.all());
      const collective_cost claimed = cost_of(chosen, n);
      CHECK(claimed.messages == world.cost().messages);
      CHECK_THAT(claimed.sent, Catch::Matchers::WithinAbs(world.cost().sent, 1e-13));
      CHECK(claimed.reduced == world.cost().reduced);
    }
  }
}

TEST_CASE("no reduce beats the lower bound", "[comm][property]") {
  testing::check_property("above the bound", [] {
    const auto chosen = *rc::gen::elementOf(reduce_algorithms);
    const int n = *rc::gen::inRange(1, 5000);
    const bytes m = 1.0 * *rc::gen::inRange(0, 1 << 30) * byte;
    RC_ASSERT(reduce(chosen, link, n, m, gamma).total() >=
              lower_bound(collective::reduce, link, n, m, gamma).total());
  });
}

TEST_CASE("reduce refuses what is no group or message", "[comm][errors]") {
  CHECK_THROWS_AS(reduce(algorithm::binomial, link, 0, 1 * GB), invalid_input);
  CHECK_THROWS_AS(reduce(algorithm::binomial, link, 2, -1 * GB), invalid_input);
  CHECK_THROWS_AS(
      reduce(algorithm::binomial, link, 2, std::numeric_limits<double>::quiet_NaN() * byte),
      invalid_input);
  CHECK_THROWS_AS(cost_of(static_cast<algorithm>(99), 2), invalid_input);
}

}  // namespace
}  // namespace gpuplan
