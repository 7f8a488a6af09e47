// Exact parameter counts: every model of param_counts.json, from the config.json of its name.
#include <filesystem>
#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include <gpuplan/model/huggingface.hpp>
#include <gpuplan/model/parameters.hpp>

#include "support/catch.hpp"
#include "support/vectors.hpp"

namespace gpuplan::testing {
namespace {

/// Where the config of a model is: beside the vectors, or among those of the tests.
std::filesystem::path config_of(const std::string& model) {
  const std::filesystem::path vectors = vectors_folder();
  for (const auto& folder :
       {vectors / "configs", vectors / ".." / "configs", vectors / ".." / "data" / "configs"})
    if (const auto file = folder / (model + ".json"); std::filesystem::exists(file)) return file;
  return data_folder() / "configs" / (model + ".json");
}

/// The counts of a model under the names that the vectors give them.
std::map<std::string, double> components_of(const transformer& m) {
  const transformer_parameters count = parameters_of(m);
  const layer_parameters& layers = count.layers;
  return {{"token_embedding", count.token_embedding},
          {"position_embedding", count.position_embedding},
          {"type_embedding", count.type_embedding},
          {"embedding_norm", count.embedding_norm},
          {"embedding_projection", count.embedding_projection},
          {"attn_weights", layers.attention_weights},
          {"attn_biases", layers.attention_biases},
          {"attn_sinks", layers.attention_sinks},
          {"qk_norm", layers.query_key_norms},
          {"mla_norms", layers.latent_norms},
          {"mlp_weights", layers.ffn_weights},
          {"mlp_biases", layers.ffn_biases},
          {"dense_mlp", layers.ffn_weights + layers.ffn_biases},
          {"router", layers.router},
          {"experts", layers.routed_experts},
          {"shared_experts", layers.shared_experts},
          {"norms", layers.norms + count.final_norms},
          {"pooler", count.pooler},
          {"lm_head", count.head + count.head_bias}};
}

/// Of one module that predicts further tokens, the balancing values of its experts too.
double prediction_modules(const transformer& m) {
  const double balancing = m.moe.correction_bias ? m.moe.experts : 0;
  return parameters_of(m).multi_token_prediction + m.multi_token_prediction_layers * balancing;
}

TEST_CASE("parameters are those of the models of param_counts.json", "[model][vectors]") {
  const nlohmann::json table = load_vectors("param_counts");
  REQUIRE(!table.empty());
  for (const auto& [model, row] : table.items()) {
    INFO(model);
    const std::filesystem::path file = config_of(model);
    const transformer m = read_huggingface(read_text(file), file.string());
    const transformer_parameters count = parameters_of(m);
    CHECK(count.total() == row.at("count").get<double>());
    if (row.contains("active_per_token_count"))
      CHECK(active_parameters(m) == row["active_per_token_count"].get<double>());

    const auto components = components_of(m);
    const nlohmann::json printed = row.value("components", nlohmann::json::object());
    for (const auto& [component, expected] : printed.items()) {
      INFO(component);
      const auto found = components.find(component);
      if (found != components.end()) CHECK(found->second == expected.get<double>());
    }

    // DeepSeek-V3: what its checkpoint holds beside the model that predicts the next token.
    const double copies = 2 * count.token_embedding * m.multi_token_prediction_layers;
    if (row.contains("count_with_router_correction_bias"))
      CHECK(count.total() + count.correction_biases == row["count_with_router_correction_bias"]);
    if (row.contains("mtp_module_unique_params"))
      CHECK(prediction_modules(m) == row["mtp_module_unique_params"]);
    if (row.contains("mtp_with_copied_embedding_and_head"))
      CHECK(prediction_modules(m) + copies == row["mtp_with_copied_embedding_and_head"]);
    if (row.contains("main_plus_mtp_checkpoint"))
      CHECK(count.total() + count.correction_biases + prediction_modules(m) + copies ==
            row["main_plus_mtp_checkpoint"]);
  }
}

}  // namespace
}  // namespace gpuplan::testing
