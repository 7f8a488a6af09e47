#include <gpuplan/comm/nccl_fabric.hpp>

#include <utility>

#include <gpuplan/comm/nccl_group.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr nccl_machine h100{.wire = nccl_wire::nvlink,
                            .inside = catalog::nvlink4,
                            .between = catalog::infiniband_ndr,
                            .ports_of_node = 4,
                            .network_latency = 2 * us,
                            .sums_in_node = true};
constexpr nccl_group node = nccl_group_on(h100, 8, 1);
constexpr nccl_group nodes = nccl_group_on(h100, 32, 4, nccl_version::v2_28_3);

static_assert(node.ranks == 8 && node.nodes == 1 && node.version == nccl_version::v2_30_7);
static_assert(nodes.version == nccl_version::v2_28_3 && nodes.network_latency == 2 * us);
static_assert(node.collnet.channels == 0, "sums in the network are nobody's default");

TEST_CASE("channels share the links, rings go at the slowest", "[comm]") {
  const auto total = [](const nccl_graph& graph, bytes_per_second rate) {
    return graph.channels * rate / (GB / second);
  };
  CHECK_THAT(total(node.ring, node.ring.inside), WithinRel(367.2, 1e-12));
  CHECK_THAT(total(nodes.ring, nodes.ring.inside), WithinRel(4 * 48.5, 1e-12));
  CHECK_THAT(total(nodes.tree, nodes.tree.inside), WithinRel(367.2, 1e-12));
  CHECK_THAT(total(nodes.tree, nodes.tree.between), WithinRel(4 * 48.5, 1e-12));
  CHECK_THAT(total(nodes.nvls, nodes.nvls.between), WithinRel(4 * 48.5, 1e-12));
  nccl_machine without = h100;
  without.sums_in_node = false;
  CHECK(nccl_group_on(without, 8, 1).nvls.channels == 0);
}

TEST_CASE("no limit of a channel binds on the catalogue's links of one node", "[comm]") {
  // 16 channels: what NCCL expects of a ring by 128 byte is 0.92 of the link.
  for (const auto& [generation, fabric] : {std::pair{nccl_generation::volta, catalog::nvlink2},
                                           std::pair{nccl_generation::ampere, catalog::nvlink3},
                                           std::pair{nccl_generation::hopper, catalog::nvlink4}}) {
    const nccl_group group = nccl_group_on({.generation = generation, .inside = fabric}, 8, 1);
    const auto rate =
        nccl_bandwidth(group, collective::all_reduce, nccl_algorithm::ring, nccl_protocol::ll128);
    CHECK_THAT(rate / interconnect_of(fabric.port).bandwidth, WithinRel(.92 * 8 / 14, 1e-12));
  }
}

TEST_CASE("a collective on its own is what NCCL expects, or pairwise messages", "[comm]") {
  const auto reduced = lone_collective_on(h100, collective::all_reduce, 32, 4, 1 * GB);
  REQUIRE(reduced);
  const auto expected = nccl_expected(nccl_group_on(h100, 32, 4), collective::all_reduce, 1 * GB);
  CHECK(reduced->choice->algorithm == expected->algorithm);
  CHECK(reduced->network == expected->total());
  CHECK(reduced->total() == expected->total());

  const auto exchanged = lone_collective_on(h100, collective::all_to_all, 8, 1, 1 * GB);
  REQUIRE(exchanged);
  CHECK_FALSE(exchanged->choice);
  CHECK(exchanged->network ==
        pairwise_all_to_all(interconnect_of(catalog::nvlink4.port), 8, 1 * GB).total());
  CHECK_FALSE(lone_collective_on(h100, collective::all_to_all, 16, 2, 1 * GB));
  CHECK_FALSE(lone_collective_on(h100, collective::send_receive, 2, 1, 1 * GB));
}

TEST_CASE("the ports' signalling rate is the least time of a collective", "[comm][reference]") {
  // Each of four nodes sends 2 (3/4) of 8 GB over four ports of 50 GB/s; plans count on less.
  const auto reduced = lone_collective_on(h100, collective::all_reduce, 32, 4, 8 * GB);
  REQUIRE(reduced);
  CHECK_THAT(reduced->least.in(ms), WithinRel(60, 1e-12));
  CHECK(reduced->least < reduced->network);
  CHECK(lone_collective_on(h100, collective::all_reduce, 8, 1, 8 * GB)->least == seconds{0});
}

TEST_CASE("a collective takes no less than the launches of its kernels", "[comm]") {
  lone_collective alone{.network = 1 * us};
  CHECK(alone.total() == collective_launch);
  alone.launches = 8 * collective_launch;
  CHECK(alone.total() == 32 * us);
  alone.network = 1 * ms;
  CHECK(alone.total() == 1 * ms);
}

TEST_CASE("a switch sums where more than two ranks of a node take part", "[comm][reference]") {
  CHECK(nccl_group_on(h100, 2, 1).nvls.channels == 0);
  CHECK(nccl_group_on(h100, 3, 1).nvls.channels > 0);
  CHECK(nccl_group_on(h100, 64, 64).nvls.channels == 0);
  CHECK(nccl_group_on(h100, 8, 4).nvls.channels == 0);
  CHECK(nccl_group_on(h100, 12, 4).nvls.channels > 0);
}

TEST_CASE("nccl_group_on refuses what cannot be", "[comm][errors]") {
  CHECK_THROWS_AS(nccl_group_on(h100, 8, 0), invalid_input);
  CHECK_THROWS_AS(nccl_group_on(h100, 3, 4), invalid_input);
  CHECK_THROWS_AS(nccl_group_on({.inside = catalog::nvlink4}, 16, 2), invalid_input);
  CHECK_THROWS_AS(nccl_group_on({}, 8, 1), invalid_input);
  CHECK_THROWS_AS(nccl_group_on({.inside = catalog::nvlink4, .ports_of_node = 1}, 16, 2),
                  invalid_input);
  CHECK_NOTHROW(nccl_group_on({.inside = catalog::nvlink4}, 8, 1));
}

}  // namespace
}  // namespace gpuplan
