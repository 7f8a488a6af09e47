#include <gpuplan/plan/job_defaults.hpp>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using catalog::a100_sxm4_80gb;
using catalog::gb200;
using catalog::h100_sxm5_80gb;
using catalog::v100_sxm2_32gb;

// InfiniBand of the GPU's time, and the formats that it multiplies.
static_assert(default_fabric(v100_sxm2_32gb) == "InfiniBand EDR 4x");
static_assert(default_fabric(a100_sxm4_80gb) == "InfiniBand HDR 4x");
static_assert(default_fabric(h100_sxm5_80gb) == "InfiniBand NDR 4x");
static_assert(default_precision(v100_sxm2_32gb) == precision::mixed_fp16);
static_assert(default_precision(a100_sxm4_80gb) == precision::mixed_bf16);
static_assert(default_precision(catalog::p100_sxm2_16gb) == precision::mixed_fp16);

// A host has 8 GPUs; a tray of a rack that NVLink joins has 4.
static_assert(default_gpus_per_node(h100_sxm5_80gb) == 8);
static_assert(default_gpus_per_node(gb200) == 4);
static_assert(default_nvlink_domain(h100_sxm5_80gb, 64, 8) == 8);
static_assert(default_nvlink_domain(gb200, 16, 4) == 16, "all of a small job");
static_assert(default_nvlink_domain(gb200, 2, 4) == 4, "at least a host");
static_assert(default_nvlink_domain(gb200, 144, 4) == 72);
static_assert(default_nvlink_domain(gb200, 256, 4) == 64, "what divides the job");
static_assert(default_nvlink_domain(gb200, 73, 4) == 72, "the most where nothing does");

static_assert(default_sequence(catalog::llama_3_8b) == 2048);

TEST_CASE("every GPU's usual fabric is one of the catalogue, with a rate", "[plan][facts]") {
  for (const auto& row : catalog::accelerators) {
    INFO(row.name);
    const auto* fabric = catalog::find_fabric(default_fabric(*row.gpu));
    REQUIRE(fabric != nullptr);
    CHECK(interconnect_of(*fabric->net).bandwidth > bytes_per_second{0});
  }
}

TEST_CASE("no model is asked for more positions than it has", "[plan][facts]") {
  transformer m = catalog::llama_3_8b;
  m.positions = position_encoding::learned;
  m.position_rows = 1024;
  CHECK(default_sequence(m) == 1024);
  m.position_rows = 4096;
  CHECK(default_sequence(m) == 2048);
}

}  // namespace
}  // namespace gpuplan
