#include <gpuplan/plan/what_fits.hpp>

#include <algorithm>
#include <initializer_list>
#include <optional>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/plan/search.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

const transformer& llama_8b = *catalog::find_model("llama-3-8b");

cluster pool_of(bytes memory, int gpus) {
  cluster pool = cluster_of(
      node_of(catalog::a100_sxm4_80gb, 8, interconnect{14 * us, 23.5 * GB / second}), gpus);
  pool.node.gpu.memory = memory;
  return pool;
}

bool fits(const transformer& m, const cluster& pool, const search_start& from) {
  space one = from.vary;
  one.keep = 1;
  return search(m, pool, from.recipe, one, from.parallelism).best() != nullptr;
}

std::optional<search_start> pulled(search_start from, const lever_set& set) {
  for (const pulled_lever& each : set)
    if (!pull(each.which, each.strength, from)) return {};
  return from;
}

template <class... Args>
concept asks = requires(Args... args) {
  what_fits(args...);
};
static_assert(asks<transformer, cluster, search_start>);
static_assert(!asks<transformer, bytes, search_start>, "of a cluster, not of an amount");

TEST_CASE("a model of 8e9 parameters on two cards of 24 GB", "[plan][facts]") {
  const search_start from{.recipe = {.global_batch_size = 16, .sequence_length = 2048},
                          .vary = {.context = true, .interleave = true}};
  const cluster pool = pool_of(23.5 * GiB, 2);
  REQUIRE_FALSE(fits(llama_8b, pool, from));
  const fitting_changes found = what_fits(llama_8b, pool, from);
  CHECK(found.searched_all);
  const auto has = [&](std::initializer_list<lever> set) {
    return std::any_of(found.list.begin(), found.list.end(), [&](const fitting_change& one) {
      return one.levers.size == set.size() &&
             std::all_of(set.begin(), set.end(), [&](lever l) { return one.levers.has(l); });
    });
  };
  CHECK(has({lever::offload_all}));
  CHECK(has({lever::adapters}));
  CHECK_FALSE(has({lever::adam_8bit}));
  REQUIRE_FALSE(found.list.empty());
  CHECK(found.list.front().levers.cost() == lever_cost::nothing);
}

TEST_CASE("the mildest strength is proposed", "[plan][facts]") {
  // One A100 of 80 GiB: 18 bytes for each of 6.7e9 parameters are too much, 6 bytes fit.
  const search_start from{.recipe = {.global_batch_size = 1, .sequence_length = 2048}};
  const fitting_changes found =
      what_fits(*catalog::find_model("llama-2-7b"), pool_of(80 * GiB, 1), from);
  REQUIRE_FALSE(found.list.empty());
  for (const fitting_change& one : found.list)
    for (const pulled_lever& each : one.levers)
      if (each.which == lever::adapters) CHECK(each.strength == 1);
}

TEST_CASE("what nothing mends has no changes, and work has an end", "[plan][limits]") {
  const search_start from{.recipe = {.global_batch_size = 1, .sequence_length = 2048}};
  const fitting_changes none = what_fits(llama_8b, pool_of(0.5 * GiB, 1), from);
  CHECK(none.list.empty());
  CHECK(none.searched_all);
  const fitting_changes ended = what_fits(llama_8b, pool_of(0.5 * GiB, 1), from, {}, 1);
  CHECK(ended.list.empty());
  CHECK_FALSE(ended.searched_all);
}

TEST_CASE("fixed values are left to the search", "[plan][facts]") {
  search_start from{.recipe = {.global_batch_size = 8, .sequence_length = 2048}};
  from.vary = {.tensor = false, .pipeline = false, .data = false, .micro_batch = false};
  from.vary.zero = from.vary.recompute = from.vary.sequence_parallel = false;
  from.parallelism = {.data = 8, .micro_batch_size = 1};
  const cluster pool = pool_of(80 * GiB, 8);
  REQUIRE_FALSE(fits(llama_8b, pool, from));
  const fitting_changes found = what_fits(llama_8b, pool, from);
  REQUIRE_FALSE(found.list.empty());
  CHECK(found.list.front().levers.size == 1);
  CHECK(std::any_of(found.list.begin(), found.list.end(), [](const fitting_change& one) {
    return one.levers.size == 1 && one.levers.has(lever::zero);
  }));
}

/// A small job on GPUs that are too small for it.
struct misfit {
  transformer model{};
  cluster pool{};
  search_start from{};
};

misfit random_misfit() {
  misfit job;
  const int heads = *rc::gen::element(2, 4, 6);
  job.model = {.layers = *rc::gen::inRange(1, 9),
               .hidden_size = 128 * heads,
               .attention_heads = heads,
               .ffn_size = 512 * heads,
               .vocabulary_size = *rc::gen::element(1000, 32000, 128256)};
  if (*rc::gen::inRange(0, 4) == 0)
    job.model.moe = {.experts = 4, .experts_per_token = 2, .ffn_size = 256};
  job.pool = pool_of(*rc::gen::inRange(400, 3000) * MiB, *rc::gen::element(1, 2, 4, 8));
  job.from.recipe.global_batch_size = *rc::gen::element(1, 6, 8);
  job.from.recipe.sequence_length = *rc::gen::element(512, 1000, 4096);
  job.from.recipe.attention = *rc::gen::element(attention_kernel::flash, attention_kernel::unfused);
  job.from.recipe.precision =
      *rc::gen::element(precision::mixed_bf16, precision::fp32, precision::bf16);
  job.from.recipe.framework = *rc::gen::element(framework::transformer_engine, framework::fsdp2);
  space& vary = job.from.vary;
  for (const auto axis :
       {&space::tensor, &space::pipeline, &space::data, &space::context, &space::interleave,
        &space::micro_batch, &space::zero, &space::recompute, &space::sequence_parallel})
    vary.*axis = *rc::gen::arbitrary<bool>();
  return job;
}

lever_set random_levers(const search_start& from, std::size_t most) {
  lever_set set;
  for (std::size_t i = 0; i < most; ++i) {
    const lever one = *rc::gen::elementOf(levers);
    const int strengths = strengths_of(one, from);
    if (strengths == 0 || set.has(one)) continue;
    set.list[set.size++] = {one, *rc::gen::inRange(1, strengths + 1)};
  }
  std::sort(set.list.begin(), set.list.begin() + static_cast<std::ptrdiff_t>(set.size),
            [](const auto& a, const auto& b) { return a.which < b.which; });
  return set;
}

TEST_CASE("each proposal fits, and none of what it is made of does", "[plan][property]") {
  testing::check_property("proposals are minimal", [] {
    const misfit job = random_misfit();
    if (fits(job.model, job.pool, job.from)) return;
    for (const fitting_change& one : what_fits(job.model, job.pool, job.from).list) {
      const auto all = pulled(job.from, one.levers);
      RC_ASSERT(all.has_value());
      RC_ASSERT(fits(job.model, job.pool, *all));
      for (std::size_t left_out = 0; left_out < one.levers.size; ++left_out) {
        lever_set fewer;
        for (std::size_t i = 0; i < one.levers.size; ++i)
          if (i != left_out) fewer.list[fewer.size++] = one.levers.list[i];
        const auto without = pulled(job.from, fewer);
        RC_ASSERT(without.has_value());
        RC_ASSERT(!fits(job.model, job.pool, *without));
      }
    }
  });
}

TEST_CASE("what fits with changes is found: each fitting set holds a proposal that costs no more",
          "[plan][property]") {
  testing::check_property("proposals are complete", [] {
    const misfit job = random_misfit();
    if (fits(job.model, job.pool, job.from)) return;
    const fitting_changes found = what_fits(job.model, job.pool, job.from);
    RC_ASSERT(found.searched_all);
    for (int i = 0; i < 20; ++i) {
      const lever_set set = random_levers(job.from, most_levers);
      const auto changed = pulled(job.from, set);
      if (!changed || !fits(job.model, job.pool, *changed)) continue;
      RC_ASSERT(std::any_of(found.list.begin(), found.list.end(), [&](const fitting_change& one) {
        const bool fewer = one.levers.size < set.size && one.levers.cost() <= set.cost();
        return set.holds(one.levers) || (set.size == most_levers && fewer);
      }));
    }
  });
}

TEST_CASE("no work is refused", "[plan][errors]") {
  CHECK_THROWS_AS(what_fits(llama_8b, pool_of(GiB, 1), {}, {}, 0), invalid_input);
}

}  // namespace
}  // namespace gpuplan
