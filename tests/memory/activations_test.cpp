#include <gpuplan/memory/activations.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/random_job.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr transformer gpt{.layers = 1,
                          .hidden_size = 1024,
                          .attention_heads = 16,
                          .ffn_size = 4096,
                          .vocabulary_size = 1000};

constexpr stream_tokens seen_by(const recipe& how, const parallelism& cut) {
  const micro_batch_tokens tokens = tokens_on_rank(how.sequence_length, how, cut);
  return {tokens, tokens};
}
constexpr layer_activations layer(const recipe& how, const parallelism& cut,
                                  const transformer& m = gpt) {
  return decoder_layer(m, layer_kind::dense, how, cut, seen_by(how, cut));
}

constexpr recipe classic{
    .sequence_length = 512, .attention = attention_kernel::unfused, .dropout = true};
constexpr recipe spread = [] {
  recipe how = classic;
  how.sequence_parallel = true;
  return how;
}();
constexpr recipe with(recipe how, recompute again) {
  how.recompute = again;
  return how;
}

// V. Korthikanti et al. (2023), table 2: h = 1024, a = 16, s = 512, b = 2, t = 8.
constexpr double sbh = 512.0 * 2 * 1024;
constexpr double core = 5.0 * 16 * 512 / 1024;
constexpr parallelism one{.micro_batch_size = 2};
constexpr parallelism eight{.tensor = 8, .micro_batch_size = 2};
static_assert(layer(classic, one).total() == sbh * (34 + core) * byte);
static_assert(layer(classic, eight).total() == sbh * (10 + 24.0 / 8 + core / 8) * byte);
static_assert(layer(spread, eight).total() == sbh / 8 * (34 + core) * byte);
static_assert(kept_by(gpt, with(classic, recompute::selective), layer(classic, eight)) ==
              sbh * (10 + 24.0 / 8) * byte);
static_assert(kept_by(gpt, with(spread, recompute::selective), layer(spread, eight)) ==
              sbh * 34 / 8 * byte);
static_assert(kept_by(gpt, with(classic, recompute::full), layer(classic, eight)) ==
              2 * sbh * byte);
static_assert(computed_again(gpt, classic, layer(classic, one)) == bytes{0});
static_assert(computed_again(gpt, with(classic, recompute::selective), layer(classic, one)) ==
              sbh * core * byte);
static_assert(computed_again(gpt, with(classic, recompute::full), layer(classic, one)) ==
              layer(classic, one).total());
static_assert(layer(classic, one).until_weight_gradient() == 32 * sbh * byte,
              "P. Qi et al. (2024), table 1: 32 s b h");

constexpr layer_activations each_part{.attention = {.core = 1 * byte, .mask = 2 * byte},
                                      .cross_attention = {.core = 4 * byte, .mask = 8 * byte},
                                      .ffn = {.hidden = 16 * byte, .mask = 32 * byte},
                                      .further_norm_inputs = 64 * byte,
                                      .joined_input = 128 * byte};
static_assert(each_part.total() == 255 * byte && each_part.core() == 5 * byte);
static_assert(each_part.until_weight_gradient() == (16 + 64 + 128) * byte);

// The operator policy, per token and hidden size: the layer's input, attention output, queries and
// values of 2 B each, and one tensor of the network's width, 4 h; a gated network's last product is
// the third, so that the second, of the hidden size, is kept as well.
constexpr transformer gated = [] {
  transformer m = gpt;
  m.gated_ffn = true;
  return m;
}();
constexpr recipe alternate = with(classic, recompute::alternate_products);
static_assert(kept_by(gpt, alternate, layer(classic, one)) == 16 * sbh * byte);
static_assert(kept_by(gated, alternate, layer(classic, one, gated)) == 18 * sbh * byte);

// Latent attention with a query latent has five products: the policy saves latents, the attention
// block's output, and of the network the second map.  Without one it saves queries, and what keys
// and values are expanded to.
constexpr transformer latent(int query_rank) {
  transformer m = gated;
  m.latent = {.query_rank = query_rank,
              .kv_rank = 256,
              .rope_head_dim = 64,
              .content_head_dim = 128,
              .value_head_dim = 128};
  return m;
}
static_assert(kept_by(latent(512), alternate, layer(classic, one, latent(512))) ==
              1024 * (1024.0 + 512 + 256 + 64 + 16 * 128 + 1024 + 4096) * bytes{2});
static_assert(kept_by(latent(0), alternate, layer(classic, one, latent(0))) ==
              1024 * (1024.0 + 16 * (192 + 256) + 16 * 128 + 4096 + 1024) * bytes{2});

// A norm that reads FP32 has a copy of what comes, which is made again; what comes is kept.
constexpr layer_activations wide_norms = decoder_layer(
    gpt, layer_kind::dense, classic, one, seen_by(classic, one), {.norms_kept_fp32 = true});
static_assert(kept_by(gpt, alternate, wide_norms) == 16 * sbh * byte);
static_assert(computed_again(gpt, alternate, wide_norms) ==
              wide_norms.total() - (16 - 2) * sbh * byte);

constexpr transformer four_norms = [] {
  transformer m = gpt;
  m.norms_per_layer = 4;
  return m;
}();
static_assert(layer(classic, one, four_norms).total() - layer(classic, one).total() ==
                  4 * sbh * byte,
              "each further norm keeps its input");

constexpr transformer both = [] {
  transformer m = gpt;
  m.encoder_layers = 2;
  return m;
}();
static_assert(layer(classic, one, both).cross_attention.core ==
              layer(classic, one, both).attention.core);
static_assert(encoder_layer(both, classic, one, seen_by(classic, one)).total() ==
                  layer(classic, one).total(),
              "an encoder's layer has no cross-attention");
static_assert(prediction_layer(gpt, classic, one, seen_by(classic, one)).total() -
                  layer(classic, one).total() ==
              8 * sbh * byte);

// Half of the layers with a Mamba 2 of 2048 channels, 16 heads, 1 group and 64 states a channel:
// of 16 bits in all, 2 (2176 + 3 x 2048 + 16) a token in place of queries, keys, values and output.
TEST_CASE("the mean layer keeps a mixer's values in place of attention's", "[memory][facts]") {
  transformer half = gpt;
  half.layers = 2;
  half.recurrent = {.layers = 1,
                    .attention_layers = 1,
                    .space = {.channels = 2048, .state_size = 64, .heads = 16}};
  recipe how = classic;
  how.dropout = false;
  const double tokens = seen_by(how, {}).decoder.all;
  const layer_activations attends = layer(how, {});
  const layer_activations mean = layer(how, {}, half);
  CHECK(mean.recurrent == 0.5 * tokens * 2 * (2176 + 3 * 2048 + 16) * byte);
  CHECK(mean.core() == 0.5 * attends.core());
  CHECK(mean.attention.input == attends.attention.input);
  CHECK(mean.total() - mean.recurrent ==
        attends.total() - 0.5 * (attends.attention.query + attends.attention.key_value +
                                 attends.attention.core + attends.attention.output));
  CHECK(layer(how, {.tensor = 2}, half).recurrent == 0.5 * mean.recurrent);
  half.recurrent.attention_layers = 2;  // both in one layer: a norm more
  CHECK(layer(how, {}, half).attention.norm_input == 1.5 * attends.attention.norm_input);
}

TEST_CASE("recomputation keeps less, the more it computes again", "[memory][property]") {
  testing::check_property("full <= selective <= none", [] {
    const testing::random_job job = testing::random_job_any();
    const auto kept = [&](recompute again) {
      const recipe how = with(job.recipe, again);
      return kept_by(job.model, how,
                     decoder_layer(job.model, layer_kind::dense, how, job.parallelism,
                                   seen_by(how, job.parallelism)));
    };
    RC_ASSERT(kept(recompute::full) <= kept(recompute::alternate_products));
    RC_ASSERT(kept(recompute::full) <= kept(recompute::selective));
    RC_ASSERT(kept(recompute::alternate_products) <= kept(recompute::none));
    RC_ASSERT(kept(recompute::selective) <= kept(recompute::none));
  });
}

TEST_CASE("gradients of a layer hold its output's, and the larger block's", "[memory][facts]") {
  const recipe flash{.sequence_length = 512};
  const attention_tokens seen{seen_by(flash, one).decoder, seen_by(flash, one).decoder};
  CHECK(layer_gradients(gpt, flash, one, layer(flash, one), seen) ==
        (4 * sbh + 2 * 4 * sbh) * byte);
  CHECK(layer_gradients(gpt, classic, one, layer(classic, one), seen) ==
        (4 * sbh + 4.0 * 16 * 512 * 512 * 2) * byte);
}

TEST_CASE("a choice outside its enumeration is refused", "[memory][errors]") {
  const recipe how = with(classic, static_cast<recompute>(99));
  CHECK_THROWS_AS(kept_by(gpt, how, layer(classic, one)), invalid_input);
  CHECK_THROWS_AS(computed_again(gpt, how, layer(classic, one)), invalid_input);
}

}  // namespace
}  // namespace gpuplan
