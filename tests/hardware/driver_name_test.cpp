#include <gpuplan/hardware/driver_name.hpp>

#include <vector>

#include <gpuplan/units/units.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

static_assert(std::is_same_v<decltype(catalog::find_by_driver_name("", bytes{})),
                             const catalog::accelerator_entry*>);

TEST_CASE("a name says a model, a form, and whether it says more", "[hardware]") {
  CHECK(driver_name_of("NVIDIA A100-SXM4-80GB") == driver_name{.model = "A100", .form = "SXM"});
  CHECK(driver_name_of("Tesla V100-PCIE-32GB") == driver_name{.model = "V100", .form = "PCIE"});
  CHECK(driver_name_of("NVIDIA GeForce RTX 4090") == driver_name{.model = "RTX4090"});
  CHECK(driver_name_of("GeForce RTX 3090 Ti").is_variant);
  CHECK(driver_name_of("") == driver_name{});
}

TEST_CASE("names of the driver lead to the catalog", "[hardware]") {
  const auto is = [](const char* name, bytes memory, const accelerator& wanted) {
    INFO(name);
    const catalog::accelerator_entry* found = catalog::find_by_driver_name(name, memory);
    REQUIRE(found != nullptr);
    CHECK(found->gpu == &wanted);
  };
  // Sizes as the driver gives them: less than the label.
  is("NVIDIA H100 80GB HBM3", 79.1 * GiB, catalog::h100_sxm5_80gb);
  is("NVIDIA H100 PCIe", 79.1 * GiB, catalog::h100_pcie_80gb);
  is("NVIDIA H100 NVL", 93.1 * GiB, catalog::h100_nvl_94gb);
  is("NVIDIA H200", 139.8 * GiB, catalog::h200_sxm_141gb);
  is("NVIDIA A100-SXM4-40GB", 39.4 * GiB, catalog::a100_sxm4_40gb);
  is("NVIDIA A100-SXM4-80GB", 79.1 * GiB, catalog::a100_sxm4_80gb);
  is("A100-PCIE-40GB", 39.4 * GiB, catalog::a100_pcie_40gb);
  is("NVIDIA A100 80GB PCIe", 79.1 * GiB, catalog::a100_pcie_80gb);
  is("Tesla V100-SXM2-16GB", 15.8 * GiB, catalog::v100_sxm2_16gb);
  is("Tesla V100-PCIE-32GB", 31.7 * GiB, catalog::v100_pcie_32gb);
  is("Tesla T4", 14.6 * GiB, catalog::t4);
  is("NVIDIA L4", 22.2 * GiB, catalog::l4);
  is("NVIDIA L40S", 44.4 * GiB, catalog::l40s);
  is("NVIDIA A10", 22.2 * GiB, catalog::a10);
  is("NVIDIA GeForce RTX 4090", 23.6 * GiB, catalog::rtx4090);
  is("NVIDIA GH200 480GB", 94.5 * GiB, catalog::gh200_96gb);
  is("NVIDIA B200", 178.4 * GiB, catalog::b200_sxm);
}

TEST_CASE("a name alone leads to all that the device may be", "[hardware]") {
  using pointers = std::vector<const accelerator*>;
  const auto may_be = [](const char* name, bytes memory = {}) {
    pointers found;
    for (const auto* entry : catalog::entries_of_driver_name(name, memory))
      found.push_back(entry->gpu);
    return found;
  };
  CHECK(may_be("NVIDIA H100 80GB HBM3") == pointers{&catalog::h100_sxm5_80gb});
  CHECK(may_be("NVIDIA H100") == pointers{&catalog::h100_sxm5_80gb});
  CHECK(may_be("NVIDIA H100 PCIe") == pointers{&catalog::h100_pcie_80gb});
  CHECK(may_be("NVIDIA A100-SXM4-40GB") == pointers{&catalog::a100_sxm4_40gb});
  CHECK(may_be("NVIDIA A100") == pointers{&catalog::a100_sxm4_40gb, &catalog::a100_sxm4_80gb});
  CHECK(may_be("NVIDIA A100", 79 * GiB) == pointers{&catalog::a100_sxm4_80gb});
  CHECK(may_be("NVIDIA A100", 60 * GiB).size() == 2);
  CHECK(may_be("NVIDIA GH200 480GB").size() == 2);  // its label is of the processor's memory
  CHECK(may_be("NVIDIA GH200 144G HBM3e") == pointers{&catalog::gh200_144gb});
  CHECK(may_be("NVIDIA A10G").empty());
  CHECK(may_be("NVIDIA A100-SXM4-80GB MIG 1g.10gb").empty());
  CHECK(may_be("AMD Instinct MI300X").empty());
  CHECK(may_be("").empty());
  CHECK(may_be("80GB").empty());
}

TEST_CASE("another device, or another form of one, is not taken for it", "[hardware]") {
  CHECK(catalog::find_by_driver_name("NVIDIA A10G", 22.2 * GiB) == nullptr);
  CHECK(catalog::find_by_driver_name("NVIDIA GeForce RTX 3090 Ti", 23.6 * GiB) == nullptr);
  CHECK(catalog::find_by_driver_name("NVIDIA GeForce RTX 4090 Laptop GPU", 16 * GiB) == nullptr);
  CHECK(catalog::find_by_driver_name("NVIDIA A100-SXM4-80GB MIG 1g.10gb", 9.5 * GiB) == nullptr);
  CHECK(catalog::find_by_driver_name("NVIDIA H100 80GB HBM3", 60 * GiB) == nullptr);
  CHECK(catalog::find_by_driver_name("", 80 * GiB) == nullptr);
  CHECK(catalog::find_by_driver_name("Quadro K2000", 2 * GiB) == nullptr);
}

}  // namespace
}  // namespace gpuplan
