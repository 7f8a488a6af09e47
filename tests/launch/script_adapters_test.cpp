#include <gpuplan/launch/script_adapters.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

TEST_CASE("adapters are told by rank, maps and format of the base", "[launch]") {
  using enum adapted_map;
  CHECK(adapters_in_words({.rank = 8}) == "LoRA of rank 8 on attention");
  CHECK(adapters_in_words({.rank = 8, .place = adapter_place::attention_and_ffn}) ==
        "LoRA of rank 8 on attention and FFN");
  const map_set maps{static_cast<unsigned>(query) | static_cast<unsigned>(value)};
  CHECK(adapters_in_words({.rank = 64, .maps = maps, .base = base_weights::int4}) ==
        "LoRA of rank 64 on query, value; weights of int4");
}

}  // namespace
}  // namespace gpuplan
