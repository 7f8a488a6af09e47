#include <gpuplan/placement/resources.hpp>

#include <limits>

#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr resources box{.compute = 8000 * TFLOP / second,
                        .memory = 640 * GB,
                        .cores = 128,
                        .network = 400 * GB / second};

// A step of 10 s in which a GPU does 4 PFLOP, holds 60 GB and sends 20 GB, fed by 6 cores.
constexpr step_demand each{
    .work = 4 * PFLOP, .memory = 60 * GB, .sent = 20 * GB, .cores_per_gpu = 6};
constexpr resources asked = resource_demand(each, 4, 10 * second);
static_assert(asked.compute == 1600 * TFLOP / second);
static_assert(asked.memory == 240 * GB && asked.cores == 24);
static_assert(asked.network == 8 * GB / second);
static_assert(resource_demand(each, 8, 10 * second) == 2.0 * asked);
static_assert(resource_demand(each, 4, 5 * second).compute == 2 * asked.compute,
              "half the time needs twice the rate");
static_assert(resource_demand(each, 4, 5 * second).memory == asked.memory);

static_assert(shares_of(asked, box).compute == 0.2);
static_assert(shares_of(asked, box).memory == 0.375);
static_assert(shares_of(asked, box).dominant() == resource_kind::memory);
static_assert(shares_of(asked, box).largest() == 0.375);
static_assert(holds(box, asked) && !holds(asked, box));
static_assert(holds(box, box) && box - asked + asked == box);

template <class... Args>
concept demand_accepts = requires(Args... args) {
  resource_demand(args...);
};
static_assert(demand_accepts<step_demand, int, seconds>);
static_assert(!demand_accepts<step_demand, int, double>, "a step time needs a unit");
static_assert(!demand_accepts<step_demand, int, bytes>, "a step time is no size");

TEST_CASE("what a job asks of its nodes, from model, recipe and layout", "[placement][reference]") {
  // GPT-3 on 1024 GPUs, 8 tensor, 8 pipeline, 16 data ranks, 1536 sequences of 2048: a step is 96
  // micro-batches a replica.
  const recipe how{.global_batch_size = 1536,
                   .sequence_length = 2048,
                   .precision = precision::mixed_bf16,
                   .zero = zero_stage::optimizer};
  const parallelism cut{.data = 16, .tensor = 8, .pipeline = 8};
  const transformer& m = catalog::gpt3_175b;
  const step_demand asks = step_demand_of(m, how, cut, 8, 12);
  CHECK_THAT(asks.work.in_base_units(),
             WithinRel(training_step_flop(m, how).in_base_units() / 1024, 1e-15));
  CHECK(asks.memory == memory_footprint(m, how, cut).worst_stage().total());
  const double parameters = parameters_of(m).total() / 64;
  const double replicas = 15.0 / 16 * parameters * (4 + 2);  // FP32 gradients, BF16 weights
  const double stages = 2 * 96 * 2048.0 * 12288 / 8 * 2;
  CHECK_THAT(asks.sent.in_base_units(), WithinRel(replicas + stages, 1e-12));
  CHECK(asks.cores_per_gpu == 12);

  // All in one node: nothing leaves it.
  const parallelism small{.data = 2, .tensor = 2, .pipeline = 2};
  CHECK(step_demand_of(m, how, small, 8, 1).sent == bytes{0});
  CHECK(step_demand_of(m, how, small, 4, 1).sent > bytes{0});
  CHECK_THROWS_AS(step_demand_of(m, how, cut, 0, 1), invalid_input);
  CHECK_THROWS_AS(step_demand_of(m, how, cut, 8, -1), invalid_input);
}

TEST_CASE("a kind that nobody has and nobody asks for is not used", "[placement]") {
  const resources only{.memory = 4 * GB};
  const resource_shares part = shares_of({.memory = 1 * GB}, only);
  CHECK(part.memory == 0.25);
  CHECK(part.network == 0);
  CHECK_THROWS_AS(shares_of({.cores = 1}, only), invalid_input);
}

TEST_CASE("amounts out of range are refused", "[placement][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {-1.0, nan, std::numeric_limits<double>::infinity()}) {
    CHECK_THROWS_AS(require_valid(resources{.compute = flop_per_second{bad}}), invalid_input);
    CHECK_THROWS_AS(require_valid(resources{.memory = bytes{bad}}), invalid_input);
    CHECK_THROWS_AS(require_valid(resources{.cores = bad}), invalid_input);
    CHECK_THROWS_AS(require_valid(resources{.network = bytes_per_second{bad}}), invalid_input);
  }
  CHECK_THROWS_AS(resource_demand(each, 0, 1 * second), invalid_input);
  CHECK_THROWS_AS(resource_demand(each, 1, 0 * second), invalid_input);
  CHECK_THROWS_AS(resource_demand(each, 1, seconds{nan}), invalid_input);
  CHECK_THROWS_AS(resource_demand({.work = -1 * FLOP}, 1, 1 * second), invalid_input);
}

}  // namespace
}  // namespace gpuplan
