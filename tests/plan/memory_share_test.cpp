#include <gpuplan/plan/memory_share.hpp>

#include <cmath>
#include <cstddef>
#include <limits>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/plan/estimate_band.hpp>
#include <gpuplan/plan/search.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr transformer model = catalog::llama_3_8b;
constexpr recipe how{.global_batch_size = 64, .sequence_length = 4096};

double share_at(double risk, double headroom = 0) {
  return memory_share(model, how, {.risk = risk, .headroom = headroom});
}

cluster pool_of(int gpus) {
  return cluster_of(node_of(catalog::h100_sxm5_80gb, 8, interconnect{14 * us, 47 * GB / second}),
                    gpus);
}

TEST_CASE("a full risk leaves the headroom alone", "[plan]") {
  CHECK(share_at(1, 0) == 1);
  CHECK(share_at(1, 0.05) == 0.95);
  CHECK(share_at(0.1, 0.5) == 0.5);
}

TEST_CASE("a search on a measured cluster plans with its own errors", "[plan]") {
  error_distribution own{.grade = error_grade::calibrated, .runs = 3, .sources = 1};
  for (std::size_t i = 0; i < own.quantiles.size(); ++i)
    own.quantiles[i] = 0.4 * (error_probabilities[i] - 0.5);
  const space vary{.risk = 0.1, .memory_errors = own};
  CHECK(memory_share(model, how, vary) == memory_share(own, 0.1, 0));
  CHECK(memory_share(model, how, vary) != share_at(0.1));
  CHECK_THAT(memory_share(own, 0.1, 0), WithinRel(std::exp(-0.4 * 0.4), 1e-3));
}

TEST_CASE("less risk and more headroom leave no more memory to plan with", "[plan][property]") {
  testing::check_property("monotone", [] {
    const double risk = *rc::gen::inRange(1, 1000) / 1000.0;
    const double headroom = *rc::gen::inRange(0, 900) / 1000.0;
    const double share = share_at(risk, headroom);
    RC_ASSERT(share > 0 && share <= 1 - headroom);
    RC_ASSERT(share_at(risk / 2, headroom) <= share);
    RC_ASSERT(share_at(risk, headroom + 0.05) <= share);
  });
}

// The share and the probability are inverse to each other.
TEST_CASE("what fills the share of a risk fits but for that risk", "[plan][cross-check]") {
  const cluster pool = pool_of(8);
  for (const double risk : {0.02, 0.1, 0.2}) {
    const double share = share_at(risk, 0);
    estimate full = evaluate(model, pool, how, {.data = 8, .micro_batch_size = 1}, workspace{});
    full.refusal = {};
    full.needed = share * pool.gpu().memory;
    CHECK_THAT(bands_of(full, pool.gpu()).fits_probability, WithinRel(1 - risk, 1e-9));
  }
}

TEST_CASE("plans of a search fit with the certainty that is asked", "[plan]") {
  const cluster pool = pool_of(16);
  for (const double risk : {0.02, 0.1, 0.5, 1.0}) {
    const search_result found = search(model, pool, how, {.risk = risk});
    REQUIRE(found.best());
    for (const plan& one : found.plans)
      CHECK(bands_of(one.what, pool.gpu()).fits_probability >= 1 - risk - 1e-9);
  }
  const search_result roomy = search(model, pool, how, {.risk = 1, .headroom = 0.4});
  REQUIRE(roomy.best());
  for (const plan& one : roomy.plans) CHECK(one.what.needed <= 0.6 * pool.gpu().memory);
}

// Less certainty never makes the best plan slower.
TEST_CASE("a bolder search is no slower", "[plan][property]") {
  const cluster pool = pool_of(16);
  seconds before{std::numeric_limits<double>::infinity()};
  for (const double risk : {0.01, 0.05, 0.1, 0.3, 0.5, 1.0}) {
    const search_result found = search(model, pool, how, {.risk = risk});
    REQUIRE(found.best());
    CHECK(found.best()->what.time.total() <= before);
    before = found.best()->what.time.total();
  }
}

TEST_CASE("a planned pool differs in the memory of its GPUs alone", "[plan]") {
  const cluster pool = pool_of(16);
  const cluster planned = planned_pool(pool, model, how, {.risk = 1, .headroom = 0.25});
  CHECK(planned.gpu().memory == 0.75 * pool.gpu().memory);
  CHECK(planned.gpus() == pool.gpus());
  CHECK(planned.gpu().peak.bf16 == pool.gpu().peak.bf16);
}

TEST_CASE("risks and headrooms out of range are refused", "[plan]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double risk : {0.0, -0.1, 1.1, nan}) CHECK_THROWS_AS(share_at(risk, 0), invalid_input);
  for (const double headroom : {-0.1, 1.0, nan})
    CHECK_THROWS_AS(share_at(0.1, headroom), invalid_input);
  CHECK_THROWS_AS(search(model, pool_of(8), how, {.risk = 0}), invalid_input);
  CHECK_THROWS_AS(search(model, pool_of(8), how, {.headroom = 1}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
