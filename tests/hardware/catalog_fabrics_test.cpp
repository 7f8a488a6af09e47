#include <gpuplan/hardware/catalog_fabrics.hpp>

#include <string>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;
using catalog::find_fabric;

static_assert(catalog::fabrics.size() == 22);
static_assert(find_fabric("InfiniBand NDR 4x")->net == &catalog::infiniband_ndr);
static_assert(find_fabric("ndr") == find_fabric("infiniband ndr"));
static_assert(find_fabric("nvlink4")->net == &catalog::nvlink4);
static_assert(find_fabric("AWS EFA v2 (p5, 32x100G)")->net == &catalog::efa_v2_p5);
static_assert(find_fabric("carrier pigeon") == nullptr);
static_assert(closest_names("infiniband", catalog::fabrics).size == 4);

static_assert(interconnect_of(catalog::infiniband_ndr).bandwidth == 48.5 * GB / second);
static_assert(interconnect_of(catalog::infiniband_hdr).bandwidth < 200 * Gbit / second);
static_assert(catalog::efa_v2_p5.port.advertised == per_direction(3200 * Gbit / second));
static_assert(interconnect_of(catalog::efa_v2_p5).bandwidth < 400 * Gbit / second,
              "an eighth of the node's 3200");

TEST_CASE("of each fabric the wire carries what is printed, and that what is achieved",
          "[hardware]") {
  constexpr bytes_per_second unknown{0};
  for (const auto& [name, net] : catalog::fabrics) {
    INFO(std::string(name));
    require_valid(*net);
    const auto wire = net->port.signalling.per_direction();
    const auto printed = net->port.advertised.per_direction();
    CHECK((wire == unknown || wire >= printed));
    CHECK(printed >= net->port.achievable.per_direction());
    CHECK(net->small_message_hop <= net->medium_message_hop);
    CHECK(net->medium_message_hop <= net->port.latency);
    CHECK(net->port.latency > 0 * us);
  }
}

TEST_CASE("a switch has no rate of its own to plan with, every other fabric has", "[hardware]") {
  for (const auto& [name, net] : catalog::fabrics) {
    INFO(std::string(name));
    if (name == "NVSwitch")
      CHECK_THROWS_AS(interconnect_of(*net), invalid_input);
    else
      CHECK_NOTHROW(interconnect_of(*net));
  }
}

TEST_CASE("a fabric can be found by its name, and no two names or aliases are one", "[hardware]") {
  for (const auto& entry : catalog::fabrics) {
    CHECK(find_fabric(entry.name) == &entry);
    for (const auto& other : catalog::fabrics)
      CHECK(same_name(entry.name, other.name) == (&entry == &other));
  }
  for (const alias& one : catalog::fabric_aliases) {
    INFO(std::string(one.name));
    CHECK(find_fabric(one.name)->name == one.meant);
    for (const alias& other : catalog::fabric_aliases)
      CHECK(same_name(one.name, other.name) == (&one == &other));
    for (const auto& entry : catalog::fabrics) CHECK_FALSE(same_name(one.name, entry.name));
  }
}

}  // namespace
}  // namespace gpuplan
