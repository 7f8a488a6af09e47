#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/model/huggingface.hpp>
#include <gpuplan/model/huggingface_layered.hpp>
#include <gpuplan/model/parameters.hpp>
#include <gpuplan/model/transformer_json.hpp>

#include "support/catch.hpp"
#include "support/data.hpp"

namespace gpuplan {
namespace {

using nlohmann::json;

/// The object that holds the language model's fields.
json& text_of(json& config) {
  return config.contains("text_config") ? config["text_config"] : config;
}

/// The configs of published models that the test data holds.
std::vector<json> published_models() {
  std::vector<json> all;
  for (const char* file : {"config_counts.json", "layered_counts.json"}) {
    const json data = json::parse(testing::read_text(testing::data_folder() / file));
    for (const json& model : data.at("models")) all.push_back(model);
  }
  return all;
}

/// One of them, by the name that the test data has for it.
json published(const std::string& name) {
  static const std::vector<json> models = published_models();
  for (const json& model : models)
    if (model.at("name") == name) return model.at("config");
  FAIL("no config of " << name);
  return {};
}

/// A small config of a family that the test data has none of.
json small(const char* family, const json& further = json::object()) {
  json config{{"model_type", family},     {"hidden_size", 512},          {"num_hidden_layers", 6},
              {"vocab_size", 100},        {"num_attention_heads", 32},   {"num_key_value_heads", 4},
              {"intermediate_size", 256}, {"max_position_embeddings", 8}};
  config.update(further);
  return config;
}

/// All that is read of a config, or the refusal.
std::string answer(const json& config) {
  try {
    if (find_layered_family(config) == nullptr)
      return json_of(read_huggingface(config, "x")).dump();
    const layered_model m = read_layered_model(config, "x");
    std::string words = json{m.total(), m.active(), m.multi_token_prediction, m.untrained}.dump();
    for (const layer_group& group : m.groups)
      words +=
          json{group.kind, group.layers, group.cached_values, group.windowed_values, group.window}
              .dump();
    return words + (m.planned ? json_of(*m.planned).dump() : "");
  } catch (const invalid_input& error) {
    return error.what();
  }
}

struct silent_field {
  json config;
  const char* field;
  json value;
};

std::vector<silent_field> silent_fields() {
  const json experts{{"num_local_experts", 8}};
  json alternating = json::array();
  for (int i = 0; i < 6; ++i)
    alternating.push_back(i % 2 == 0 ? "full_attention" : "linear_attention");
  const json mt5{
      {"model_type", "mt5"}, {"d_model", 64},     {"d_ff", 128}, {"num_layers", 2},
      {"num_heads", 4},      {"vocab_size", 100}, {"d_kv", 16},  {"tie_word_embeddings", false}};
  return {{published("Qwen1.5-MoE-A2.7B"), "shared_expert_intermediate_size", 5632},
          {published("Qwen1.5-MoE-A2.7B"), "num_experts_per_tok", 4},
          {published("Qwen1.5-MoE-A2.7B"), "moe_intermediate_size", 1408},
          {published("Qwen1.5-MoE-A2.7B"), "num_experts", 60},
          {published("Qwen1.5-MoE-A2.7B"), "num_key_value_heads", 16},
          {published("Qwen1.5-MoE-A2.7B"), "decoder_sparse_step", 1},
          {published("Qwen1.5-MoE-A2.7B"), "tie_word_embeddings", false},
          {published("Qwen3-Next-80B-A3B"), "num_experts_per_tok", 10},
          {published("Qwen3-Next-80B-A3B"), "shared_expert_intermediate_size", 512},
          {published("Qwen3-Next-80B-A3B"), "num_experts", 512},
          {published("Qwen3-Next-80B-A3B"), "moe_intermediate_size", 512},
          {published("Qwen3-Next-80B-A3B"), "head_dim", 256},
          {published("Qwen3-Next-80B-A3B"), "num_key_value_heads", 2},
          {published("Qwen3-Next-80B-A3B"), "linear_num_key_heads", 16},
          {published("Qwen3-Next-80B-A3B"), "linear_num_value_heads", 32},
          {published("Qwen3-Next-80B-A3B"), "linear_conv_kernel_dim", 4},
          {published("Qwen3-Next-80B-A3B"), "full_attention_interval", 4},
          {published("Qwen3.5-35B-A3B"), "shared_expert_intermediate_size", 512},
          {published("Qwen3.5-35B-A3B"), "num_experts", 256},
          {published("Qwen3.5-9B"), "num_key_value_heads", 4},
          {published("SmolLM3-3B"), "num_key_value_heads", 4},
          {published("SmolLM3-3B"), "tie_word_embeddings", true},
          {published("StarCoder2-7B"), "num_key_value_heads", 2},
          {published("StarCoder2-7B"), "tie_word_embeddings", true},
          {published("GLM-4.6"), "num_key_value_heads", 8},
          {published("GLM-4.6"), "first_k_dense_replace", 1},
          {published("GLM-4.6"), "n_shared_experts", 1},
          {published("Jamba-v0.1"), "num_key_value_heads", 8},
          {published("Jamba-v0.1"), "mamba_d_state", 16},
          {published("Jamba-v0.1"), "mamba_dt_rank", "auto"},
          {published("Jamba-v0.1"), "attn_layer_offset", 4},
          {published("Llama-4-Scout"), "num_key_value_heads", 8},
          {published("Llama-4-Scout"), "head_dim", 128},
          {published("Llama-4-Scout"), "attention_chunk_size", 8192},
          {published("Phi-3.5-MoE"), "num_key_value_heads", 8},
          {published("Seed-OSS-36B"), "num_key_value_heads", 8},
          {published("Seed-OSS-36B"), "head_dim", 128},
          {published("ERNIE-4.5-21B-A3B"), "num_key_value_heads", 4},
          {published("ERNIE-4.5-21B-A3B"), "moe_num_shared_experts", 2},
          {published("Falcon-H1-0.5B"), "num_key_value_heads", 8},
          {published("Devstral-2-123B"), "num_key_value_heads", 8},
          {published("Devstral-2-123B"), "head_dim", 128},
          {published("MiniMax-M2.5"), "num_key_value_heads", 8},
          {published("MiniMax-M2.5"), "head_dim", 128},
          {published("Hunyuan-A13B"), "use_qk_norm", true},
          {published("Granite-4.0-H-Small"), "tie_word_embeddings", false},
          {published("Granite-4.0-H-Small"), "mamba_expand", 2},
          {published("Granite-4.0-H-Small"), "shared_intermediate_size", 1024},
          {published("Nemotron-3-Nano-30B-A3B"), "num_key_value_heads", 8},
          {published("LongCat-Flash"), "zero_expert_num", 256},
          {published("DeepSeek-V4-Flash"), "num_hash_layers", 3},
          {published("Gemma-3n-E4B"), "num_kv_shared_layers", 15},
          {published("Gemma-4-E2B"), "hidden_size_per_layer_input", 256},
          {published("Qwen3-VL-30B-A3B"), "num_experts_per_tok", 4},
          {published("ModernBERT-base"), "mlp_bias", false},
          {published("ModernBERT-base"), "attention_bias", false},
          {published("ModernBERT-base"), "norm_bias", false},
          {published("ModernBERT-base"), "classifier_bias", false},
          {published("ModernBERT-base"), "decoder_bias", true},
          {published("ModernBERT-base"), "tie_word_embeddings", true},
          {published("ModernBERT-base"), "local_attention", 128},
          {published("ModernBERT-base"), "global_attn_every_n_layers", 3},
          {small("glm"), "num_key_value_heads", 2},
          {small("gemma2"), "num_key_value_heads", 4},
          {small("gemma2"), "tie_word_embeddings", true},
          {small("stablelm"), "num_key_value_heads", 32},
          {small("minimax", {{"num_local_experts", 8}, {"layer_types", alternating}}),
           "num_key_value_heads", 8},
          {small("deepseek_v2", {{"n_routed_experts", 8}, {"num_experts_per_tok", 2}}),
           "n_shared_experts", 2},
          {mt5, "feed_forward_proj", "gated-gelu"},
          {mt5, "d_kv", 64},
          {small("glm"), "head_dim", 128},
          {small("glm4"), "attention_bias", true},
          {small("ernie4_5"), "head_dim", 128},
          {small("ernie4_5"), "num_key_value_heads", 2},
          {small("mistral"), "num_key_value_heads", 8},
          {small("mistral"), "sliding_window", 4096},
          {small("granitemoe", experts), "num_experts_per_tok", 2},
          {small("glm4_moe_lite"), "q_lora_rank", 768},
          {small("glm4_moe_lite"), "v_head_dim", 256},
          {small("glm4_moe_lite"), "first_k_dense_replace", 1},
          {small("glm4_moe_lite"), "num_experts_per_tok", 4}};
}

TEST_CASE("a field that a config leaves out is what its family assumes", "[model][reference]") {
  for (const silent_field& row : silent_fields()) {
    json silent = row.config;
    text_of(silent).erase(row.field);
    json said = silent;
    text_of(said)[row.field] = row.value;
    INFO(text_of(said).at("model_type") << " " << row.field);
    CHECK(answer(silent) == answer(said));
    CHECK(answer(said).find("x: ") == std::string::npos);
  }
}

// From the sizes of the files.
TEST_CASE("fields left out change the counts as they should", "[model][reference]") {
  const auto count = [](json config, const char* left_out) {
    config.erase(left_out);
    return parameters_of(read_huggingface(config, "x")).total();
  };
  const json smol = published("SmolLM3-3B");
  CHECK(count(smol, "num_key_value_heads") == count(smol, ""));
  const json seed = published("Seed-OSS-36B");
  CHECK(count(seed, "head_dim") == count(seed, ""));
  // StarCoder 2 keeps 2 heads unless told otherwise, of 4 that the file has, with biases.
  const json star = published("StarCoder2-7B");
  CHECK(count(star, "") - count(star, "num_key_value_heads") == 32.0 * 2 * 2 * 128 * (4608 + 1));
  // GLM 4.6 has one dense layer unless told otherwise, of three that the file has: two layers more
  // have experts, a shared one and a router instead.
  const json glm = published("GLM-4.6");
  const double h = 5120;
  CHECK(count(glm, "first_k_dense_replace") - count(glm, "") ==
        2 * (161 * 3 * h * 1536 + 160 * h - 3 * h * 12288));
}

/// A config without any of several fields, given as words between blanks.
json without(json config, std::string_view fields) {
  const json text = text_of(config);
  for (const auto& [field, value] : text.items())
    if (detail::is_listed(fields, field)) {
      config.erase(field);  // the outer word on tied embeddings, too
      text_of(config).erase(field);
    }
  return config;
}

TEST_CASE("every default is read", "[model]") {
  int rows = 0;
  for (const json& model : published_models())
    for (const detail::config_default& row : detail::config_defaults) {
      json config = model.at("config");
      const std::string family = text_of(config).at("model_type");
      if (!detail::is_listed(row.families, family)) continue;
      const std::string field{detail::first_word(row.fields)};
      INFO(family << " " << field);
      ++rows;
      const json silent = without(config, row.fields);
      if (row.value.empty()) {
        CHECK(answer(silent) == "x: " + field + " is missing: " + family + "'s config states it");
        continue;
      }
      json said = silent;
      text_of(said)[field] = json::parse(row.value);
      CHECK(answer(silent) == answer(said));
    }
  CHECK(rows > 200);
}

TEST_CASE("a family has one default of a field, and is known", "[model]") {
  std::set<std::string_view> families;
  for (const auto& family : huggingface_families) families.insert(family.name);
  for (const layered_family& family : layered_families) families.insert(family.name);
  std::set<std::string> told;
  for (const detail::config_default& row : detail::config_defaults) {
    INFO(row.families << " " << row.fields);
    CHECK(row.value.empty() == (row.version == 0));
    std::istringstream words{std::string(row.families)};
    for (std::string family; words >> family;) {
      CHECK(families.contains(family));
      CHECK(told.insert(family + " " + std::string(detail::first_word(row.fields))).second);
    }
  }
}

TEST_CASE("null is no silence", "[model]") {
  const auto with = [](json config, const char* field) {
    text_of(config)[field] = nullptr;
    return answer(config);
  };
  CHECK(with(published("Qwen3-Next-80B-A3B"), "num_experts_per_tok") ==
        "x: num_experts_per_tok must not be null");
  json heads = published("SmolLM3-3B");
  heads["num_key_value_heads"] = heads["num_attention_heads"];
  CHECK(with(published("SmolLM3-3B"), "num_key_value_heads") == answer(heads));
}

}  // namespace
}  // namespace gpuplan
