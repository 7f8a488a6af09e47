#include <gpuplan/memory/kv_cache.hpp>

#include <cmath>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/random_job.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr transformer llama_2_7b{.layers = 32,
                                 .hidden_size = 4096,
                                 .attention_heads = 32,
                                 .ffn_size = 11008,
                                 .vocabulary_size = 32000,
                                 .gated_ffn = true,
                                 .tied_embeddings = false};
constexpr transformer llama_3_8b{.layers = 32,
                                 .hidden_size = 4096,
                                 .attention_heads = 32,
                                 .kv_heads = 8,
                                 .ffn_size = 14336,
                                 .vocabulary_size = 128256,
                                 .gated_ffn = true,
                                 .tied_embeddings = false};

static_assert(kv_cache_per_token(llama_2_7b) == 512 * KiB / token, "2 x 32 x 4096 x 2 B");
static_assert(kv_cache_per_token(llama_3_8b) == 128 * KiB / token, "a quarter of the heads");
static_assert(kv_cache(llama_2_7b, 4096 * token) == 2 * GiB);
static_assert(kv_cache(llama_3_8b, 8192 * token) == 1 * GiB);
static_assert(kv_cache_per_token(llama_3_8b, {.cache = number_format::fp8_e4m3}) ==
              64 * KiB / token);
static_assert(kv_cache_per_token(llama_3_8b, {.tensor = 4}) == 32 * KiB / token);
static_assert(kv_cache_per_token(llama_3_8b, {.tensor = 16}) == 16 * KiB / token,
              "eight heads over sixteen ranks: each has a whole one");
static_assert(kv_cache_per_token(llama_3_8b, {.pipeline = 2}) == 64 * KiB / token);
static_assert(inference_weights(llama_2_7b) == 2 * 6738415616.0 * byte);

constexpr transformer mistral = [] {
  transformer m = llama_3_8b;
  m.sliding_window = 4096;
  return m;
}();
static_assert(kv_cache(mistral, 32768 * token) == kv_cache(mistral, 4096 * token),
              "A. Jiang et al. (2023): the rolling buffer saves 8 times at 32k tokens");

constexpr transformer alternating = [] {
  transformer m = mistral;
  m.full_attention_interval = 2;
  return m;
}();
static_assert(kv_cache(alternating, 8192 * token) == 0.75 * kv_cache(llama_3_8b, 8192 * token));

TEST_CASE("latent attention caches one compressed vector a token", "[memory][reference]") {
  // DeepSeek-AI, "DeepSeek-V3 Technical Report" (2024): 61 layers of 512 + 64 values; 70.272 KB a
  // token is printed of it by C. Zhao et al., "Insights into DeepSeek-V3", ISCA (2025), table 1.
  transformer m = llama_3_8b;
  m.layers = 61;
  m.latent = {.query_rank = 1536,
              .kv_rank = 512,
              .rope_head_dim = 64,
              .content_head_dim = 128,
              .value_head_dim = 128};
  CHECK(kv_cache_per_token(m).in(kB / token) == Approx(70.272).epsilon(1e-12));
  CHECK(kv_cache_per_token(m, {.tensor = 8}) == kv_cache_per_token(m));
}

TEST_CASE("a decoder caches its encoder's keys once", "[memory][facts]") {
  CHECK(kv_cache(llama_2_7b, 0 * token, {}, 512 * token) == kv_cache(llama_2_7b, 512 * token));
}

TEST_CASE("batch and context fill what the weights leave", "[memory][facts]") {
  const memory_budget gpu{80 * GiB, 8 * GiB};
  const largest_batch most = max_inference_batch(llama_2_7b, 4096 * token, gpu);
  CHECK(most.samples == 29);  // 72 GiB less 12.55 GiB of weights, 2 GiB a sequence
  CHECK(max_inference_batch(llama_2_7b, 4096 * token, {8 * GiB, 0 * GiB}).limit ==
        batch_limit::states);
  const tokens context = max_context(llama_2_7b, 29, gpu);
  CHECK(context >= 4096 * token);
  CHECK(max_context(llama_2_7b, 30, gpu) < 4096 * token);
  CHECK(max_context(llama_2_7b, 1, {8 * GiB, 0 * GiB}) == 0 * token);
  CHECK(std::isinf(max_context(mistral, 1, gpu).in(token)));
  transformer one_window = mistral;  // its cache is full soon: the rest is of the other layers
  one_window.listed_windowed_layers = 1;
  const tokens without = max_context(llama_3_8b, 1, gpu);
  CHECK(max_context(one_window, 1, gpu).in(token) ==
        Approx((32 * without.in(token) - 4096) / 31).epsilon(1e-12));
}

TEST_CASE("the longest context is the inverse of its cache", "[memory][property]") {
  testing::check_property("cache of the longest context = room", [] {
    transformer m = *rc::gen::element(llama_2_7b, llama_3_8b, alternating);
    const std::int64_t batch = *rc::gen::inRange(1, 100);
    const inference_layout on{.tensor = testing::power_of_two(3),
                              .pipeline = testing::power_of_two(2)};
    const memory_budget gpu{*rc::gen::inRange(20, 300) * GiB, 1 * GiB};
    const bytes room = gpu.available() - inference_weights(m, on);
    const tokens longest = max_context(m, batch, gpu, on);
    const bytes used = double(batch) * kv_cache(m, longest, on);
    RC_ASSERT(std::abs(used / room - 1) < 1e-12);
  });
}

TEST_CASE("kv_cache refuses what its documentation refuses", "[memory][errors]") {
  CHECK_THROWS_AS(kv_cache(llama_2_7b, -1 * token), invalid_input);
  CHECK_THROWS_AS(kv_cache(llama_2_7b, 1 * token, {.tensor = 0}), invalid_input);
  CHECK_THROWS_AS(kv_cache(llama_2_7b, 1 * token, {.pipeline = 0}), invalid_input);
  CHECK_THROWS_AS(kv_cache(llama_2_7b, 1 * token, {}, -1 * token), invalid_input);
  CHECK_THROWS_AS(kv_cache({}, 1 * token), invalid_input);
  CHECK_THROWS_AS(max_context(llama_2_7b, 0, {1 * GB, 0 * GB}), invalid_input);
  CHECK_THROWS_AS(max_context(llama_2_7b, 1, {0 * GB, 0 * GB}), invalid_input);
  CHECK_THROWS_AS(max_context(llama_2_7b, 1, {1 * GB, -1 * GB}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
