#include <gpuplan/launch/bridge_adapters.hpp>

#include <string>
#include <vector>

#include <gpuplan/launch/megatron_names.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

launch_job read(const nlohmann::json& values) {
  launch_job said;
  read_bridge_adapters(
      {values,
       "f",
       "",
       {{"dim", "peft.dim"}, {"alpha", "peft.alpha"}, {"target-modules", "peft.target_modules"}}},
      said);
  return said;
}

TEST_CASE("adapters of Megatron Bridge have its rank and its modules", "[launch]") {
  const launch_job usual = read({{"peft", "lora"}});
  CHECK(usual.recipe.adapters.rank == 32);
  CHECK(usual.recipe.adapters.place == adapter_place::attention_and_ffn);
  CHECK(usual.recipe.adapters.maps.bits == 0);
  CHECK(usual.assumed == std::vector<std::string>{"adapters of rank 32, the default of peft.dim"});
  CHECK(read({{"peft-scheme", "lora"}}).recipe.adapters.rank == 32);
  const launch_job told =
      read({{"dim", 8}, {"target-modules", "[linear_qkv,linear_fc2,x]"}, {"alpha", 16}});
  CHECK(told.recipe.adapters.rank == 8);
  CHECK(told.recipe.adapters.maps.bits == 71);
  CHECK(told.assumed.empty());
  CHECK(told.not_modelled == std::vector<std::string>{"peft.target_modules x"});
}

TEST_CASE("modules of canonical LoRA are single maps", "[launch]") {
  const auto maps = [](const nlohmann::json& modules) {
    return read({{"peft", "lora"}, {"target-modules", modules}}).recipe.adapters.maps.bits;
  };
  CHECK(maps("[linear_q, linear_k]") == 3);
  CHECK(maps({"linear_v", "linear_proj"}) == 12);
  CHECK(maps("[linear_fc1_up]") == 32);
  CHECK(maps("[linear_fc1_gate,linear_fc2]") == 80);
}

TEST_CASE("target modules that say nothing are told", "[launch]") {
  for (const char* none : {"[]", "[x]"}) {
    const launch_job all = read({{"peft", "lora"}, {"target-modules", none}});
    CHECK(all.recipe.adapters.maps.bits == 0);
    CHECK(all.not_modelled.back() ==
          "peft.target_modules: names no known module, all four are taken");
  }
  for (const nlohmann::json& wrong : {nlohmann::json(3), nlohmann::json(true), nlohmann::json{1}})
    CHECK_THROWS_WITH(read({{"peft", "lora"}, {"target-modules", wrong}}),
                      ContainsSubstring("f: peft.target_modules must be a list of names, not "));
}

TEST_CASE("the class of adapters is their kind", "[launch]") {
  const auto of = [](const nlohmann::json& values) {
    const named_arguments all = named_megatron_arguments(values, "f");
    launch_job said;
    read_bridge_adapters({all.values, "f", "", all.names}, said);
    return said;
  };
  const std::string path = "megatron.bridge.peft.";
  CHECK(of({{"peft", {{"_target_", path + "lora.LoRA"}}}}).recipe.adapters.rank == 32);
  CHECK(of({{"peft._target_", path + "canonical_lora.CanonicalLoRA"}, {"peft.dim", 8}})
            .recipe.adapters.rank == 8);
  const launch_job other = of({{"model", {{"_target_", "m"}}},
                               {"peft", {{"_target_", path + "dora.DoRA"}, {"dim", 8}}},
                               {"train", {{"_target_", "t"}}}});
  CHECK(other.recipe.adapters.rank == 0);
  CHECK(other.not_modelled ==
        std::vector<std::string>{"peft._target_ DoRA: all weights are taken as trained"});
}

TEST_CASE("what is no adapter of low rank is named, or changes nothing", "[launch]") {
  for (const nlohmann::json& none :
       {nlohmann::json(), nlohmann::json("none"), nlohmann::json(false)})
    CHECK(read({{"peft", none}}).recipe.adapters.rank == 0);
  const launch_job other = read({{"peft", "dora"}});
  CHECK(other.recipe.adapters.rank == 0);
  CHECK(other.not_modelled ==
        std::vector<std::string>{"peft dora: all weights are taken as trained"});
  CHECK_THROWS_WITH(read({{"peft", "lora"}, {"dim", 0}}),
                    ContainsSubstring("peft.dim must be a whole number from 1"));
}

}  // namespace
}  // namespace gpuplan
