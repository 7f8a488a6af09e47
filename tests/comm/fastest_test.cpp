#include <gpuplan/comm/fastest.hpp>

#include <array>
#include <limits>
#include <span>

#include <boost/math/differentiation/autodiff.hpp>

#include <gpuplan/comm/lower_bound.hpp>

#include "support/allocations.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr interconnect link{.latency = 5 * us, .bandwidth = 100 * GB / second};

static_assert(fastest_all_reduce(link, 1, 1 * GB).time.total() == seconds{0});
static_assert(fastest_all_reduce(link, 8, 8 * byte).algorithm ==
                  all_reduce_algorithm::recursive_doubling,
              "short: few messages");
static_assert(fastest_all_reduce(link, 8, 1 * GB).algorithm == all_reduce_algorithm::rabenseifner,
              "long: few bytes");
static_assert(fastest_all_reduce(link, 12, 1 * GB).algorithm == all_reduce_algorithm::circulant,
              "no power of two");
static_assert(fastest_reduce_scatter(link, 8, 1 * GB).algorithm ==
              reduce_scatter_algorithm::recursive_halving);
static_assert(fastest_all_gather(link, 9, 1 * GB).algorithm == all_gather_algorithm::bruck);
static_assert(fastest_all_to_all(link, 8, 1 * GB).algorithm == all_to_all_algorithm::direct);
static_assert(fastest_reduce(link, 8, 8 * byte).algorithm == reduce_algorithm::binomial);
static_assert(fastest_reduce(link, 8, 1 * GB).algorithm == reduce_algorithm::rabenseifner);
static_assert(fastest_broadcast(link, 8, 8 * byte).algorithm == broadcast_choice::binomial);
static_assert(fastest_broadcast(link, 5, 1 * GB).algorithm == broadcast_choice::chain);
static_assert(fastest_broadcast(link, 1000, 1 * GB).algorithm == broadcast_choice::two_tree);
static_assert(name_of(broadcast_choice::two_tree) == "two trees");

// A library that has only these.
constexpr std::array mine{all_reduce_algorithm::double_tree, all_reduce_algorithm::ring};
static_assert(fastest_all_reduce(link, 64, 10 * GB, {}, mine).algorithm ==
              all_reduce_algorithm::ring);
static_assert(fastest_all_reduce(link, 64, 1 * MB, {}, mine).algorithm ==
              all_reduce_algorithm::double_tree);

template <class... Args>
concept accepts = requires(Args... args) {
  fastest_all_reduce(args...);
};
static_assert(accepts<interconnect, int, bytes>);
static_assert(!accepts<interconnect, int, double>, "a message needs a unit");

TEST_CASE("recursive doubling gives way to Rabenseifner's where their times cross",
          "[comm][cross-check]") {
  // beta m (L - 2 (p - 1)/p) = L alpha.
  const int n = GENERATE(4, 8, 64, 1024);
  const double rounds = detail::doublings_within(n);
  const bytes crossing = rounds * link.latency * link.bandwidth / (rounds - 2.0 * (n - 1) / n);
  CHECK(fastest_all_reduce(link, n, crossing * 0.999).algorithm ==
        all_reduce_algorithm::recursive_doubling);
  CHECK(fastest_all_reduce(link, n, crossing * 1.001).algorithm ==
        all_reduce_algorithm::rabenseifner);
}

TEST_CASE("the fastest is no slower than any, nor quicker than the bound", "[comm][property]") {
  testing::check_property("between the bound and each", [] {
    const int n = *rc::gen::inRange(1, 3000);
    const bytes m = *rc::gen::inRange(0, 1 << 30) * (*rc::gen::element(1e-6, 1.0, 1e3) * byte);
    const seconds_per_byte gamma = *rc::gen::element(0.0, 1e-12, 1e-10) * second / byte;
    const interconnect wire{*rc::gen::inRange(0, 50) * us, *rc::gen::inRange(1, 99) * GB / second};
    const double slack = 1 - 1e-12;
    const auto bound = [&](collective what) {
      return slack * lower_bound(what, wire, n, m, gamma).total();
    };

    const seconds reduced = fastest_all_reduce(wire, n, m, gamma).time.total();
    RC_ASSERT(reduced >= bound(collective::all_reduce));
    for (const auto a : all_reduce_algorithms)
      RC_ASSERT(reduced <= all_reduce(a, wire, n, m, gamma).total());

    const seconds scattered = fastest_reduce_scatter(wire, n, m, gamma).time.total();
    RC_ASSERT(scattered >= bound(collective::reduce_scatter));
    RC_ASSERT(scattered <= ring_reduce_scatter(wire, n, m, gamma).total());

    const seconds gathered = fastest_all_gather(wire, n, m).time.total();
    RC_ASSERT(gathered >= bound(collective::all_gather));
    RC_ASSERT(gathered <= ring_all_gather(wire, n, m).total());

    const seconds exchanged = fastest_all_to_all(wire, n, m).time.total();
    RC_ASSERT(exchanged >= bound(collective::all_to_all));
    for (const auto a : all_to_all_algorithms)
      RC_ASSERT(exchanged <= all_to_all(a, wire, n, m).total());

    const seconds summed = fastest_reduce(wire, n, m, gamma).time.total();
    RC_ASSERT(summed >= bound(collective::reduce));
    for (const auto a : reduce_algorithms)
      RC_ASSERT(summed <= reduce(a, wire, n, m, gamma).total());

    const auto copied = fastest_broadcast(wire, n, m);
    for (const auto a : broadcast_algorithms)
      RC_ASSERT(copied.time.total() <= broadcast(a, wire, n, m).total());
    RC_ASSERT(copied.segments >= 1);
    RC_ASSERT(fastest_broadcast(wire, n, m + 1 * kB).time.total() >= slack * copied.time.total());
    RC_ASSERT(fastest_all_reduce(wire, n, m + 1 * kB, gamma).time.total() >= slack * reduced);
  });
}

TEST_CASE("finding the fastest allocates nothing", "[comm]") {
  const auto before = testing::allocations();
  volatile double sink = fastest_all_reduce(link, 1000, 1 * GB).time.total().in(second);
  sink = fastest_broadcast(link, 1000, 1 * GB).time.total().in(second);
  static_cast<void>(sink);
  CHECK(testing::allocations() == before);
}

TEST_CASE("the derivative of the fastest is that of the chosen one", "[comm][autodiff]") {
  using ad = boost::math::differentiation::autodiff_fvar<double, 1>;
  const ad w = boost::math::differentiation::make_fvar<double, 1>(1e11);
  const basic_interconnect<ad> wire{.latency = 5 * us, .bandwidth = basic_bytes_per_second<ad>{w}};
  const auto best = fastest_all_reduce(wire, 8, 1 * GB);
  CHECK(best.algorithm == all_reduce_algorithm::rabenseifner);
  CHECK_THAT(best.time.total().in_base_units().derivative(1), WithinRel(-1.75 * 1e9 / 1e22, 1e-12));
  CHECK(fastest_broadcast(wire, 5, 1 * GB).algorithm == broadcast_choice::chain);
}

TEST_CASE("fastest refuses what no candidate can do", "[comm][errors]") {
  CHECK_THROWS_AS(fastest_all_reduce(link, 0, 1 * GB), invalid_input);
  CHECK_THROWS_AS(fastest_all_reduce(link, 2, std::numeric_limits<double>::quiet_NaN() * byte),
                  invalid_input);
  CHECK_THROWS_AS(fastest_all_reduce(link, 2, 1 * GB, {}, std::span<const all_reduce_algorithm>{}),
                  invalid_input);
  constexpr std::array doubling{all_gather_algorithm::recursive_doubling};
  CHECK_THROWS_WITH(fastest_all_gather(link, 3, 1 * GB, doubling), ContainsSubstring("candidate"));
  CHECK_THROWS_AS(fastest_broadcast(link, 0, 1 * GB), invalid_input);
}

}  // namespace
}  // namespace gpuplan
