#include <gpuplan/plan/uneven_pipeline.hpp>

#include <vector>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/model/catalog.hpp>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

/// The shortest of all splits whose stages between the ends have a layer at least.
estimate shortest_of_all(const transformer& m, const cluster& pool, recipe how,
                         const parallelism& cut) {
  how.split = {};
  estimate best = evaluate(m, pool, how, cut);
  std::vector<int> layers(static_cast<std::size_t>(cut.pipeline), 0);
  const auto fill = [&](auto&& self, std::size_t stage, int left) -> void {
    const bool last = stage + 1 == layers.size();
    const int least = last ? left : (stage == 0 ? 0 : 1);
    for (int here = least; here <= left; ++here) {
      layers[stage] = here;
      if (!last) {
        self(self, stage + 1, left - here);
        continue;
      }
      how.split = layer_split{layers};
      const estimate what = evaluate(m, pool, how, cut);
      if (detail::is_better(what, best, pool.node)) best = what;
    }
  };
  fill(fill, 0, m.layers);
  return best;
}

const cluster eight =
    cluster_of(node_of(catalog::h100_sxm5_80gb, 8, interconnect{14 * us, 47 * GB / second}), 8);

template <class... Args>
concept accepts = requires(Args... args) {
  uneven_pipeline_of(args...);
};
static_assert(accepts<transformer, cluster, recipe, parallelism>);
static_assert(!accepts<transformer, cluster, parallelism, recipe>);

TEST_CASE("the split found is the shortest of all up to 16 layers", "[plan][property]") {
  testing::check_property("no split is shorter than the one that is found", [] {
    const bool long_sequences = *rc::gen::arbitrary<bool>();
    transformer m = long_sequences ? catalog::llama_3_2_1b : catalog::gpt2;
    m.layers = *rc::gen::inRange(2, 17);
    if (*rc::gen::arbitrary<bool>()) {
      m.moe = {.experts = 8, .experts_per_token = 2, .ffn_size = 1024};
      m.moe.first_dense_layers = m.layers > 3 ? *rc::gen::inRange(0, 3) : 0;
      m.moe.dense_layers = m.moe.first_dense_layers;
    }
    cluster pool = eight;
    const parallelism cut{.pipeline = *rc::gen::inRange(2, (std::min)(8, m.layers) + 1)};
    const recipe how{.global_batch_size = *rc::gen::inRange(1, 33),
                     .sequence_length = long_sequences ? 8192 : 1024};
    const estimate equal = evaluate(m, pool, how, cut);
    // Memory that binds, or nearly: around what equal stages need.
    if (*rc::gen::arbitrary<bool>())
      pool.node.gpu.memory = equal.needed * (*rc::gen::inRange(60, 130) / 100.0);

    const uneven_pipeline found = uneven_pipeline_of(m, pool, how, cut);
    const estimate best = shortest_of_all(m, pool, how, cut);
    RC_ASSERT(found.what.fits() == best.fits());
    if (best.fits()) RC_ASSERT(found.what.time.total() <= best.time.total() * (1 + 1e-12));
  });
}

TEST_CASE("a large vocabulary takes layers from the last stage", "[plan]") {
  const recipe how{.global_batch_size = 64, .sequence_length = 4096};
  const parallelism cut{.pipeline = 8};
  transformer m = catalog::llama_3_2_1b;
  const uneven_pipeline found = uneven_pipeline_of(m, eight, how, cut);
  REQUIRE(found.is_uneven());
  CHECK(found.split.total() == m.layers);
  CHECK(found.split.layers(7) < 2);
  recipe equal = how;
  CHECK(found.what.time.total() < evaluate(m, eight, equal, cut).time.total());
  equal.split = found.split;
  CHECK(evaluate(m, eight, equal, cut).time.total() == found.what.time.total());
}

TEST_CASE("a pipeline of many layers is bounded work", "[plan]") {
  const recipe how{.global_batch_size = 64};
  transformer m = catalog::llama_3_2_1b;
  m.layers = 60000;
  CHECK(uneven_pipeline_of(m, eight, how, {.pipeline = 2}).tried < 400'000);
  m.layers = 100'000;  // a split cannot name them
  CHECK(uneven_pipeline_of(m, eight, how, {.pipeline = 2}).tried == 1);
}

TEST_CASE("no more splits are tried than may be", "[plan]") {
  const recipe how{.global_batch_size = 64};
  const transformer m = catalog::llama_3_2_1b;
  const int all = uneven_pipeline_of(m, eight, how, {.pipeline = 4}).tried;
  REQUIRE(all > 50);
  for (const int most : {1, 2, 50, all})
    CHECK(uneven_pipeline_of(m, eight, how, {.pipeline = 4}, {}, most).tried == most);
}

TEST_CASE("one stage has no split", "[plan]") {
  const uneven_pipeline found =
      uneven_pipeline_of(catalog::llama_3_2_1b, eight, recipe{.global_batch_size = 8}, {.data = 8});
  CHECK_FALSE(found.is_uneven());
  CHECK(found.tried == 1);
}

TEST_CASE("uneven pipelines refuse what evaluate refuses", "[plan][errors]") {
  const transformer m = catalog::llama_3_2_1b;
  CHECK_THROWS_AS(uneven_pipeline_of(m, eight, {.global_batch_size = 0}, {}), invalid_input);
  CHECK_THROWS_AS(uneven_pipeline_of(m, eight, {}, {.pipeline = 129}), invalid_input);
  CHECK_THROWS_AS(uneven_pipeline_of(m, eight, {}, {}, {}, 0), invalid_input);
}

}  // namespace
}  // namespace gpuplan
