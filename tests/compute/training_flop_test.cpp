#include <gpuplan/compute/training_flop.hpp>

#include <limits>

#include <gpuplan/model/catalog.hpp>
#include <gpuplan/model/parameters.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/random_job.hpp"

namespace gpuplan {
namespace {

using units::FLOP;
using units::token;

constexpr flop_per_token of(double operations) {
  return operations * FLOP / token;
}

// A worked number of a chapter on training: 6 N D of GPT-3 with 300e9 tokens.
static_assert(coarse_training_flop(174.6e9, 300e9 * token) > 3.14e23 * FLOP);
static_assert(coarse_training_flop(174.6e9, 300e9 * token) < 3.15e23 * FLOP);

// One step of 175 billion parameters, V. Korthikanti et al. (2022), appendix A:
// 72 B L s h^2 (1 + s/6h + V/12hL), and 96 B L s h^2 (1 + s/6h + V/16hL) with full recomputation.
constexpr transformer korthikanti_175b = [] {
  transformer m = catalog::gpt3_175b;
  m.vocabulary_size = 51200;
  return m;
}();
constexpr recipe of_64{.global_batch_size = 64, .sequence_length = 2048};
constexpr double b = 64;
constexpr double s = 2048;
constexpr double h = 12288;
constexpr double layers = 96;
constexpr double v = 51200;
static_assert(training_step_flop(korthikanti_175b, of_64, masked_scores::counted) ==
              (72 * b * layers * s * h * h + 12 * b * layers * s * s * h + 6 * b * s * h * v) *
                  FLOP);
constexpr recipe with(recompute again) {
  recipe how = of_64;
  how.recompute = again;
  return how;
}
static_assert(recomputed_step_flop(korthikanti_175b, with(recompute::full),
                                   masked_scores::counted) ==
              (24 * b * layers * s * h * h + 4 * b * layers * s * s * h) * FLOP);
static_assert(recomputed_step_flop(korthikanti_175b, with(recompute::selective),
                                   masked_scores::counted) == 4 * b * layers * s * s * h * FLOP);
static_assert(recomputed_step_flop(korthikanti_175b, of_64) == flop{0});

// Half the scores of a causal mask are never used.
static_assert(training_step_flop(korthikanti_175b, of_64, masked_scores::counted) -
                  training_step_flop(korthikanti_175b, of_64) ==
              6 * b * layers * s * s * h * FLOP);
constexpr transformer bert = catalog::bert_large_uncased;
static_assert(training_step_flop(bert, of_64) ==
                  training_step_flop(bert, of_64, masked_scores::counted),
              "a full mask leaves nothing out");

constexpr layer_flop v3 = forward_flop(catalog::deepseek_v3, layer_kind::moe, 2048);

// A prediction layer is a layer, its projection and another head.
constexpr transformer without_prediction = [] {
  transformer m = catalog::deepseek_v3;
  m.multi_token_prediction_layers = 0;
  return m;
}();
constexpr recipe one_sequence{.global_batch_size = 1, .sequence_length = 4096};
static_assert(training_step_flop(catalog::deepseek_v3, one_sequence) -
                  training_step_flop(without_prediction, one_sequence) ==
              3 * 4096 *
                  (v3.total() + of(4 * 7168. * 7168) + head_forward_flop(catalog::deepseek_v3)) *
                  token);

template <class... Args>
concept coarse_accepts = requires(Args... args) {
  coarse_training_flop(args...);
};
static_assert(coarse_accepts<double, tokens>);
static_assert(!coarse_accepts<double, double>, "tokens need their unit");
static_assert(!coarse_accepts<double, bytes>, "bytes are no tokens");

// Frozen weights: the gradient of each input, none of the weights.
constexpr recipe adapted{.global_batch_size = 64, .sequence_length = 2048, .adapters = {.rank = 8}};
static_assert(adapters_forward_flop(korthikanti_175b, adapted) == of(2 * layers * 8 * 6 * h));
static_assert(training_step_flop(korthikanti_175b, adapted, masked_scores::counted) ==
              (48 * b * layers * s * h * h + 12 * b * layers * s * s * h + 4 * b * s * h * v +
               6 * b * s * layers * 8 * 6 * h) *
                  FLOP);

TEST_CASE("decoder and encoder of other lengths are counted by their products",
          "[compute][cross-check]") {
  transformer m{.layers = 4,
                .hidden_size = 64,
                .attention_heads = 4,
                .ffn_size = 256,
                .vocabulary_size = 1000};
  m.encoder_layers = 3;
  const recipe lengths{.sequence_length = 512, .encoder_sequence_length = 128};
  constexpr double words = 512;
  constexpr double source = 128;
  constexpr double width = 64;
  constexpr double ffn = 2 * 2 * width * 256;
  // Of a decoder's layer: own maps and scores; queries and outputs of the attention to the encoder,
  // whose keys and values are of the encoder's tokens.
  const double decoder = words * (2 * 4 * width * width + 4 * words * width +
                                  2 * 2 * width * width + 4 * source * width + ffn) +
                         source * (2 * 2 * width * width);
  const double encoder = source * (2 * 4 * width * width + 4 * source * width + ffn);
  CHECK_THAT(words * (forward_layers_flop_per_token(m, lengths, masked_scores::counted).total() /
                      (FLOP / token)),
             WithinRel(4 * decoder + 3 * encoder, 1e-12));
}

TEST_CASE("six operations a parameter and token are near for a model that is not small",
          "[compute]") {
  for (const auto& row : catalog::models) {
    const transformer& m = row.model;
    if (m.moe.experts > 0 || m.hidden_size < 4096 || m.encoder_layers > 0) continue;
    INFO(row.name);
    const transformer_parameters count = parameters_of(m);
    const double of_modules =
        count.multi_token_prediction + 1.0 * m.multi_token_prediction_layers * m.vocabulary_size *
                                           m.hidden_size;  // each has the head's product too
    const double multiplied = count.total() + of_modules -
                              (m.tied_embeddings ? 0 : count.token_embedding) -
                              count.position_embedding;
    const recipe how{.global_batch_size = 1, .sequence_length = 2048};
    const double ratio =
        training_step_flop(m, how) / coarse_training_flop(multiplied, 2048 * token);
    CHECK(ratio > 1);
    CHECK(ratio < 1.05);
  }
}

TEST_CASE("more of anything is more work", "[compute]") {
  testing::check_property("monotone", [] {
    const transformer m = testing::random_transformer();
    recipe how{.global_batch_size = *rc::gen::inRange(1, 100),
               .sequence_length = *rc::gen::inRange(1, 10'000)};
    const flop once = training_step_flop(m, how);
    recipe longer = how;
    ++longer.sequence_length;
    recipe larger = how;
    ++larger.global_batch_size;
    transformer deeper = m;
    ++deeper.layers;
    RC_ASSERT(training_step_flop(m, longer) > once);
    RC_ASSERT(training_step_flop(m, larger) > once);
    RC_ASSERT(training_step_flop(deeper, how) > once);
    RC_ASSERT(training_step_flop(m, how, masked_scores::counted) > once);
    how.recompute = recompute::full;
    RC_ASSERT(3 * recomputed_step_flop(m, how) < once);
    RC_ASSERT(recomputed_step_flop(m, how) > flop{0});
  });
}

// With heads of h / a the rule of PaLM is 6 N + 12 L h s.
static_assert(weights_and_scores_flop(korthikanti_175b, 174.6e9, s) ==
              of(6 * 174.6e9 + 12 * layers * h * s));

TEST_CASE("work without tokens is refused", "[compute]") {
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(coarse_training_flop(-1, 1 * token), invalid_input);
  CHECK_THROWS_AS(coarse_training_flop(1, nan * token), invalid_input);
  CHECK_THROWS_AS(weights_and_scores_flop(catalog::gpt2, 1, 0), invalid_input);
  CHECK_THROWS_AS(training_step_flop(catalog::gpt2, {.sequence_length = 0}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
