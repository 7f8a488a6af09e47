#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include <gpuplan/model/huggingface.hpp>
#include <gpuplan/model/huggingface_layered.hpp>

#include "support/catch.hpp"
#include "support/data.hpp"

namespace gpuplan {
namespace {

using nlohmann::json;

const json llama{{"model_type", "llama"},    {"hidden_size", 64}, {"num_hidden_layers", 2},
                 {"num_attention_heads", 4}, {"vocab_size", 100}, {"intermediate_size", 256}};

json with(json config, const json& changes) {
  config.update(changes);
  return config;
}

std::string refusal(const json& config) {
  try {
    if (find_layered_family(config) == nullptr)
      static_cast<void>(read_huggingface(config, "x"));
    else
      static_cast<void>(read_layered_model(config, "x"));
  } catch (const invalid_input& error) {
    return error.what();
  }
  return "nothing";
}

json published(const char* name) {
  for (const char* file : {"config_counts.json", "layered_counts.json"}) {
    const json data = json::parse(testing::read_text(testing::data_folder() / file));
    for (const json& model : data.at("models"))
      if (model.at("name") == name) return model.at("config");
  }
  FAIL("no config of " << name);
  return {};
}

TEST_CASE("architectures are classes of the model_type beside them", "[model][errors]") {
  const auto named = [](const json& config, const char* name) {
    return refusal(with(config, {{"architectures", {name}}}));
  };
  for (const char* own : {"LlamaForCausalLM", "LlamaModel", "LLaMAForCausalLM"})
    CHECK(named(llama, own) == "nothing");
  CHECK(refusal(with(llama, {{"architectures", json::array()}})) == "nothing");
  CHECK(refusal(with(llama, {{"architectures", nullptr}})) == "nothing");

  for (const char* nobody : {"BananaForCausalLM", "Eagle3LlamaForCausalLM", "llamaForCausalLM",
                             "ForCausalLM", "Model", "LlamaTinyModel"})
    CHECK(named(llama, nobody) ==
          "x: architectures names a class that is not known, of model_type llama: the string \"" +
              std::string(nobody) + "\"");
  CHECK(named(llama, "Qwen3ForCausalLM") ==
        "x: architectures names a class of model_type qwen3, which contradicts model_type llama: "
        "the string \"Qwen3ForCausalLM\"");
  CHECK_THAT(named(llama, "LlamaForSequenceClassification"),
             ContainsSubstring("architectures must be a whole model"));
  CHECK_THAT(refusal(with(llama, {{"architectures", {"LlamaForCausalLM", "BananaForCausalLM"}}})),
             ContainsSubstring("BananaForCausalLM"));
  CHECK_THAT(named(published("Jamba-v0.1"), "LlamaForCausalLM"),
             ContainsSubstring("contradicts model_type jamba"));
  CHECK_THAT(named(with(llama, {{"model_type", "lama"}}), "LlamaForCausalLM"),
             ContainsSubstring("model_type must be a known family"));
  const json custom{{"AutoConfig", "configuration_deepseek.DeepseekV3Config"}};
  CHECK(refusal(with(published("DeepSeek-R1"), {{"auto_map", custom}})) == "nothing");
}

TEST_CASE("a model that sees names a class of either of its families", "[model][errors]") {
  json config = published("Gemma-3-4B");
  CHECK(refusal(config) == "nothing");
  config["architectures"] = {"Mistral3ForConditionalGeneration"};
  CHECK_THAT(refusal(config), ContainsSubstring("contradicts model_type gemma3: "));
  config["architectures"] = {"Gemma3ForConditionalGeneration"};
  config["text_config"]["architectures"] = {"BananaForCausalLM"};
  CHECK_THAT(refusal(config), ContainsSubstring("not known, of model_type gemma3_text"));
}

TEST_CASE("every family has its classes", "[model]") {
  std::set<std::string_view> known;
  for (const detail::class_prefixes& row : detail::architecture_classes)
    CHECK(known.insert(row.name).second);
  for (const auto& family : huggingface_families) CHECK(known.contains(family.name));
  for (const layered_family& family : layered_families) CHECK(known.contains(family.name));
  for (const std::string_view name : huggingface_wrappers) CHECK(known.contains(name));
}

TEST_CASE("weights are stored by a known method", "[model][errors]") {
  const auto stored = [](const json& method) {
    return refusal(with(llama, {{"quantization_config", {{"quant_method", method}}}}));
  };
  for (const char* known :
       {"fp8", "gptq", "awq", "mxfp4", "modelopt", "compressed-tensors", "bitsandbytes", "torchao"})
    CHECK(stored(known) == "nothing");
  CHECK(stored(nullptr) == "nothing");
  CHECK_THAT(stored("banana"),
             ContainsSubstring("x: quantization_config: quant_method names no known method: banana;"
                               " it must be one of aqlm, ") &&
                 ContainsSubstring(", gptq, "));
  CHECK_THAT(stored(4), ContainsSubstring("quant_method must be a string"));
  CHECK_THAT(stored("a"), ContainsSubstring("names no known method: a;"));
  json jamba = published("Jamba-v0.1");
  jamba["quantization_config"] = {{"quant_method", "banana"}};
  CHECK_THAT(refusal(jamba), ContainsSubstring("banana"));
}

TEST_CASE("a head size under its older name needs no dividing heads", "[model]") {
  const json config = published("Nemotron-H-56B");
  const json narrow = with(config, {{"attention_head_dim", 40},
                                    {"num_attention_heads", 6},
                                    {"hidden_size", 512},
                                    {"num_key_value_heads", 2}});
  CHECK(refusal(narrow) == "nothing");
  json renamed = narrow;
  renamed.erase("attention_head_dim");
  renamed["head_dim"] = 40;
  CHECK(read_layered_model(narrow, "x").total() == read_layered_model(renamed, "x").total());
}

TEST_CASE("heads of a state space are what mamba_expand makes of the hidden size", "[model]") {
  const json granite = published("Granite-4.0-H-Small");
  CHECK(refusal(granite) == "nothing");
  CHECK(refusal(with(granite, {{"mamba_expand", 3}})) ==
        "x: mamba_expand (3) times hidden_size (4096) contradicts mamba_n_heads times mamba_d_head "
        "(8192)");
  CHECK_THAT(refusal(with(granite, {{"mamba_n_heads", 64}})), ContainsSubstring("contradicts"));
  CHECK(refusal(with(granite, {{"mamba_n_heads", 64}, {"mamba_expand", 1}})) == "nothing");
}

}  // namespace
}  // namespace gpuplan
