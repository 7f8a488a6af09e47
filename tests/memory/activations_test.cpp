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

// By hand, of one token of 100, of which an index of 3 heads, in one of two layers, chooses 10.
TEST_CASE("an index keeps its queries and keys, and what it chose", "[memory][facts]") {
  transformer m = gpt;
  m.layers = 2;
  m.attention_heads = 2;
  m.latent = {.query_rank = 4,
              .kv_rank = 6,
              .rope_head_dim = 2,
              .content_head_dim = 4,
              .value_head_dim = 4};
  recipe how{.sequence_length = 100};
  const layer_activations expanded = layer(how, {}, m);
  m.sparse = {
      .heads = 3, .head_dim = 5, .query_rank = 4, .tokens = 10, .layers = 1, .attending_layers = 2};
  const layer_activations kept = layer(how, {}, m);
  // 15 of queries, 5 of keys before and after their norm, 3 weights; 10 places and scores of 4 B.
  CHECK(kept.index == 100 * 0.5 * (2 * (15 + 10 + 3) + 10 * (4 + 4)) * byte);
  // Two heads of 6, and of 6 + 2 on latents; one key of 8, two sums of 6.
  CHECK(kept.attention.query == 100 * 2 * 2 * (6 + 8) * byte);
  CHECK(kept.attention.key_value == 100 * 2 * (8 + 2 * 6) * byte);
  CHECK(expanded.attention.key_value == 100 * 2 * 2 * (6 + 4) * byte);
  CHECK(kept.total() - expanded.total() ==
        kept.index + 100 * 2 * (2 * 8 + 8 + 2 * 6 - 2 * (6 + 4)) * byte);
  CHECK(kept_by(m, with(how, recompute::alternate_products), kept) <= kept.total());

  how.attention = attention_kernel::unfused;  // all scores of the index, and expanded heads
  const layer_activations masked = layer(how, {}, m);
  CHECK(masked.index == 100 * 0.5 * (2 * (15 + 10 + 3) + 100 * 4) * byte);
  CHECK(masked.attention.key_value == expanded.attention.key_value);
  CHECK(layer(how, {.tensor = 2}, m).index == masked.index);  // whole on every rank
}

TEST_CASE("the mean layer keeps what layers of two head sizes keep", "[memory][facts]") {
  transformer m = gpt;
  m.layers = 4;
  m.attention_heads = 2;
  m.kv_heads = 1;
  m.head_dim = 6;
  m.value_dim = 4;
  m.sliding_window = 10;
  m.listed_windowed_layers = 3;
  m.windowed = {.attention_heads = 4, .kv_heads = 2, .head_dim = 3, .value_dim = 3};
  const recipe how{.sequence_length = 100};
  const attention_activations kept = layer(how, {}, m).attention;
  CHECK(kept.query == 100 * 2 * (12 + 3 * 12) / 4.0 * byte);
  CHECK(kept.key_value == 100 * 2 * ((6 + 4) + 3 * 2 * (3 + 3)) / 4.0 * byte);
  CHECK(kept.output == 100 * 2 * (8 + 3 * 12) / 4.0 * byte);
  CHECK(kept.core == 100 * 4 * (2 + 3 * 4) / 4.0 * byte);
  CHECK(kept.norm_input == layer(how, {}, gpt).attention.norm_input);
}

TEST_CASE("experts on a narrower state get and return that state", "[memory][facts]") {
  transformer m = gpt;
  m.moe = {.experts = 4, .experts_per_token = 2, .ffn_size = 64};
  const recipe how{.sequence_length = 100};
  const auto of_experts = [&] {
    return decoder_layer(m, layer_kind::moe, how, {}, seen_by(how, {})).ffn;
  };
  const ffn_activations wide = of_experts();
  m.moe.latent_size = 256;
  const ffn_activations narrow = of_experts();
  CHECK(4 * narrow.dispatched == wide.dispatched);
  CHECK(narrow.latents == 100 * 2 * 256 * byte);
  CHECK(wide.latents == bytes{0});
  CHECK(narrow.total() == wide.total() - wide.dispatched + narrow.dispatched + narrow.latents);
  m.moe.latent_norm = true;
  CHECK(of_experts().latents == 2 * narrow.latents);
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
  transformer with_gate = gpt;
  with_gate.gated_ffn = true;
  const layer_activations two =
      decoder_layer(with_gate, layer_kind::dense, flash, one, seen_by(flash, one));
  CHECK(layer_gradients(with_gate, flash, one, two, seen) == (4 * sbh + 4 * 4 * sbh) * byte);
}

TEST_CASE("a choice outside its enumeration is refused", "[memory][errors]") {
  const recipe how = with(classic, static_cast<recompute>(99));
  CHECK_THROWS_AS(kept_by(gpt, how, layer(classic, one)), invalid_input);
  CHECK_THROWS_AS(computed_again(gpt, how, layer(classic, one)), invalid_input);
}

TEST_CASE("norms of queries and keys leave the gradients of a layer as they are", "[memory]") {
  // Both are kept twice, before and after the norm; the gradient of one of the two is made.  With a
  // narrow network the attention has the larger gradients.
  transformer m = gpt;
  m.ffn_size = 64;
  const recipe flash{.sequence_length = 512};
  const attention_tokens seen{seen_by(flash, one).decoder, seen_by(flash, one).decoder};
  const auto gradients = [&](query_key_norm norm) {
    m.query_key = norm;
    const layer_activations kept =
        decoder_layer(m, layer_kind::dense, flash, one, seen_by(flash, one));
    return layer_gradients(m, flash, one, kept, seen) / byte;
  };
  CHECK(gradients(query_key_norm::none) == 4 * sbh + 3 * 2 * sbh);
  CHECK_THAT(gradients(query_key_norm::per_head), WithinRel(4 * sbh + 3 * 2 * sbh, 1e-12));
}

}  // namespace
}  // namespace gpuplan
