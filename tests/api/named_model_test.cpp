#include <gpuplan/api/named_model.hpp>

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

namespace gpuplan::api {
namespace {

using nlohmann::json;

const json config{{"model_type", "llama"},         {"hidden_size", 512},
                  {"intermediate_size", 1024},     {"num_hidden_layers", 2},
                  {"num_attention_heads", 8},      {"vocab_size", 1000},
                  {"max_position_embeddings", 256}};

std::string refusal(const std::string& name, const request_files& files = {}) {
  return testing::refusal_by([&] { find_model_or_file(name, source_of(files)); });
}

TEST_CASE("a size that Python wrote as Infinity is refused as it stands there", "[api]") {
  std::string text = config.dump();
  const std::string size = "\"intermediate_size\":";
  text.replace(text.find(size + "1024"), size.size() + 4, size + "Infinity");
  CHECK(refusal("a.json", {{"a.json", text}}) ==
        "a.json: intermediate_size must not be null, Infinity or NaN");
  json without = config;
  without["intermediate_size"] = nullptr;
  CHECK(refusal("a.json", {{"a.json", without.dump()}}) ==
        "a.json: intermediate_size must not be null");
}

TEST_CASE("a model is found by its name, by its repository, or in a file", "[api]") {
  const request_files files{{"a.json", config.dump()}, {"folder", config.dump()}};
  const file_source source = source_of(files);
  CHECK(find_model_or_file("GPT2", source).name == "gpt2");
  CHECK(find_model_or_file("GPT2", source).echo == "gpt2");
  CHECK(find_model_or_file("meta-llama/Meta-Llama-3-8B-Instruct", source).name == "llama-3-8b");
  CHECK(find_model_or_file("a.json", source).model.hidden_size == 512);
  CHECK(find_model_or_file("a.json", source).echo == config);
  CHECK(find_model_or_file("folder", source).name == "folder");
  const file_source machine{.kind = [](const std::string&) { return path_kind::folder; },
                            .read =
                                [](const std::string& path, std::string_view) {
                                  CHECK(path == "x/config.json");
                                  return config.dump();
                                }};
  CHECK(find_model_or_file("x", machine).name == "x/config.json");
  CHECK(config_path("x", machine) == "x/config.json");
  CHECK(config_path("a.json", source) == "a.json");
  CHECK(config_path("nothing", source) == "nothing");
}

TEST_CASE("how and when weights were made is no part of a name", "[api]") {
  const request_files none;
  const file_source source = source_of(none);
  const auto found = [&](const char* name) { return find_model_or_file(name, source).name; };
  CHECK(found("Qwen/Qwen3-235B-A22B-Instruct-2507") == "qwen3-235b-a22b");
  CHECK(found("Qwen/Qwen3-30B-A3B-Thinking-2507-FP8") == "qwen3-30b-a3b");
  CHECK(found("deepseek-ai/DeepSeek-R1-0528") == "deepseek-r1-0528");
  CHECK(found("mistralai/Mixtral-8x7B-Instruct-v0.1") == "mixtral-8x7b-v0.1");
  CHECK(found("TinyLlama/TinyLlama-1.1B-Chat-v1.0") == "tinyllama-1.1b-v1.0");
  CHECK(found("openbmb/MiniCPM-2B-sft-bf16") == "minicpm-2b");
  CHECK(found("mistralai/Mistral-Small-24B-Instruct-2501") == "mistral-small-24b");
  CHECK(found("allenai/OLMo-2-1124-13B-Instruct") == "olmo-2-1124-13b");
  CHECK(found("moonshotai/Kimi-K2-Instruct-0905") == "kimi-k2-instruct-0905");
  CHECK(found("google/gemma-3-1b-pt") == "gemma-3-1b");
  CHECK(found("a/GPT2-2312") == "gpt2");
  // another model, other sizes, or no date
  for (const char* name :
       {"zai-org/GLM-4-9B-0414", "a/gpt2-2048", "a/gpt2-2213", "a/gpt2-2300", "a/gpt2-2313",
        "a/gpt2-3001", "a/gpt2-0101", "a/gpt2-25011", "a/gpt2-250a", "a/-base", "a/instruct",
        "mistralai/Mistral-7B-Instruct-v0.3"})
    CHECK(refusal(name).starts_with(std::string(name) + ": there is no such file"));
}

TEST_CASE("a name may mean the language model alone", "[api]") {
  const request_files none;
  const file_source source = source_of(none);
  CHECK(find_model_or_file("gemma-3-27b", source).notes ==
        std::vector<std::string>{
            "gemma-3-27b: the language model is meant; its vision encoder is left out"});
  CHECK(find_model_or_file("gemma-3-1b", source).notes.empty());
}

TEST_CASE("what a file says beside its shape is a note", "[api]") {
  json stored = config;
  stored["quantization_config"] = {{"quant_method", "gptq"}, {"bits", 4}};
  const request_files files{{"a.json", stored.dump()}, {"b.json", config.dump()}};
  const named_transformer found = find_model_or_file("a.json", source_of(files));
  CHECK_FALSE(found.stored.empty());
  REQUIRE(found.notes.size() == 1);
  CHECK(found.notes[0].starts_with("a.json: quantization_config ("));
  CHECK(find_model_or_file("b.json", source_of(files)).notes.empty());
}

TEST_CASE("a head that is not counted is a note", "[api]") {
  json bert{{"model_type", "bert"},     {"hidden_size", 64},        {"num_hidden_layers", 2},
            {"num_attention_heads", 4}, {"intermediate_size", 256}, {"vocab_size", 100}};
  bert["architectures"] = {"BertForPreTraining"};
  const request_files files{{"a.json", bert.dump()}};
  CHECK(find_model_or_file("a.json", source_of(files)).notes ==
        std::vector<std::string>{"a.json: the head that predicts the next sentence is left out"});
}

TEST_CASE("a model that there is not is refused with the closest", "[api]") {
  CHECK(refusal("") == "MODEL is required: a name of the catalogue, or the path of a config.json");
  CHECK(refusal("gpt22") ==
        "MODEL must be a name of the catalogue or the path of a config.json, not the string "
        "\"gpt22\"; did you mean gpt2?");
  CHECK(refusal("ResNet-50") ==
        "MODEL: resnet-50 is a network of images, of which no job is planned; gpuplan model "
        "resnet-50 "
        "counts it");
  CHECK(refusal("qqqq").ends_with("; gpuplan catalog models lists them"));
  CHECK(refusal("a/qqqq").starts_with(
      "a/qqqq: there is no such file, and the catalogue has no such model; nothing is downloaded"));
  CHECK(refusal("a/b/qqqq") == "a/b/qqqq: there is no such file");
  CHECK(refusal("/qqqq") == "/qqqq: there is no such file");
  CHECK(refusal("missing.json") == "missing.json: there is no such file");
  CHECK(refusal("a.json", {{"a.json", "{}"}}).starts_with("a.json: has neither model_type"));
}

TEST_CASE("a model that can be counted only is not planned with", "[api]") {
  CHECK_NOTHROW(require_planned(named_transformer{.name = "gpt2"}));
  named_transformer counted{.name = "x", .layered = layered_model{}};
  counted.layered->family = layered_families[0].name;
  CHECK(testing::refusal_by([&] { require_planned(counted); }).starts_with("x: model_type "));
  CHECK(is_catalogued("gpt2"));
  CHECK_FALSE(is_catalogued("a/gpt2"));
}

}  // namespace
}  // namespace gpuplan::api
