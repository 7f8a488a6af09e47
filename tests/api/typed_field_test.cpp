#include <gpuplan/api/typed_field.hpp>

#include <string>

#include <gpuplan/api/cluster_fields.hpp>
#include <gpuplan/memory/workspace_fields.hpp>
#include <gpuplan/model/recipe_fields.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

namespace gpuplan::api {
namespace {

/// An owner whose field was typed.
template <class Owner, class Rows>
Owner typed(const Rows& rows, std::string_view key, const std::string& text) {
  Owner made;
  read_typed(rows[place_of_field(rows, key)], text, made);
  return made;
}

recipe typed_recipe(std::string_view key, const std::string& text) {
  return typed<recipe>(recipe_fields, key, text);
}

std::string refusal(std::string_view key, const std::string& text) {
  return testing::refusal_by([&] { typed_recipe(key, text); });
}

TEST_CASE("a field is read as its option is typed", "[api]") {
  CHECK(typed_recipe("sequence_length", "4k").sequence_length == 4000);
  CHECK(typed_recipe("zero", "1").zero == zero_stage::optimizer);
  CHECK(typed_recipe("recompute", "full").recompute == recompute::full);
  CHECK(typed_recipe("dropout", "on").dropout);
  CHECK_FALSE(typed_recipe("dropout", "false").dropout);
  CHECK(typed_recipe("expert_imbalance", "1.5").expert_imbalance == 1.5);
  CHECK(typed_recipe("recompute_modules", "none").recompute_modules == recipe{}.recompute_modules);
  CHECK_FALSE(typed_recipe("recompute_modules", "mlp,layernorm").recompute_modules ==
              typed_recipe("recompute_modules", "mlp").recompute_modules);
  const layer_split split = typed_recipe("layer_split", "9,8").split;
  CHECK(split.stages() == 2);
  CHECK(split.layers(0) == 9);
  CHECK(split.layers(1) == 8);
  CHECK(typed<cluster_request>(cluster_fields, "gpu_memory_bytes", "2GB").memory ==
        2e9 * units::byte);
  CHECK(typed<cluster_request>(cluster_fields, "gpu", "H100").gpu == cluster_request{}.gpu);
  CHECK(typed<workspace>(workspace_fields, "fragmentation", "0.5").fragmentation == 0.5);
}

TEST_CASE("a text that the row does not allow is refused", "[api]") {
  CHECK(refusal("sequence_length", "0").starts_with("--sequence must be a whole number from 1 "));
  CHECK(refusal("recompute", "fulll").starts_with("--recompute must be one of "));
  CHECK(refusal("recompute_modules", "mlp,x").starts_with("--recompute-modules must be one of "));
  CHECK(refusal("recompute_modules", "mlp,moe,mlp") == "--recompute-modules: mlp is named twice");
  CHECK(refusal("layer_split", "9,x")
            .starts_with("--layer-split: each stage must be a whole number from 0 "));
  CHECK(refusal("dropout", "yes").starts_with("--dropout must be one of on, off, true, false"));
  const auto memory = [](const std::string& text) {
    return testing::refusal_by(
        [&] { typed<cluster_request>(cluster_fields, "gpu_memory_bytes", text); });
  };
  CHECK(memory("5").starts_with("--memory: '5' "));
  CHECK(memory("1e15GB").find(" must be 1.0 to 1e+18 B, not 1e15GB") != std::string::npos);
}

TEST_CASE("a switch is on or off", "[api]") {
  CHECK(switch_from("on", "--x"));
  CHECK(switch_from("true", "--x"));
  CHECK_FALSE(switch_from("off", "--x"));
}

}  // namespace
}  // namespace gpuplan::api
