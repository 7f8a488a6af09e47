#include <gpuplan/memory/recomputed_modules.hpp>

#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/memory/layer_memory.hpp>
#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr transformer deepseek = catalog::deepseek_v3;
constexpr transformer llama = catalog::llama_3_8b;

template <class... Parts>
constexpr recipe again(Parts... parts) {
  return {.sequence_length = 1024,
          .recompute_modules = {(0U | ... | static_cast<unsigned>(parts))}};
}

constexpr layer_activations layer_of(const transformer& m, layer_kind kind,
                                     const kernel_memory& kernels = {}) {
  const recipe how{.sequence_length = 1024};
  const micro_batch_tokens seen = tokens_on_rank(how.sequence_length, how, {});
  return decoder_layer(m, kind, how, {}, {seen, seen}, kernels);
}

template <class... Parts>
constexpr recomputed_parts parts_of(const transformer& m, layer_kind kind, Parts... parts) {
  return recomputed_parts_of(m, kind, again(parts...), layer_of(m, kind));
}

using enum recomputed_module;
constexpr layer_activations experts = layer_of(deepseek, layer_kind::moe);
constexpr layer_activations dense = layer_of(llama, layer_kind::dense);

static_assert(parts_of(llama, layer_kind::dense).all == bytes{0});

// Up-projections: 128 heads of 192 for queries and keys and of 128 for values, 2 B each.
static_assert(parts_of(deepseek, layer_kind::moe, mla_up_proj).all ==
              1024.0 * 128 * (192 + 192 + 128) * bytes{2});
static_assert(parts_of(llama, layer_kind::dense, mla_up_proj).all == bytes{0}, "has no latents");

// The product of gate and first map of 8 experts a token, 2048 wide.
static_assert(parts_of(deepseek, layer_kind::moe, moe_act).all == 1024.0 * 8 * 2048 * bytes{2});
static_assert(parts_of(llama, layer_kind::dense, moe_act).all == bytes{0});

// All of the experts: router, arriving tokens, networks and the shared one; a part counts once.
constexpr bytes whole = experts.ffn.router + experts.ffn.dispatched + experts.ffn.experts;
static_assert(parts_of(deepseek, layer_kind::moe, moe).all == whole + experts.ffn.shared);
static_assert(parts_of(deepseek, layer_kind::moe, moe, moe_act, shared_experts).all ==
              parts_of(deepseek, layer_kind::moe, moe).all);
static_assert(parts_of(deepseek, layer_kind::moe, moe).largest == whole);
static_assert(parts_of(deepseek, layer_kind::moe, shared_experts).all == experts.ffn.shared);

// Steps that are not fused are dropped with the product: the gate's activation, and the product
// before its routing probability.
constexpr layer_activations unfused =
    layer_of(deepseek, layer_kind::moe, {.activation_fused = false});
static_assert(recomputed_parts_of(deepseek, layer_kind::moe, again(moe_act), unfused).all ==
              3 * 1024.0 * 8 * 2048 * bytes{2});

// With kernels that permute tokens the outputs of experts too, and their products in FP32.
constexpr layer_activations permuted =
    layer_of(deepseek, layer_kind::moe, {.experts_permuted = true});
static_assert(recomputed_parts_of(deepseek, layer_kind::moe, again(moe), permuted).all -
                  parts_of(deepseek, layer_kind::moe, moe).all ==
              1024.0 * 8 * 7168 * bytes{2 + 4});

// The network of a dense layer: 4096 in, 6 x 14336; not of a layer with experts.
static_assert(parts_of(llama, layer_kind::dense, mlp).all ==
              1024.0 * (4096 + 3 * 14336) * bytes{2});
static_assert(parts_of(deepseek, layer_kind::moe, mlp).all == bytes{0});

// Norms that are a kernel of their own: before latent attention and before experts.
static_assert(parts_of(deepseek, layer_kind::moe, layernorm).all ==
              experts.attention.input + experts.ffn.input);
static_assert(parts_of(llama, layer_kind::dense, layernorm).all == bytes{0});

static_assert(parts_of(llama, layer_kind::dense, core_attn).all == dense.core());

TEST_CASE("what is computed again beside selective recomputation counts once", "[memory][facts]") {
  recipe both = again(core_attn);
  both.recompute = recompute::selective;
  CHECK(recomputed_parts_of(llama, layer_kind::dense, both, dense).all == bytes{0});
}

TEST_CASE("more modules never keep more", "[memory][property]") {
  testing::check_property("of any set of modules", [] {
    const bool selective = *rc::gen::arbitrary<bool>();
    const bool sharded = *rc::gen::arbitrary<bool>();
    const unsigned some = *rc::gen::inRange(0U, all_modules + 1);
    const unsigned one = 1U << *rc::gen::inRange(0, 7);
    const transformer m = *rc::gen::arbitrary<bool>() ? deepseek : llama;
    recipe how = again();
    how.global_batch_size = 8;
    how.zero = sharded ? zero_stage::optimizer : zero_stage::none;
    how.recompute = selective ? recompute::selective : recompute::none;
    how.recompute_modules = {some};
    const parallelism cut{.pipeline = 2};
    const stage_footprint before = memory_footprint(m, how, cut).stage(0);
    how.recompute_modules.bits |= one;
    const stage_footprint after = memory_footprint(m, how, cut).stage(0);
    RC_ASSERT(after.activations <= before.activations);
    RC_ASSERT(after.recomputed >= before.recomputed);
    RC_ASSERT(after.activations + after.recomputed >= bytes{0});
  });
}

}  // namespace
}  // namespace gpuplan
