#include <gpuplan/api/model_reader.hpp>

#include <string>

#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

namespace gpuplan::api {
namespace {

using nlohmann::json;

std::string refusal_of_model(const json& object) {
  return testing::refusal_by([&] { return model_from_json(object, "model"); });
}

TEST_CASE("a model that the library wrote reads to the same model", "[api]") {
  for (const auto& row : catalog::models) {
    CAPTURE(std::string(row.name));
    CHECK(json_of(model_from_json(json_of(row.model), "model")) == json_of(row.model));
  }
}

TEST_CASE("a config.json of Hugging Face is a model", "[api]") {
  const json config{{"model_type", "llama"},       {"hidden_size", 4096},
                    {"intermediate_size", 14336},  {"num_hidden_layers", 32},
                    {"num_attention_heads", 32},   {"num_key_value_heads", 8},
                    {"vocab_size", 128256},        {"max_position_embeddings", 8192},
                    {"tie_word_embeddings", false}};
  const transformer read = model_from_json(config, "model");
  CHECK(read.layers == 32);
  CHECK(read.kv_heads == 8);
  CHECK(json_of(read) == json_of(read_huggingface(config, "model")));
}

TEST_CASE("what is no model is refused, and says what is", "[api]") {
  CHECK(refusal_of_model(1) == "model: must be a JSON object, not 1");
  CHECK(refusal_of_model(json::object()) ==
        "model: has neither model_type, as a config.json, nor layers, as the library's own fields");
  CHECK(refusal_of_model({{"layers", 0}}).starts_with("model: transformer.layers must be >= 1"));
  CHECK(refusal_of_model({{"model_type", "no_such_family"}}).starts_with("model: "));
}

TEST_CASE("a model whose layers are of several kinds is refused where it can be counted only",
          "[api]") {
  const layered_family& family = layered_families.front();
  layered_model odd;
  odd.unlike = "odd layers";
  const std::string line =
      testing::refusal_by([&]() -> int { refuse_layered("model", family, odd); });
  CHECK(line ==
        "model: model_type " + std::string(family.name) +
            " has odd layers, whose memory and time are not modelled; gpuplan model counts it");
  CHECK(testing::refusal_by([&]() -> int {
          refuse_layered("model", family, layered_model{});
        }).find(family.unlike) != std::string::npos);
}

}  // namespace
}  // namespace gpuplan::api
