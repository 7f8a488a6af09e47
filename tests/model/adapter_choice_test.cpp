#include <gpuplan/model/adapter_choice.hpp>

#include <string>

#include <gpuplan/model/recipe.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

static_assert(adapters{}.rank == 0 && !recipe{}.adapts());
static_assert(weight_blocks{}.size == 64 && weight_blocks{}.double_quantization, "blocks of QLoRA");
static_assert(table_set{1}.has(trained_table::embedding));
static_assert(!table_set{1}.has(trained_table::head));
static_assert(table_set{all_tables}.has(trained_table::head));

TEST_CASE("adapters out of range are refused by name", "[model][errors]") {
  const auto message_of = [](const adapters& chosen) -> std::string {
    try {
      require_valid(recipe{.adapters = chosen});
    } catch (const invalid_input& fault) {
      return fault.what();
    }
    return "accepted";
  };
  CHECK(message_of({}) == "accepted");
  CHECK(message_of({.rank = -1}) == "recipe.adapters.rank must be >= 0");
  CHECK(message_of({.maps = {128}}) == "recipe.adapters.maps must be a set of adapted_map");
  CHECK(message_of({.blocks = {.size = 0}}) == "recipe.adapters.blocks.size must be >= 1 weight");
  CHECK(message_of({.trained_tables = {4}}) ==
        "recipe.adapters.trained_tables must be a set of trained_table");
}

}  // namespace
}  // namespace gpuplan
