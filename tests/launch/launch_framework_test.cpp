#include <gpuplan/launch/launch_framework.hpp>

#include <gpuplan/hardware/catalog.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

static_assert(usual_recipe(launch_framework::torchtitan).framework == framework::fsdp2);
static_assert(usual_recipe(launch_framework::megatron).framework == framework::transformer_engine);

static_assert(script_trains(launch_framework::deepspeed));
static_assert(script_trains(launch_framework::accelerate));
static_assert(makes_replicas_alone(launch_framework::deepspeed));
static_assert(makes_replicas_alone(launch_framework::accelerate));
static_assert(!script_trains(launch_framework::torchtitan));
static_assert(!makes_replicas_alone(launch_framework::megatron_bridge));

TEST_CASE("a framework is launched where it runs", "[launch]") {
  for (const auto& row : launch_framework_names) {
    INFO(row.name);
    CHECK(launches_on(row.value, "NVIDIA"));
    CHECK(launches_on(row.value, "AMD"));
    CHECK(launches_on(row.value, "Intel") == script_trains(row.value));
    CHECK_FALSE(launches_on(row.value, "Google"));
    CHECK_FALSE(launches_on(row.value, "Amazon"));
  }
}

TEST_CASE("DeepSpeed's buckets take 9 GB by its defaults", "[launch][reference]") {
  // Hugging Face, "Transformers", DeepSpeed (2025): 4.5 x 5e8 x 2 B for each of two.
  const workspace beside =
      usual_workspace(launch_framework::deepspeed, catalog::h100_sxm5_80gb, recipe{});
  CHECK(beside.zero_buckets == 9 * units::GB);
  CHECK(
      usual_workspace(launch_framework::megatron, catalog::h100_sxm5_80gb, recipe{}).zero_buckets ==
      bytes{0});
}

}  // namespace
}  // namespace gpuplan
