#include <gpuplan/plan/sensitivity.hpp>

#include <algorithm>
#include <numeric>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/plan/estimate.hpp>

#include "support/catch.hpp"
#include "support/derivative.hpp"
#include "support/property.hpp"
#include "support/random_job.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr node box = node_of(catalog::h100_sxm5_80gb, 8, interconnect{14 * us, 45 * GB / second});
constexpr cluster pool = cluster_of(box, 64);
constexpr recipe how{.global_batch_size = 64, .sequence_length = 4096};
constexpr transformer m = catalog::llama_3_8b;

struct job {
  recipe with = how;
  parallelism cut{};
};
const job data_parallel{.cut = {.data = 64}};
const job tensor_parallel{.cut = {.data = 16, .tensor = 4}};
const job pipelined{.cut = {.data = 4, .tensor = 2, .pipeline = 8}};
const job sharded{
    .with = {.global_batch_size = 64, .sequence_length = 512, .zero = zero_stage::parameters},
    .cut = {.data = 64}};

step_sensitivity sensitivity(const job& of, const cluster& on = pool) {
  return sensitivity_of(m, on, of.with, of.cut);
}

static_assert(std::is_same_v<decltype(step_slopes{}.fabric * (1 * GB / second)), seconds>,
              "a slope times a rate is a time");

template <class... Args>
concept sensitive = requires(Args... args) {
  sensitivity_of(args...);
};
static_assert(sensitive<transformer, cluster, recipe, parallelism>);
static_assert(!sensitive<transformer, node, recipe, parallelism>, "of a cluster");

TEST_CASE("elasticities are those of finite differences", "[plan][cross-check]") {
  const job of = GENERATE(data_parallel, tensor_parallel, pipelined, sharded);
  const step_sensitivity found = sensitivity(of);
  CHECK(found.step == evaluate(m, pool, of.with, of.cut).time.total());
  for (const step_resource what : step_resources) {
    INFO(name_of(what));
    const auto time = [&](double factor) {
      return improved_step_time(m, pool, of.with, of.cut, what, factor).in(second);
    };
    const double slope = testing::difference(time, 1) / found.step.in(second);
    CHECK(std::abs(found[what] - slope) <= 1e-6 * std::abs(slope) + 1e-9);
  }
}

TEST_CASE("slopes are those of finite differences", "[plan][cross-check]") {
  const job of = GENERATE(tensor_parallel, pipelined, sharded);
  const step_slopes found = sensitivity(of).slopes;
  const auto at = [&](const node& with) {
    cluster moved = pool;
    moved.node = with;
    return evaluate(m, moved, of.with, of.cut).time.total().in(second);
  };
  const auto by = [&](auto field, double now, auto unit) {
    return testing::difference(
        [&](double x) {
          node with = box;
          field(with) = x * unit;
          return at(with);
        },
        now);
  };
  const auto near = [](double a, double b) {
    return std::abs(a - b) <= 1e-5 * std::abs(b) + 1e-20;
  };
  CHECK(near(found.fabric.in(second / (GB / second)),
             by(
                 [](node & n) -> auto& { return n.fabric.bandwidth; }, 45, GB / second)));
  CHECK(near(found.scale_up.in(second / (GB / second)),
             by(
                 [](node & n) -> auto& { return n.scale_up.bandwidth; },
                 box.scale_up.bandwidth.in(GB / second), GB / second)));
  CHECK(near(found.fabric_latency,
             by(
                 [](node & n) -> auto& { return n.fabric.latency; }, 14e-6, second)));
  CHECK(near(found.scale_up_latency, by(
                                         [](node & n) -> auto& { return n.scale_up.latency; },
                                         box.scale_up.latency.in(second), second)));
}

TEST_CASE("what a layout does not use does not move it", "[plan][limits]") {
  const step_sensitivity alone =
      sensitivity_of(m, cluster_of(box, 1), {.global_batch_size = 1}, {});
  CHECK(alone[step_resource::fabric] == 0);
  CHECK(alone[step_resource::scale_up] == 0);
  CHECK(alone[step_resource::scale_up_latency] == 0);
  CHECK(alone[step_resource::fabric_latency] == 0);
  CHECK(alone.slopes.fabric == seconds_per_byte_rate{0});
  CHECK(alone[step_resource::compute] < 0);
  CHECK(alone[step_resource::memory_bandwidth] < 0);
  CHECK(alone[step_resource::compute] + alone[step_resource::memory_bandwidth] > -1);
}

TEST_CASE("a latency of zero has a slope, and no elasticity", "[plan][limits]") {
  cluster instant = pool;
  instant.node.fabric.latency = seconds{0};
  const step_sensitivity found = sensitivity(pipelined, instant);
  CHECK(found[step_resource::fabric_latency] == 0);
  CHECK(found.slopes.fabric_latency > 0);
}

TEST_CASE("the strongest resource is the one that a small change helps most", "[plan][facts]") {
  const job of = GENERATE(data_parallel, tensor_parallel, pipelined, sharded);
  const improvement best = best_improvement(m, pool, of.with, of.cut, 1.0001);
  CHECK(sensitivity(of).strongest() == best.resource);
}

TEST_CASE("elasticities are -1 to 0, and no more than all of the step", "[plan][property]") {
  testing::check_property("elasticities", [] {
    const testing::random_job any = testing::random_job_any();
    RC_PRE(!layout_fault(any.model, any.pool.gpus(), any.recipe, any.parallelism));
    const step_sensitivity found = sensitivity_of(any.model, any.pool, any.recipe, any.parallelism);
    double rates = 0;
    double latencies = 0;
    for (const step_resource what : step_resources) {
      RC_ASSERT(found[what] <= 1e-12);
      RC_ASSERT(found[what] >= -1 - 1e-12);
      const bool latency =
          what == step_resource::scale_up_latency || what == step_resource::fabric_latency;
      (latency ? latencies : rates) += found[what];
    }
    // Every part of a step is work over a rate, a latency, or a constant.
    RC_ASSERT(rates + latencies >= -1 - 1e-9);
    const flop_per_second peak = any.pool.gpu().peak[formats_of(any.recipe.precision).product];
    RC_ASSERT(found.slopes.peak * peak <= 1e-12 * found.step);
    RC_ASSERT(found.slopes.fabric_latency >= -1e-9);
  });
}

TEST_CASE("a layout that cannot run has no sensitivity", "[plan][errors]") {
  CHECK_THROWS_AS(sensitivity_of(m, pool, how, {.data = 3}), invalid_input);
  CHECK_THROWS_AS(sensitivity_of(m, pool, how, {.data = 128}), invalid_input);
  CHECK_THROWS_AS(sensitivity(data_parallel)[step_resource{99}], invalid_input);
}

}  // namespace
}  // namespace gpuplan
