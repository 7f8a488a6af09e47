#include <gpuplan/plan/more_memory.hpp>

#include <cmath>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/plan/memory_share.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr transformer model{.layers = 24,
                            .hidden_size = 2048,
                            .attention_heads = 16,
                            .ffn_size = 8192,
                            .vocabulary_size = 50304};
constexpr recipe how{.global_batch_size = 32, .sequence_length = 2048};
constexpr cluster pool_of(bytes memory, int gpus = 8) {
  cluster pool = cluster_of(
      node_of(catalog::a100_sxm4_80gb, 8, interconnect{14 * us, 23.5 * GB / second}), gpus);
  pool.node.gpu.memory = memory;
  return pool;
}

template <class... Args>
concept asks = requires(Args... args) {
  next_with_memory(args...);
};
static_assert(asks<transformer, cluster, recipe>);
static_assert(!asks<transformer, bytes, recipe>, "of a cluster, not of an amount");

TEST_CASE("the next plan fits with what it needs, and not with less", "[plan][cross-check]") {
  const cluster pool = pool_of(GENERATE(6, 8, 12) * GiB);
  const auto gain = next_with_memory(model, pool, how);
  REQUIRE(gain);
  CHECK(gain->available == pool.gpu().memory);
  CHECK(gain->more() > bytes{0});
  CHECK(gain->speedup() > 1);
  const auto best = [&](bytes memory) { return search(model, pool_of(memory), how); };
  REQUIRE(best(pool.gpu().memory).best());
  CHECK(best(pool.gpu().memory).best()->what.time.total() == gain->before);
  CHECK(best(gain->needed).best()->what.time.total() == gain->next.what.time.total());
  const bytes less = gain->needed - memory_resolution * pool.gpu().memory;
  CHECK(best(less).best()->what.time.total() == gain->before);
}

TEST_CASE("where nothing fits, the next plan is the first that does", "[plan][limits]") {
  const cluster tiny = pool_of(1 * GiB);
  REQUIRE(search(model, tiny, how).plans.empty());
  const auto gain = next_with_memory(model, tiny, how);
  REQUIRE(gain);
  CHECK(std::isinf(gain->speedup()));
  CHECK(gain->needed > 1 * GiB);
  CHECK(gain->next.what.time.total() > seconds{0});
  // The miss that a search names is the layout that needs least.
  const bytes least = search(model, tiny, how).misses.front().what.memory.worst_stage().total();
  const bytes with_room = least / memory_share(model, how, space{});
  CHECK(gain->needed >= with_room);
  CHECK(gain->needed <= with_room + memory_resolution * tiny.gpu().memory);
}

TEST_CASE("with room for everything more memory buys nothing", "[plan][limits]") {
  CHECK(!next_with_memory(model, pool_of(10'000 * GiB), how));
}

TEST_CASE("more memory never makes the best plan slower", "[plan][property]") {
  testing::check_property("monotone memory", [] {
    space narrow;  // quick to search
    narrow.pipeline = narrow.zero = narrow.sequence_parallel = false;
    const bytes memory = *rc::gen::inRange(2, 200) * GiB;
    const bytes more = memory + *rc::gen::inRange(0, 100) * GiB;
    const auto time = [&](bytes amount) {
      const search_result found = search(model, pool_of(amount), how, narrow);
      return found.best() ? found.best()->what.time.total().in(second) : 1e300;
    };
    RC_ASSERT(time(more) <= time(memory));
  });
}

TEST_CASE("another objective than time is refused", "[plan][errors]") {
  CHECK_THROWS_AS(next_with_memory(model, pool_of(GiB), how, {.by = objective::memory}),
                  invalid_input);
  CHECK_THROWS_AS(next_with_memory(model, pool_of(-GiB), how), invalid_input);
  CHECK_THROWS_AS(next_with_memory(model, pool_of(std::nan("") * GiB), how), invalid_input);
}

}  // namespace
}  // namespace gpuplan
