#include <gpuplan/compute/layer_kernels.hpp>

#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

constexpr transformer plain{
    .layers = 2, .hidden_size = 64, .attention_heads = 4, .ffn_size = 256, .vocabulary_size = 100};

constexpr transformer with_latents(int query_rank) {
  transformer m = plain;
  m.latent = {.query_rank = query_rank,
              .kv_rank = 16,
              .rope_head_dim = 8,
              .content_head_dim = 16,
              .value_head_dim = 16};
  return m;
}

constexpr transformer with_shared(bool gate) {
  transformer m = plain;
  m.moe = {.experts = 4, .experts_per_token = 1, .ffn_size = 64, .shared_ffn_size = 64};
  m.moe.shared_gate = gate;
  return m;
}

constexpr recipe stepwise{};
constexpr recipe fused{.latent_rotary_fusion = software_choice::on};
constexpr recipe compiled{.framework = framework::fsdp2};

// Plain heads and one network are what others are counted beside.
static_assert(further_kernels(plain, layer_kind::dense, stepwise) == 0);
static_assert(further_kernels(plain, layer_kind::dense, fused) == 0);

// 37 kernels of latent attention where each step of a rotation is one, 10 where it is fused, two
// more with compressed queries; 8 of plain attention.
static_assert(further_kernels(with_latents(0), layer_kind::dense, stepwise) == 37 - 8);
static_assert(further_kernels(with_latents(0), layer_kind::dense, fused) == 10 - 8);
static_assert(further_kernels(with_latents(32), layer_kind::dense, stepwise) == 39 - 8);
static_assert(further_kernels(with_latents(32), layer_kind::dense, fused) == 12 - 8);

// A compiler fuses what the recipe does not say.
static_assert(further_kernels(with_latents(0), layer_kind::dense, compiled) == 2);

// Shared experts are a part of layers with experts alone.
static_assert(further_kernels(with_shared(false), layer_kind::moe, stepwise) == 4);
static_assert(further_kernels(with_shared(true), layer_kind::moe, stepwise) == 7);
static_assert(further_kernels(with_shared(true), layer_kind::dense, stepwise) == 0);

TEST_CASE("kernels of models as published", "[compute]") {
  const transformer& deepseek = catalog::deepseek_v3;
  CHECK(further_kernels(deepseek, layer_kind::dense, stepwise) == 31);
  CHECK(further_kernels(deepseek, layer_kind::moe, stepwise) == 35);
  CHECK(further_kernels(deepseek, layer_kind::moe, fused) == 8);
  CHECK(further_kernels(catalog::llama_3_8b, layer_kind::dense, stepwise) == 0);
  CHECK(further_kernels(catalog::mixtral_8x7b_v0_1, layer_kind::moe, stepwise) == 0);
}

TEST_CASE("a fusion launches no more than its steps", "[compute][properties]") {
  testing::check_property("fused against stepwise", [] {
    transformer m = with_latents(*rc::gen::inRange(0, 64));
    m.moe = with_shared(*rc::gen::arbitrary<bool>()).moe;
    const auto kind = *rc::gen::element(layer_kind::dense, layer_kind::moe);
    RC_ASSERT(further_kernels(m, kind, fused) < further_kernels(m, kind, stepwise));
    RC_ASSERT(further_kernels(m, kind, fused) > 0);
  });
}

}  // namespace
}  // namespace gpuplan
