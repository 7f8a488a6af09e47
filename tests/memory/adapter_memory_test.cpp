#include <gpuplan/memory/adapter_memory.hpp>

#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr transformer llama = catalog::llama_3_8b;  // 4096 wide, networks of 14336
constexpr recipe how{.sequence_length = 1024, .adapters = {.rank = 16}};
constexpr recipe everywhere{.sequence_length = 1024,
                            .adapters = {.rank = 16, .place = adapter_place::attention_and_ffn}};

constexpr layer_activations kept_with(const transformer& m, layer_kind kind, const recipe& with) {
  const micro_batch_tokens seen = tokens_on_rank(with.sequence_length, with, {});
  return with_adapters(decoder_layer(m, kind, with, {}, {seen, seen}), m, kind, with, {}, seen);
}
constexpr layer_activations all_of(const transformer& m, layer_kind kind) {
  const micro_batch_tokens seen = tokens_on_rank(how.sequence_length, how, {});
  return decoder_layer(m, kind, how, {}, {seen, seen});
}

// Beside attention alone: the network's input and its product of 14336 are for weight gradients.
static_assert(all_of(llama, layer_kind::dense).total() -
                  kept_with(llama, layer_kind::dense, how).total() ==
              1024 * (4096 + 14336 - 2 * 16) * bytes{2});
static_assert(kept_with(llama, layer_kind::dense, everywhere).total() -
                  all_of(llama, layer_kind::dense).total() ==
              1024 * 4 * 16 * bytes{2});

// Routed experts are frozen whatever has adapters: their inputs are kept for nothing.
constexpr transformer mixtral = catalog::mixtral_8x7b_v0_1;
static_assert(kept_with(mixtral, layer_kind::moe, everywhere).ffn.dispatched == 0 * byte);
static_assert(kept_with(mixtral, layer_kind::moe, everywhere).ffn.input == 0 * byte,
              "no network beside the experts reads it for a gradient");

static_assert(adapters_on_rank(llama, how, {}, 2, 0).total() == 2 * 16 * 18432);
static_assert(frozen_beside({8 * GB, 8 * GB, 16 * GB, 32 * GB}, {1 * GB, 2 * GB, 3 * GB, 4 * GB})
                  .total() == 18 * GB);

TEST_CASE("the operator policy keeps all that it would of trained weights", "[memory][facts]") {
  recipe policy = how;
  policy.recompute = recompute::alternate_products;
  CHECK(kept_with(llama, layer_kind::dense, policy).total() ==
        all_of(llama, layer_kind::dense).total());
}

}  // namespace
}  // namespace gpuplan
