#include <gpuplan/plan/step_time.hpp>

#include <set>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

static_assert(pipeline_bubble(8, 32) == 0.21875, "the source document's case, of the ideal time");
static_assert(pipeline_bubble(1, 1) == 0);
static_assert(pipeline_bubble(8, 32, 2) == pipeline_bubble(8, 32) / 2);

constexpr transformer model{.layers = 32,
                            .hidden_size = 4096,
                            .attention_heads = 32,
                            .ffn_size = 16384,
                            .vocabulary_size = 50304};
constexpr cluster pool{.node = {.gpu = {.memory = 80 * GiB,
                                        .memory_bandwidth = 2 * TB / second,
                                        .peak = {.bf16 = 312 * TFLOP / second}},
                                .gpus = 8,
                                .scale_up = {3 * us, 230 * GB / second},
                                .fabric = {14 * us, 25 * GB / second}},
                       .nodes = 16};
constexpr recipe how{.global_batch_size = 64, .sequence_length = 2048};

TEST_CASE("one GPU computes and updates, and does nothing else", "[plan][limits]") {
  const step_time alone = step_time_of(model, pool, how, {});
  CHECK(alone.total() == alone.compute + alone.optimizer);
  CHECK(alone.binding() == step_term::compute);
  const seconds at_peak = training_step_flop(model, how) / (312 * TFLOP / second);
  CHECK_THAT(alone.compute.in(second), WithinRel(at_peak.in(second), 1e-12));
}

TEST_CASE("the bubble of equal stages is (p - 1)/(v m) of the rest", "[plan][cross-check]") {
  transformer headless = model;
  headless.vocabulary_size = 1;
  const int chunks = GENERATE(1, 2);
  const step_time step =
      step_time_of(headless, pool, how, {.data = 4, .pipeline = 4, .interleave = chunks});
  const double share = step.bubble / step.compute;
  CHECK_THAT(share, WithinRel(pipeline_bubble(4, 16, chunks), 1e-4));
}

TEST_CASE("recomputation costs a third of forward and backward", "[plan][reference]") {
  // Full recomputation repeats the forward pass of the layers: 4/3 of them, the head once.
  recipe full = how;
  full.recompute = recompute::full;
  const double ratio =
      step_time_of(model, pool, full, {}).compute / step_time_of(model, pool, how, {}).compute;
  CHECK(ratio > 1.32);
  CHECK(ratio < 4.0 / 3);
}

TEST_CASE("terms are named, and the largest binds", "[plan][facts]") {
  std::set<std::string_view> names;
  for (const step_term term : step_terms) names.insert(name_of(term));
  CHECK(names.size() == step_terms.size());
  constexpr step_time mostly_data{.compute = 1 * second, .data = 2 * second};
  static_assert(mostly_data.binding() == step_term::data);
  static_assert(mostly_data[step_term::data] == 2 * second);
  static_assert(mostly_data.total() == 3 * second);
  CHECK_THROWS_AS(mostly_data[step_term{99}], invalid_input);
}

TEST_CASE("sharding parameters gathers them for every micro-batch", "[plan][property]") {
  recipe sharded = how;
  sharded.zero = zero_stage::parameters;
  const step_time few = step_time_of(model, pool, sharded, {.data = 8, .micro_batch_size = 8});
  const step_time many = step_time_of(model, pool, sharded, {.data = 8, .micro_batch_size = 1});
  CHECK(many.data > few.data);
  CHECK(step_time_of(model, pool, how, {.data = 8, .micro_batch_size = 1}).data ==
        step_time_of(model, pool, how, {.data = 8, .micro_batch_size = 8}).data);
}

TEST_CASE("pipeline_bubble refuses what its documentation refuses", "[plan][errors]") {
  CHECK_THROWS_AS(pipeline_bubble(0, 1), invalid_input);
  CHECK_THROWS_AS(pipeline_bubble(1, 0), invalid_input);
  CHECK_THROWS_AS(pipeline_bubble(1, 1, 0), invalid_input);
}

}  // namespace
}  // namespace gpuplan
