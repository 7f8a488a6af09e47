#include <gpuplan/api/cluster_fields.hpp>

#include <string>

#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"
#include "support/field_tables.hpp"

namespace gpuplan::api {
namespace {

static_assert(cluster_fields.size() == testing::members_of<cluster_request>() - 2,
              "each member has a row; a link is a fabric, and a profile no field");
static_assert(cluster_fields[place_of_field(cluster_fields, "gpu")].usual == default_gpu);

TEST_CASE("the rows of a cluster have names and help", "[api]") {
  testing::check_names(cluster_fields);
}

TEST_CASE("a row sets the member that it reads", "[api]") {
  for (const field<cluster_request>& row : cluster_fields) {
    if (row.value.get == nullptr) continue;
    CAPTURE(std::string(row.key));
    cluster_request changed;
    row.value.set(changed, row.value.most);
    CHECK(row.value.get(changed) == row.value.most);
    for (const field<cluster_request>& other : cluster_fields)
      if (other.value.get != nullptr && other.key != row.key)
        CHECK(other.value.get(changed) == other.value.get(cluster_request{}));
  }
}

TEST_CASE("fields of the host have an effect where something is offloaded", "[api]") {
  const auto has_effect = [](std::string_view key, const recipe& how) {
    const parallelism cut{};
    return cluster_fields[place_of_field(cluster_fields, key)].effect.where(
        {catalog::llama_3_8b, how, cut});
  };
  CHECK_FALSE(has_effect("host_memory_bytes", {}));
  CHECK(has_effect("host_memory_bytes", {.offload = offloaded_states::optimizer}));
  CHECK(has_effect("host_memory_bytes", {.offloaded_activations = 0.5}));
  CHECK_FALSE(has_effect("host_update_bytes_per_s", {.offloaded_activations = 0.5}));
  CHECK(has_effect("host_update_bytes_per_s", {.offload = offloaded_states::optimizer}));
}

}  // namespace
}  // namespace gpuplan::api
