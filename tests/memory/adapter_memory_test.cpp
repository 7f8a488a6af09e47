#include <gpuplan/memory/adapter_memory.hpp>

#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/random_job.hpp"

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

// Of chosen maps those that read an input keep it: the first of the network, or its last.
constexpr recipe beside_maps(adapted_map one) {
  recipe with = how;
  with.adapters.maps = {static_cast<unsigned>(one)};
  return with;
}
static_assert(kept_with(llama, layer_kind::dense, beside_maps(adapted_map::up)).ffn.input ==
              1024 * 4096 * bytes{2});
static_assert(kept_with(llama, layer_kind::dense, beside_maps(adapted_map::up)).attention.input ==
              bytes{0});
static_assert(kept_with(llama, layer_kind::dense, beside_maps(adapted_map::up)).between_maps ==
              1024 * 16 * bytes{2});
static_assert(kept_with(llama, layer_kind::dense, beside_maps(adapted_map::up)).ffn.hidden ==
              1024 * 2 * 14336 * bytes{2});
static_assert(kept_with(llama, layer_kind::dense, beside_maps(adapted_map::down)).ffn.input ==
              bytes{0});
static_assert(kept_with(llama, layer_kind::dense, beside_maps(adapted_map::down)).ffn.hidden ==
              1024 * 3 * 14336 * bytes{2});
static_assert(kept_with(llama, layer_kind::dense, beside_maps(adapted_map::value))
                  .attention.input == 1024 * 4096 * bytes{2});

// Routed experts are frozen whatever has adapters: their inputs are kept for nothing.
constexpr transformer mixtral = catalog::mixtral_8x7b_v0_1;
static_assert(kept_with(mixtral, layer_kind::moe, everywhere).ffn.dispatched == 0 * byte);
static_assert(kept_with(mixtral, layer_kind::moe, everywhere).ffn.input == 0 * byte,
              "no network beside the experts reads it for a gradient");
static_assert(read_by_adapters(everywhere, kept_with(mixtral, layer_kind::moe, everywhere)) ==
                  1024 * (4096 + 2 * 16) * bytes{2},
              "attention's input, and what lies between the maps of its two adapters");

// The last map of a network reads FP8 where its products do.
constexpr recipe in_fp8 = [] {
  recipe narrow = everywhere;
  narrow.precision = precision::mixed_fp8;
  return narrow;
}();
static_assert(read_by_adapters(in_fp8, kept_with(llama, layer_kind::dense, in_fp8)) ==
              1024 * (2 * 4096 + 14336 + 2 * 4 * 16) * bytes{1});

static_assert(adapters_on_rank(llama, how, {}, 2, 0).total() == 2 * 16 * 18432);
static_assert(frozen_beside({8 * GB, 8 * GB, 16 * GB, 32 * GB}, {1 * GB, 2 * GB, 3 * GB, 4 * GB})
                  .total() == 18 * GB);

TEST_CASE("the operator policy keeps all that it would of trained weights", "[memory][facts]") {
  recipe policy = how;
  policy.recompute = recompute::alternate_products;
  const layer_activations less = kept_with(llama, layer_kind::dense, policy);
  const layer_activations all = all_of(llama, layer_kind::dense);
  CHECK(kept_by(llama, policy, less) == kept_by(llama, policy, all));
  // What it makes again has no inputs of frozen maps of the network, but of two adapters between
  // their maps.
  CHECK(computed_again(llama, policy, all) - computed_again(llama, policy, less) ==
        1024 * (4096 + 14336 - 2 * 16) * bytes{2});
}

// Tables beside adapters stay in 16 bits with PyTorch alone; its adapters are FP32.
constexpr recipe with_pytorch{
    .sequence_length = 1024, .framework = framework::fsdp, .adapters = {.rank = 16}};
static_assert(bytes_per_parameter(recipe_of_adapters(with_pytorch)).total() == bytes{16});
static_assert(bytes_per_parameter(recipe_of_trained_tables(with_pytorch)).total() == bytes{8});
static_assert(bytes_per_parameter(recipe_of_adapters(how)).total() ==
              bytes_per_parameter(how).total());

constexpr recipe in_4_bits{.sequence_length = 1024,
                           .adapters = {.rank = 16, .base = base_weights::nf4}};
static_assert(frozen_weights_on_rank({.matrices = 1000, .vectors = 10, .tables = 100}, in_4_bits,
                                     state_rates_of(in_4_bits, {})) ==
              1000 * bytes_per_4_bit_weight({}) + 110 * bytes{2});
static_assert(frozen_weights_on_rank({.matrices = 1000, .experts = 500}, how,
                                     state_rates_of(how, {})) == 1500 * bytes{2});
static_assert(largest_matrix(weight_shapes_of(llama, {})) == 28672.0 * 4096);
static_assert(largest_matrix(weight_shapes_of(llama, {}), weight_shapes::moe_layers) == 0,
              "of the layers that a stage holds");

TEST_CASE("a trained table is a copy of 16 bits with PyTorch alone", "[memory][facts]") {
  const double table = 128256.0 * 4096;
  recipe alone = with_pytorch;
  const stage_footprint before = memory_footprint(llama, alone, {}).stage(0);
  alone.adapters.trained_tables = {static_cast<unsigned>(trained_table::embedding)};
  const stage_footprint one = memory_footprint(llama, alone, {}).stage(0);
  CHECK(one.states.total() - before.states.total() == table * bytes{8});
  CHECK(one.states.weights - before.states.weights == table * bytes{2});
  alone.adapters.trained_tables = {all_tables};
  CHECK(memory_footprint(llama, alone, {}).stage(0).states.total() - before.states.total() ==
        2 * table * bytes{8});

  transformer tied = llama;
  tied.tied_embeddings = true;
  CHECK(memory_footprint(tied, alone, {}).stage(0).states.weights -
            memory_footprint(tied, with_pytorch, {}).stage(0).states.weights ==
        table * bytes{2});
}

TEST_CASE("a 4-bit base is a quarter, and one matrix of it whole at a time", "[memory][facts]") {
  const stage_footprint plain = memory_footprint(llama, how, {}).stage(0);
  const stage_footprint small = memory_footprint(llama, in_4_bits, {}).stage(0);
  const double matrices = 32.0 * 4096 * (6144 + 4096 + 28672 + 14336);
  CHECK((plain.states.weights - small.states.weights).in(byte) ==
        Approx(matrices * (2 - 0.515869140625)).epsilon(1e-12));
  CHECK(small.layer_gradients - plain.layer_gradients == 2 * 28672.0 * 4096 * byte);
}

TEST_CASE("weights that are unpacked in steps are kept in 16 bits", "[memory][facts]") {
  recipe packed = in_4_bits;
  packed.adapters.base = base_weights::int4;
  const double of_layer = 4096.0 * (6144 + 4096 + 28672 + 14336);
  const stage_footprint plain = memory_footprint(llama, how, {}).stage(0);
  const stage_footprint kept = memory_footprint(llama, packed, {}).stage(0);
  CHECK(kept.activations - plain.activations == 32 * of_layer * 2 * byte);
  CHECK(kept.layer_gradients == plain.layer_gradients);

  recipe all_again = how;
  all_again.recompute = recompute::full;
  packed.recompute = recompute::full;
  const stage_footprint before = memory_footprint(llama, all_again, {}).stage(0);
  const stage_footprint again = memory_footprint(llama, packed, {}).stage(0);
  CHECK(again.activations == before.activations);
  CHECK(again.recomputed - before.recomputed == of_layer * 2 * byte);
}

TEST_CASE("a module that is computed again is not kept beside adapters", "[memory][facts]") {
  recipe with = how;
  with.attention = attention_kernel::unfused;
  const bytes all = memory_footprint(llama, with, {}).stage(0).activations;
  with.recompute_modules = {static_cast<unsigned>(recomputed_module::core_attn)};
  // What softmax writes: 2 B for each of 1,024 x 1,024 scores of 32 heads, in 32 layers.
  const bytes scores = 32.0 * 32 * 1024 * 1024 * 2 * byte;
  CHECK(all - memory_footprint(llama, with, {}).stage(0).activations == scores);
}

TEST_CASE("fewer bits of the base never need more memory", "[memory][property]") {
  testing::check_property("of any layout", [] {
    testing::random_job job = testing::random_job_any();
    job.recipe.adapters.rank = 1;
    const auto weights = [&](base_weights base) {
      job.recipe.adapters.base = base;
      return memory_footprint(job.model, job.recipe, job.parallelism).stage(0).states.weights;
    };
    RC_ASSERT(weights(base_weights::int4) == weights(base_weights::nf4));
    RC_ASSERT(weights(base_weights::int4) <= weights(base_weights::int8));
    RC_ASSERT(weights(base_weights::int8) == weights(base_weights::fp8));
    RC_ASSERT(weights(base_weights::int8) <= weights(base_weights::by_precision));
  });
}

}  // namespace
}  // namespace gpuplan
