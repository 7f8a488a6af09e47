#include <gpuplan/model/recipe.hpp>

#include <array>
#include <vector>

#include <gpuplan/units/number_format.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

constexpr layer_split uneven{std::array{14, 16, 16, 14}};
static_assert(uneven.stages() == 4 && uneven.total() == 60);
static_assert(uneven.layers(0) == 14 && uneven.layers(3) == 14);
static_assert(layer_split{}.stages() == 0 && layer_split{}.total() == 0, "as equal as can be");
static_assert((require_valid(recipe{}), true), "the defaults are a recipe");

// Fused kernels rotate latent heads in compiled models, and in software of late 2025 on.
static_assert(!recipe{}.fuses_latent_rotary());
static_assert(recipe{.latent_rotary_fusion = software_choice::on}.fuses_latent_rotary());
static_assert(recipe{.framework = framework::fsdp2}.fuses_latent_rotary());
static_assert(recipe{.dispatcher = expert_dispatcher::hybrid_ep}.fuses_latent_rotary());
static_assert(!recipe{.dispatcher = expert_dispatcher::deep_ep}.fuses_latent_rotary());
static_assert(recipe{.precision = precision::mixed_nvfp4}.fuses_latent_rotary());
static_assert(recipe{.precision = precision::mixed_fp8, .fp8_recipe = fp8_recipe::mxfp8}
                  .fuses_latent_rotary());
static_assert(!recipe{.precision = precision::mixed_fp8}.fuses_latent_rotary());
static_assert(!recipe{.fp8_recipe = fp8_recipe::mxfp8}.fuses_latent_rotary(), "GEMMs in 16 bits");
static_assert(!recipe{.dispatcher = expert_dispatcher::hybrid_ep,
                      .latent_rotary_fusion = software_choice::off}
                   .fuses_latent_rotary());
static_assert(!recipe{.framework = framework::fsdp, .latent_rotary_fusion = software_choice::on}
                   .fuses_latent_rotary(),
              "eager code has no such kernels");

// Products of experts activate what they write with MXFP8 alone: as asked, else with HybridEP.
constexpr recipe in_blocks(expert_dispatcher by, software_choice asked) {
  return {.precision = precision::mixed_fp8,
          .dispatcher = by,
          .fp8_recipe = fp8_recipe::mxfp8,
          .expert_fusion = asked};
}
static_assert(
    in_blocks(expert_dispatcher::hybrid_ep, software_choice::by_framework).fuses_experts());
static_assert(
    !in_blocks(expert_dispatcher::deep_ep, software_choice::by_framework).fuses_experts());
static_assert(in_blocks(expert_dispatcher::deep_ep, software_choice::on).fuses_experts());
static_assert(!in_blocks(expert_dispatcher::hybrid_ep, software_choice::off).fuses_experts());
static_assert(!recipe{.expert_fusion = software_choice::on}.fuses_experts());
static_assert(!recipe{.precision = precision::mixed_fp8, .expert_fusion = software_choice::on}
                   .fuses_experts(),
              "scaled by tensor");

static_assert(zero_stage::none < zero_stage::optimizer &&
                  zero_stage::optimizer < zero_stage::gradients &&
                  zero_stage::gradients < zero_stage::parameters,
              "each stage divides what the one before does, and more");
static_assert(!std::is_convertible_v<int, zero_stage>, "ZeRO stages are named");
static_assert(!std::is_convertible_v<bool, recompute>);

static_assert(gradient_storage(recipe{}) == number_format::fp32);
static_assert(gradient_storage(recipe{.precision = precision::mixed_fp16}) == number_format::fp16);
static_assert(gradient_storage(recipe{.precision = precision::mixed_fp16,
                                      .weights = weight_storage::fp32}) == number_format::fp32,
              "FP32 weights have FP32 gradients");
static_assert(gradient_storage(recipe{.gradient = gradient_format::bf16,
                                      .weights = weight_storage::fp32}) == number_format::bf16);

static_assert(gradient_reduction(recipe{.precision = precision::mixed_fp16}) == number_format::fp16,
              "Megatron-LM: as accumulated");
static_assert(gradient_reduction(recipe{}) == number_format::fp32);
static_assert(gradient_reduction(recipe{.precision = precision::mixed_fp16,
                                        .framework = framework::fsdp2}) == number_format::fp32);
static_assert(gradient_reduction(recipe{.gradient = gradient_format::bf16}) == number_format::bf16);
static_assert(gradient_reduction(recipe{.gradient = gradient_format::bf16,
                                        .reduction = reduction_format::fp16}) ==
              number_format::fp16);
static_assert(gradient_reduction(recipe{.gradient = gradient_format::fp16,
                                        .reduction = reduction_format::bf16}) ==
              number_format::bf16);
static_assert(gradient_reduction(recipe{.gradient = gradient_format::bf16,
                                        .reduction = reduction_format::fp32}) ==
              number_format::fp32);
static_assert(gradient_reduction(recipe{.framework = framework::megatron_deepspeed}) ==
              number_format::bf16);
static_assert(gradient_reduction(recipe{.precision = precision::tf32,
                                        .framework = framework::megatron_deepspeed}) ==
              number_format::fp32);

TEST_CASE("a format of reduction is one of its values", "[model][errors]") {
  recipe how;
  how.reduction = reduction_format{99};
  CHECK_THROWS_AS(gradient_reduction(how), invalid_input);
}

TEST_CASE("a split refuses what it cannot hold", "[model][errors]") {
  CHECK_THROWS_AS(layer_split{std::vector<int>(129, 1)}, invalid_input);
  CHECK(layer_split{std::vector<int>(128, 1)}.total() == 128);
  CHECK_THROWS_AS(layer_split{std::array{-1}}, invalid_input);
  CHECK_THROWS_AS(layer_split{std::array{65536}}, invalid_input);
}

TEST_CASE("a recipe out of range is refused", "[model][errors]") {
  const auto refused = [](auto change) {
    recipe how;
    change(how);
    CHECK_THROWS_AS(require_valid(how), invalid_input);
  };
  refused([](recipe& r) { r.global_batch_size = 0; });
  refused([](recipe& r) { r.sequence_length = 0; });
  refused([](recipe& r) { r.encoder_sequence_length = -1; });
  refused([](recipe& r) { r.recompute_every = 0; });
  refused([](recipe& r) { r.expert_imbalance = 0.9; });
  refused([](recipe& r) { r.adapters.rank = -1; });
  refused([](recipe& r) { r.offloaded_activations = 1.1; });
}

}  // namespace
}  // namespace gpuplan
