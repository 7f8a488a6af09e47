#include <gpuplan/memory/ffn_activations.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr transformer gpt{.layers = 1,
                          .hidden_size = 1024,
                          .attention_heads = 16,
                          .ffn_size = 4096,
                          .vocabulary_size = 1000};
constexpr recipe classic{.sequence_length = 512, .dropout = true};
constexpr recipe plain{.sequence_length = 512};

constexpr ffn_activations dense(const transformer& m, const recipe& how, const parallelism& cut,
                                const kernel_memory& kernels = {}) {
  return dense_ffn(m, how, cut, tokens_on_rank(how.sequence_length, how, cut), kernels);
}

constexpr double sbh = 512.0 * 1024;
constexpr ffn_activations whole = dense(gpt, classic, {});
static_assert(whole.total() - whole.norm_input == 19 * sbh * byte,
              "Korthikanti et al. (2023), section 4.1: 19 s b h");
static_assert(whole.hidden == 16 * sbh * byte);
static_assert(dense(gpt, classic, {.tensor = 4}).hidden == 4 * sbh * byte);

static_assert(ffn_activations{1 * byte, 2 * byte, 4 * byte, 8 * byte, 16 * byte, 32 * byte,
                              64 * byte, 128 * byte}
                      .total() == 255 * byte,
              "each part once");

constexpr transformer gated = [] {
  transformer m = gpt;
  m.gated_ffn = true;
  return m;
}();
static_assert(dense(gated, plain, {}).hidden == 24 * sbh * byte, "gate, up, product: 6 f");
static_assert(dense(gated, plain, {}, {.activation_fused = false}).hidden == 32 * sbh * byte,
              "and silu(gate): 8 f");

constexpr transformer beside = [] {
  transformer m = gpt;
  m.parallel_residual = true;
  m.norms_per_layer = 1;
  return m;
}();
static_assert(dense(beside, plain, {}).input == bytes{0}, "attention keeps the common input");

constexpr recipe fp8{.sequence_length = 512, .precision = precision::mixed_fp8};
static_assert(dense(gpt, fp8, {}).hidden == 12 * sbh * byte,
              "before the activation function in BF16, after it an FP8 operand");

constexpr transformer experts = [] {
  transformer m = gated;
  m.moe = {.experts = 8, .experts_per_token = 2, .ffn_size = 4096};
  return m;
}();
constexpr ffn_activations routed(const parallelism& cut, const kernel_memory& kernels = {},
                                 const transformer& m = experts) {
  return moe_ffn(m, plain, cut, tokens_on_rank(512, plain, cut), kernels);
}
static_assert(routed({}).experts == 2 * dense(gated, plain, {}).hidden,
              "each token visits two experts of the dense width");
static_assert(routed({}).dispatched == 2 * 2 * sbh * byte);
static_assert(routed({}).router == 4 * 8 * 512.0 * byte);
static_assert(routed({.data = 8, .expert = 8}).total() == routed({.data = 8}).total(),
              "balanced, a rank serves as many tokens as it sends");
constexpr recipe uneven = [] {
  recipe how = plain;
  how.expert_imbalance = 1.5;
  return how;
}();
static_assert(moe_ffn(experts, uneven, {}, tokens_on_rank(512, uneven, {})).experts ==
              1.5 * routed({}).experts);
static_assert(routed({}, {.activation_fused = false}).experts >
              routed({}).experts + 2.0 * 2 * 512 * 4096 * byte);

TEST_CASE("shared experts are kept as a dense network of their width", "[memory][facts]") {
  transformer m = experts;
  m.moe.shared_ffn_size = 4096;
  CHECK(routed({}, {}, m).shared == dense(gated, plain, {}).hidden);
  CHECK(routed({.tensor = 4}, {}, m).shared == dense(gated, plain, {}).hidden / 4);
}

TEST_CASE("an FFN of unknown precision is refused", "[memory][errors]") {
  recipe how = plain;
  how.precision = static_cast<precision>(99);
  CHECK_THROWS_AS(dense(gpt, how, {}), invalid_input);
}

// Activations stored in FP8: what SwiGLU reads has a byte a value instead of two.
constexpr recipe in_fp8{.sequence_length = 1024, .precision = precision::mixed_fp8};
constexpr recipe stored_in_fp8{
    .sequence_length = 1024, .precision = precision::mixed_fp8, .stored = activation_storage::fp8};
constexpr transformer stored_gated{.layers = 1,
                                   .hidden_size = 512,
                                   .attention_heads = 8,
                                   .ffn_size = 1024,
                                   .vocabulary_size = 1000,
                                   .gated_ffn = true};
static_assert(dense_ffn(stored_gated, in_fp8, {}, tokens_on_rank(1024, in_fp8, {})).hidden ==
              1024.0 * 1024 * 5 * byte);
static_assert(dense_ffn(stored_gated, stored_in_fp8, {}, tokens_on_rank(1024, in_fp8, {})).hidden ==
              1024.0 * 1024 * 3 * byte);

// Tokens fill experts up to their capacity, whatever the imbalance.
constexpr transformer filled = [] {
  transformer m = stored_gated;
  m.moe = {.experts = 8, .experts_per_token = 2, .ffn_size = 1024};
  return m;
}();
constexpr ffn_activations filled_by(const recipe& how, const kernel_memory& kernels = {},
                                    const parallelism& cut = {}) {
  return moe_ffn(filled, how, cut, tokens_on_rank(1024, how, cut), kernels);
}
static_assert(filled_by({.expert_capacity_factor = 1.5}).dispatched ==
              1.5 * filled_by({}).dispatched);

// Permuted copies: outputs of experts in 16 and 32 bits, and what all-to-alls return.
static_assert(filled_by({}).returned == bytes{0} && filled_by({}).exchanged == bytes{0});
static_assert(filled_by({}, {.experts_permuted = true}).returned == 1024.0 * 2 * 512 * 6 * byte);
static_assert(filled_by({}, {.experts_permuted = true}).exchanged == bytes{0});
static_assert(filled_by({}, {.experts_permuted = true}, {.data = 8, .expert = 8}).exchanged ==
              1024.0 * 2 * 512 * 4 * byte);

}  // namespace
}  // namespace gpuplan
