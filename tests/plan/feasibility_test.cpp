#include <gpuplan/plan/feasibility.hpp>

#include <limits>

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

template <class... Args>
concept made_of = requires(Args... args) {
  feasibility{args...};
};
static_assert(made_of<transformer&, cluster&, workspace&>);
static_assert(!made_of<transformer&, bytes, workspace&>, "of a cluster, not of an amount");

TEST_CASE("what fits and what does not", "[plan][facts]") {
  const workspace beside;
  const search_start from{.recipe = {.global_batch_size = 16, .sequence_length = 2048}};
  const cluster large = pool_of(80 * GiB, 8);
  const cluster small = pool_of(10 * GiB, 8);
  feasibility enough{llama_8b, large, beside};
  feasibility too_little{llama_8b, small, beside};
  CHECK(enough.fits(from));
  CHECK_FALSE(too_little.fits(from));
  CHECK(enough.looked_at() >= 1);
  CHECK(too_little.looked_at() > enough.looked_at());
}

TEST_CASE("what fitted is tried first", "[plan][facts]") {
  const workspace beside;
  search_start from{.recipe = {.global_batch_size = 16, .sequence_length = 2048}};
  const cluster pool = pool_of(24 * GiB, 8);
  feasibility tried{llama_8b, pool, beside};
  REQUIRE(tried.fits(from));
  const auto before = tried.looked_at();
  from.recipe.optimizer = optimizer::adam_8bit;
  CHECK(tried.fits(from));
  CHECK(tried.looked_at() <= before + 2);  // one layout, with and without recomputation
}

TEST_CASE("more ranks than GPUs fit nothing", "[plan][limits]") {
  const workspace beside;
  search_start from{.parallelism = {.tensor = 16}};
  from.vary.tensor = false;
  const cluster pool = pool_of(80 * GiB, 8);
  feasibility tried{llama_8b, pool, beside};
  CHECK_FALSE(tried.fits(from));
  CHECK(tried.looked_at() == 0);
  from.parallelism = {.context = 16};
  from.vary.tensor = true;
  CHECK_FALSE(tried.fits(from));
}

TEST_CASE("a device without the format fits nothing", "[plan][limits]") {
  const workspace beside;
  const search_start from{.recipe = {.precision = precision::mixed_nvfp4}};
  const cluster pool = pool_of(80 * GiB, 8);
  feasibility tried{llama_8b, pool, beside};
  CHECK_FALSE(tried.fits(from));
  CHECK(tried.looked_at() == 0);
}

TEST_CASE("it says what the whole search says", "[plan][property]") {
  testing::check_property("feasible where a plan is found", [] {
    const int heads = *rc::gen::element(2, 4, 6);
    const transformer m{.layers = *rc::gen::inRange(1, 9),
                        .hidden_size = 128 * heads,
                        .attention_heads = heads,
                        .ffn_size = 512 * heads,
                        .vocabulary_size = *rc::gen::element(1000, 32000, 128256)};
    const cluster pool =
        pool_of(*rc::gen::inRange(400, 3000) * MiB, *rc::gen::element(1, 2, 4, 8, 12));
    search_start from{.recipe = {.global_batch_size = *rc::gen::element(1, 6, 8),
                                 .sequence_length = *rc::gen::element(512, 1000, 4096),
                                 .sequences_per_sample = *rc::gen::element(1, 1, 2)}};
    for (const auto axis : {&space::tensor, &space::pipeline, &space::data, &space::context,
                            &space::interleave, &space::micro_batch, &space::zero,
                            &space::recompute, &space::sequence_parallel, &space::schedule})
      from.vary.*axis = *rc::gen::arbitrary<bool>();
    const workspace beside;
    feasibility tried{m, pool, beside};
    const search_result found = search(m, pool, from.recipe, from.vary, from.parallelism);
    RC_ASSERT(tried.fits(from) == (found.best() != nullptr));
  });
}

TEST_CASE("a risk out of its range is refused", "[plan][errors]") {
  const workspace beside;
  search_start from;
  from.vary.risk = 0;
  const cluster pool = pool_of(80 * GiB, 8);
  feasibility tried{llama_8b, pool, beside};
  CHECK_THROWS_AS(tried.fits(from), invalid_input);
  from.vary.risk = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(tried.fits(from), invalid_input);
}

}  // namespace
}  // namespace gpuplan
