#include <gpuplan/api/model_question.hpp>

#include <string>

#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"
#include "support/data.hpp"

namespace gpuplan::api {
namespace {

using nlohmann::json;

json asked(const json& model, const json& recipe = nullptr, const json& options = nullptr) {
  return json::parse(answer_model(
      {{"question", "model"}, {"model", model}, {"recipe", recipe}, {"options", options}}));
}

json error_of(const json& model, const json& recipe = nullptr, const json& options = nullptr) {
  return asked(model, recipe, options)["error"];
}

TEST_CASE("a model has its parameters, and operations of a token", "[api]") {
  const json answer = asked("gpt2");
  CHECK(answer["schema_version"] == report_schema_version);
  CHECK(answer["parameters"] == parameters_of(*catalog::find_model("gpt2")).total());
  CHECK(answer["inputs"]["sequence_length"] == 1024);
  CHECK(answer["inputs"]["encoder_sequence_length"] == 0);
  CHECK(answer["layer"]["dense"]["layers"] == 12);
  CHECK_FALSE(answer["layer"].contains("moe"));
  CHECK_FALSE(answer.contains("stored_weights"));
  const json shorter = asked("gpt2", {{"sequence_length", 1000}});
  CHECK(asked("gpt2", nullptr, {{"sequence", "1k"}})["inputs"] == shorter["inputs"]);
  CHECK_THROWS_WITH(asked("gpt2", {{"sequence_length", "1k"}}),
                    "recipe.sequence_length must be an integer, not the string \"1k\"");
  CHECK(shorter["inputs"]["sequence_length"] == 1000);
  CHECK(shorter["kv_cache_bytes_per_sequence"] < answer["kv_cache_bytes_per_sequence"]);
  CHECK(shorter["training_flop_per_token"]["causal_counted"] <
        answer["training_flop_per_token"]["causal_counted"]);
  CHECK(error_of("gpt2", {{"sequence_length", 1025}})["where"] == "recipe.sequence_length");
  CHECK(asked("mixtral-8x7b-v0.1")["layer"].contains("moe"));
}

TEST_CASE("operations are those of one sequence, whatever the batch", "[api]") {
  const transformer& m = *catalog::find_model("gpt2");
  const model_answer answer = answer_of({.model = "gpt2"}, source_of(request_files{}));
  CHECK(answer.how.global_batch_size == 1);
  CHECK(flop_of_token(m, answer.how).six_parameters == flop_per_token{6 * active_parameters(m)});
  CHECK(flop_of_token(m, answer.how).masked_counted > flop_of_token(m, answer.how).masked_skipped);
}

TEST_CASE("an encoder may have a length of its own", "[api]") {
  recipe how{.sequence_length = 128};
  transformer m = *catalog::find_model("gpt2");
  m.encoder_layers = 6;
  const layer_flop same = forward_of_layer(m, how, layer_kind::dense);
  how.encoder_sequence_length = 128;
  CHECK(forward_of_layer(m, how, layer_kind::dense).total() == same.total());
  how.encoder_sequence_length = 512;
  CHECK(forward_of_layer(m, how, layer_kind::dense).total() > same.total());
  CHECK(error_of("gpt2", {{"encoder_sequence_length", 64}})["where"] ==
        "recipe.encoder_sequence_length");
}

TEST_CASE("a convolutional network has no lengths", "[api]") {
  CHECK(asked("resnet-50")["layers"] == find_network("resnet-50")->net->layers.size());
  CHECK(error_of("resnet-50", {{"sequence_length", 5}})["what"] ==
        "recipe.sequence_length has no effect on a convolutional network");
  CHECK(error_of("resnet-50", {{"encoder_sequence_length", 5}})["where"] ==
        "recipe.encoder_sequence_length");
}

TEST_CASE("a model may be an object, and is refused by its members", "[api]") {
  const json config{{"model_type", "gpt2"}, {"n_embd", 64},       {"n_layer", 2},
                    {"n_head", 4},          {"vocab_size", 1000}, {"n_positions", 128}};
  CHECK(asked(config)["inputs"]["model"] == "config.json");
  json stored = config;
  stored["quantization_config"] = {{"quant_method", "gptq"}, {"bits", 4}};
  CHECK(asked(stored).contains("stored_weights"));
  json bad = config;
  bad["n_layer"] = -1;
  CHECK(error_of(bad)["where"] == "model.n_layer");
  CHECK(error_of("gpt22")["did_you_mean"] == json{"gpt2"});
  CHECK(error_of("gpt22")["where"] == "model");
}

TEST_CASE("layers of several kinds are counted", "[api]") {
  const json cases =
      json::parse(testing::read_text(testing::data_folder() / "layered_counts.json"));

  bool found = false;
  const auto visit = [&](const auto& self, const json& value) -> void {
    if (found || !value.is_structured()) return;
    if (value.is_object() && value.contains("model_type")) {
      const request_files files{{"a.json", value.dump()}};
      if (!find_model_or_file("a.json", source_of(files)).layered) return;
      found = true;
      const json answer = asked(value);
      CHECK(answer["inputs"]["model_type"] == value["model_type"]);
      CHECK(answer["layer_kinds"].size() > 0);
      CHECK(error_of(value, {{"encoder_sequence_length", 5}})["what"] ==
            "recipe.encoder_sequence_length has no effect on a model that is only counted");
      CHECK(asked(value, {{"sequence_length", 77}})["inputs"]["sequence_length"] == 77);
      return;
    }
    for (const json& inner : value) self(self, inner);
  };
  visit(visit, cases);
  CHECK(found);
}

TEST_CASE("an answer must be as it is asserted", "[api]") {
  CHECK(asked("gpt2", nullptr, {{"assert", "parameters > 1"}}) == asked("gpt2"));
  const json failed = error_of("gpt2", nullptr, {{"assert", {"parameters < 1", "layer.x == 1"}}});
  CHECK(failed["exit_code"] == usage_code);
  CHECK(failed["what"].get<std::string>().find("; options.assert: the answer has no 'x'") !=
        std::string::npos);
  CHECK(error_of("gpt2", nullptr, {{"assert", "parameters < 1"}})["exit_code"] == assertion_code);
  CHECK(error_of("gpt2", nullptr, {{"assert", "parameters"}})["where"] == "options.assert");
  CHECK(json::parse(answer_model({{"options", {{"assert", "x"}}}}))["error"]["where"] ==
        "options.assert");
  CHECK(json::parse(answer_model(json::object()))["error"]["what"] == "model is required");
}

}  // namespace
}  // namespace gpuplan::api
