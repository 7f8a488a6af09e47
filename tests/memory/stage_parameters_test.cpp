#include <gpuplan/memory/stage_parameters.hpp>

#include <cmath>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/random_job.hpp"

namespace gpuplan {
namespace {

constexpr transformer gpt{.layers = 12,
                          .hidden_size = 512,
                          .attention_heads = 8,
                          .ffn_size = 2048,
                          .vocabulary_size = 50304,
                          .tied_embeddings = true};

static_assert(layer_on_rank(gpt, layer_kind::dense, {}).total() ==
              parameters_of_layer(gpt, layer_kind::dense).total());
static_assert(layer_on_rank(gpt, layer_kind::dense, {}).vectors == 2 * 512, "two norms");
static_assert(layer_on_rank(gpt, layer_kind::dense, {.tensor = 4}).matrices ==
              12.0 * 512 * 512 / 4);
static_assert(layer_on_rank(gpt, layer_kind::dense, {.tensor = 4}).vectors == 2 * 512,
              "norms are whole on every rank");
static_assert(table_on_rank(gpt, {.tensor = 4}).tables == 50304.0 * 512 / 4);
static_assert(table_on_rank(gpt, {}).sides == 50304 + 512);

constexpr transformer experts = [] {
  transformer m = gpt;
  m.moe = {.experts = 8, .experts_per_token = 2, .ffn_size = 2048};
  return m;
}();
static_assert(layer_on_rank(experts, layer_kind::moe, {.data = 8, .expert = 4}).experts ==
              2 * 2.0 * 512 * 2048);
static_assert(layer_on_rank(experts, layer_kind::moe, {.data = 8, .expert = 4}).expert_sides ==
              2 * 2 * (512.0 + 2048));

constexpr transformer one_head = [] {
  transformer m = gpt;
  m.kv_heads = 1;
  return m;
}();
static_assert(layer_on_rank(one_head, layer_kind::dense, {.tensor = 8}).matrices ==
                  (2.0 * 512 * 512 + 2.0 * 512 * 2048) / 8 + 2.0 * 512 * 64,
              "every rank needs the one key-value head whole");
constexpr transformer crossed = [] {
  transformer m = one_head;
  m.encoder_layers = 1;
  return m;
}();
static_assert(layer_on_rank(crossed, layer_kind::dense, {.tensor = 8}).matrices ==
                  (2 * 2.0 * 512 * 512 + 2.0 * 512 * 2048) / 8 + 2 * 2.0 * 512 * 64,
              "and that of cross-attention");

TEST_CASE("all ranks together hold every parameter of a layer", "[memory][property]") {
  testing::check_property("ranks of a layer", [] {
    const testing::random_job job = testing::random_job_any();
    const parallelism& cut = job.parallelism;
    const layer_kind kind = job.model.moe_layers() > 0 ? layer_kind::moe : layer_kind::dense;
    const layer_parameters whole = parameters_of_layer(job.model, kind);
    const rank_parameters held = layer_on_rank(job.model, kind, cut);
    RC_ASSERT(held.dense() * cut.tensor >= (whole.total() - whole.routed_experts) * (1 - 1e-12));
    const double pieces = double(cut.expert) * cut.expert_tensor_ranks();
    RC_ASSERT(std::abs(held.experts * pieces - whole.routed_experts) <=
              1e-9 * whole.routed_experts);
  });
}

TEST_CASE("the ends of a model hold its embeddings, its final norm and its head",
          "[memory][facts]") {
  transformer m = gpt;
  m.positions = position_encoding::learned;
  m.position_rows = 1024;
  m.token_types = 2;
  m.pooler = true;
  const transformer_parameters count = parameters_of(m);
  const rank_parameters first = first_stage_on_rank(m, count, {.tensor = 2});
  CHECK(first.tables == 50304.0 * 256 + 1026.0 * 512);
  CHECK(first.largest_table == 50304.0 * 256);
  CHECK(first.tensors == 3);
  const rank_parameters last = last_stage_on_rank(m, count, {.tensor = 2});
  CHECK(last.vectors == 512);
  CHECK(last.matrices == 512.0 * 512 + 512);
}

TEST_CASE("matrices of a layer are counted once for each attention", "[memory]") {
  // Those of attention, again where it sees an encoder, and two of the network.
  const auto count = [](const layer_parameters& layer) {
    return detail::matrices_of_layer(gpt, layer);
  };
  const layer_parameters plain = parameters_of_layer(gpt, layer_kind::dense);
  layer_parameters beside = plain;
  beside.cross_attention = 1;
  layer_parameters bare = plain;
  bare.ffn_weights = 0;
  CHECK(count(beside) - count(plain) == attention_maps(gpt));
  CHECK(count(plain) - count(bare) == 2);
  CHECK(count(bare) == attention_maps(gpt));
}

}  // namespace
}  // namespace gpuplan
