#include <gpuplan/comm/nccl_group.hpp>

#include <limits>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr nccl_graph graph{.channels = 16, .inside = 20 * GB / second, .between = 20 * GB / second};
constexpr nccl_group node{
    .ranks = 8, .ring = graph, .tree = graph, .nvls = graph, .collnet = graph};
constexpr nccl_group four_nodes = [] {
  nccl_group group = node;
  group.ranks = 32;
  group.nodes = 4;
  return group;
}();

constexpr bool offers(const nccl_group& group, collective what, nccl_algorithm algorithm,
                      nccl_protocol protocol = nccl_protocol::simple) {
  return detail::nccl_offers(group, what, algorithm, protocol);
}

static_assert(name_of(nccl_algorithm::collnet_direct) == "CollNetDirect");
static_assert(name_of(nccl_protocol::ll128) == "LL128");

// A ring does everything, a tree all-reduces, nothing all-to-alls.
static_assert(offers(node, collective::broadcast, nccl_algorithm::ring));
static_assert(!offers(node, collective::broadcast, nccl_algorithm::tree));
static_assert(!offers(node, collective::all_gather, nccl_algorithm::tree));
static_assert(!offers(node, collective::all_to_all, nccl_algorithm::ring));

// Sums in the node's switch: alone on one node, in a tree on several.
static_assert(offers(node, collective::all_reduce, nccl_algorithm::nvls));
static_assert(!offers(node, collective::all_reduce, nccl_algorithm::nvls, nccl_protocol::ll));
static_assert(!offers(node, collective::all_reduce, nccl_algorithm::nvls_tree));
static_assert(offers(four_nodes, collective::all_reduce, nccl_algorithm::nvls_tree));
static_assert(!offers(four_nodes, collective::all_gather, nccl_algorithm::nvls));

constexpr nccl_group with(auto change) {
  nccl_group group = four_nodes;
  change(group);
  return group;
}
static_assert(!offers(with([](nccl_group& g) { g.collnet = {}; }), collective::all_reduce,
                      nccl_algorithm::nvls),
              "beyond a node it needs the network's switches");
static_assert(!offers(with([](nccl_group& g) { g.nvls.channels = 1; }), collective::all_reduce,
                      nccl_algorithm::nvls_tree));
static_assert(!offers(with([](nccl_group& g) { g.tree = {}; }), collective::all_reduce,
                      nccl_algorithm::tree));

// 128 byte at a time need NVLink, and a path between nodes that keeps them together.
static_assert(offers(node, collective::reduce, nccl_algorithm::ring, nccl_protocol::ll128));
static_assert(!offers(with([](nccl_group& g) { g.wire = nccl_wire::pci; }), collective::reduce,
                      nccl_algorithm::ring, nccl_protocol::ll128));
static_assert(!offers(with([](nccl_group& g) { g.ll128 = false; }), collective::reduce,
                      nccl_algorithm::ring, nccl_protocol::ll128));

// PAT: one rank a node, not yet in 2.21.
static_assert(!offers(four_nodes, collective::all_gather, nccl_algorithm::pat));
static_assert(offers(with([](nccl_group& g) { g.nodes = 32; }), collective::all_gather,
                     nccl_algorithm::pat));
static_assert(!offers(with([](nccl_group& g) {
                        g.nodes = 32;
                        g.version = nccl_version::v2_21_5;
                      }),
                      collective::all_gather, nccl_algorithm::pat));

TEST_CASE("a group of NCCL refuses what cannot be", "[comm][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [](auto change) {
    nccl_group group = four_nodes;
    change(group);
    CHECK_THROWS_AS(require_valid(group), invalid_input);
  };
  refused([](nccl_group& g) { g.ranks = 0; });
  refused([](nccl_group& g) { g.nodes = 0; });
  refused([](nccl_group& g) { g.nodes = 33; });
  refused([](nccl_group& g) { g.wire = nccl_wire::network; });
  refused([](nccl_group& g) { g.network_latency = -1 * us; });
  refused([](nccl_group& g) { g.ring.channels = -1; });
  refused([&](nccl_group& g) { g.tree.inside = nan * GB / second; });
  refused([](nccl_group& g) { g.collnet.between = -1 * GB / second; });
  CHECK_NOTHROW(require_valid(four_nodes));
}

constexpr nccl_group one_node{.ranks = 8, .ring = graph, .tree = graph, .nvls = graph};
constexpr nccl_group thirty_two_ranks{
    .ranks = 32, .nodes = 4, .ring = graph, .tree = graph, .nvls = graph};

constexpr double in_gigabytes(const nccl_group& group, collective what, nccl_algorithm algorithm,
                              nccl_protocol protocol = nccl_protocol::simple) {
  return nccl_bandwidth(group, what, algorithm, protocol) / (GB / second);
}
constexpr nccl_group at(nccl_version version, nccl_group group) {
  group.version = version;
  return group;
}

static_assert(nccl_bandwidth(one_node, collective::broadcast, nccl_algorithm::tree,
                             nccl_protocol::simple) == bytes_per_second{0},
              "not offered");
static_assert(nccl_bandwidth(nccl_group{.ring = graph}, collective::all_reduce,
                             nccl_algorithm::ring, nccl_protocol::simple) == bytes_per_second{0},
              "one rank");

TEST_CASE("rates of NCCL by hand", "[comm][reference]") {
  // From ncclTopoTuneModel: 16 channels of 20 GB/s are a bus of 320.
  using algorithm = nccl_algorithm;
  using protocol = nccl_protocol;
  CHECK_THAT(in_gigabytes(one_node, collective::all_reduce, algorithm::ring),
             WithinRel(320 * 8 / 14.0, 1e-12));
  CHECK_THAT(in_gigabytes(one_node, collective::all_reduce, algorithm::ring, protocol::ll),
             WithinRel(141 * 8 / 14.0, 1e-12));
  CHECK_THAT(in_gigabytes(one_node, collective::all_gather, algorithm::ring, protocol::ll128),
             WithinRel(320 * .92 * 8 / 7, 1e-12));
  CHECK_THAT(in_gigabytes(one_node, collective::reduce, algorithm::ring), WithinRel(320, 1e-12));
  CHECK_THAT(in_gigabytes(thirty_two_ranks, collective::all_reduce, algorithm::tree),
             WithinRel(320 * .92 / 2, 1e-12));
  CHECK_THAT(in_gigabytes(thirty_two_ranks, collective::all_reduce, algorithm::tree, protocol::ll),
             WithinRel(20.4 / 2, 1e-12));
  // Sums in the node's switch: of 20 GB/s 0.85 x 15/16, twice for an all-reduce, at most the 20
  // that the network's graph has.
  CHECK_THAT(in_gigabytes(one_node, collective::all_reduce, algorithm::nvls),
             WithinRel(16 * 20 * 8 / 14.0, 1e-12));
  CHECK_THAT(in_gigabytes(one_node, collective::all_gather, algorithm::nvls),
             WithinRel(16 * 20 * .85 * 15 / 16 * 7 / 8, 1e-12));
  CHECK_THAT(in_gigabytes(thirty_two_ranks, collective::all_reduce, algorithm::nvls_tree),
             WithinRel(16 * 20 * 32 / 62.0, 1e-12));
  // Sums in the network's switches: eight ranks, 16 channels, 0.85 on Hopper.
  nccl_group sharp = thirty_two_ranks;
  sharp.collnet = graph;
  CHECK_THAT(in_gigabytes(sharp, collective::all_reduce, algorithm::collnet_chain),
             WithinRel(160, 1e-12));
  CHECK_THAT(in_gigabytes(sharp, collective::all_reduce, algorithm::collnet_direct),
             WithinRel(320 / .75 * .85 / 2, 1e-12));
}

TEST_CASE("the versions differ where their sources do", "[comm][reference]") {
  constexpr auto old = nccl_version::v2_21_5;
  constexpr auto newer = nccl_version::v2_28_3;
  CHECK_THAT(in_gigabytes(at(old, one_node), collective::all_reduce, nccl_algorithm::nvls),
             WithinRel(320 * 5 / 6.0, 1e-12));
  CHECK_THAT(
      in_gigabytes(at(old, thirty_two_ranks), collective::all_reduce, nccl_algorithm::nvls_tree),
      WithinRel(160 * 5 / 6.0, 1e-12));
  nccl_group blackwell = one_node;
  blackwell.generation = nccl_generation::blackwell;
  blackwell.ring.inside = 90 * GB / second;
  const auto ll128 = [&](nccl_version version) {
    return in_gigabytes(at(version, blackwell), collective::reduce, nccl_algorithm::ring,
                        nccl_protocol::ll128);
  };
  CHECK(ll128(old) == 0);
  CHECK_THAT(ll128(newer), WithinRel(16 * 73.4, 1e-12));
  CHECK_THAT(ll128(nccl_version::v2_30_7), WithinRel(16 * 40.0, 1e-12));
  // One rank a node: 2.21 takes 0.7 of a ring by 128 byte.
  nccl_group alone{.ranks = 4, .nodes = 4, .ring = graph};
  CHECK_THAT(
      in_gigabytes(at(old, alone), collective::reduce, nccl_algorithm::ring, nccl_protocol::ll128),
      WithinRel(320 * .7, 1e-12));
}

TEST_CASE("wider graphs are never slower", "[comm][property]") {
  testing::check_property("monotone in the rate of a channel", [] {
    nccl_group group{
        .version =
            *rc::gen::element(nccl_version::v2_21_5, nccl_version::v2_28_3, nccl_version::v2_30_7),
        .generation = *rc::gen::element(nccl_generation::volta, nccl_generation::ampere,
                                        nccl_generation::hopper, nccl_generation::blackwell),
        .host = *rc::gen::element(nccl_host::intel, nccl_host::amd, nccl_host::mixed,
                                  nccl_host::other)};
    group.nodes = *rc::gen::inRange(1, 200);
    group.ranks = group.nodes * *rc::gen::inRange(1, 9);
    const auto any = [] {
      return nccl_graph{.channels = *rc::gen::inRange(1, 33),
                        .inside = *rc::gen::inRange(1, 90) * GB / second,
                        .between = *rc::gen::inRange(1, 90) * GB / second};
    };
    group.ring = any();
    group.tree = any();
    group.nvls = any();
    group.collnet = any();
    nccl_group wider = group;
    for (auto* found : {&wider.ring, &wider.tree, &wider.nvls, &wider.collnet}) {
      found->inside *= 2;
      found->between *= 2;
    }
    for (const auto what : collectives)
      for (const auto algorithm : nccl_algorithms)
        for (const auto protocol : nccl_protocols) {
          const auto rate = nccl_bandwidth(group, what, algorithm, protocol);
          RC_ASSERT(isfinite(rate));
          RC_ASSERT(rate >= bytes_per_second{0});
          RC_ASSERT(nccl_bandwidth(wider, what, algorithm, protocol) >= rate);
        }
  });
}

}  // namespace
}  // namespace gpuplan
