#include <gpuplan/model/huggingface_language_part.hpp>

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/model/huggingface.hpp>
#include <gpuplan/model/huggingface_layered.hpp>
#include <gpuplan/model/parameters.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using nlohmann::json;

json with(json config, const json& changes) {
  config.update(changes);
  return config;
}

json sized(const char* family) {
  return {{"model_type", family},     {"hidden_size", 64},        {"num_hidden_layers", 2},
          {"num_attention_heads", 4}, {"num_key_value_heads", 2}, {"intermediate_size", 256},
          {"vocab_size", 100}};
}

const json llama = sized("llama");

std::string refusal(const json& config) {
  try {
    static_cast<void>(read_huggingface(config, "some/config.json"));
  } catch (const invalid_input& error) {
    return error.what();
  }
  return "nothing";
}

TEST_CASE("a field of a language model is found at any depth", "[model]") {
  const json inner{{"hidden_size", 3}};
  CHECK(language_field(json{{"text_config", inner}}) == "text_config");
  CHECK(language_field(json{{"llm_config", inner}}) == "llm_config");
  CHECK(language_field(json{{"thinker_config", inner}}) == "thinker_config");
  CHECK(language_field(json{{"text_config", nullptr}}).empty());
  CHECK(language_field(json{{"vision_config", inner}}).empty());
  CHECK(language_field(json::array()).empty());
  CHECK(language_object(json{{"thinker_config", {{"text_config", inner}}}}) == inner);
  CHECK(language_object(inner) == inner);
  CHECK(is_wrapper("llava"));
  CHECK_FALSE(is_wrapper("llama"));
}

TEST_CASE("a config says how its weights are stored", "[model]") {
  const auto stored = [](const json& how) {
    return stored_format(with(llama, {{"quantization_config", how}}));
  };
  CHECK(stored_format(llama).empty());
  CHECK(stored({{"quant_method", "fp8"}, {"fmt", "e4m3"}}) == "fp8 e4m3");
  CHECK(stored({{"quant_method", "modelopt"}, {"quant_algo", "NVFP4"}}) == "modelopt NVFP4");
  CHECK(stored({{"bits", 4}}) == "of a method without a name");
  CHECK(stored(nullptr).empty());
  CHECK(stored_format({{"text_config", {{"quantization_config", {{"quant_method", "awq"}}}}}}) ==
        "awq");
}

TEST_CASE("of a model that sees, the language model is read", "[model]") {
  json text = sized("qwen3_vl_text");
  const json both{{"model_type", "qwen3_vl"},
                  {"tie_word_embeddings", true},
                  {"text_config", text},
                  {"vision_config", {{"hidden_size", 8}}}};
  CHECK(left_out_parts(both) == "vision_config");
  CHECK(left_out_parts(text) == "");
  text["tie_word_embeddings"] = true;
  CHECK(read_huggingface(both, "x") == read_huggingface(text, "x"));
}

TEST_CASE("the language model is found wherever a config keeps it", "[model]") {
  const json text = sized("qwen2");
  const json llava{{"model_type", "llava"}, {"text_config", text}, {"vision_config", {{"a", 1}}}};
  CHECK(read_huggingface(llava, "x") == read_huggingface(text, "x"));
  const json chat{
      {"model_type", "internvl_chat"}, {"llm_config", text}, {"vision_config", {{"a", 1}}}};
  CHECK(read_huggingface(chat, "x") == read_huggingface(text, "x"));
  CHECK(left_out_parts(chat) == "vision_config");
  const json ocr{{"model_type", "deepseek_vl_v2"},
                 {"language_config", text},
                 {"projector_config", {{"a", 1}}}};
  CHECK(read_huggingface(ocr, "x") == read_huggingface(text, "x"));
  CHECK(left_out_parts(ocr) == "projector_config");
  json silent = ocr;
  silent["language_config"].erase("model_type");
  CHECK_THAT(refusal(silent), ContainsSubstring("model_type is missing"));
  silent["language_config"]["architectures"] = {"Qwen2ForCausalLM"};
  CHECK(read_huggingface(silent, "x") == read_huggingface(text, "x"));
  CHECK(find_layered_family(silent) == nullptr);
  silent["language_config"]["architectures"] = {3, "BambaForCausalLM"};
  REQUIRE(find_layered_family(silent) != nullptr);
  CHECK(find_layered_family(silent)->name == "bamba");
  CHECK(find_layered_family(silent["language_config"]) == nullptr);
  silent["language_config"]["architectures"] = "BambaForCausalLM";
  CHECK(find_layered_family(silent) == nullptr);
  json phi = sized("phi4mm");
  phi["speech_lora"] = {{"r", 320}};
  phi["vision_config"] = {{"a", 1}};
  CHECK(left_out_parts(phi) == "speech_lora, vision_config");
  phi["model_type"] = "phi3";
  CHECK_THAT(refusal(phi), ContainsSubstring("speech_lora changes the shape"));
  json inner = text;
  inner["quantization_config"] = {{"quant_method", "awq"}};
  const json omni{{"model_type", "qwen2_5_omni"},
                  {"talker_config", {{"a", 1}}},
                  {"thinker_config", {{"text_config", inner}, {"audio_config", {{"a", 1}}}}}};
  CHECK(read_huggingface(omni, "x") == read_huggingface(text, "x"));
  CHECK(left_out_parts(omni) == "talker_config, audio_config");
  CHECK(stored_format(omni) == "awq");
  json wrong = omni;
  wrong["thinker_config"]["quantization_config"] = {{"quant_method", "bogus"}};
  CHECK_THAT(refusal(wrong), ContainsSubstring("names no known method"));
  json tied = omni;
  tied["thinker_config"]["tie_word_embeddings"] = true;
  CHECK(read_huggingface(tied, "x").tied_embeddings);
  tied["tie_word_embeddings"] = false;
  CHECK_FALSE(read_huggingface(tied, "x").tied_embeddings);
  CHECK_THAT(
      refusal(json{{"model_type", "flamingo"}, {"llm_config", text}}),
      ContainsSubstring("some/config.json: llm_config stands in a model_type that is not known: "));
  CHECK_THAT(refusal(json{{"model_type", "llava"}, {"text_config", 3}}),
             ContainsSubstring("some/config.json: must be a JSON object"));
  CHECK_THAT(refusal(json{{"model_type", "llava"}, {"text_config", json::array()}}),
             ContainsSubstring("some/config.json: must be a JSON object"));
}

TEST_CASE("a language model inside a config may leave out what its class assumes", "[model]") {
  const auto inside = [](const char* outer, const json& text) {
    return parameters_of(read_huggingface(json{{"model_type", outer}, {"text_config", text}}, "x"))
        .total();
  };
  // LLaVA 1.5 7B, Gemma 3 12B, Pixtral 12B.
  CHECK(inside("llava", {{"model_type", "llama"}, {"vocab_size", 32064}}) == 6'738'939'904);
  CHECK(inside("gemma3", {{"model_type", "gemma3_text"},
                          {"hidden_size", 3840},
                          {"intermediate_size", 15360},
                          {"num_attention_heads", 16},
                          {"num_hidden_layers", 48},
                          {"num_key_value_heads", 8}}) == 11'766'034'176);
  CHECK(inside("llava", {{"model_type", "mistral"},
                         {"head_dim", 128},
                         {"hidden_size", 5120},
                         {"num_hidden_layers", 40},
                         {"vocab_size", 131072}}) == 12'247'782'400);
  // Qwen2's class as it stands; Gemma 7B and Gemma 2 2B.
  CHECK(inside("llava", {{"model_type", "qwen2"}}) == 12'049'846'272);
  CHECK(inside("paligemma", {{"model_type", "gemma"}}) == 8'537'680'896);
  CHECK(inside("paligemma", {{"model_type", "gemma2"}}) == 2'614'341'888);
  CHECK_THAT(refusal(json{{"model_type", "llama"}}), ContainsSubstring("num_hidden_layers"));
}

}  // namespace
}  // namespace gpuplan
