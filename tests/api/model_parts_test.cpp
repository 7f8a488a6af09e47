#include <gpuplan/api/model_parts.hpp>

#include <string>

#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"

namespace gpuplan::api {
namespace {

TEST_CASE("the parts of a model are all of it", "[api]") {
  for (const auto& row : catalog::models) {
    CAPTURE(row.name);
    const transformer_parameters all = parameters_of(row.model);
    double sum = 0;
    for (const model_part& one : model_parts(all)) sum += one.count;
    for (const model_part& one : layer_parts(all.layers)) sum += one.count;
    CHECK(sum == all.total());
    double listed = 0;
    const report_json components = components_of(all);
    for (const auto& [key, count] : components.items()) {
      CHECK(key.find_first_of(" -") == key.npos);
      listed += count.get<double>();
    }
    CHECK(listed == all.total());
  }
}

TEST_CASE("a part has a key", "[api]") {
  CHECK(key_of_part("feed-forward weights") == "feed_forward_weights");
  report_json to = report_json::object();
  add_parts(to, std::array{model_part{"a b", 1}}, "layers_");
  CHECK(to == report_json{{"layers_a_b", 1}});
}

TEST_CASE("layers of a kind have their common and further parts", "[api]") {
  layer_group group;
  group.kind = "mamba";
  group.layers = 3;
  group.common.norms = 5;
  group.further = {{"state space", 7}};
  const report_json object = json_of(group);
  CHECK(object["kind"] == "mamba");
  CHECK(object["layers"] == 3);
  CHECK(object["parameters"]["norms"] == 5);
  CHECK(object["parameters"]["state_space"] == 7);
  CHECK(object["parameters"]["total"] == group.total());
}

TEST_CASE("components of a layered model are those of its groups and of what is beside", "[api]") {
  layered_model m;
  m.further = {{"adapter of heads", 11}};
  layer_group group;
  group.kind = "mamba";
  group.layers = 3;
  group.further = {{"state space", 7}};
  m.groups = {group};
  const report_json components = components_of(m);
  CHECK(components["adapter_of_heads"] == 11);
  CHECK(components.contains("layers_state_space"));
  CHECK(components.contains("token_embedding"));
  CHECK(components.contains("layers_norms"));
}

}  // namespace
}  // namespace gpuplan::api
