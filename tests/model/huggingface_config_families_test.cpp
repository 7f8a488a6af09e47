#include <gpuplan/model/huggingface_config_families.hpp>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/model/detail/huggingface_architectures.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

const config_family& family(const std::vector<config_family>& all, std::string_view name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
  REQUIRE(found != all.end());
  return *found;
}

TEST_CASE("every model_type that has classes is listed once, by name", "[model]") {
  std::set<std::string_view> known;
  for (const detail::class_prefixes& row : detail::architecture_classes) known.insert(row.name);
  const std::vector<config_family> all = config_families();
  std::vector<std::string_view> names;
  for (const config_family& one : all) names.push_back(one.name);
  CHECK(std::equal(names.begin(), names.end(), known.begin(), known.end()));
}

TEST_CASE("a family says what is made of its configs", "[model]") {
  const std::vector<config_family> all = config_families();
  const config_family& llama = family(all, "llama");
  CHECK(llama.planned == true);
  CHECK(llama.unlike.empty());
  CHECK_FALSE(llama.holds_language_model);
  const config_family& jamba = family(all, "jamba");
  CHECK(jamba.planned == false);
  CHECK(jamba.unlike == "state-space layers");
  const config_family& llava = family(all, "llava");
  CHECK_FALSE(llava.planned.has_value());
  CHECK(llava.holds_language_model);
  const config_family& both = family(all, "qwen2_vl");
  CHECK(both.planned == true);
  CHECK(both.holds_language_model);
  for (const config_family& one : all) {
    CHECK((one.planned == false) == !one.unlike.empty());
    CHECK((one.planned.has_value() || one.holds_language_model));
  }
}

}  // namespace
}  // namespace gpuplan
