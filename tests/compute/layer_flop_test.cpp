#include <gpuplan/compute/layer_flop.hpp>

#include <cstdlib>
#include <limits>

#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using units::FLOP;
using units::token;

constexpr flop_per_token of(double operations) {
  return operations * FLOP / token;
}

// Worked numbers of a chapter on training, batch 32 of 1024 tokens at hidden size 1280: it prints
// the multiply-adds, 161e9 and 42.9e9, as operations.
constexpr transformer chapter{.layers = 48,
                              .hidden_size = 1280,
                              .attention_heads = 20,
                              .ffn_size = 5120,
                              .vocabulary_size = 50257};
constexpr layer_flop of_chapter = forward_flop(chapter, layer_kind::dense, 1024);
static_assert(of_chapter.attention_projections * (32 * 1024 * token) * 3 / 4 ==
              322'122'547'200 * FLOP);
static_assert(of_chapter.attention_core * (32 * 1024 * token) / 2 == 85'899'345'920 * FLOP);

static_assert(layer_flop{of(1), of(2), of(4), of(8)}.total() == of(15), "each part once");

static_assert(mean_attention_span(4096, 0, attention_mask::causal, masked_scores::skipped) == 2048);
static_assert(mean_attention_span(4096, 0, attention_mask::full, masked_scores::skipped) == 4096);
static_assert(mean_attention_span(8192, 4096, attention_mask::causal, masked_scores::skipped) ==
              3072);
static_assert(mean_attention_span(2048, 4096, attention_mask::causal, masked_scores::skipped) ==
              1024);

// DeepSeek-V3, its latent attention by hand: 187.1e6 weights a layer.
constexpr layer_flop v3 = forward_flop(catalog::deepseek_v3, layer_kind::moe, 2048);
static_assert(v3.attention_projections == of(2 * (1536 * (7168 + 128. * 192) + 7168 * 576. +
                                                  512 * 128 * 256. + 128 * 128 * 7168.)));
static_assert(v3.attention_core == of(2 * 2048 * 128. * (192 + 128)));
static_assert(v3.ffn == of(2 * 3 * 7168. * 2048 * (8 + 1)));
static_assert(v3.router == of(2 * 7168. * 256));

TEST_CASE("a window never adds work, and a wide one saves none", "[compute]") {
  testing::check_property("windows", [] {
    const double length = *rc::gen::inRange(1, 100'000);
    const double window = *rc::gen::inRange(1, 200'000);
    const auto span = [&](double w) {
      return mean_attention_span(length, w, attention_mask::causal, masked_scores::skipped);
    };
    RC_ASSERT(span(window) <= span(0));
    RC_ASSERT((window < length || span(window) == span(0)));
    RC_ASSERT(span(window) <= window);
  });
}

TEST_CASE("windowed layers and an encoder's keys are in the mean layer", "[compute]") {
  const transformer& gemma = catalog::gemma_2_9b;
  const auto core = [&](const transformer& m) {
    return mean_forward_flop(m, layer_kind::dense, 16384, 1, masked_scores::skipped)
        .attention_core.in(FLOP / token);
  };
  transformer unwindowed = gemma;
  unwindowed.sliding_window = 0;
  // Half the layers look back on 4096 of 16384 tokens: 3584 of 8192 keys in the mean.
  CHECK(core(gemma) / core(unwindowed) == (1 + 3584.0 / 8192) / 2);

  transformer decoder = catalog::gpt2;
  const auto mean = [&] {
    return mean_forward_flop(decoder, layer_kind::dense, 128, 512, masked_scores::counted);
  };
  const layer_flop alone = mean();
  decoder.encoder_layers = 12;
  const layer_flop beside = mean();
  CHECK((beside.attention_core - alone.attention_core).in(FLOP / token) == 4.0 * 512 * 768);
  CHECK((beside.attention_projections - alone.attention_projections).in(FLOP / token) ==
        4.0 * 768 * (768 + 4 * 768));
  CHECK_THROWS_AS(mean_forward_flop(decoder, layer_kind::dense, 128, 0, masked_scores::counted),
                  invalid_input);
}

// Two heads of latent attention over 100 tokens, of which an index of 3 heads, in one of two layers,
// chooses 10: 9.5 in the mean, of 50.
TEST_CASE("an index scores all positions, the core reads the chosen ones", "[compute][facts]") {
  transformer m{.layers = 2,
                .hidden_size = 8,
                .attention_heads = 2,
                .ffn_size = 16,
                .vocabulary_size = 10,
                .latent = {.query_rank = 4,
                           .kv_rank = 6,
                           .rope_head_dim = 2,
                           .content_head_dim = 4,
                           .value_head_dim = 4}};
  const auto work = [&](masked_scores scores) {
    return mean_forward_flop(m, layer_kind::dense, 100, 0, scores);
  };
  const layer_flop all = work(masked_scores::skipped);
  m.sparse = {
      .heads = 3, .head_dim = 5, .query_rank = 4, .tokens = 10, .layers = 1, .attending_layers = 2};
  const layer_flop chosen = work(masked_scores::skipped);
  // On latents: queries and keys of 6 + 2 values, sums of 6.  The index: products of 5 and a weight.
  CHECK(chosen.attention_core == of(2 * 9.5 * 2 * (8 + 6) + 0.5 * 2 * 50 * 3 * (5 + 1)));
  CHECK(chosen.attention_projections - all.attention_projections ==
        of(0.5 * 2 * (4 * 15 + 8 * 5 + 8 * 3)));
  m.sparse.attending_layers = 1;
  CHECK(work(masked_scores::skipped).attention_core ==
        0.5 * (of(2 * 9.5 * 2 * (8 + 6) + 2 * 50 * 3 * (5 + 1)) + all.attention_core));
  m.sparse.tokens = 1000;  // all of them
  m.sparse.attending_layers = 2;
  CHECK(work(masked_scores::skipped).attention_core ==
        of(2 * 50 * 2 * (8 + 6) + 0.5 * 2 * 50 * 3 * (5 + 1)));
}

// 3 of 4 layers have 4 heads of 3 over a window of 10, one has 2 of 6 for keys and 4 for values.
TEST_CASE("layers of two head sizes are in the mean layer", "[compute][facts]") {
  transformer m{.layers = 4,
                .hidden_size = 8,
                .attention_heads = 2,
                .kv_heads = 1,
                .head_dim = 6,
                .value_dim = 4,
                .ffn_size = 16,
                .vocabulary_size = 10,
                .sliding_window = 10,
                .listed_windowed_layers = 3,
                .windowed = {.attention_heads = 4, .kv_heads = 2, .head_dim = 3, .value_dim = 3}};
  const auto work = [&] {
    return mean_forward_flop(m, layer_kind::dense, 100, 0, masked_scores::skipped);
  };
  CHECK(work().attention_core == of((2 * 50 * 2 * (6 + 4) + 3 * 2 * 9.5 * 4 * (3 + 3)) / 4));
  const double windowed = 8 * (12 + 6 + 6) + 12 * 8;
  CHECK(work().attention_projections == of(2 * (8 * (12 + 6 + 4) + 8 * 8 + 3 * windowed) / 4));
  m.keys_as_values = true;  // no map to the values of the layer that is not windowed
  CHECK(work().attention_projections == of(2 * (8 * (12 + 6) + 8 * 8 + 3 * windowed) / 4));
  m.windowed.keys_as_values = true;
  CHECK(work().attention_projections ==
        of(2 * (8 * (12 + 6) + 8 * 8 + 3 * (windowed - 8 * 6)) / 4));
}

TEST_CASE("experts on a narrower state have maps to it and back", "[compute][facts]") {
  transformer m{.layers = 1,
                .hidden_size = 8,
                .attention_heads = 2,
                .vocabulary_size = 10,
                .gated_ffn = true,
                .moe = {.experts = 4, .experts_per_token = 2, .ffn_size = 6, .latent_size = 3}};
  CHECK(forward_flop(m, layer_kind::moe, 1).ffn == of(2 * (2 * 3 * 3 * 6 + 8 * 3 + 3 * 8)));
  m.moe.latent_size = 0;
  CHECK(forward_flop(m, layer_kind::moe, 1).ffn == of(2 * 2 * 3 * 8 * 6));
}

// Against a count of pairs: the formula leaves out the token itself, as the causal one does.
TEST_CASE("a window that looks both ways is counted", "[compute][property]") {
  for (const int length : {8, 64, 301})
    for (int window = 2; window < length; window += 2) {
      double pairs = 0;
      for (int i = 0; i < length; ++i)
        for (int j = 0; j < length; ++j) pairs += i != j && std::abs(i - j) <= window / 2 ? 1 : 0;
      const double span =
          mean_attention_span(length, window, attention_mask::full, masked_scores::skipped);
      CHECK(span - pairs / length >= 0);
      CHECK(span - pairs / length <= 0.5);
    }
}

TEST_CASE("a layer that is not there, or a span below nothing, is refused", "[compute]") {
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(forward_flop(catalog::gpt2, layer_kind::moe, 1), invalid_input);
  CHECK_THROWS_AS(forward_flop(catalog::gpt2, layer_kind::dense, nan), invalid_input);
  CHECK_THROWS_AS(forward_flop(catalog::gpt2, layer_kind::dense, -1), invalid_input);
  CHECK_THROWS_AS(mean_attention_span(0, 0, attention_mask::full, masked_scores::counted),
                  invalid_input);
}

}  // namespace
}  // namespace gpuplan
