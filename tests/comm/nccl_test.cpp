#include <gpuplan/comm/nccl.hpp>

#include <array>
#include <limits>

#include <gpuplan/comm/in_switch.hpp>
#include <gpuplan/comm/nccl_fabric.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;
using algorithm = nccl_algorithm;
using protocol = nccl_protocol;

constexpr nccl_graph graph{.channels = 16, .inside = 20 * GB / second, .between = 20 * GB / second};
constexpr nccl_group node{.ranks = 8, .ring = graph, .tree = graph};
constexpr nccl_group eight_nodes{.ranks = 64, .nodes = 8, .ring = graph, .tree = graph};

constexpr seconds latency(const nccl_group& group, algorithm a, protocol p,
                          collective what = collective::all_reduce) {
  return nccl_estimate(group, what, a, p, bytes{0})->latency;
}
constexpr nccl_time choice(const nccl_group& group, bytes message) {
  return *nccl_choice(group, collective::all_reduce, message);
}

static_assert(choice(nccl_group{}, 1 * GB).total() == seconds{0}, "one rank");
static_assert(!nccl_choice(node, collective::all_to_all, 1 * GB));
static_assert(!nccl_choice(nccl_group{.ranks = 2}, collective::all_reduce, 1 * GB), "no graph");
static_assert(!nccl_estimate(node, collective::broadcast, algorithm::tree, protocol::simple,
                             1 * GB));
// Small messages go by the protocol of 8 byte, large ones by that without flags.
static_assert(choice(node, 8 * byte).protocol == protocol::ll);
static_assert(choice(node, 1 * GB).algorithm == algorithm::ring);
static_assert(choice(node, 1 * GB).protocol == protocol::simple);
static_assert(choice(eight_nodes, 64 * KiB).algorithm == algorithm::tree);

TEST_CASE("latencies of NCCL by hand", "[comm][reference]") {
  // Ring: 8.4 + 14 x 3.4; over nodes 112 hops inside, 14 between.
  CHECK_THAT(latency(node, algorithm::ring, protocol::simple).in(us), WithinRel(56.0, 1e-12));
  CHECK_THAT(latency(eight_nodes, algorithm::ring, protocol::simple).in(us),
             WithinRel(8.4 + 112 * 3.4 + 14 * 14, 1e-12));
  CHECK_THAT(latency(eight_nodes, algorithm::ring, protocol::ll).in(us),
             WithinRel(6.6 + 112 * 1 + 14 * 2.7, 1e-12));
  // Trees: a chain in the node, log2 of the nodes.
  CHECK_THAT(latency(eight_nodes, algorithm::tree, protocol::ll).in(us),
             WithinRel(6.8 + 2 * (7 * .6 + 3 * 5), 1e-12));
  // Rings round which the message goes in pieces, and not.
  nccl_group broadcasting = node;
  CHECK_THAT(latency(broadcasting, algorithm::ring, protocol::simple, collective::broadcast).in(us),
             WithinRel(8.4 + 8 * 4, 1e-12));
  broadcasting.channels = nccl_channels::same;
  CHECK_THAT(latency(broadcasting, algorithm::ring, protocol::simple, collective::broadcast).in(us),
             WithinRel(8.4 + 3.4, 1e-12));
}

TEST_CASE("the plugin's latency counts twice where a flush follows", "[comm][reference]") {
  nccl_group slow = eight_nodes;
  slow.network_latency = 10 * us;
  const auto extra = [&](protocol p) {
    return (latency(slow, algorithm::tree, p) - latency(eight_nodes, algorithm::tree, p)).in(us);
  };
  CHECK_THAT(extra(protocol::ll), WithinRel(60.0, 1e-12));
  CHECK_THAT(extra(protocol::simple), WithinRel(120.0, 1e-12));
}

TEST_CASE("what changed from 2.21 to 2.30", "[comm][reference]") {
  nccl_group old = eight_nodes;
  old.version = nccl_version::v2_21_5;
  CHECK_THAT(latency(old, algorithm::tree, protocol::simple).in(us),
             WithinRel(2 * (7 * 28 + 3 * 28.0), 1e-12));
  CHECK_THAT(latency(old, algorithm::ring, protocol::simple).in(us),
             WithinRel(8.4 + 110 * 3.4 + 16 * 14, 1e-12));
  // Before 64 B: 2.21 takes the first correction, later ones take none.
  const auto reached = [](const nccl_group& group) {
    const bytes_per_second rate =
        nccl_bandwidth(group, collective::all_reduce, algorithm::tree, protocol::simple);
    const auto time =
        nccl_estimate(group, collective::all_reduce, algorithm::tree, protocol::simple, 32 * byte);
    return 32 * byte / time->transfer / rate;
  };
  CHECK_THAT(reached(old), WithinRel(.9, 1e-12));
  CHECK_THAT(reached(eight_nodes), WithinRel(1.0, 1e-12));
}

TEST_CASE("a ring over nodes pays more to start from 64 B a rank and channel", "[comm]") {
  const auto start = [](const nccl_group& group, bytes message) {
    return nccl_estimate(group, collective::all_reduce, algorithm::ring, protocol::simple, message)
        ->latency;
  };
  nccl_group volta = eight_nodes;
  volta.generation = nccl_generation::volta;
  const bytes edge = 64.0 * 16 * 64 * byte;
  const seconds base = start(eight_nodes, bytes{0});
  CHECK(start(eight_nodes, edge - 1 * byte) == base);
  CHECK_THAT(start(eight_nodes, edge) / base, WithinRel(1.4, 1e-12));
  CHECK_THAT(start(volta, edge) / base, WithinRel(1.9, 1e-12));
  CHECK(start(node, edge) == start(node, bytes{0}));
}

TEST_CASE("latencies of algorithms in switches by hand", "[comm][reference]") {
  nccl_group group = eight_nodes;
  group.nvls = group.collnet = graph;
  const auto of = [&](algorithm a, collective what = collective::all_reduce) {
    return latency(group, a, protocol::simple, what).in(us);
  };
  // 8 nodes of 8: 7 hops of a chain, 3 levels of a tree.
  CHECK_THAT(of(algorithm::collnet_direct), WithinRel(2 * (3.7 + 7 * 0.4) + 31, 1e-12));
  CHECK_THAT(of(algorithm::collnet_chain), WithinRel(2 * 7 * 2.8 + 30, 1e-12));
  CHECK_THAT(of(algorithm::nvls), WithinRel(25.0 + 18, 1e-12));
  CHECK_THAT(of(algorithm::nvls_tree), WithinRel(25.0 + 2 * 3 * 20.9, 1e-12));
  // The network is crossed forth and back where no flags travel with the data.
  group.network_latency = 1 * us;
  CHECK_THAT(of(algorithm::collnet_chain), WithinRel(2 * 7 * 2.8 + 30 + 2, 1e-12));
  CHECK_THAT(of(algorithm::nvls_tree), WithinRel(25.0 + 2 * 3 * (20.9 + 2), 1e-12));
  CHECK_THAT(latency(group, algorithm::tree, protocol::ll).in(us),
             WithinRel(6.8 + 2 * (7 * .6 + 3 * (5 + 1)), 1e-12));
}

TEST_CASE("NCCL 2.21.5 takes a Blackwell for a Hopper", "[comm][facts]") {
  const nccl_constants& old = nccl_constants_of(nccl_version::v2_21_5);
  for (const auto* table : {&old.ll, &old.ring_ll128, &old.tree_ll128, &old.tree}) {
    CHECK((*table)[3] == (*table)[2]);
    CHECK((*table)[3] != (*table)[1]);
  }
}

TEST_CASE("the choice is the least of all, and finite", "[comm][property]") {
  testing::check_property("least", [] {
    nccl_group group = eight_nodes;
    group.nodes = *rc::gen::inRange(1, 1000);
    group.ranks = group.nodes * *rc::gen::inRange(1, 9);
    group.nvls = group.collnet = graph;
    const bytes message = *rc::gen::inRange(0, 1 << 30) * (*rc::gen::element(1, 1000) * byte);
    for (const auto what :
         {collective::all_reduce, collective::all_gather, collective::reduce_scatter,
          collective::broadcast, collective::reduce}) {
      const auto best = nccl_choice(group, what, message);
      RC_ASSERT(best.has_value());
      RC_ASSERT(isfinite(best->total()));
      for (const auto a : nccl_algorithms)
        for (const auto p : nccl_protocols)
          if (const auto other = nccl_estimate(group, what, a, p, message))
            RC_ASSERT(best->total() <= other->total());
    }
  });
}

TEST_CASE("NCCL chooses from what it is allowed", "[comm]") {
  constexpr std::array ring{algorithm::ring};
  constexpr std::array simple{protocol::simple};
  const auto chosen = nccl_choice(eight_nodes, collective::all_reduce, 8 * byte,
                                  {.algorithms = ring, .protocols = simple});
  REQUIRE(chosen);
  CHECK(chosen->algorithm == algorithm::ring);
  CHECK(chosen->protocol == protocol::simple);
  CHECK(chosen->total() > choice(eight_nodes, 8 * byte).total());
  constexpr std::array switches{algorithm::nvls};
  CHECK(!nccl_choice(node, collective::all_reduce, 8 * byte, {.algorithms = switches}));
}

TEST_CASE("NCCL's model refuses what is no message or group", "[comm][errors]") {
  CHECK_THROWS_AS(nccl_choice(node, collective::all_reduce, -1 * byte), invalid_input);
  CHECK_THROWS_AS(
      nccl_choice(node, collective::all_reduce, std::numeric_limits<double>::quiet_NaN() * byte),
      invalid_input);
  CHECK_THROWS_AS(nccl_choice(nccl_group{.ranks = 0}, collective::all_reduce, 1 * byte),
                  invalid_input);
  CHECK_THROWS_AS(nccl_constants_of(static_cast<nccl_version>(9)), invalid_input);
}

constexpr nccl_machine h100{.inside = catalog::nvlink4,
                            .between = catalog::infiniband_ndr,
                            .ports_of_node = 8,
                            .sums_in_node = true};
constexpr nccl_group dgx_h100 = nccl_group_on(h100, 8, 1);
constexpr nccl_group two_nodes = nccl_group_on(h100, 16, 2);
constexpr nccl_group many_nodes = nccl_group_on(h100, 80, 10);

static_assert(nccl_expected(nccl_group{}, collective::all_reduce, 1 * GB)->total() == seconds{0});
static_assert(!nccl_expected(dgx_h100, collective::all_to_all, 1 * GB));
static_assert(nccl_expected(dgx_h100, collective::all_reduce, 1 * GB)->algorithm ==
              nccl_algorithm::nvls);
static_assert(nccl_expected(dgx_h100, collective::all_reduce, 8 * byte)->protocol ==
              nccl_protocol::ll);

TEST_CASE("sums in one node's switch are those of in_switch.hpp", "[comm][cross-check]") {
  const interconnect links{.latency = 25 * us,
                           .bandwidth = 0.85 * interconnect_of(catalog::nvlink4.port).bandwidth};
  for (const bytes message : {1 * MB, 1 * GB, 8 * GiB})
    CHECK_THAT(nvls_expected(dgx_h100, nccl_algorithm::nvls, message)->total().in(second),
               WithinRel(nvls_all_reduce(links, 8, message).total().in(second), 1e-12));
}

TEST_CASE("the largest of what is printed in one node", "[comm][reference]") {
  // Bekman, Machine Learning Engineering, network/README.md: 8 GiB, bus bandwidth 473 GB/s on eight
  // H200 with sums in the switch, 365.6 without.
  const auto expected = nccl_expected(dgx_h100, collective::all_reduce, 8 * GiB)->total();
  CHECK_THAT(expected.in(ms), WithinRel(31.774, 0.03));
  constexpr std::array ring{nccl_algorithm::ring};
  const auto round = nccl_expected(dgx_h100, collective::all_reduce, 8 * GiB, {.algorithms = ring});
  CHECK_THAT(round->total().in(ms), WithinRel(41.117, 0.01));
}

TEST_CASE("between nodes the ports carry the message once or twice", "[comm]") {
  const bytes much = 1 * TB;
  const auto transfer = [&](const nccl_group& group) {
    return nvls_expected(group, nccl_algorithm::nvls_tree, much)->transfer;
  };
  const bytes_per_second ports = 8 * (48.5 * GB / second);
  CHECK_THAT(transfer(many_nodes).in(second), WithinRel((2 * much / ports).in(second), 1e-12));
  // Two nodes: 388 GB/s of ports, and 0.85 x 367.2 x 8/9 = 277 of the switch.
  CHECK_THAT(transfer(two_nodes).in(second), WithinRel(1e3 / (0.85 * 367.2 * 8 / 9), 1e-12));
}

TEST_CASE("no collective is faster than the ports of its nodes", "[comm][reference]") {
  // Two nodes each send 4 GB: 1.28 s by one port of 25 Gbit/s, 160 ms by eight.
  const auto slow = [](int ranks, int nodes, double ports) {
    nccl_machine machine = h100;
    machine.between = {.port = {.advertised = per_direction(3.125 * GB / second)}};
    machine.ports_of_node = ports;
    return nccl_group_on(machine, ranks, nodes);
  };
  const auto tree = [](const nccl_group& group) {
    constexpr std::array only{nccl_algorithm::tree};
    return nccl_expected(group, collective::all_reduce, 4 * GB, {.algorithms = only})->transfer;
  };
  CHECK_THAT(tree(slow(2, 2, 1)).in(second), WithinRel(1.28, 1e-12));
  CHECK_THAT(tree(slow(16, 2, 8)).in(second), WithinRel(0.16, 1e-12));
  // With their flags LL sends twice the message, LL128 128 B for 120.
  const auto ring = [&](nccl_protocol sends) {
    constexpr std::array only{nccl_algorithm::ring};
    const std::array by{sends};
    return nccl_expected(slow(16, 2, 1), collective::broadcast, 4 * GB,
                         {.algorithms = only, .protocols = by})
        ->transfer;
  };
  CHECK(ring(nccl_protocol::ll).in(second) >= 2 * 1.28);
  CHECK(ring(nccl_protocol::ll128).in(second) >= 1.28 * 128 / 120);

  testing::check_property("whatever the collective and the ports", [&] {
    const int nodes = *rc::gen::inRange(2, 20);
    const double ports = *rc::gen::inRange(1, 9);
    const auto what =
        *rc::gen::element(collective::all_reduce, collective::all_gather,
                          collective::reduce_scatter, collective::broadcast, collective::reduce);
    const bytes message = 1.0 * *rc::gen::inRange(1, 1 << 30) * kB;
    const auto time = nccl_expected(slow(8 * nodes, nodes, ports), what, message);
    RC_ASSERT(time.has_value());
    const bytes sent = lower_bound_cost(what, nodes).sent * message;
    RC_ASSERT(time->transfer >= (1 - 1e-12) * sent / (ports * (3.125 * GB / second)));
  });
}

TEST_CASE("expected times grow with the message, and are the least allowed", "[comm][property]") {
  testing::check_property("monotone but where a tree's correction jumps", [] {
    const auto group = *rc::gen::element(dgx_h100, two_nodes, many_nodes);
    const bytes message = 1.0 * *rc::gen::inRange(1 << 29, 1 << 30) * kB;
    const auto what = *rc::gen::element(collective::all_reduce, collective::all_gather,
                                        collective::reduce_scatter, collective::broadcast);
    const auto time = nccl_expected(group, what, message);
    RC_ASSERT(time.has_value());
    RC_ASSERT(nccl_expected(group, what, 2 * message)->total() >= time->total());
    for (const nccl_algorithm only : nccl_algorithms) {
      const std::array list{only};
      const auto other = nccl_expected(group, what, message, {.algorithms = list});
      RC_ASSERT(!other || other->total() >= time->total());
    }
  });
}

TEST_CASE("nccl_expected refuses what is no message or group", "[comm][errors]") {
  const bytes nan = std::numeric_limits<double>::quiet_NaN() * byte;
  CHECK_THROWS_AS(nccl_expected(dgx_h100, collective::all_reduce, nan), invalid_input);
  CHECK_THROWS_AS(nvls_expected(dgx_h100, nccl_algorithm::nvls, -1 * byte), invalid_input);
  CHECK_THROWS_AS(nccl_expected(nccl_group{.ranks = 0}, collective::all_reduce, 1 * byte),
                  invalid_input);
  CHECK(!nvls_expected(dgx_h100, nccl_algorithm::nvls_tree, 1 * byte));
}

}  // namespace
}  // namespace gpuplan
