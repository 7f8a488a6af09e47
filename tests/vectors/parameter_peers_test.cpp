// Parameters as other estimators count them: memory_peers.json holds what each of them printed.
// Where a peer counts otherwise, the difference is computed here, and named.
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/model/catalog.hpp>
#include <gpuplan/model/parameters.hpp>

#include "support/catch.hpp"
#include "support/megatron.hpp"
#include "support/vectors.hpp"

namespace gpuplan::testing {
namespace {

using nlohmann::json;

/// The cases of peers whose name begins so, by a function that holds `part` in its name.
std::vector<json> cases_of(const std::string& peer, const std::string& part) {
  std::vector<json> cases;
  const json vectors = load_vectors("memory_peers");
  for (const json& one : vectors.at("cases"))
    if (one.at("peer").get<std::string>().starts_with(peer) &&
        one.at("function").get<std::string>().find(part) != std::string::npos)
      cases.push_back(one);
  return cases;
}

TEST_CASE("Megatron-LM counts matrices and norms as we do", "[model][vectors]") {
  for (const json& one : cases_of("megatron-lm", "theoretical_memory_usage")) {
    if (!one.at("output").contains("params")) continue;
    INFO(one.at("id"));
    if (one.at("peer") != "megatron-lm") continue;  // older ones follow
    // It has neither biases, nor learned positions, nor norms of queries and keys.
    const transformer m = transformer_of_megatron(one.at("input").at("args"));
    const transformer_parameters count = parameters_of(m);
    const json& theirs = one["output"]["params"];

    const layer_parameters dense = parameters_of_layer(m, layer_kind::dense);
    CHECK(theirs.at("attention_params") == dense.attention_weights + dense.latent_norms);
    CHECK(theirs.at("layernorm_params") == dense.norms);
    CHECK(theirs.at("final_layernorm") == count.final_norms);
    CHECK(theirs.at("num_parameters_in_embedding_layers") == count.token_embedding + count.head);
    if (m.moe_layers() > 0) {
      const layer_parameters moe = parameters_of_layer(m, layer_kind::moe);
      CHECK(theirs.at("routed_expert_params") == moe.routed_experts);
      CHECK(theirs.at("shared_expert_params") == moe.shared_experts);
      CHECK(theirs.at("router_params") == moe.router);
    }
    if (m.dense_layers() > 0) CHECK(theirs.at("dense_mlp_params") == dense.ffn_weights);

    // Its layer that predicts a further token lacks the projection and three norms; and all the
    // experts of that layer are called active.
    const double h = m.hidden_size;
    const double lacking = m.multi_token_prediction_layers * (2 * h * h + 3 * h);
    const double prediction = count.multi_token_prediction - lacking;
    CHECK(theirs.at("num_parameters_in_mtp_block") == prediction);
    CHECK(theirs.at("num_total_parameters") == count.total() + prediction);
    CHECK(theirs.at("num_active_parameters") == active_parameters(m) + prediction);
  }
}

TEST_CASE("before May 2026, Megatron-LM left the router out", "[model][vectors]") {
  for (const json& one : cases_of("megatron-lm@pre-ep-fix", "theoretical_memory_usage")) {
    INFO(one.at("id"));
    const transformer m = transformer_of_megatron(one.at("input").at("args"));
    const double router = parameters_of(m).layers.router;
    const double norms_again = 2.0 * m.hidden_size * m.moe_layers();  // in the active ones
    const json& theirs = one.at("output").at("params");
    CHECK(theirs.at("num_total_parameters") == parameters_of(m).total() - router);
    CHECK(theirs.at("num_active_parameters") == active_parameters(m) - router + norms_again);
  }
}

TEST_CASE("what Megatron-LM leaves out is the rest of the model", "[model][vectors]") {
  for (const json& one : cases_of("megatron-lm", "theoretical_memory_usage")) {
    if (!one.at("output").contains("params")) continue;
    const json& theirs = one["output"]["params"];
    const transformer* exact = catalog::find_model(one.at("model").get<std::string>());
    if (exact == nullptr || !theirs.contains("exact_hf_total")) continue;
    INFO(one.at("id"));
    const transformer_parameters count = parameters_of(*exact);
    const layer_parameters& layers = count.layers;
    // A final norm that BERT does not have is the one thing it adds.
    const double added = exact->final_norm ? 0 : 2.0 * exact->hidden_size;
    const double left_out = layers.attention_biases + layers.ffn_biases + layers.query_key_norms +
                            count.position_embedding + count.type_embedding + count.embedding_norm +
                            count.pooler;
    CHECK(theirs.at("exact_hf_total") == count.total());
    CHECK(theirs.at("delta_vs_exact") ==
          added - left_out + theirs.at("num_parameters_in_mtp_block").get<double>());
  }
}

TEST_CASE("the EleutherAI cookbook: norms twice, positions always, no bias", "[model][vectors]") {
  for (const json& one : cases_of("eleuther-cookbook", "calc_params")) {
    INFO(one.at("id"));
    std::map<std::string, double> arguments;
    const json& line = one.at("input").at("argv");
    for (std::size_t i = 0; i < line.size(); ++i) {
      const bool has_value = i + 1 < line.size() && line[i + 1].get<std::string>()[0] != '-';
      arguments[line[i]] = has_value ? std::stod(line[i + 1].get<std::string>()) : 1;
      if (has_value) ++i;
    }
    const int h = static_cast<int>(arguments["-hs"]);
    const int width = h * static_cast<int>(arguments["-ff"]);  // -ff is an integer
    constexpr int heads = 64;                                  // any number that the share divides
    transformer m{.layers = static_cast<int>(arguments["-l"]),
                  .hidden_size = h,
                  .attention_heads = heads,
                  .kv_heads = static_cast<int>(heads * arguments["-kv"]),
                  .head_dim = h / heads,
                  .ffn_size = width,
                  .vocabulary_size = static_cast<int>(arguments["-v"]),
                  .gated_ffn = arguments["-nl"] == 3,
                  .tied_embeddings = arguments.contains("--tied-embeddings"),
                  .positions = position_encoding::learned,
                  .position_rows = static_cast<int>(arguments["-s"]),
                  .norm = normalization::layer_norm};
    if (h % heads != 0) continue;
    if (arguments.contains("-e"))
      m.moe = {.experts = static_cast<int>(arguments["-e"]),
               .experts_per_token = static_cast<int>(arguments["-t"]),
               .ffn_size = width};
    const transformer_parameters count = parameters_of(m);
    const json& output = one.at("output");
    CHECK(output.at("embedding_params") == count.token_embedding + count.head);
    CHECK(output.at("position_embedding_params") == count.position_embedding);
    CHECK(output.at("attention_params") == count.layers.attention_weights);
    CHECK(output.at("ffn_params") == count.layers.ffn_weights + count.layers.routed_experts);
    CHECK(output.value("gating_params", 0.0) == count.layers.router);
    CHECK(output.at("layernorm_params") == 2 * count.layers.norms + count.final_norms);
    CHECK(output.at("total_params") == count.total() + count.layers.norms);
  }
}

TEST_CASE("the Ultra-Scale Playbook counts every model as a GPT-2", "[model][vectors]") {
  for (const json& one : cases_of("ultrascale-playbook", "paramGradsOpt")) {
    INFO(one.at("id"));
    const json& input = one.at("input");
    const int h = input.at("h");
    const transformer m{.layers = input.at("L"),
                        .hidden_size = h,
                        .attention_heads = input.at("a"),
                        .ffn_size = 4 * h,
                        .vocabulary_size = input.at("v"),
                        .positions = position_encoding::learned,
                        .position_rows = input.at("s"),
                        .norm = normalization::layer_norm,
                        .biases = {.query_key_value = true, .attention_output = true, .ffn = true}};
    CHECK(one.at("output").at("param_count") == parameters_of(m).total());
  }
}

TEST_CASE("llm-analysis has one embedding, and norms without a shift", "[model][vectors]") {
  for (const json& one : cases_of("llm-analysis", "LLMAnalysis")) {
    INFO(one.at("id"));
    const json& shape = one.at("input").at("model_config");
    transformer m{.layers = shape.at("num_layers"),
                  .hidden_size = shape.at("hidden_dim"),
                  .attention_heads = shape.at("n_head"),
                  .kv_heads = shape.at("num_key_value_heads"),
                  .ffn_size = shape.at("ffn_embed_dim"),
                  .vocabulary_size = shape.at("vocab_size"),
                  .gated_ffn = shape.at("mlp_gated_linear_units")};
    if (const int experts = shape.at("moe_num_experts"); experts > 1)
      m.moe = {
          .experts = experts, .experts_per_token = shape.at("moe_top_k"), .ffn_size = m.ffn_size};
    // Fewer key-value heads than ranks of tensor parallelism are raised to their number.
    const int ranks = one.at("input").at("parallelism").at("tp_size");
    if (m.kv_heads < ranks) m.kv_heads = ranks;
    CHECK(one.at("output").at("num_params_total") == parameters_of(m).total());
    CHECK(one.at("output").at("num_active_params_total") == active_parameters(m));
  }
}

TEST_CASE("the bare model that Accelerate measures has no head", "[model][vectors]") {
  for (const json& one : cases_of("accelerate", "estimate_training_usage")) {
    const transformer* m = catalog::find_model(one.at("model").get<std::string>());
    if (m == nullptr || !one.at("input").contains("base_model_params_without_lm_head")) continue;
    INFO(one.at("id"));
    const transformer_parameters count = parameters_of(*m);
    CHECK(one["input"]["base_model_params_without_lm_head"] == count.total() - count.head);
  }
}

}  // namespace
}  // namespace gpuplan::testing
