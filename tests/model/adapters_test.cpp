#include <gpuplan/model/adapters.hpp>

#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

constexpr transformer llama = catalog::llama_3_8b;  // 4096 wide, 8 of 32 heads for keys, 14336
constexpr adapters sixteen{.rank = 16};
constexpr adapters everywhere{.rank = 16, .place = adapter_place::attention_and_ffn};

static_assert(adapted_maps_of(llama, layer_kind::dense, sixteen, {}).size == 2);
static_assert(adapter_parameters(llama, layer_kind::dense, sixteen, {}) ==
              16 * (4096 + 6144 + 4096 + 4096));
static_assert(adapter_parameters(llama, layer_kind::dense, everywhere, {}) ==
              16 * (4096 + 6144 + 4096 + 4096 + 4096 + 28672 + 14336 + 4096));
static_assert(adapter_parameters(llama, layer_kind::dense, {}, {}) == 0);
static_assert(adapter_parameters(llama, layer_kind::dense, sixteen, {.tensor = 8}) ==
                  16 * (4096 + 768 + 512 + 4096),
              "the shared side of each map is cut");
static_assert(adapted_maps_of(llama, layer_kind::dense, sixteen, {.tensor = 16}).list[0].outputs ==
                  256 + 2 * 128,
              "a whole key head on each rank");

constexpr transformer mixtral = catalog::mixtral_8x7b_v0_1;
static_assert(adapted_maps_of(mixtral, layer_kind::moe, everywhere, {}).size == 2,
              "routed experts have no adapters");
static_assert(adapted_maps_of(catalog::deepseek_v3, layer_kind::moe, everywhere, {}).size == 7);
static_assert(adapted_maps_of(catalog::deepseek_v3, layer_kind::moe, sixteen, {}).narrowest() ==
              512);

// E. Hu et al. (2022), table 4: rank 4 of queries and values of GPT-3 are 18.8 M parameters.  With
// keys and one common input side, and the output, it is 4 (12288 + 36864 + 12288 + 12288) a layer.
static_assert(96 * adapter_parameters(catalog::gpt3_175b, layer_kind::dense, {.rank = 4}, {}) ==
              96 * 4 * 6.0 * 12288);

// The same table as it is: queries and values alone, each with an adapter.
constexpr map_set queries_and_values{static_cast<unsigned>(adapted_map::query) |
                                     static_cast<unsigned>(adapted_map::value)};
static_assert(96 * adapter_parameters(catalog::gpt3_175b, layer_kind::dense,
                                      {.rank = 4, .maps = queries_and_values}, {}) ==
              96 * 4 * 4.0 * 12288);
constexpr adapters each{.rank = 16, .maps = {all_maps}};
static_assert(adapter_parameters(llama, layer_kind::dense, each, {}) ==
              16.0 * (4096 + 4096 + 2 * (4096 + 1024) + 4096 + 4096 + 3 * (4096 + 14336)));
static_assert(adapted_maps_of(llama, layer_kind::dense, each, {}).size == 7);
static_assert(adapted_maps_of(catalog::gpt3_175b, layer_kind::dense, each, {}).size == 6,
              "a plain network has no gate");
static_assert(adapted_maps_of(mixtral, layer_kind::moe, each, {}).size == 4);
static_assert(adapted_maps_of(catalog::deepseek_v3, layer_kind::moe, each, {}).size == 8);

TEST_CASE("adapters refuse what their documentation refuses", "[model][errors]") {
  CHECK_THROWS_AS(adapter_parameters(llama, layer_kind::dense, {.rank = -1}, {}), invalid_input);
  CHECK_THROWS_AS(adapted_maps_of(llama, layer_kind::dense, sixteen, {.tensor = 0}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
