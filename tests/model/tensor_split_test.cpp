#include <gpuplan/model/tensor_split.hpp>

#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

// GPT-2: matrices and column biases are divided; norms and the two output biases are not.
constexpr tensor_split gpt2 = tensor_split_of_layer(catalog::gpt2, layer_kind::dense);
static_assert(gpt2.replicated == 6 * 768);
static_assert(gpt2.divided == 12 * 768 * 768 + 7 * 768);
static_assert(gpt2.experts == 0);

// Mixtral: the router is whole on every rank.
constexpr tensor_split mixtral = tensor_split_of_layer(catalog::mixtral_8x7b_v0_1, layer_kind::moe);
static_assert(mixtral.replicated == 2 * 4096 + 4096 * 8);
static_assert(mixtral.experts == 8.0 * 3 * 4096 * 14336);

// DeepSeek-V3: the maps that compress are whole on every rank, and their norms.
static_assert(latent_compression_of(catalog::deepseek_v3) == 7168.0 * (1536 + 512 + 64));
static_assert(latent_compression_of(catalog::gpt2) == 0);
constexpr tensor_split v3 = tensor_split_of_layer(catalog::deepseek_v3, layer_kind::dense);
static_assert(v3.replicated == 7168.0 * (1536 + 512 + 64) + 1536 + 512 + 2 * 7168);

// Nothing is lost: each kind of layer is the sum of its parts.
constexpr bool complete(const transformer& m) {
  const bool dense = tensor_split_of_layer(m, layer_kind::dense).total() ==
                     parameters_of_layer(m, layer_kind::dense).total();
  const bool moe = m.moe.experts == 0 || tensor_split_of_layer(m, layer_kind::moe).total() ==
                                             parameters_of_layer(m, layer_kind::moe).total();
  const bool prediction =
      tensor_split_of_prediction_layer(m).total() == parameters_of_prediction_layer(m).total();
  const bool encoder =
      tensor_split_of_encoder_layer(m).total() == parameters_of_encoder_layer(m).total();
  return dense && moe && prediction && encoder;
}
static_assert(complete(catalog::gpt2));
static_assert(complete(catalog::deepseek_v3));
static_assert(complete(catalog::gpt_oss_20b));
static_assert(complete(catalog::qwen3_30b_a3b));

// Kimi's mixers have maps to 128 values that every rank keeps, beside norms and the router.
TEST_CASE("the mean layer of a hybrid splits into its parts", "[model][facts]") {
  transformer m = catalog::mixtral_8x7b_v0_1;
  const double before = tensor_split_of_layer(m, layer_kind::moe).replicated;
  m.recurrent = {.layers = 24,
                 .attention_layers = 8,
                 .linear = {.kind = linear_attention_kind::kimi_delta,
                            .key_heads = 32,
                            .value_heads = 32,
                            .key_head_dim = 128,
                            .value_head_dim = 128,
                            .gate_rank = 128}};
  CHECK(complete(m));
  CHECK(tensor_split_of_layer(m, layer_kind::moe).replicated - before ==
        0.75 * 2 * 128 * m.hidden_size);
  m.multi_token_prediction_layers = 1;  // which attends
  CHECK(tensor_split_of_prediction_layer(m).total() ==
        parameters_of_prediction_layer(without_recurrence(m)).total());
}

TEST_CASE("every model of the catalogue splits into its parts", "[model]") {
  for (const auto& row : catalog::models) {
    INFO(row.name);
    CHECK(complete(row.model));
  }
  CHECK_THROWS_AS(tensor_split_of_layer(catalog::gpt2, layer_kind::moe), invalid_input);
}

TEST_CASE("an index, maps to latent experts and a learned activation are whole", "[model]") {
  transformer m{
      .layers = 4, .hidden_size = 64, .attention_heads = 2, .ffn_size = 128, .vocabulary_size = 10};
  const tensor_split plain = tensor_split_of_layer(m, layer_kind::dense);
  m.activation_values = 2;
  m.sparse = {.heads = 3, .head_dim = 8, .tokens = 16, .layers = 1, .attending_layers = 4};
  const tensor_split indexed = tensor_split_of_layer(m, layer_kind::dense);
  // In one of four layers 64 values to 24 of queries, 8 of keys, 3 weights; norms of 2 x 8.
  CHECK(indexed.replicated - plain.replicated == (64 * (24 + 8 + 3) + 2 * 8) / 4.0 + 2);
  CHECK(indexed.divided == plain.divided);
  // Whoever predicts a further token has an index of its own.
  CHECK(parameters_of_prediction_layer(m).latent_norms == 2 * 8);

  m.moe = {.experts = 4, .experts_per_token = 2, .ffn_size = 32};
  const tensor_split wide = tensor_split_of_layer(m, layer_kind::moe);
  m.moe.latent_size = 16;
  m.moe.latent_norm = true;
  const tensor_split narrow = tensor_split_of_layer(m, layer_kind::moe);
  CHECK(narrow.replicated - wide.replicated == 2 * 64 * 16 + 16);
  CHECK(4 * narrow.experts == wide.experts);
  CHECK(narrow.divided == wide.divided);
}

}  // namespace
}  // namespace gpuplan
