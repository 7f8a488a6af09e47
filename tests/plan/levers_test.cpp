#include <gpuplan/plan/levers.hpp>

#include <set>
#include <string_view>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

constexpr search_start usual{.recipe = {.global_batch_size = 8, .sequence_length = 2048}};

constexpr search_start after(lever one, int strength, search_start from = usual) {
  require(pull(one, strength, from), "after: the lever must change something");
  return from;
}

template <class... Args>
concept pulls = requires(search_start from, Args... args) {
  pull(args..., from);
};
static_assert(pulls<lever, int>);
static_assert(!pulls<int, int>, "a lever, not its place");

static_assert(after(lever::offload_optimizer, 1).recipe.offload == offloaded_states::optimizer);
static_assert(after(lever::offload_all, 1).recipe.offload == offloaded_states::all);
static_assert(after(lever::offload_activations, 1).recipe.offloaded_activations == 1);
static_assert(after(lever::chunked_loss, 1).recipe.loss == loss_kernel::chunked);
static_assert(after(lever::adam_8bit, 1).recipe.optimizer == optimizer::adam_8bit);
static_assert(after(lever::bf16_moments, 1).recipe.moments == moment_format::bf16);
static_assert(after(lever::bf16_gradients, 1).recipe.gradient == gradient_format::bf16);
static_assert(after(lever::pure_bf16, 1).recipe.precision == precision::bf16);
static_assert(after(lever::adapters, 1).recipe.adapters.rank == proposed_adapter_rank);
static_assert(after(lever::adapters, 1).recipe.adapters.base == base_weights::by_precision);
static_assert(after(lever::adapters, 2).recipe.adapters.rank == proposed_adapter_rank);
static_assert(after(lever::adapters, 2).recipe.adapters.base == base_weights::nf4);
static_assert(after(lever::shorter_sequence, 2).recipe.sequence_length == 512);
static_assert(after(lever::layout, 1).vary.context);
static_assert(after(lever::layout, 1).vary.interleave);

constexpr search_start one_replica{.recipe = usual.recipe,
                                   .vary = {.tensor = false,
                                            .pipeline = false,
                                            .data = false,
                                            .expert = false,
                                            .interleave = false},
                                   .replicas_alone = true};
static_assert(after(lever::layout, 1, one_replica).vary.data);
static_assert(!after(lever::layout, 1, one_replica).vary.pipeline,
              "a launch of replicas alone has no stages");

TEST_CASE("a lever has the strengths that change something", "[plan][facts]") {
  CHECK(strengths_of(lever::offload_all, usual) == 1);
  CHECK(strengths_of(lever::adapters, usual) == 2);
  CHECK(strengths_of(lever::shorter_sequence, usual) == 3);
  CHECK(strengths_of(lever::zero, usual) == 0);
  search_start odd = usual;
  odd.recipe.sequence_length = 2 * 257;
  CHECK(strengths_of(lever::shorter_sequence, odd) == 1);
  odd.recipe.sequence_length = 2047;
  CHECK(strengths_of(lever::shorter_sequence, odd) == 0);
}

TEST_CASE("what is fixed is left to the search", "[plan][facts]") {
  search_start fixed = usual;
  fixed.vary = {.tensor = false,
                .pipeline = false,
                .data = false,
                .expert = false,
                .micro_batch = false,
                .zero = false,
                .recompute = false,
                .sequence_parallel = false};
  CHECK(after(lever::layout, 1, fixed).vary.tensor);
  CHECK_FALSE(after(lever::layout, 1, fixed).vary.zero);
  CHECK(after(lever::micro_batch, 1, fixed).vary.micro_batch);
  CHECK(after(lever::zero, 1, fixed).vary.zero);
  CHECK(after(lever::recompute, 1, fixed).vary.recompute);
  CHECK(strengths_of(lever::sequence_parallel, fixed) == 0);
  fixed.parallelism.tensor = 2;
  CHECK(after(lever::sequence_parallel, 1, fixed).vary.sequence_parallel);
}

TEST_CASE("a lever that is pulled already changes nothing", "[plan][limits]") {
  for (const lever one : levers) {
    const int strengths = strengths_of(one, usual);
    if (strengths == 0) continue;
    INFO(name_of(one));
    CHECK(strengths_of(one, after(one, strengths)) == 0);
  }
  search_start other = usual;
  other.recipe.optimizer = optimizer::lion;
  CHECK(strengths_of(lever::adam_8bit, other) == 0);
  CHECK(strengths_of(lever::bf16_moments, other) == 0);
  other.recipe.precision = precision::mixed_fp16;
  CHECK(strengths_of(lever::pure_bf16, other) == 0);
  CHECK(strengths_of(lever::bf16_gradients, other) == 0);
  other.recipe.adapters.rank = 8;
  CHECK(strengths_of(lever::adapters, other) == 1);
  CHECK(after(lever::adapters, 1, other).recipe.adapters.rank == 8);
}

TEST_CASE("levers are in the order of what they cost, and have names of their own",
          "[plan][facts]") {
  std::set<std::string_view> names;
  lever_cost before = lever_cost::risk;
  for (const lever one : levers) {
    CHECK(levers[static_cast<std::size_t>(one)] == one);
    CHECK(cost_of(one) >= before);
    before = cost_of(one);
    CHECK(names.insert(name_of(one)).second);
  }
  CHECK(cost_of(lever::offload_activations) == lever_cost::nothing);
  CHECK(cost_of(lever::pure_bf16) == lever_cost::numerics);
  CHECK(cost_of(lever::shorter_sequence) == lever_cost::training);
  CHECK(name_of(lever_cost::hardware) == "hardware");
}

TEST_CASE("a strength below one is refused", "[plan][errors]") {
  search_start from = usual;
  CHECK_THROWS_AS(pull(lever::offload_all, 0, from), invalid_input);
}

}  // namespace
}  // namespace gpuplan
