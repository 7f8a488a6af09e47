#include <gpuplan/comm/nccl_group.hpp>

#include <limits>

#include "support/catch.hpp"

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

}  // namespace
}  // namespace gpuplan
