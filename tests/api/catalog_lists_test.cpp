#include <gpuplan/api/catalog_lists.hpp>

#include <string>

#include "support/catch.hpp"

namespace gpuplan::api {
namespace {

using nlohmann::json;

json list_of(std::string_view name) {
  for (const catalog_list& one : catalog_lists)
    if (one.name == name) return one.json();
  return nullptr;
}

TEST_CASE("each kind lists all of its entries", "[api]") {
  CHECK(list_of("accelerators").size() == catalog::accelerators.size());
  CHECK(list_of("fabrics").size() == catalog::fabrics.size());
  CHECK(list_of("models").size() == catalog::models.size());
  CHECK(list_of("families").size() == config_families().size());
  CHECK(list_of("multiprocessors").size() == known_multiprocessors.size());
}

TEST_CASE("entries say what they hold", "[api]") {
  for (const json& gpu : list_of("accelerators")) {
    CHECK(gpu["memory_bytes"] > 0);
    CHECK(gpu["label_memory_bytes"] > 0);
    CHECK(gpu["memory_bandwidth_bytes_per_s"] > 0);
    const bool known =
        gpu["thermal_design_power_watts"].is_null() || gpu["thermal_design_power_watts"] > 0;
    CHECK(known);
  }
  for (const json& model : list_of("models"))
    CHECK(model["parameters"] >= model["active_parameters"]);
  for (const json& family : list_of("families")) {
    CHECK((family["planned"] == false) == family["unlike"].is_string());
    CHECK((family["planned"].is_boolean() || family["holds_language_model"] == true));
  }
  const json first = list_of("multiprocessors")[0];
  CHECK(first["compute_capability"] == known_multiprocessors[0].compute_capability / 10.0);
  CHECK(first["registers_bytes"] > 0);
  CHECK(list_of("fabrics")[0]["achievable_bytes_per_s"] <=
        list_of("fabrics")[0]["signalling_bytes_per_s"]);
}

TEST_CASE("what a device lacks or nobody knows is null, never 0", "[api]") {
  for (const char* kind : {"accelerators", "fabrics"})
    for (const json& entry : list_of(kind))
      for (const auto& [key, value] : entry.items()) {
        INFO(entry["name"] << " " << key);
        CHECK((!value.is_number() || value > 0));
      }
  for (const json& gpu : list_of("accelerators")) {
    const std::string name = gpu["name"];
    if (name.starts_with("P100") || name.starts_with("V100") || name == "T4")
      CHECK(gpu["peak_bf16_flop_per_s"].is_null());
    if (name.starts_with("H100")) CHECK(gpu["peak_bf16_flop_per_s"] > 0);
  }
}

}  // namespace
}  // namespace gpuplan::api
