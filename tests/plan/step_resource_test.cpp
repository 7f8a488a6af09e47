#include <gpuplan/plan/step_resource.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/plan/estimate.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/random_job.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr cluster pool =
    cluster_of(node_of(catalog::h100_sxm5_80gb, 8, interconnect{14 * us, 45 * GB / second}), 64);
constexpr recipe how{.global_batch_size = 64, .sequence_length = 4096};
constexpr parallelism cut{.data = 16, .tensor = 4};

constexpr cluster twice(step_resource what) {
  return improved(pool, what, 2.0);
}
static_assert(twice(step_resource::compute).gpu().peak.bf16 == 2 * pool.gpu().peak.bf16);
static_assert(twice(step_resource::compute).gpu().sustained.bf16 == 2 * pool.gpu().sustained.bf16);
static_assert(twice(step_resource::compute).gpu().memory_bandwidth == pool.gpu().memory_bandwidth);
static_assert(twice(step_resource::memory_bandwidth).gpu().achieved_memory_bandwidth ==
              2 * pool.gpu().achieved_memory_bandwidth);
static_assert(twice(step_resource::fabric).node.fabric.bandwidth == 90 * GB / second);
static_assert(twice(step_resource::fabric_latency).node.fabric.latency == 7 * us, "half of it");
static_assert(twice(step_resource::scale_up).gpus() == 64);

template <class... Args>
concept improves = requires(Args... args) {
  improved(args...);
};
static_assert(improves<cluster, step_resource, double>);
static_assert(!improves<cluster, step_resource, bytes_per_second>, "so many times, not so much");
static_assert(!improves<cluster, step_resource, int>);
static_assert(!improves<cluster, double, step_resource>);

constexpr seconds step =
    improved_step_time(catalog::llama_3_8b, pool, how, cut, step_resource::compute, 1.0);
static_assert(step == evaluate(catalog::llama_3_8b, pool, how, cut).time.total(),
              "once as good is as it is");

TEST_CASE("resources have names", "[plan][facts]") {
  std::set<std::string_view> names;
  for (const step_resource what : step_resources) names.insert(name_of(what));
  CHECK(names.size() == step_resources.size());
  CHECK_THROWS_AS(name_of(step_resource{99}), invalid_input);
}

TEST_CASE("an improved cluster is valid, and evaluate takes it", "[plan][facts]") {
  for (const step_resource what : step_resources) {
    const cluster better = twice(what);
    const estimate e = evaluate(catalog::llama_3_8b, better, how, cut);
    CHECK(e.time.total() == improved_step_time(catalog::llama_3_8b, pool, how, cut, what, 2.0));
    CHECK(e.time.total() <= step);
    CHECK(e.fits());
  }
}

TEST_CASE("a job bound by products wants faster products", "[plan][facts]") {
  const improvement best = best_improvement(catalog::llama_3_8b, pool, how, {.data = 64});
  CHECK(best.resource == step_resource::compute);
  CHECK(best.factor == 2);
  CHECK(best.speedup() > 1.29);
  CHECK(best.speedup() <= 2);
}

TEST_CASE("a job bound by its fabric wants a faster one", "[plan][facts]") {
  recipe sharded = how;
  sharded.zero = zero_stage::parameters;
  sharded.sequence_length = 512;
  const cluster slow = improved(pool, step_resource::fabric, 0.1);
  const improvement best = best_improvement(catalog::llama_3_8b, slow, sharded, {.data = 64});
  CHECK(best.resource == step_resource::fabric);
  CHECK(best.speedup() > 1.5);
}

TEST_CASE("the least improvement is enough, and less is not", "[plan][reference]") {
  const double speedup = GENERATE(1.0, 1.01, 1.1, 1.25);
  const improvement least = least_improvement(catalog::llama_3_8b, pool, how, cut, speedup);
  REQUIRE(std::isfinite(least.factor));
  CHECK(least.speedup() >= speedup);
  const auto time = [&](step_resource what, double factor) {
    return improved_step_time(catalog::llama_3_8b, pool, how, cut, what, factor);
  };
  CHECK(time(least.resource, least.factor) == least.after);
  if (speedup == 1) return;
  for (const step_resource what : step_resources)
    CHECK(time(what, least.factor * (1 - 2e-6)) > least.before / speedup);
}

TEST_CASE("no resource alone makes a step a million times as fast", "[plan][limits]") {
  const improvement none = least_improvement(catalog::llama_3_8b, pool, how, cut, 1e6);
  CHECK(none.factor == std::numeric_limits<double>::infinity());
  CHECK(none.after == none.before);
}

TEST_CASE("a better resource never makes a step slower", "[plan][property]") {
  testing::check_property("monotone resources", [] {
    const testing::random_job job = testing::random_job_any();
    const auto& [m, here, recipe, layout] = job;
    RC_PRE(!layout_fault(m, here.gpus(), recipe, layout));
    const double factor = 1 + *rc::gen::inRange(1, 1000) / 100.0;
    for (const step_resource what : step_resources) {
      const seconds now = improved_step_time(m, here, recipe, layout, what, 1.0);
      const seconds better = improved_step_time(m, here, recipe, layout, what, factor);
      RC_ASSERT(better <= (1 + 1e-12) * now);
      RC_ASSERT(better >= (1 - 1e-12) * (now / factor));
    }
    const improvement best = best_improvement(m, here, recipe, layout, factor);
    RC_ASSERT(best.speedup() >= 1);
    RC_ASSERT(best.speedup() <= (1 + 1e-12) * factor);
  });
}

TEST_CASE("what cannot be improved is refused", "[plan][errors]") {
  const auto refused = [](const parallelism& layout, step_resource what, double factor) {
    CHECK_THROWS_AS(improved_step_time(catalog::llama_3_8b, pool, how, layout, what, factor),
                    invalid_input);
  };
  refused(cut, step_resource::fabric, 0);
  refused(cut, step_resource::fabric, -1);
  refused(cut, step_resource::fabric, std::numeric_limits<double>::quiet_NaN());
  refused(cut, step_resource{99}, 2);
  refused({.data = 3}, step_resource::fabric, 2);
  refused({.data = 0}, step_resource::fabric, 2);
  // A fault of a description is named, not the rule of layouts that is broken as well.
  const auto needs = [](const transformer& m, const cluster& here, const recipe& asked) {
    return improved_step_time(m, here, asked, {.data = 3}, step_resource::fabric, 2.0);
  };
  recipe changed = how;
  changed.recompute_every = 0;
  CHECK_THROWS_WITH(needs(catalog::llama_3_8b, pool, changed),
                    "recipe.recompute_every must be >= 1");
  changed = how;
  changed.interleave_group = -1;
  CHECK_THROWS_WITH(needs(catalog::llama_3_8b, pool, changed),
                    "recipe.interleave_group must be >= 0");
  transformer no_vocabulary = catalog::llama_3_8b;
  no_vocabulary.vocabulary_size = 0;
  CHECK_THROWS_WITH(needs(no_vocabulary, pool, how), "transformer.vocabulary_size must be >= 1");
  cluster no_link = pool;
  no_link.node.fabric.latency = -1 * us;
  CHECK_THROWS_AS(needs(catalog::llama_3_8b, no_link, how), invalid_input);

  const auto least = [](double speedup) {
    return least_improvement(catalog::llama_3_8b, pool, how, cut, speedup);
  };
  CHECK_THROWS_AS(least(0.9), invalid_input);
  CHECK_THROWS_AS(least(std::numeric_limits<double>::quiet_NaN()), invalid_input);
}

}  // namespace
}  // namespace gpuplan
