#include <gpuplan/launch/bridge_adapters.hpp>

#include <string>
#include <vector>

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
