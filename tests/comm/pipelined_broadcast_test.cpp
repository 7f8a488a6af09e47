#include <gpuplan/comm/pipelined_broadcast.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <gpuplan/comm/broadcast.hpp>
#include <gpuplan/comm/hockney.hpp>
#include <gpuplan/comm/lower_bound.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr interconnect link{.latency = 5 * us, .bandwidth = 100 * GB / second};
constexpr auto chain = pipeline_shape::chain;
constexpr auto two_tree = pipeline_shape::two_tree;

static_assert(pipelined_broadcast(chain, link, 1, 1 * GB, 1).total() == seconds{0});
static_assert(pipelined_broadcast(chain, link, 2, 1 * GB, 1).total() ==
                  message_time(link, 1 * GB).total(),
              "to one other rank: a message");
static_assert(pipelined_broadcast(chain, link, 5, 1 * GB, 1).latency == 4 * link.latency);
static_assert(pipelined_broadcast(chain, link, 5, 1 * GB, 7).latency == 10 * link.latency);
static_assert(steps_of(two_tree, 9).fill == 6, "trees of height 4");
static_assert(best_segments(chain, link, 2, 1 * GB) == 1, "nothing to fill");
static_assert(best_segments(chain, link, 8, 50 * MB) == 25, "25 x 26 >= 600 > 24 x 25");

template <class... Args>
concept accepts = requires(Args... args) {
  pipelined_broadcast(args...);
};
static_assert(accepts<pipeline_shape, interconnect, int, bytes, int>);
static_assert(!accepts<pipeline_shape, interconnect, int, int, bytes>, "the message comes first");

TEST_CASE("segments go down a chain in p - 2 + k steps", "[comm][simulation]") {
  for (int n = 2; n <= 12; ++n) {
    for (int k = 1; k <= 9; ++k) {
      std::vector<int> have(static_cast<std::size_t>(n), 0);
      have[0] = k;
      int steps = 0;
      for (; have.back() < k; ++steps)
        for (std::size_t r = have.size() - 1; r > 0; --r) have[r] += have[r - 1] > have[r];
      CHECK(steps_of(chain, n).cost(k).messages == steps);
    }
  }
}

/// A rank of the two trees: whom it gets segments from in each, in which steps (even or odd).
struct tree_rank {
  std::array<int, 2> parent{-1, -1};
  std::array<int, 2> parity{-1, -1};
};

/// In-order binary trees over ranks 1 to n - 1, rank 0 above both roots.  The second tree has the
/// leaves of the first inside.
std::vector<tree_rank> two_trees(int n) {
  const int m = n - 1;
  std::vector<tree_rank> ranks(static_cast<std::size_t>(n));
  for (int label = 1; label <= m; ++label) {
    int parent = 0;
    const int low = label & -label;
    for (int up = low; up <= m && parent == 0; up *= 2) {
      // The nearest ancestor in the full tree that exists.
      const int candidate = (label - label % (2 * up)) + up;
      if (candidate != label && candidate <= m && (candidate & -candidate) == up)
        parent = candidate;
    }
    const auto second = [&](int l) { return l == 0 ? 0 : m % 2 == 0 ? m + 1 - l : l % m + 1; };
    ranks[static_cast<std::size_t>(label)].parent[0] = parent;
    ranks[static_cast<std::size_t>(second(label))].parent[1] = second(parent);
  }
  return ranks;
}

/// Even or odd steps for each edge, so that no rank sends or receives twice in a step.
void colour(std::vector<tree_rank>& ranks) {
  struct edge {
    int rank, tree;
  };
  const auto at = [&](edge e) -> int& {
    return ranks[static_cast<std::size_t>(e.rank)].parity[static_cast<std::size_t>(e.tree)];
  };
  const auto parent = [&](edge e) {
    return ranks[static_cast<std::size_t>(e.rank)].parent[static_cast<std::size_t>(e.tree)];
  };
  std::vector<edge> edges;
  for (int r = 1; r < static_cast<int>(ranks.size()); ++r)
    for (int tree = 0; tree < 2; ++tree) edges.push_back({r, tree});
  // Edges that share a receiver or a sender alternate: paths and even cycles.
  for (const edge first : edges) {
    std::vector<edge> open{first};
    if (at(first) < 0) at(first) = 0;
    while (!open.empty()) {
      const edge e = open.back();
      open.pop_back();
      for (const edge other : edges) {
        const bool same = other.rank == e.rank && other.tree == e.tree;
        if (same || (other.rank != e.rank && parent(other) != parent(e))) continue;
        if (at(other) >= 0) {
          REQUIRE(at(other) != at(e));
          continue;
        }
        at(other) = 1 - at(e);
        open.push_back(other);
      }
    }
  }
}

TEST_CASE("segments go down two trees in 2 h - 2 + 2 k steps", "[comm][simulation]") {
  for (int n = 3; n <= 40; ++n) {
    auto ranks = two_trees(n);
    colour(ranks);
    for (const int k : {1, 2, 5, 16}) {
      std::vector<std::array<int, 2>> have(ranks.size());
      have[0] = {k, k};
      const auto done = [&] {
        for (const auto& h : have)
          if (h[0] < k || h[1] < k) return false;
        return true;
      };
      int steps = 0;
      for (; !done() && steps < 1000; ++steps) {
        const auto before = have;
        for (std::size_t r = 1; r < ranks.size(); ++r)
          for (std::size_t t = 0; t < 2; ++t)
            if (ranks[r].parity[t] == steps % 2)
              have[r][t] += before[static_cast<std::size_t>(ranks[r].parent[t])][t] > have[r][t];
      }
      INFO(n << " ranks, " << k << " segments: " << steps);
      const double claimed = steps_of(two_tree, n).cost(k).messages;
      CHECK(steps <= claimed);
      CHECK(steps >= claimed - 2);
    }
  }
}

TEST_CASE("the best number of segments is the best of all", "[comm][cross-check]") {
  const auto shape = GENERATE(chain, two_tree);
  const int n = GENERATE(2, 3, 5, 8, 64);
  const bytes m = GENERATE(0.0, 1.0, 3.0, 1e3, 1e6, 3e7) * byte;
  const double best = best_segments(shape, link, n, m);
  const seconds least = pipelined_broadcast(shape, link, n, m, best).total();
  const double most = shape == chain ? m / byte : m / (2 * byte);
  for (double k = 1; k <= most && k < 3000; ++k)
    CHECK(pipelined_broadcast(shape, link, n, m, k).total() >= least * (1 - 1e-14));
  CHECK(best >= 1);
  CHECK((best == 1 || best <= most));
  CHECK(best_pipelined_broadcast(shape, link, n, m).total() == least);
}

TEST_CASE("segments need not be whole for a lower bound", "[comm][property]") {
  testing::check_property("just below the best whole number", [] {
    const auto shape = *rc::gen::element(chain, two_tree);
    const int n = *rc::gen::inRange(3, 3000);
    const bytes m = 1.0 * *rc::gen::inRange(1, 1 << 30) * kB;
    const auto whole = best_pipelined_broadcast(shape, link, n, m);
    const auto rest = pipelined_broadcast_unrounded(shape, link, n, m);
    const double k = best_segments_unrounded(shape, link, n, m);
    RC_ASSERT(whole.total() >= rest.total() * (1 - 1e-12));
    RC_ASSERT(std::abs(best_segments(shape, link, n, m) - k) <= 1 || k < 1);
    if (k >= 1)
      RC_ASSERT(abs(pipelined_broadcast(shape, link, n, m, k).total() - rest.total()) <=
                1e-12 * rest.total());
    if (shape == chain)
      RC_ASSERT(whole.total() >= lower_bound(collective::broadcast, link, n, m).total());
  });
}

TEST_CASE("where messages start at once a segment is a byte", "[comm]") {
  const interconnect instant{.bandwidth = 1 * GB / second};
  CHECK(best_segments(chain, instant, 8, 1000 * byte) == 1000);
  CHECK(best_segments(two_tree, instant, 8, 1000 * byte) == 500);
}

TEST_CASE("pipelined_broadcast refuses what its documentation refuses", "[comm][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(pipelined_broadcast(chain, link, 0, 1 * GB, 1), invalid_input);
  CHECK_THROWS_AS(pipelined_broadcast(chain, link, 2, 1 * GB, 0), invalid_input);
  CHECK_THROWS_AS(pipelined_broadcast(chain, link, 2, 1 * GB, nan), invalid_input);
  CHECK_THROWS_AS(pipelined_broadcast(chain, link, 2, nan * byte, 1), invalid_input);
  CHECK_THROWS_AS(best_segments(chain, link, 0, 1 * GB), invalid_input);
  CHECK_THROWS_AS(best_segments(chain, link, 2, nan * byte), invalid_input);
  CHECK_THROWS_AS(best_segments_unrounded(chain, link, 1, 1 * GB), invalid_input);
  CHECK_THROWS_AS(
      best_segments_unrounded(chain, interconnect{.bandwidth = link.bandwidth}, 3, 1 * GB),
      invalid_input);
  CHECK_THROWS_AS(pipelined_broadcast_unrounded(chain, link, 3, -1 * GB), invalid_input);
  for (const interconnect& none :
       {interconnect{.latency = 5 * us}, interconnect{-1 * us, 1 * GB / second}}) {
    CHECK_THROWS_AS(pipelined_broadcast_unrounded(chain, none, 3, 1 * GB), invalid_input);
    CHECK_THROWS_AS(pipelined_broadcast(chain, none, 3, 1 * GB, 1), invalid_input);
    CHECK_THROWS_AS(best_segments(chain, none, 3, 1 * GB), invalid_input);
    CHECK_THROWS_AS(best_segments_unrounded(chain, none, 3, 1 * GB), invalid_input);
  }
  CHECK_THROWS_AS(steps_of(static_cast<pipeline_shape>(9), 3), invalid_input);
}

}  // namespace
}  // namespace gpuplan
