#include <gpuplan/model/transformer_json.hpp>

#include <string>

#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using nlohmann::json;

std::string refusal(const json& object) {
  try {
    static_cast<void>(read_transformer(object, "line 3"));
  } catch (const invalid_input& error) {
    return error.what();
  }
  return "nothing";
}

const json small{{"layers", 2},
                 {"hidden_size", 64},
                 {"attention_heads", 4},
                 {"ffn_size", 256},
                 {"vocabulary_size", 100}};

json with(json object, const json& changes) {
  object.update(changes);
  return object;
}

TEST_CASE("every model of the catalogue survives its JSON", "[model]") {
  for (const auto& row : catalog::models) {
    INFO(row.name);
    CHECK(read_transformer(json_of(row.model), "x") == row.model);
  }
}

TEST_CASE("absent fields keep their defaults, given ones are taken", "[model]") {
  const transformer m = read_transformer(small, "x");
  CHECK(m == transformer{.layers = 2,
                         .hidden_size = 64,
                         .attention_heads = 4,
                         .ffn_size = 256,
                         .vocabulary_size = 100});
  const json moe{{"experts", 8}, {"experts_per_token", 2}, {"ffn_size", 32}};
  const transformer other = read_transformer(with(small, {{"moe", moe},
                                                          {"biases", {{"ffn", true}}},
                                                          {"positions", "alibi"},
                                                          {"norm", "layer_norm"},
                                                          {"mask", "full"},
                                                          {"query_key", "per_head"}}),
                                             "x");
  CHECK(other.moe == mixture_of_experts{.experts = 8, .experts_per_token = 2, .ffn_size = 32});
  CHECK((other.biases.ffn && !other.biases.head));
  CHECK(other.positions == position_encoding::alibi);
  CHECK(other.norm == normalization::layer_norm);
  CHECK(other.mask == attention_mask::full);
  CHECK(other.query_key == query_key_norm::per_head);
}

TEST_CASE("a transformer in JSON is refused in one line", "[model]") {
  CHECK(refusal(json::array()) == "line 3: must be a JSON object, not an array");
  CHECK_THAT(
      refusal(with(small, {{"hiden_size", 64}})),
      ContainsSubstring("line 3: hiden_size is not a known field; did you mean hidden_size"));
  CHECK_THAT(refusal(with(small, {{"moe", {{"expert", 8}}}})),
             ContainsSubstring("line 3: moe: expert is not a known field; did you mean experts"));
  CHECK(refusal(with(small, {{"moe", 8}})) == "line 3: moe: must be a JSON object, not 8");
  CHECK(refusal(with(small, {{"positions", "rotating"}})) ==
        "line 3: positions must be one of none, learned, rotary, alibi, not the string "
        "\"rotating\"");
  CHECK(refusal(with(small, {{"layers", 2.5}})) == "line 3: layers must be an integer, not 2.5");
  CHECK(refusal(with(small, {{"layers", -1}})) == "line 3: layers must be >= 0, not -1");
  CHECK(refusal(with(small, {{"layers", 0}})) == "line 3: transformer.layers must be >= 1");
  CHECK(refusal(with(small, {{"gated_ffn", "yes"}})) ==
        "line 3: gated_ffn must be true or false, not the string \"yes\"");
}

}  // namespace
}  // namespace gpuplan
