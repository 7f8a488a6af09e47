#include <gpuplan/plan/layout_fault.hpp>

#include <cstdint>

#include <gpuplan/plan/reject.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

constexpr transformer llama{.layers = 32,
                            .hidden_size = 4096,
                            .attention_heads = 32,
                            .kv_heads = 8,
                            .ffn_size = 14336,
                            .vocabulary_size = 128256,
                            .gated_ffn = true};
constexpr recipe how{.global_batch_size = 64, .sequence_length = 8192};

constexpr reject_reason fault(const parallelism& cut, const recipe& with = how,
                              const transformer& m = llama, std::int64_t gpus = 1024) {
  return layout_fault(m, gpus, with, cut).reason;
}

static_assert(fault({.data = 2, .tensor = 4, .pipeline = 4}) == reject_reason::none);
static_assert(fault({.data = 64, .tensor = 8, .pipeline = 4}) == reject_reason::gpus);
static_assert(fault({.tensor = 3}) == reject_reason::attention_heads);
static_assert(fault({.tensor = 16}) == reject_reason::none, "8 kv heads on 16 ranks: each twice");
static_assert(fault({.data = 3}) == reject_reason::batch);
static_assert(fault({.data = 32, .micro_batch_size = 4}) == reject_reason::batch);
static_assert(fault({.pipeline = 33}) == reject_reason::layers);
static_assert(fault({.pipeline = 5}) == reject_reason::none, "stages may differ by a layer");
static_assert(fault({.pipeline = 4, .interleave = 3}) == reject_reason::layers);
static_assert(fault({.pipeline = 2, .interleave = 17}) == reject_reason::none,
              "32 layers and two ends make 34 pieces");
static_assert(fault({.pipeline = 4, .interleave = 17}) == reject_reason::layers);
static_assert(fault({.interleave = 2}) == reject_reason::interleave);
static_assert(fault({.data = 32, .pipeline = 4, .interleave = 2}) == reject_reason::micro_batches,
              "two micro-batches on four stages");
constexpr recipe grouped(int batch, int group) {
  recipe with = how;
  with.global_batch_size = batch;
  with.interleave_group = group;
  return with;
}
constexpr parallelism chunked{.pipeline = 4, .interleave = 2};
static_assert(fault(chunked, grouped(5, 5)) == reject_reason::none, "one group of five");
static_assert(fault(chunked, grouped(9, 5)) == reject_reason::none, "five, then four");
static_assert(fault(chunked, grouped(8, 5)) == reject_reason::micro_batches, "five, then three");
static_assert(fault(chunked, grouped(8, 3)) == reject_reason::micro_batches, "groups of three");
static_assert(fault(chunked, grouped(4, 5)) == reject_reason::micro_batches, "four of five");
static_assert(fault({.context = 3}) == reject_reason::sequence);
// A table of 512 positions: of both sequences, where there is an encoder.
constexpr transformer learned(int encoder_layers) {
  transformer m = llama;
  m.positions = position_encoding::learned;
  m.position_rows = 512;
  m.encoder_layers = encoder_layers;
  return m;
}
constexpr recipe of_tokens(int decoded, int encoded) {
  recipe with = how;
  with.sequence_length = decoded;
  with.encoder_sequence_length = encoded;
  return with;
}
static_assert(fault({}, of_tokens(512, 0), learned(0)) == reject_reason::none);
static_assert(fault({}, of_tokens(513, 0), learned(0)) == reject_reason::positions);
static_assert(fault({}, of_tokens(512, 1024), learned(0)) == reject_reason::none);
static_assert(fault({}, of_tokens(512, 512), learned(4)) == reject_reason::none);
static_assert(fault({}, of_tokens(512, 1024), learned(4)) == reject_reason::positions);
static_assert(position_fault(learned(4), of_tokens(512, 1024)).needed == 1024);
static_assert(!position_fault(llama, of_tokens(1 << 20, 0)));
// Eight key-value heads: all-to-alls over eight ranks at most, and a sequence cut once.
static_assert(fault({.context = 8, .exchange = context_exchange::all_to_all}) ==
              reject_reason::none);
static_assert(fault({.context = 16, .exchange = context_exchange::all_to_all}) ==
              reject_reason::context_heads);
static_assert(fault({.tensor = 2, .context = 8, .exchange = context_exchange::all_to_all}) ==
              reject_reason::context_heads);
static_assert(fault({.tensor = 2, .context = 8}) == reject_reason::none, "a ring needs no heads");
static_assert(fault({.data = 4, .shard_group = 3}) == reject_reason::shard_group);
static_assert(fault({.expert = 2}) == reject_reason::experts, "a dense model has no experts");
static_assert(layout_fault(llama, 1024, how, {.expert = 2}).available == 0);
// Stages beside one another: those of the experts must be those of the dense layers.
constexpr reject_reason ordered(group_order order, int tensor, int expert, int pipeline) {
  transformer mixture = llama;
  mixture.moe = {.experts = 8, .experts_per_token = 2, .ffn_size = 14336};
  recipe whole = how;
  whole.sequence_parallel = true;
  return fault({.data = 4,
                .tensor = tensor,
                .pipeline = pipeline,
                .expert = expert,
                .expert_tensor = 1,
                .order = order},
               whole, mixture);
}
static_assert(ordered(group_order::pipeline_then_data, 4, 4, 2) == reject_reason::none);
static_assert(ordered(group_order::pipeline_then_data, 4, 8, 2) == reject_reason::expert_order);
static_assert(ordered(group_order::pipeline_then_data, 4, 8, 1) == reject_reason::none);
static_assert(ordered(group_order::data_then_pipeline, 4, 8, 2) == reject_reason::none);
static_assert(fault({.data = 4, .pipeline = 4, .order = group_order::pipeline_then_data}) ==
                  reject_reason::none,
              "a dense model has no experts to misplace");

constexpr recipe with_schedule(pipeline_schedule schedule) {
  recipe other = how;
  other.schedule = schedule;
  return other;
}
static_assert(fault({.pipeline = 4, .interleave = 2}, with_schedule(pipeline_schedule::gpipe)) ==
              reject_reason::schedule);

constexpr recipe with_split(layer_split split) {
  recipe other = how;
  other.split = split;
  return other;
}
static_assert(fault({.pipeline = 2}, with_split(layer_split{std::array{15, 17}})) ==
              reject_reason::none);
static_assert(fault({.pipeline = 2}, with_split(layer_split{std::array{15, 16}})) ==
              reject_reason::split);
static_assert(fault({.pipeline = 3}, with_split(layer_split{std::array{15, 17}})) ==
              reject_reason::split);
static_assert(fault({.pipeline = 2, .interleave = 4}, with_split(layer_split{std::array{29, 3}})) ==
              reject_reason::none);
static_assert(fault({.pipeline = 2, .interleave = 4}, with_split(layer_split{std::array{30, 2}})) ==
                  reject_reason::layers,
              "two layers and the head are no four chunks");

constexpr transformer mixtral = [] {
  transformer m = llama;
  m.moe = {.experts = 8, .experts_per_token = 2, .ffn_size = 14336};
  return m;
}();
static_assert(fault({.data = 8, .expert = 8}, how, mixtral) == reject_reason::none);
static_assert(fault({.data = 8, .expert = 3}, how, mixtral) == reject_reason::experts);
static_assert(fault({.data = 2, .expert = 8}, how, mixtral) == reject_reason::expert_ranks);
constexpr recipe sharded(zero_stage stage, framework software) {
  recipe with = how;
  with.zero = stage;
  with.framework = software;
  return with;
}
static_assert(fault({.data = 8}, sharded(zero_stage::optimizer, framework::fsdp2)) ==
              reject_reason::sharding);
static_assert(fault({.data = 8}, sharded(zero_stage::gradients, framework::fsdp2)) ==
              reject_reason::none);
static_assert(fault({.data = 8}, sharded(zero_stage::optimizer, framework::fsdp)) ==
              reject_reason::none);
static_assert(fault({.data = 2, .expert_tensor = 4}, how) == reject_reason::expert_ranks,
              "of a dense model, too: two ranks hold no group of four");
static_assert(fault({.data = 8, .expert_tensor = 4}, how) == reject_reason::none);
static_assert(fault({.data = 2, .tensor = 4, .expert = 8, .expert_tensor = 1}, how, mixtral) ==
                  reject_reason::expert_tokens,
              "four ranks with the same tokens");
constexpr recipe by_tokens = [] {
  recipe other = how;
  other.sequence_parallel = true;
  return other;
}();
static_assert(fault({.data = 2, .tensor = 4, .expert = 8, .expert_tensor = 1}, by_tokens,
                    mixtral) == reject_reason::none);

// 16 of 32 layers with a delta net of 6 heads.
constexpr transformer hybrid = [] {
  transformer m = llama;
  m.recurrent = {
      .layers = 16,
      .attention_layers = 16,
      .linear = {.key_heads = 6, .value_heads = 6, .key_head_dim = 128, .value_head_dim = 128}};
  return m;
}();
constexpr recipe adapting = [] {
  recipe with = how;
  with.adapters.rank = 8;
  return with;
}();
static_assert(fault({.data = 8, .tensor = 2}, how, hybrid) == reject_reason::none);
static_assert(fault({.data = 8, .tensor = 4}, how, hybrid) == reject_reason::recurrent_heads);
static_assert(fault({.data = 8, .context = 2}, how, hybrid) == reject_reason::recurrence);
constexpr transformer two_groups = [] {
  transformer m = hybrid;
  m.recurrent.linear = {};
  m.recurrent.space = {.channels = 1024, .state_size = 128, .heads = 16, .groups = 2};
  return m;
}();
static_assert(fault({.data = 8, .tensor = 2}, how, two_groups) == reject_reason::none);
static_assert(fault({.data = 8, .tensor = 4}, how, two_groups) == reject_reason::recurrent_groups,
              "4 divides 16 heads, but not 2 groups");
static_assert(fault({.data = 8, .context = 2}) == reject_reason::none);

// An index of tokens; windowed layers with 24 heads of 6 key-value heads; experts of half a state.
constexpr transformer indexed = [] {
  transformer m = llama;
  m.sparse = {.heads = 4, .head_dim = 64, .tokens = 512, .layers = 32, .attending_layers = 32};
  return m;
}();
constexpr transformer uneven = [] {
  transformer m = llama;
  m.sliding_window = 128;
  m.listed_windowed_layers = 16;
  m.windowed = {.attention_heads = 24, .kv_heads = 6, .head_dim = 64, .value_dim = 64};
  return m;
}();
constexpr transformer narrowed = [] {
  transformer m = mixtral;
  m.moe.latent_size = m.hidden_size / 2;
  return m;
}();
static_assert(fault({.data = 8, .tensor = 8}, how, indexed) == reject_reason::none);
static_assert(fault({.data = 8, .context = 2}, how, indexed) == reject_reason::token_choice);
static_assert(fault({.data = 8, .context = 2}, how, uneven) == reject_reason::token_choice);
static_assert(fault({.data = 8, .tensor = 2}, how, uneven) == reject_reason::none);
static_assert(fault({.data = 8, .tensor = 4}, how, uneven) == reject_reason::kv_heads);
static_assert(fault({.data = 2, .tensor = 16}, how, uneven) == reject_reason::attention_heads);
static_assert(fault({.data = 8}, adapting, indexed) == reject_reason::adapted_model);
static_assert(fault({.data = 8}, adapting, uneven) == reject_reason::adapted_model);
static_assert(fault({.data = 8}, adapting, narrowed) == reject_reason::adapted_model);
static_assert(fault({.data = 8}, adapting, mixtral) == reject_reason::none);
static_assert(fault({.data = 8}, adapting, hybrid) == reject_reason::adapted_model);
static_assert(fault({.data = 8}, adapting) == reject_reason::none);

TEST_CASE("a reject says what is needed beside what there is", "[plan][facts]") {
  const reject no = layout_fault(llama, 8, how, {.data = 2, .tensor = 8});
  CHECK(no.reason == reject_reason::gpus);
  CHECK(no.needed == 16);
  CHECK(no.available == 8);
  CHECK(static_cast<bool>(no));
}

}  // namespace
}  // namespace gpuplan
