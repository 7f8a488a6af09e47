#include <gpuplan/memory/coarse.hpp>

#include <gpuplan/memory/activations.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr coarse_transformer gpt2{
    .layers = 48, .hidden_size = 1280, .sequence_length = 1024, .batch = 32};
static_assert(coarse_layer_activations(gpt2, 2 * byte) == 671088640 * byte, "2 x 335.5 MB");
static_assert(coarse_checkpointed_activations(
                  {.layers = 96, .hidden_size = 12288, .sequence_length = 2048, .batch = 1536}, 16,
                  2 * byte) == 463856467968 * byte);
static_assert(coarse_transformer_activations({.hidden_size = 1280, .sequence_length = 1024},
                                             2 * byte) ==
              (4.0 * 1280 * 1024 + 2.0 * 1024 * 1024) * 2 * byte);
static_assert(coarse_fp16_adam(1e9) == 6 * GB);
static_assert(coarse_training_memory(1 * GB).least == 4 * GB);
static_assert(coarse_training_memory(1 * GB).most == 6 * GB);
static_assert(coarse_workspace(10 * GB).least == 1 * GB);
static_assert(coarse_workspace(10 * GB).most == 2 * GB);

TEST_CASE("the coarse activations are as far off as they say", "[memory][reference]") {
  const transformer m{.layers = 1,
                      .hidden_size = 1280,
                      .attention_heads = 20,
                      .ffn_size = 5120,
                      .vocabulary_size = 50257};
  const recipe how{
      .sequence_length = 1024, .attention = attention_kernel::unfused, .dropout = true};
  const micro_batch_tokens seen = tokens_on_rank(1024, how, {});
  const layer_activations exact = decoder_layer(m, layer_kind::dense, how, {}, {seen, seen});
  const coarse_transformer one{.hidden_size = 1280, .sequence_length = 1024};
  const bytes coarse = coarse_transformer_activations(one, 2 * byte);
  const bytes square = 2 * 2.0 * 1024 * 1024 * byte;
  CHECK((exact.total() - exact.core()) / (coarse - square) == Approx(4.25));
  CHECK(exact.core() / square == Approx(1.25 * 20));
  CHECK(coarse_layer_activations(one, 2 * byte) / (exact.total() - exact.core()) ==
        Approx(16.0 / 34));
}

TEST_CASE("coarse rules refuse what their documentation refuses", "[memory][errors]") {
  CHECK_THROWS_AS(coarse_transformer_activations({.layers = 0}, 2 * byte), invalid_input);
  CHECK_THROWS_AS(coarse_transformer_activations({}, 0 * byte), invalid_input);
  CHECK_THROWS_AS(coarse_layer_activations({.batch = 0}, 2 * byte), invalid_input);
  CHECK_THROWS_AS(coarse_layer_activations({}, 0 * byte), invalid_input);
  CHECK_THROWS_AS(coarse_checkpointed_activations({}, 0, 2 * byte), invalid_input);
  CHECK_THROWS_AS(coarse_checkpointed_activations({}, 1, 0 * byte), invalid_input);
  CHECK_THROWS_AS(coarse_fp16_adam(-1), invalid_input);
  CHECK_THROWS_AS(coarse_training_memory(-1 * GB), invalid_input);
  CHECK_THROWS_AS(coarse_workspace(-1 * GB), invalid_input);
}

}  // namespace
}  // namespace gpuplan
