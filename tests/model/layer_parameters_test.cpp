#include <gpuplan/model/layer_parameters.hpp>

#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/random_job.hpp"

namespace gpuplan {
namespace {

// T. Brown et al. (2020): 12 h^2 + 13 h of a GPT layer whose network is four times as wide.
constexpr layer_parameters each_part{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192};
static_assert(each_part.total() == 16383, "each part once");
static_assert(each_part + 2 * each_part == 3 * each_part);
static_assert((3 * each_part).routed_experts == 3 * 1024 && (3 * each_part).total() == 3 * 16383);

static_assert(parameters_of_layer(catalog::gpt3_175b, layer_kind::dense).total() ==
              12.0 * 12288 * 12288 + 13.0 * 12288);
// Llama: 4 h^2 less the key-value heads that are shared, 3 h f, 2 h.
static_assert(parameters_of_layer(catalog::llama_3_8b, layer_kind::dense).total() ==
              2.0 * 4096 * (4096 + 1024) + 3.0 * 4096 * 14336 + 2 * 4096);
// DeepSeek-V3: the layer that predicts a further token, without its balancing values.
static_assert(parameters_of_prediction_layer(catalog::deepseek_v3).total() == 11'610'067'968);

// T5-base of Megatron-LM: encoder and decoder of 12 layers, the decoder attends to both.
constexpr transformer encoder_decoder{
    .layers = 12,
    .hidden_size = 768,
    .attention_heads = 12,
    .ffn_size = 3072,
    .vocabulary_size = 30592,
    .encoder_layers = 12,
    .positions = position_encoding::learned,
    .position_rows = 512,
    .norm = normalization::layer_norm,
    .biases = {.query_key_value = true, .attention_output = true, .ffn = true, .head = true}};
constexpr double h = 768;
constexpr double attention = 4 * h * h + 4 * h;
constexpr double network = 8 * h * h + 5 * h;
static_assert(parameters_of_encoder_layer(encoder_decoder).total() == attention + network + 4 * h);
static_assert(parameters_of_layer(encoder_decoder, layer_kind::dense).total() ==
              2 * attention + network + 6 * h);

constexpr layer_parameters gpt2 = parameters_of_layer(catalog::gpt2, layer_kind::dense);
static_assert(2 * gpt2 == gpt2 + gpt2);
static_assert((3 * gpt2).total() == 3 * gpt2.total());

TEST_CASE("all heads normalised at once, gated shared experts, norms without parameters",
          "[model]") {
  transformer m = catalog::llama_3_8b;
  m.query_key = query_key_norm::all_heads;
  CHECK(parameters_of_layer(m, layer_kind::dense).query_key_norms == 4096 + 1024);

  transformer shared = catalog::deepseek_v2_lite;
  const double before = parameters_of_layer(shared, layer_kind::moe).shared_experts;
  shared.moe.shared_gate = true;
  CHECK(parameters_of_layer(shared, layer_kind::moe).shared_experts == before + 2048);

  m.norm_parameters = false;
  CHECK(parameters_of_layer(m, layer_kind::dense).norms == 0);
}

TEST_CASE("a wider layer has more parameters, and experts are counted each", "[model]") {
  testing::check_property("layers", [] {
    transformer m = testing::random_transformer();
    const double dense = parameters_of_layer(m, layer_kind::dense).total();
    ++m.ffn_size;
    RC_ASSERT(parameters_of_layer(m, layer_kind::dense).total() > dense);
    if (m.moe.experts == 0) return;
    const layer_parameters before = parameters_of_layer(m, layer_kind::moe);
    m.moe.experts *= 2;
    const layer_parameters after = parameters_of_layer(m, layer_kind::moe);
    RC_ASSERT(after.routed_experts == 2 * before.routed_experts);
    RC_ASSERT(after.router == 2 * before.router);
    RC_ASSERT(after.attention_weights == before.attention_weights);
  });
}

TEST_CASE("a layer with experts of a model without is refused", "[model]") {
  CHECK_THROWS_AS(parameters_of_layer(catalog::gpt2, layer_kind::moe), invalid_input);
}

}  // namespace
}  // namespace gpuplan
