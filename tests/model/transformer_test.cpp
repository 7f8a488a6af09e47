#include <gpuplan/model/transformer.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

constexpr transformer small{
    .layers = 6, .hidden_size = 64, .attention_heads = 4, .ffn_size = 256, .vocabulary_size = 1000};

constexpr int windowed(int first_full, int interval) {
  transformer m = small;
  m.sliding_window = 128;
  m.first_full_attention_layers = first_full;
  m.full_attention_interval = interval;
  return m.windowed_layers();
}

static_assert(small.key_value_heads() == 4 && small.query_head_dim() == 16);
static_assert(small.embedding_width() == 64);
static_assert(small.dense_layers() == 6 && small.moe_layers() == 0);
static_assert(small.windowed_layers() == 0, "no window, no windowed layer");

static_assert(windowed(0, 0) == 6);
static_assert(windowed(4, 0) == 2, "Qwen: the last layers are windowed");
static_assert(windowed(6, 0) == 0 && windowed(28, 0) == 0);
static_assert(windowed(0, 2) == 3, "Gemma 2 and gpt-oss: every other layer is");
static_assert(windowed(0, 1) == 0 && windowed(0, 4) == 5 && windowed(0, 7) == 6);
static_assert(windowed(2, 3) == 2, "of layers 2 to 5, those at 2 and 5 are full");

constexpr latent_attention v3{.query_rank = 1536,
                              .kv_rank = 512,
                              .rope_head_dim = 64,
                              .content_head_dim = 128,
                              .value_head_dim = 128};
constexpr transformer latent = [] {
  transformer m = small;
  m.latent = v3;
  return m;
}();
static_assert(latent.query_head_dim() == 192 && latent.value_head_dim() == 128);

static_assert(with_head_dim({.hidden_size = 512, .attention_heads = 8}).head_dim == 64);
static_assert(with_head_dim({.hidden_size = 512, .attention_heads = 8, .head_dim = 128}).head_dim ==
              128);
static_assert(with_head_dim({.attention_heads = 8, .latent = {.kv_rank = 64}}).head_dim == 0,
              "a latent has head sizes of its own");

TEST_CASE("a transformer out of range is refused, and the field named", "[model]") {
  CHECK_NOTHROW(require_valid(small));
  const auto refused = [](auto change) {
    transformer m = small;
    change(m);
    try {
      require_valid(m);
    } catch (const invalid_input& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  CHECK(refused([](auto& m) { m.layers = 0; }) == "transformer.layers must be >= 1");
  CHECK(refused([](auto& m) { m.hidden_size = -1; }) == "transformer.hidden_size must be >= 1");
  CHECK(refused([](auto& m) { m.kv_heads = 3; }) ==
        "transformer.kv_heads must divide attention_heads");
  CHECK(refused([](auto& m) { m.attention_heads = 5; }) ==
        "transformer.attention_heads must divide hidden_size unless head_dim is given");
  CHECK(refused([](auto& m) { m.ffn_size = 0; }) ==
        "transformer.ffn_size must be >= 1 where a layer is dense");
  CHECK(refused([](auto& m) { m.positions = position_encoding::learned; }) ==
        "transformer.position_rows must be >= 1 where positions are learned");
  CHECK(refused([](auto& m) { m.moe = {.experts = 4, .experts_per_token = 5, .ffn_size = 1}; }) ==
        "transformer.moe.experts_per_token must be 1 to experts");
  CHECK(refused([](auto& m) { m.moe = {.experts = 4, .experts_per_token = 1}; }) ==
        "transformer.moe.ffn_size must be >= 1");
  CHECK(refused([](auto& m) { m.moe.shared_ffn_size = -1; }) ==
        "transformer.moe.shared_ffn_size must be >= 0");
  CHECK(refused([](auto& m) {
          m.latent = v3;
          m.encoder_layers = 1;
        }) == "transformer.latent must be absent beside an encoder");
  CHECK(refused([](auto& m) { m.norms_per_layer = 5; }) ==
        "transformer.norms_per_layer must be 0 to 4");
}

TEST_CASE("each size of a transformer has its least value", "[model][errors]") {
  const auto valid = [](auto change) {
    transformer m = small;
    m.positions = position_encoding::rotary;
    change(m);
    try {
      require_valid(m);
    } catch (const invalid_input&) {
      return false;
    }
    return true;
  };
  for (const auto member :
       {&transformer::kv_heads, &transformer::head_dim, &transformer::embedding_size,
        &transformer::encoder_layers, &transformer::position_rows, &transformer::token_types,
        &transformer::norms_per_layer, &transformer::value_dim, &transformer::activation_values,
        &transformer::multi_token_prediction_layers, &transformer::sliding_window,
        &transformer::full_attention_interval, &transformer::first_full_attention_layers,
        &transformer::listed_windowed_layers}) {
    CHECK(valid([&](auto& m) { m.*member = 0; }));
    CHECK(valid([&](auto& m) { m.*member = 1; }));
    CHECK_FALSE(valid([&](auto& m) { m.*member = -1; }));
  }
  for (const auto member : {&transformer::layers, &transformer::hidden_size,
                            &transformer::attention_heads, &transformer::vocabulary_size})
    CHECK_FALSE(valid([&](auto& m) { m.*member = 0; }));
  for (const auto member : {&latent_attention::kv_rank, &latent_attention::query_rank}) {
    CHECK_FALSE(valid([&](auto& m) { m.latent.*member = -1; }));
    CHECK_FALSE(valid([&](auto& m) {
      m.latent = v3;
      m.latent.*member = -1;
    }));
  }
  for (const auto member : {&latent_attention::content_head_dim, &latent_attention::value_head_dim})
    for (const int size : {0, 1})
      CHECK(valid([&](auto& m) {
              m.latent = v3;
              m.latent.*member = size;
            }) == (size == 1));
  for (const int size : {-1, 0})
    CHECK(valid([&](auto& m) {
            m.latent = v3;
            m.latent.rope_head_dim = size;
          }) == (size == 0));

  const mixture_of_experts four{.experts = 4, .experts_per_token = 2, .ffn_size = 8};
  for (const auto member : {&mixture_of_experts::shared_ffn_size, &mixture_of_experts::latent_size,
                            &mixture_of_experts::dense_layers})
    for (const int size : {-1, 0, 1})
      CHECK(valid([&](auto& m) {
              m.moe = four;
              m.moe.*member = size;
            }) == (size >= 0));
  for (const int first : {-1, 0, 1, 2})
    CHECK(valid([&](auto& m) {
            m.moe = four;
            m.moe.dense_layers = 1;
            m.moe.first_dense_layers = first;
          }) == (first == 0 || first == 1));
  for (const int visited : {0, 1, 4, 5})
    CHECK(valid([&](auto& m) {
            m.moe = four;
            m.moe.experts_per_token = visited;
          }) == (visited == 1 || visited == 4));
  CHECK_FALSE(valid([](auto& m) { m.moe.experts = -1; }));
  CHECK_FALSE(valid([&](auto& m) {
    m.moe = four;
    m.moe.dense_layers = m.layers + 1;
  }));
  CHECK(valid([&](auto& m) {  // no layer is dense
    m.moe = four;
    m.ffn_size = 0;
  }));
}

TEST_CASE("a squared ReLU stands for no gate", "[model]") {
  transformer m{.layers = 1,
                .hidden_size = 64,
                .attention_heads = 4,
                .ffn_size = 256,
                .vocabulary_size = 100,
                .squared_relu = true};
  CHECK_NOTHROW(require_valid(m));
  m.gated_ffn = true;
  CHECK_THROWS_WITH(require_valid(m),
                    "transformer.squared_relu must be false where gated_ffn is true");
}

}  // namespace
}  // namespace gpuplan
