#include <gpuplan/memory/layer_memory.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

constexpr transformer sparse{.layers = 8,
                             .hidden_size = 512,
                             .attention_heads = 8,
                             .ffn_size = 2048,
                             .vocabulary_size = 50304,
                             .multi_token_prediction_layers = 1,
                             .moe = {.experts = 8,
                                     .experts_per_token = 2,
                                     .ffn_size = 1024,
                                     .first_dense_layers = 2,
                                     .dense_layers = 2}};
constexpr recipe how{.sequence_length = 1024};
constexpr micro_batch_tokens tokens_seen = tokens_on_rank(1024, how, {});
constexpr layer_kinds kinds = memory_of_layers(sparse, how, {}, {tokens_seen, tokens_seen}, {});

static_assert(kinds.dense.parameters.total() ==
              parameters_of_layer(sparse, layer_kind::dense).total());
static_assert(kinds.prediction.parameters.total() ==
              parameters_of_prediction_layer(sparse).total());
static_assert(kinds.encoder.parameters.total() == 0, "there is no encoder");
static_assert(kinds.dense.kept == kinds.dense.activations.total());
static_assert(kinds.dense.computed_again == bytes{0});

constexpr layer_counts held{.dense = 2, .moe = 3};
static_assert(held.total() == 5);
static_assert((held + held).moe == 6);
static_assert(sum_over(kinds, held, &layer_memory::kept) ==
              2 * kinds.dense.kept + 3 * kinds.moe.kept);
static_assert(sum_over(kinds, {}, &layer_memory::kept) == bytes{0});
static_assert(largest_of(kinds, held, [](const layer_memory& one) { return one.kept; }) ==
              kinds.moe.kept);
static_assert(largest_of(kinds, {.dense = 1}, [](const layer_memory& one) { return one.kept; }) ==
                  kinds.dense.kept,
              "only of layers that are there");

TEST_CASE("full recomputation keeps a layer's input and computes all again", "[memory][facts]") {
  recipe full = how;
  full.recompute = recompute::full;
  const layer_kinds again = memory_of_layers(sparse, full, {}, {tokens_seen, tokens_seen}, {});
  CHECK(again.moe.kept == kinds.moe.activations.attention.norm_input);
  CHECK(again.moe.until_weight_gradient == again.moe.activations.until_weight_gradient());
  CHECK(again.moe.computed_again == kinds.moe.kept);
}

TEST_CASE("layers of an encoder drop what is computed again", "[memory][facts]") {
  transformer both = sparse;
  both.moe = {};
  both.multi_token_prediction_layers = 0;
  both.encoder_layers = 8;
  recipe some = how;
  some.recompute_modules = {static_cast<unsigned>(recomputed_module::mlp)};
  const layer_memory all = memory_of_layers(both, how, {}, {tokens_seen, tokens_seen}, {}).encoder;
  const layer_memory less =
      memory_of_layers(both, some, {}, {tokens_seen, tokens_seen}, {}).encoder;
  CHECK(all.kept - less.kept == 1024.0 * (512 + 2 * 2048) * bytes{2});
  CHECK(less.computed_again == all.kept - less.kept);
}

TEST_CASE("one layer's backward pass has its own gradients", "[memory][facts]") {
  layer_kinds two;
  two.dense = {.computed_again = bytes{1}, .gradients = bytes{7}};
  two.moe = {.computed_again = bytes{5}, .gradients = bytes{4}};
  CHECK(detail::peaks_of(two, held).computed_again == bytes{5});
  CHECK(detail::peaks_of(two, held).gradients == bytes{4});
}

TEST_CASE("memory_of_layers refuses choices outside their enumerations", "[memory][errors]") {
  recipe wrong = how;
  wrong.recompute = static_cast<recompute>(99);
  CHECK_THROWS_AS(memory_of_layers(sparse, wrong, {}, {tokens_seen, tokens_seen}, {}),
                  invalid_input);
}

}  // namespace
}  // namespace gpuplan
