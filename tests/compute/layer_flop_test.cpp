#include <gpuplan/compute/layer_flop.hpp>

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

}  // namespace

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

TEST_CASE("a layer that is not there, or a span below nothing, is refused", "[compute]") {
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(forward_flop(catalog::gpt2, layer_kind::moe, 1), invalid_input);
  CHECK_THROWS_AS(forward_flop(catalog::gpt2, layer_kind::dense, nan), invalid_input);
  CHECK_THROWS_AS(forward_flop(catalog::gpt2, layer_kind::dense, -1), invalid_input);
  CHECK_THROWS_AS(mean_attention_span(0, 0, attention_mask::full, masked_scores::counted),
                  invalid_input);
}

}  // namespace gpuplan
