#include <gpuplan/comm/all_to_all.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include <gpuplan/comm/hockney.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;
using algorithm = all_to_all_algorithm;

constexpr interconnect link{.latency = 5 * us, .bandwidth = 50 * GB / second};
static_assert(pairwise_all_to_all(link, 1, 1 * GB).total() == seconds{0});
static_assert(cost_of(algorithm::pairwise, 8) == collective_cost{7, 0.875, 0});
static_assert(cost_of(algorithm::direct, 8) == collective_cost{1, 0.875, 0});
static_assert(cost_of(algorithm::bruck, 8) == collective_cost{3, 1.5, 0}, "half of the pieces");
static_assert(cost_of(algorithm::bruck, 5) == collective_cost{3, 1, 0},
              "1, 10, 11, 100: five ones");
static_assert(name_of(algorithm::direct) == "direct");

template <class... Args>
concept accepts = requires(Args... args) {
  pairwise_all_to_all(args...);
};
static_assert(accepts<interconnect, int, bytes>);
static_assert(!accepts<interconnect, int, double>, "a message needs a unit");

TEST_CASE("an all-to-all is one message of a piece to each other rank", "[comm][cross-check]") {
  const int ranks = GENERATE(2, 3, 8, 64);
  seconds sum;
  for (int other = 1; other < ranks; ++other) sum += message_time(link, 1 * GB / ranks).total();
  CHECK_THAT(pairwise_all_to_all(link, ranks, 1 * GB).total().in(second),
             WithinRel(sum.in(second), 1e-13));
}

TEST_CASE("ones in the digits of all numbers below n", "[comm][cross-check]") {
  double ones = 0;
  for (int n = 1; n <= 3000; ++n) {
    CHECK(detail::ones_below(n) == ones);
    ones += std::popcount(static_cast<unsigned>(n));
  }
  CHECK(detail::ones_below(std::numeric_limits<int>::max()) == 31.0 * (1 << 30) - 31);
}

TEST_CASE("Bruck's all-to-all delivers each piece, at the cost that it claims",
          "[comm][simulation]") {
  for (int n = 1; n <= 40; ++n) {
    // A piece is {from, to}; where it still has to go 2^k ranks on, it travels in round k.
    std::vector<std::set<std::pair<int, int>>> at(static_cast<std::size_t>(n));
    const auto rank = [&](int r) -> auto& {
      return at[static_cast<std::size_t>(r % n)];
    };
    for (int from = 0; from < n; ++from)
      for (int to = 0; to < n; ++to) rank(from).insert({from, to});
    double rounds = 0;
    double sent = 0;
    for (int d = 1; d < n; d *= 2) {
      const auto before = at;
      std::size_t longest = 0;
      for (int r = 0; r < n; ++r) {
        std::size_t moved = 0;
        for (const auto& piece : before[static_cast<std::size_t>(r)]) {
          if (((piece.second - piece.first + n) % n & d) == 0) continue;
          rank(r).erase(piece);
          rank(r + d).insert(piece);
          ++moved;
        }
        longest = std::max(longest, moved);
      }
      rounds += 1;
      sent += static_cast<double>(longest);
    }
    for (int r = 0; r < n; ++r) {
      CHECK(rank(r).size() == static_cast<std::size_t>(n));
      CHECK(std::all_of(rank(r).begin(), rank(r).end(), [&](auto p) { return p.second == r; }));
    }
    CHECK(cost_of(algorithm::bruck, n) == collective_cost{rounds, sent / n, 0});
  }
}

TEST_CASE("an all-to-all grows with the message", "[comm][property]") {
  testing::check_property("monotone", [] {
    const auto chosen = *rc::gen::elementOf(all_to_all_algorithms);
    const int n = *rc::gen::inRange(1, 5000);
    const bytes m = 1.0 * *rc::gen::inRange(0, 1 << 30) * byte;
    RC_ASSERT(all_to_all(chosen, link, n, m + 1 * MB).total() >=
              all_to_all(chosen, link, n, m).total());
    RC_ASSERT(all_to_all(chosen, link, n, m).transfer >=
              cost_of(algorithm::direct, n).sent * m / link.bandwidth);
  });
}

TEST_CASE("all_to_all refuses what its documentation refuses", "[comm][errors]") {
  CHECK_THROWS_AS(pairwise_all_to_all(link, 0, 1 * GB), invalid_input);
  CHECK_THROWS_AS(pairwise_all_to_all(link, 2, -1 * GB), invalid_input);
  CHECK_THROWS_AS(pairwise_all_to_all(link, 2, std::numeric_limits<double>::quiet_NaN() * byte),
                  invalid_input);
  CHECK_THROWS_AS(pairwise_all_to_all(interconnect{}, 2, 1 * GB), invalid_input);
  CHECK_THROWS_AS(cost_of(static_cast<algorithm>(99), 2), invalid_input);
}

}  // namespace
}  // namespace gpuplan
