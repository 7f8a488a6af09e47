#include <gpuplan/comm/nccl_expected.hpp>

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

constexpr nccl_machine h100{.inside = catalog::nvlink4,
                            .between = catalog::infiniband_ndr,
                            .ports_of_node = 8,
                            .sums_in_node = true};
constexpr nccl_group node = nccl_group_on(h100, 8, 1);
constexpr nccl_group two_nodes = nccl_group_on(h100, 16, 2);
constexpr nccl_group many_nodes = nccl_group_on(h100, 80, 10);

static_assert(nccl_expected(nccl_group{}, collective::all_reduce, 1 * GB)->total() == seconds{0});
static_assert(!nccl_expected(node, collective::all_to_all, 1 * GB));
static_assert(nccl_expected(node, collective::all_reduce, 1 * GB)->algorithm ==
              nccl_algorithm::nvls);
static_assert(nccl_expected(node, collective::all_reduce, 8 * byte)->protocol == nccl_protocol::ll);

TEST_CASE("sums in one node's switch are those of in_switch.hpp", "[comm][cross-check]") {
  const interconnect links{.latency = 25 * us,
                           .bandwidth = 0.85 * interconnect_of(catalog::nvlink4.port).bandwidth};
  for (const bytes message : {1 * MB, 1 * GB, 8 * GiB})
    CHECK_THAT(nvls_expected(node, nccl_algorithm::nvls, message)->total().in(second),
               WithinRel(nvls_all_reduce(links, 8, message).total().in(second), 1e-12));
}

TEST_CASE("the largest of what is printed in one node", "[comm][reference]") {
  // Bekman, Machine Learning Engineering, network/README.md: 8 GiB, bus bandwidth 473 GB/s on eight
  // H200 with sums in the switch, 365.6 without.
  const auto expected = nccl_expected(node, collective::all_reduce, 8 * GiB)->total();
  CHECK_THAT(expected.in(ms), WithinRel(31.774, 0.03));
  constexpr std::array ring{nccl_algorithm::ring};
  const auto round = nccl_expected(node, collective::all_reduce, 8 * GiB, {.algorithms = ring});
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

TEST_CASE("expected times grow with the message, and are the least allowed", "[comm][property]") {
  testing::check_property("monotone but where a tree's correction jumps", [] {
    const auto group = *rc::gen::element(node, two_nodes, many_nodes);
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
  CHECK_THROWS_AS(nccl_expected(node, collective::all_reduce, nan), invalid_input);
  CHECK_THROWS_AS(nvls_expected(node, nccl_algorithm::nvls, -1 * byte), invalid_input);
  CHECK_THROWS_AS(nccl_expected(nccl_group{.ranks = 0}, collective::all_reduce, 1 * byte),
                  invalid_input);
  CHECK(!nvls_expected(node, nccl_algorithm::nvls_tree, 1 * byte));
}

}  // namespace
}  // namespace gpuplan
