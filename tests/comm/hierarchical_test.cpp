#include <gpuplan/comm/hierarchical.hpp>

#include <limits>
#include <utility>

#include <gpuplan/comm/all_to_all.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

// AWS P6-B200, four nodes: NVLink 5, eight ports of 50 GB/s.
constexpr two_level b200{.inside = {4 * us, 680 * GB / second},
                         .between = {6 * us, 48 * GB / second},
                         .node_ranks = 8,
                         .nodes = 4,
                         .ports = 8};
constexpr two_level one_node{.inside = b200.inside, .between = b200.between, .node_ranks = 8};
constexpr two_level flat{
    .inside = b200.inside, .between = b200.between, .node_ranks = 1, .nodes = 8};
constexpr two_level alone{.inside = b200.inside, .between = b200.between};

static_assert(hierarchical_all_reduce(alone, 1 * GB).serial() == seconds{0});
static_assert(flat_ring_all_reduce(alone, 1 * GB).total() == seconds{0});
static_assert(two_level_all_to_all(alone, 1 * GB, aggregation::none).serial() == seconds{0});
static_assert(hierarchical_all_reduce(one_node, 1 * GB).serial() ==
              ring_all_reduce(b200.inside, 8, 1 * GB).total());
static_assert(hierarchical_all_reduce(flat, 1 * GB).serial() ==
              ring_all_reduce(b200.between, 8, 1 * GB).total());
static_assert(flat_ring_all_reduce(b200, bytes{0}).latency == 56 * (4 * us) + 6 * (6 * us));

template <class... Args>
concept accepts = requires(Args... args) {
  hierarchical_all_reduce(args...);
};
static_assert(accepts<two_level, bytes>);
static_assert(!accepts<two_level, double>, "a message needs a unit");
static_assert(!accepts<interconnect, bytes>, "one link is no hierarchy");

TEST_CASE("4 GiB over 32 B200 lies between the bounds, near the flat ring", "[comm][reference]") {
  // Bekman, Machine Learning Engineering, network/README.md: bus bandwidth 377.3 GB/s, which is
  // 22.05 ms.
  const seconds measured = 22.05 * ms;
  const auto bounds = hierarchical_all_reduce(b200, 4 * GiB);
  CHECK(bounds.pipelined() < measured);
  CHECK(bounds.serial() > measured);
  CHECK_THAT(flat_ring_all_reduce(b200, 4 * GiB).total() / measured, WithinRel(1.0, 0.02));
}

TEST_CASE("a flat ring over one level is a ring", "[comm][cross-check]") {
  const bytes m = GENERATE(0.0, 1e3, 1e9) * byte;
  for (const auto& [group, link] :
       {std::pair{one_node, b200.inside}, std::pair{flat, b200.between}})
    CHECK_THAT(flat_ring_all_reduce(group, m).total().in(second),
               WithinRel(ring_all_reduce(link, 8, m).total().in(second), 1e-14));
}

TEST_CASE("an all-to-all over nodes of one rank is pairwise", "[comm][cross-check]") {
  for (const auto collected : {aggregation::none, aggregation::rail})
    CHECK_THAT(two_level_all_to_all(flat, 1 * GB, collected).serial().in(second),
               WithinRel(pairwise_all_to_all(b200.between, 8, 1 * GB).total().in(second), 1e-14));
  const auto direct = two_level_all_to_all(b200, 1 * GB, aggregation::none);
  const auto rail = two_level_all_to_all(b200, 1 * GB, aggregation::rail);
  CHECK(direct.between.latency == 24 * (6 * us));
  CHECK(rail.between.latency == 3 * (6 * us));
  CHECK(rail.between.transfer == direct.between.transfer);
}

TEST_CASE("bytes are counted link by link", "[comm][simulation]") {
  // Each rank sends to each other rank m / n: what crosses each port, and each link in the node.
  const int g = GENERATE(1, 2, 8);
  const int nodes = GENERATE(1, 2, 5);
  const int ports = GENERATE(1, 2, 8);
  const two_level group{.inside = {seconds{0}, 1 * byte / second},
                        .between = {seconds{0}, 1 * byte / second},
                        .node_ranks = g,
                        .nodes = nodes,
                        .ports = ports};
  const int n = g * nodes;
  double out = 0;
  double within = 0;
  for (int from = 0; from < g; ++from)
    for (int to = 0; to < n; ++to) {
      if (to >= g) out += 1.0 / n;
      if (to < g && from == 0 && to != from) within += 1.0 / n;
    }
  const auto time = two_level_all_to_all(group, 1 * byte, aggregation::rail);
  CHECK_THAT(time.between.transfer.in(second), Catch::Matchers::WithinAbs(out / ports, 1e-12));
  CHECK_THAT(time.inside.transfer.in(second), Catch::Matchers::WithinAbs(within, 1e-12));
}

TEST_CASE("bounds keep their order, more ports or bytes do what they must", "[comm][property]") {
  testing::check_property("ordered and monotone", [] {
    two_level group{
        .inside = {*rc::gen::inRange(0, 20) * us, *rc::gen::inRange(1, 900) * GB / second},
        .between = {*rc::gen::inRange(0, 50) * us, *rc::gen::inRange(1, 100) * GB / second},
        .node_ranks = *rc::gen::inRange(1, 73),
        .nodes = *rc::gen::inRange(1, 2000),
        .ports = *rc::gen::inRange(1, 9)};
    const bytes m = 1.0 * *rc::gen::inRange(0, 1 << 30) * byte;
    const auto time = hierarchical_all_reduce(group, m);
    const auto ring = flat_ring_all_reduce(group, m);
    RC_ASSERT(time.pipelined() <= time.serial());
    RC_ASSERT(flat_ring_all_reduce(group, m + 1 * kB).total() >= ring.total());
    RC_ASSERT(hierarchical_all_reduce(group, m + 1 * kB).serial() >= time.serial());
    ++group.ports;
    RC_ASSERT(hierarchical_all_reduce(group, m).serial() <= time.serial());
    RC_ASSERT(flat_ring_all_reduce(group, m).total() <= ring.total());
  });
}

TEST_CASE("two levels refuse what is no group or message", "[comm][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [](auto change) {
    two_level group = b200;
    change(group);
    CHECK_THROWS_AS(hierarchical_all_reduce(group, 1 * GB), invalid_input);
    CHECK_THROWS_AS(flat_ring_all_reduce(group, 1 * GB), invalid_input);
    CHECK_THROWS_AS(two_level_all_to_all(group, 1 * GB, aggregation::none), invalid_input);
  };
  refused([](two_level& g) { g.node_ranks = 0; });
  refused([](two_level& g) { g.nodes = 0; });
  refused([](two_level& g) { g.ports = 0; });
  refused([](two_level& g) { g.inside = {}; });
  refused([&](two_level& g) { g.between.latency = nan * us; });
  CHECK_THROWS_AS(hierarchical_all_reduce(b200, nan * byte), invalid_input);
  CHECK_THROWS_AS(flat_ring_all_reduce(b200, -1 * byte), invalid_input);
  CHECK_THROWS_AS(two_level_all_to_all(b200, nan * byte, aggregation::rail), invalid_input);
}

}  // namespace
}  // namespace gpuplan
