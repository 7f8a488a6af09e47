#include <gpuplan/comm/lower_bound.hpp>

#include <limits>

#include <gpuplan/comm/all_reduce.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr interconnect link{.latency = 5 * us, .bandwidth = 100 * GB / second};
constexpr seconds_per_byte gamma = 1 * ns / kB;

static_assert(lower_bound_cost(collective::all_reduce, 8) == collective_cost{3, 1.75, 0.875});
static_assert(lower_bound_cost(collective::reduce_scatter, 5) == collective_cost{3, 0.8, 0.8});
static_assert(lower_bound_cost(collective::all_gather, 5) == collective_cost{3, 0.8, 0});
static_assert(lower_bound_cost(collective::broadcast, 5) == collective_cost{3, 1, 0});
static_assert(lower_bound_cost(collective::reduce, 4) == collective_cost{2, 1, 0.75});
static_assert(lower_bound_cost(collective::all_to_all, 4) == collective_cost{1, 0.75, 0});
static_assert(lower_bound_cost(collective::send_receive, 1) == collective_cost{1, 1, 0});
static_assert(lower_bound(collective::all_reduce, link, 1, 1 * GB, gamma).total() == seconds{0});

template <class... Args>
concept accepts = requires(Args... args) {
  lower_bound(args...);
};
static_assert(accepts<collective, interconnect, int, bytes>);
static_assert(!accepts<collective, interconnect, int, double>, "a message needs a unit");

TEST_CASE("an algorithm meets each part of the bound of an all-reduce, none needs to meet all",
          "[comm][cross-check]") {
  const int n = GENERATE(2, 3, 4, 7, 8, 64, 100);
  const collective_cost bound = lower_bound_cost(collective::all_reduce, n);
  const collective_cost ring = cost_of(all_reduce_algorithm::ring, n);
  const collective_cost doubling = cost_of(all_reduce_algorithm::recursive_doubling, n);
  CHECK(ring.sent == bound.sent);
  CHECK(ring.reduced == bound.reduced);
  CHECK(doubling.messages <= bound.messages + 1);
}

TEST_CASE("lower_bound refuses what is no group, message or collective", "[comm][errors]") {
  CHECK_THROWS_AS(lower_bound(collective::all_reduce, link, 0, 1 * GB), invalid_input);
  CHECK_THROWS_AS(lower_bound(collective::all_reduce, link, 2, -1 * GB), invalid_input);
  CHECK_THROWS_AS(
      lower_bound(collective::broadcast, link, 2, std::numeric_limits<double>::quiet_NaN() * byte),
      invalid_input);
  CHECK_THROWS_AS(lower_bound_cost(static_cast<collective>(99), 2), invalid_input);
}

TEST_CASE("one rank needs no collective", "[comm][facts]") {
  for (const collective what :
       {collective::all_reduce, collective::reduce_scatter, collective::all_gather,
        collective::all_to_all, collective::broadcast, collective::reduce})
    CHECK(lower_bound_cost(what, 1) == collective_cost{});
}

}  // namespace
}  // namespace gpuplan
