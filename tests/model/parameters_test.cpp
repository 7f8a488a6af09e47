#include <gpuplan/model/parameters.hpp>

#include <limits>

#include <gpuplan/model/catalog.hpp>

#include "support/allocations.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/random_job.hpp"

namespace gpuplan {
namespace {

// Counts printed by others; tests/vectors holds the models of param_counts.json.
constexpr transformer_parameters each_part{.token_embedding = 1,
                                           .position_embedding = 2,
                                           .type_embedding = 4,
                                           .embedding_norm = 8,
                                           .embedding_projection = 16,
                                           .layers = {.norms = 32},
                                           .final_norms = 64,
                                           .pooler = 128,
                                           .head_transform = 256,
                                           .head = 512,
                                           .head_bias = 1024,
                                           .multi_token_prediction = 2048,
                                           .correction_biases = 4096};
static_assert(each_part.total() == 2047 && each_part.trained() == 4095, "each part once");
static_assert(each_part.non_embedding() == 8 + 16 + 32 + 64 + 128 + 256);

static_assert(parameters_of(catalog::gpt2).total() == 124'439'808);
static_assert(parameters_of(catalog::gpt2_xl).total() == 1'557'611'200);
static_assert(parameters_of(catalog::opt_350m).total() == 331'196'416);
static_assert(parameters_of(catalog::falcon_7b).total() == 6'921'720'704);
static_assert(parameters_of(catalog::mixtral_8x22b_v0_1).total() == 140'620'634'112);
static_assert(parameters_of(catalog::gemma_2_9b).total() == 9'241'705'984);
static_assert(parameters_of(catalog::gpt_oss_120b).total() == 116'829'156'672);

// S. Biderman et al., "Pythia" (2023), table 1, non-embedding parameters.
static_assert(parameters_of(catalog::pythia_6_9b).non_embedding() == 6'444'163'072);
static_assert(parameters_of(catalog::pythia_12b).non_embedding() == 11'327'027'200);

// DeepSeek-AI, "DeepSeek-V3 Technical Report" (2024): 37 B active; the further layer has 14 B in
// the checkpoint with its copies of embedding and head.
static_assert(active_parameters(catalog::deepseek_v3) == 37'552'282'624);
static_assert(active_parameters(catalog::llama_3_8b) == parameters_of(catalog::llama_3_8b).total());
static_assert(parameters_of(catalog::deepseek_v3).correction_biases == 58 * 256);
static_assert(parameters_of(catalog::deepseek_v3).trained() ==
              parameters_of(catalog::deepseek_v3).total() +
                  parameters_of_prediction_layer(catalog::deepseek_v3).total());

// A worked number of a chapter on training: 48 layers of hidden size 1280.  It prints 1558214656,
// which is neither this shape's count nor that of GPT-2 XL.
constexpr transformer chapter = [] {
  transformer m = catalog::gpt2_xl;
  m.hidden_size = 1280;
  m.attention_heads = 20;
  m.ffn_size = 5120;
  return m;
}();
static_assert(parameters_of(chapter).total() == 1'010'159'360);

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
static_assert(parameters_of(encoder_decoder).total() ==
              12 * (3 * attention + 2 * network + 10 * h) + 4 * h + (30592 + 512) * h + 30592);

// BERT as it is pretrained: a transform and a bias before the words.
constexpr transformer pretrained_bert = [] {
  transformer m = catalog::bert_base_uncased;
  m.pooler = false;
  m.head_transform = true;
  m.biases.head = true;
  return m;
}();
static_assert(parameters_of(pretrained_bert).total() == 109'514'298,
              "BertForMaskedLM of Hugging Face Transformers");

TEST_CASE("parameters grow with every size, and experts that sleep are not active", "[model]") {
  testing::check_property("more is more", [] {
    const transformer m = testing::random_transformer();
    const transformer_parameters count = parameters_of(m);
    const auto grown = [&](auto change) {
      transformer larger = m;
      change(larger);
      return parameters_of(larger).total();
    };
    RC_ASSERT(grown([](auto& x) { ++x.layers; }) > count.total());
    RC_ASSERT(grown([](auto& x) { ++x.vocabulary_size; }) > count.total());
    RC_ASSERT(grown([](auto& x) { x.hidden_size += x.attention_heads; }) > count.total());
    RC_ASSERT((m.dense_layers() == 0 || grown([](auto& x) { ++x.ffn_size; }) > count.total()));
    RC_ASSERT((m.moe_layers() == 0 || grown([](auto& x) { ++x.moe.experts; }) > count.total()));
    RC_ASSERT(active_parameters(m) <= count.total());
    RC_ASSERT(count.non_embedding() < count.total());
    RC_ASSERT(count.total() == static_cast<double>(static_cast<std::int64_t>(count.total())));
  });
}

TEST_CASE("the layers are the sum of the layers", "[model]") {
  testing::check_property("sum of layers", [] {
    const transformer m = testing::random_transformer();
    double sum = m.dense_layers() * parameters_of_layer(m, layer_kind::dense).total();
    if (m.moe_layers() > 0) sum += m.moe_layers() * parameters_of_layer(m, layer_kind::moe).total();
    RC_ASSERT(sum == parameters_of(m).layers.total());
  });
}

TEST_CASE("the largest sizes overflow nothing", "[model]") {
  transformer m = catalog::deepseek_v3;
  constexpr int most = 1'000'000'000;
  m.hidden_size = m.attention_heads = m.vocabulary_size = most;
  m.latent = {most, most, most, most, most};
  m.moe.ffn_size = m.moe.shared_ffn_size = m.ffn_size = most;
  CHECK(parameters_of(m).total() > 1e27);
  CHECK(parameters_of(m).total() < std::numeric_limits<double>::max());
}

TEST_CASE("counting allocates nothing and refuses what is no model", "[model]") {
  const auto before = testing::allocations();
  CHECK(active_parameters(catalog::deepseek_v3) > 0);
  const auto after = testing::allocations();
  CHECK(after - before <= 2);  // CHECK itself
  CHECK_THROWS_AS(parameters_of(transformer{}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
