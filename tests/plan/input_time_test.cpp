#include <gpuplan/plan/input_time.hpp>

#include <algorithm>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/plan/estimate.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

// 16 GPUs in nodes of 8: two nodes, of which two replicas use both, and one replica one.
static_assert(reading_nodes({.data = 2, .tensor = 8}, 8) == 2);
static_assert(reading_nodes({.tensor = 8, .pipeline = 2}, 8) == 1);
static_assert(reading_nodes({.data = 16}, 8) == 2);
static_assert(reading_nodes({.data = 4}, 8) == 1);

// 1024 samples of 1 MB by two nodes of 2 GB/s: 0.256 s; 3 ms each by 16 workers: 0.096 s.
constexpr node_feed disk{.stored_sample = 1 * MB, .storage = 2 * GB / second};
constexpr node_feed workers{.preprocessing = 3 * ms, .workers = 16};
constexpr node_feed both{
    .stored_sample = 1 * MB, .storage = 2 * GB / second, .preprocessing = 3 * ms, .workers = 16};
constexpr recipe how{.global_batch_size = 1024, .sequence_length = 4096};
constexpr parallelism cut{.data = 16};

TEST_CASE("the slower of storage and workers feeds a node", "[plan]") {
  CHECK_THAT(feeding_time(disk, how, cut, 8) / second, WithinRel(0.256, 1e-12));
  CHECK_THAT(feeding_time(workers, how, cut, 8) / second, WithinRel(0.096, 1e-12));
  CHECK(feeding_time(both, how, cut, 8) == feeding_time(disk, how, cut, 8));
  CHECK(feeding_time({}, how, cut, 8) == seconds{0});
}

cluster pool_with(const node_feed& feed) {
  cluster pool =
      cluster_of(node_of(catalog::h100_sxm5_80gb, 8, interconnect{14 * us, 47 * GB / second}), 16);
  pool.node.feed = feed;
  return pool;
}

TEST_CASE("a step takes as long as its samples, where these are slower", "[plan][property]") {
  const transformer model = catalog::llama_3_8b;
  const estimate unfed = evaluate(model, pool_with({}), how, cut);
  CHECK(unfed.time[step_term::input] == seconds{0});
  testing::check_property("max", [&] {
    const node_feed feed{.stored_sample = *rc::gen::inRange(0, 1000000) * kB,
                         .storage = *rc::gen::inRange(1, 100) * 100 * MB / second,
                         .preprocessing = *rc::gen::inRange(0, 1000) * ms,
                         .workers = *rc::gen::inRange(1, 100) * 1.0};
    const estimate fed = evaluate(model, pool_with(feed), how, cut);
    const seconds needs = feeding_time(feed, how, cut, 8);
    RC_ASSERT(fed.time.total() >= unfed.time.total());
    RC_ASSERT(std::abs(fed.time.total() / larger(unfed.time.total(), needs) - 1) < 1e-12);
    RC_ASSERT((fed.time[step_term::input] > seconds{0}) == (needs > unfed.time.total()));
    RC_ASSERT(fed.needed == unfed.needed);
  });
}

TEST_CASE("no nodes and bad feeds are refused", "[plan]") {
  CHECK_THROWS_AS(reading_nodes(cut, 0), invalid_input);
  CHECK_THROWS_AS(feeding_time({.workers = 0}, how, cut, 8), invalid_input);
  CHECK_THROWS_AS(evaluate(catalog::llama_3_8b, pool_with({.workers = 0}), how, cut),
                  invalid_input);
}

}  // namespace
}  // namespace gpuplan
