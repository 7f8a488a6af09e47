#include <gpuplan/compute/kernel_fusion.hpp>

#include <limits>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr fusion_chain chain{.values = 1e9, .kernels = 3, .separate_passes = 7, .fused_passes = 3};
constexpr fusion_rates a100{.memory = 2 * TB / second, .launch = 5 * us};

static_assert(fusion_saving_of(chain, bytes{2}, a100).saved() == 4 * ms, "four passes of 2 GB");
static_assert(chain.launches_saved() == 2);

constexpr fusion_chain small{.values = 10, .kernels = 3, .separate_passes = 7, .fused_passes = 3};
static_assert(fusion_saving_of(small, bytes{2}, a100).separate == 15 * us, "launches bind");
static_assert(fusion_saving_of(small, bytes{2}, a100).speed_up() == 3);

/// GPT-3 175B: 12288 wide, 96 heads, GELU with biases.
constexpr transformer gpt3{.layers = 96,
                           .hidden_size = 12288,
                           .attention_heads = 96,
                           .ffn_size = 49152,
                           .vocabulary_size = 51200,
                           .positions = position_encoding::learned,
                           .position_rows = 2048,
                           .norm = normalization::layer_norm,
                           .biases = {true, true, true}};
constexpr recipe unfused{.attention = attention_kernel::unfused, .dropout = true};

using enum layer_pass;
constexpr layer_extent on_8{.tokens = 2048, .keys = 2048, .tensor = 8};

TEST_CASE("chains of a layer have the sizes of their tensors", "[compute][facts]") {
  const auto chains = fusion_chains_of_layer(gpt3, unfused, on_8, forward);
  CHECK(chains[0].values == 2048.0 * 49152 / 8);
  CHECK(chains[0].separate_passes == 4);
  CHECK(chains[1].values == 2048.0 * 12288);
  CHECK(chains[2].values == chains[1].values);
  CHECK(chains[1].separate_passes == 7.5);
  CHECK(chains[1].fused_passes == 3.5);
  CHECK(chains[3].values == 96.0 * 2048 * 2048 / 8);
  CHECK(chains[3].separate_passes == 18);

  const auto back = fusion_chains_of_layer(gpt3, unfused, on_8, backward);
  CHECK(back[0].values == 0);
  CHECK(back[1].values == 0);
  CHECK(back[3].separate_passes == 20);
  CHECK(back[3].fused_passes == 3);
}

TEST_CASE("chains follow dropout, biases, gates and attention", "[compute][facts]") {
  const recipe plain{.attention = attention_kernel::unfused};
  CHECK(fusion_chains_of_layer(gpt3, plain, on_8, forward)[1].separate_passes == 5);
  CHECK(fusion_chains_of_layer(gpt3, plain, on_8, forward)[1].kernels == 2);
  CHECK(fusion_chains_of_layer(gpt3, recipe{}, on_8, forward)[3].values == 0);

  transformer llama = gpt3;
  llama.gated_ffn = true;
  llama.biases = {};
  CHECK(fusion_chains_of_layer(llama, plain, on_8, forward)[0].separate_passes == 5);
  CHECK(fusion_chains_of_layer(llama, plain, on_8, forward)[0].fused_passes == 3);
  CHECK(fusion_chains_of_layer(llama, plain, on_8, backward)[0].separate_passes == 9);
  CHECK(fusion_chains_of_layer(llama, plain, on_8, backward)[0].fused_passes == 5);
  CHECK(fusion_chains_of_layer(llama, plain, on_8, forward)[1].values == 0);
  llama.gated_ffn = false;
  CHECK(fusion_chains_of_layer(llama, plain, on_8, forward)[0].values == 0);
}

TEST_CASE("fusing a layer of GPT-3 saves the passes in between", "[compute][reference]") {
  // 2048 tokens on 8 ranks: 2 x 12.6e6 + 8 x 25.2e6 + 16 x 50.3e6 values of 2 B at 2 TB/s.
  const fusion_rates rates{.memory = 2 * TB / second};
  const double once = layer_fusion_saving(gpt3, unfused, on_8, forward, rates).saved() / second;
  const double back = layer_fusion_saving(gpt3, unfused, on_8, backward, rates).saved() / second;
  CHECK(once == Approx((2 * 12582912.0 + 8 * 25165824.0 + 16 * 50331648.0) * 2 / 2e12));
  CHECK(back == Approx(17 * 50331648.0 * 2 / 2e12));
  // D. Narayanan et al. 2021, 5.8: fusion raises 142 to 169 TFLOP/s a GPU.  A layer's forward and
  // backward pass of 2048 tokens, with recomputation, is 96 s h^2 (1 + s/(6 h)) FLOP over 8 ranks.
  // Bytes alone, at the whole bandwidth, must explain most of it and cannot explain more.
  const double operations = 96 * 2048.0 * 12288 * 12288 * (1 + 2048 / (6 * 12288.0)) / 8;
  const double published = operations / 142e12 - operations / 169e12;
  CHECK((2 * once + back) / published == Approx(0.68).margin(0.03));
}

TEST_CASE("fusion never costs time", "[compute][property]") {
  testing::check_property("fused is at most separate, by as much as each bound allows", [] {
    const double fused = *rc::gen::inRange(1, 5);
    const fusion_chain one{.values = 1.0 * *rc::gen::inRange(0, 100'000'000),
                           .kernels = *rc::gen::inRange(1, 10),
                           .separate_passes = fused + *rc::gen::inRange(0, 10),
                           .fused_passes = fused};
    const fusion_rates rates{.memory = 1 * TB / second, .launch = *rc::gen::inRange(0, 20) * us};
    const fusion_saving saving = fusion_saving_of(one, bytes{2}, rates);
    RC_ASSERT(saving.saved() >= seconds{0});
    RC_ASSERT(saving.separate >= one.kernels * rates.launch);
  });
}

TEST_CASE("kernel fusion refuses what is no chain", "[compute][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  fusion_chain none = chain;
  none.kernels = 0;
  CHECK_THROWS_AS(fusion_saving_of(none, bytes{2}, a100), invalid_input);
  none = chain;
  none.fused_passes = 8;
  CHECK_THROWS_AS(fusion_saving_of(none, bytes{2}, a100), invalid_input);
  none.fused_passes = -1;
  CHECK_THROWS_AS(fusion_saving_of(none, bytes{2}, a100), invalid_input);
  none = chain;
  none.values = nan;
  CHECK_THROWS_AS(fusion_saving_of(none, bytes{2}, a100), invalid_input);
  CHECK_THROWS_AS(fusion_saving_of(chain, bytes{0}, a100), invalid_input);
  CHECK_THROWS_AS(fusion_saving_of(chain, bytes{2}, {}), invalid_input);
  CHECK_THROWS_AS(fusion_saving_of(chain, bytes{2}, {1 * TB / second, -1 * us}), invalid_input);
  CHECK_THROWS_AS(fusion_chains_of_layer(gpt3, unfused, {-1, 1}, forward), invalid_input);
  CHECK_THROWS_AS(fusion_chains_of_layer(gpt3, unfused, {1, nan}, forward), invalid_input);
  CHECK_THROWS_AS(fusion_chains_of_layer(gpt3, unfused, {1, 1, 0}, forward), invalid_input);
  CHECK_THROWS_AS(fusion_chains_of_layer(gpt3, unfused, {1, 1}, layer_pass{2}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
