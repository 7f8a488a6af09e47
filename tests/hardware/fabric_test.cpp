#include <gpuplan/hardware/fabric.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr network_fabric efa{.port = {.latency = 14 * us,
                                      .advertised = per_direction(32 * 100 * Gbit / second),
                                      .achievable = per_direction(387.2 * GB / second)},
                             .accelerators = 8};
static_assert((require_valid(efa), true));
static_assert(interconnect_of(efa).bandwidth == 387.2 / 8 * GB / second, "eight share the node's");
static_assert(interconnect_of(efa).latency == 14 * us, "which is not shared");

template <class Rate>
concept has_port = requires(Rate rate) {
  network_fabric{.port = {.advertised = rate}};
};
static_assert(!has_port<double>, "400 of what?");
static_assert(!has_port<bytes_per_second>, "it must say whether it is one direction or both");

TEST_CASE("a fabric that nobody or nothing can use is refused", "[hardware][errors]") {
  const auto refused = [](auto change) {
    network_fabric changed = efa;
    change(changed);
    CHECK_THROWS_AS(interconnect_of(changed), invalid_input);
  };
  refused([](network_fabric& f) { f.accelerators = 0; });
  refused([](network_fabric& f) { f.port = {.latency = 25 * us}; });
  refused([](network_fabric& f) { f.small_message_hop = -1 * us; });
  refused([](network_fabric& f) { f.medium_message_hop = -1 * us; });
  refused([](network_fabric& f) { f.adapter_latency = -1 * us; });
}

}  // namespace
}  // namespace gpuplan
