#include <gpuplan/comm/double_tree.hpp>

#include <limits>

#include <gpuplan/comm/all_reduce.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr interconnect link{.latency = 5 * us, .bandwidth = 100 * GB / second};
constexpr seconds_per_byte gamma = 1 * ns / kB;

static_assert(double_tree_all_reduce(link, 1, 1 * GB, 4, gamma).total() == seconds{0});
static_assert(double_tree_all_reduce(link, 8, bytes{0}, 1).total() == 12 * link.latency);
static_assert(double_tree_all_reduce(link, 8, 1 * GB, 1, gamma).compute == 1 * GB * gamma);

template <class... Args>
concept accepts = requires(Args... args) {
  double_tree_all_reduce(args...);
};
static_assert(accepts<interconnect, int, bytes, int>);
static_assert(!accepts<interconnect, int, int, bytes>, "the message comes first");

TEST_CASE("two trees up and down are two broadcasts", "[comm][cross-check]") {
  const int n = GENERATE(2, 3, 8, 100);
  const double k = GENERATE(1, 7, 1000);
  const auto down = pipelined_broadcast(pipeline_shape::two_tree, link, n, 1 * GB, k);
  CHECK(double_tree_all_reduce(link, n, 1 * GB, k).total() == 2 * down.total());
}

TEST_CASE("with the best blocks it is near its ideal, never below", "[comm][property]") {
  testing::check_property("ideal, up to the root of the product", [] {
    const int n = *rc::gen::inRange(2, 5000);
    const bytes m = 1.0 * *rc::gen::inRange(1, 1 << 30) * byte;
    const auto best = best_double_tree_all_reduce(link, n, m, gamma);
    const auto ideal = all_reduce(all_reduce_algorithm::double_tree, link, n, m, gamma);
    RC_ASSERT(best.transfer >= ideal.transfer * (1 - 1e-12));
    RC_ASSERT(best.total() >= ideal.total() * (1 - 1e-12));
    RC_ASSERT(best_double_tree_all_reduce(link, n, m + 1 * kB, gamma).total() >= best.total());
  });
  CHECK(best_double_tree_all_reduce(link, 8, 1 * TB).total() < 20.1 * second);
}

TEST_CASE("double_tree_all_reduce refuses what its documentation refuses", "[comm][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(double_tree_all_reduce(link, 0, 1 * GB, 1), invalid_input);
  CHECK_THROWS_AS(double_tree_all_reduce(link, 2, 1 * GB, 0.5), invalid_input);
  CHECK_THROWS_AS(double_tree_all_reduce(link, 2, nan * byte, 1), invalid_input);
  CHECK_THROWS_AS(double_tree_all_reduce(link, 2, 1 * GB, 1, nan * gamma), invalid_input);
}

}  // namespace
}  // namespace gpuplan
