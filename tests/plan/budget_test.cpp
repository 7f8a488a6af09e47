#include <gpuplan/plan/budget.hpp>

#include <array>
#include <limits>
#include <vector>

#include <gpuplan/hardware/catalog_nvidia.hpp>
#include <gpuplan/hardware/catalog_prices.hpp>
#include <gpuplan/hardware/price.hpp>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr run_offer offer(std::string_view name, std::int64_t gpus, seconds time, dollars cost) {
  return {name, gpus, {.time = time, .gpu_cost = cost}};
}

// Three types of GPU: slow and cheap, fast and dear, and one too small for the model.
constexpr std::array offers{
    offer("slow", 64, 20 * day, 30e3 * dollar), offer("fast", 32, 8 * day, 40e3 * dollar),
    offer("faster", 64, 5 * day, 55e3 * dollar), offer("small", 512, seconds{0}, dollars{0})};
static_assert(best_offer(offers, {}).taken.name == "slow");
static_assert(best_offer(offers, {.deadline = 10 * day}).taken.name == "fast");
static_assert(best_offer(offers, {.budget = 45e3 * dollar}, offer_aim::time).taken.name == "fast");
static_assert(best_offer(offers, {}, offer_aim::gpus).taken.name == "fast");
constexpr run_choice none = best_offer(offers, {.deadline = 6 * day, .budget = 50e3 * dollar});
static_assert(!none && none.refused(offer_fault::late) == 2 &&
              none.refused(offer_fault::dear) == 1);
static_assert(none.refused(offer_fault::nothing_fits) == 1);
static_assert(fault_of(offers[0], {1 * day, 1 * dollar}) == offer_fault::late_and_dear);
static_assert(name_of(offer_fault::late) == "late");

// The fastest waits for its GPUs longest.
constexpr run_offer after(seconds wait, run_offer one) {
  one.wait = wait;
  return one;
}
constexpr std::array waiting{after(1 * day, offers[0]), after(2 * day, offers[1]),
                             after(6 * day, offers[2])};
static_assert(waiting[2].done() == 11 * day);
static_assert(best_offer(waiting, {}, offer_aim::time).taken.name == "fast");
static_assert(best_offer(waiting, {.deadline = 10 * day}).refused(offer_fault::late) == 2);
constexpr run_offer never_starts =
    after(seconds{std::numeric_limits<double>::infinity()}, offers[0]);
static_assert(fault_of(never_starts, {}) == offer_fault::late);
static_assert(fault_of(never_starts, {.budget = 1 * dollar}) == offer_fault::late_and_dear);

// Ideal scaling: 64 GPU-days.
constexpr run_estimate ideal(int gpus) {
  return {.time = 64 * day / gpus, .gpu_cost = 64 * 24 * dollar};
}
constexpr std::array counts{1, 2, 4, 8, 16, 32, 64};
static_assert(best_gpu_count(counts, {.deadline = 5 * day}, ideal).taken.gpus == 16);
static_assert(best_gpu_count(counts, {}, ideal, offer_aim::time).taken.gpus == 64);
static_assert(best_gpu_count(counts, {.deadline = 5 * day}, ideal).refused(offer_fault::late) == 4);

TEST_CASE("more GPUs that are slower are passed over", "[plan][limits]") {
  const auto uneven = [](int gpus) { return gpus == 7 ? ideal(3) : ideal(gpus); };
  const std::array some{7, 6};
  CHECK(best_gpu_count(some, {.deadline = 11 * day}, uneven).taken.gpus == 6);
}

TEST_CASE("what is taken keeps the limits and nothing beats it", "[plan][property]") {
  testing::check_property("best of all", [] {
    std::vector<run_offer> all(static_cast<std::size_t>(*rc::gen::inRange(0, 30)));
    for (run_offer& one : all)
      one = offer("", *rc::gen::inRange(1, 9), *rc::gen::inRange(0, 20) * day,
                  *rc::gen::inRange(1, 20) * dollar);
    const run_limits limits{*rc::gen::inRange(1, 20) * day, *rc::gen::inRange(1, 20) * dollar};
    const auto aim = *rc::gen::element(offer_aim::cost, offer_aim::time, offer_aim::gpus);
    const run_choice choice = best_offer(all, limits, aim);
    std::int64_t seen = 0;
    for (std::size_t fault = 0; fault < offer_faults; ++fault) seen += choice.offers[fault];
    RC_ASSERT(seen == static_cast<std::int64_t>(all.size()));
    RC_ASSERT(bool(choice) == (choice.refused(offer_fault::none) > 0));
    if (!choice) return;
    RC_ASSERT(fault_of(choice.taken, limits) == offer_fault::none);
    for (const run_offer& one : all) {
      if (fault_of(one, limits) != offer_fault::none) continue;
      if (aim == offer_aim::cost) RC_ASSERT(choice.taken.run.cost() <= one.run.cost());
      if (aim == offer_aim::time) RC_ASSERT(choice.taken.run.time <= one.run.time);
      if (aim == offer_aim::gpus) RC_ASSERT(choice.taken.gpus <= one.gpus);
    }
  });
}

TEST_CASE("the fewest GPUs that train a model by a day", "[plan][reference]") {
  const transformer model{.layers = 24,
                          .hidden_size = 2048,
                          .attention_heads = 16,
                          .ffn_size = 8192,
                          .vocabulary_size = 50304};
  const node box{.gpu = {.memory = 80 * GiB,
                         .memory_bandwidth = 2 * TB / second,
                         .peak = {.bf16 = 300 * TFLOP / second}},
                 .gpus = 8,
                 .scale_up = {3 * us, 200 * GB / second},
                 .fabric = {10 * us, 20 * GB / second}};
  const recipe how{.global_batch_size = 64, .sequence_length = 2048};
  const auto run_on = [&](int gpus) {
    return best_run(model, cluster_of(box, gpus), how, 10e9 * token, {.gpu = 2 * dollar / hour});
  };
  const std::array sizes{1, 8, 16, 32};
  const seconds on_eight = run_on(8).time;
  const run_choice choice = best_gpu_count(sizes, {.deadline = on_eight}, run_on);
  CHECK(choice.taken.gpus == 8);
  CHECK(choice.refused(offer_fault::late) == 1);
  CHECK(run_on(16).time < on_eight);
  CHECK_THAT(choice.taken.run.cost().in(dollar), WithinRel(8 * on_eight.in(hour)*2, 1e-12));

  node small = box;
  small.gpu.memory = 1 * GiB;
  CHECK(best_run(model, cluster_of(small, 1), how, 1e9 * token).time == seconds{0});
}

TEST_CASE("the cheapest GPU type by a day", "[plan][reference]") {
  const transformer model{.layers = 24,
                          .hidden_size = 2048,
                          .attention_heads = 16,
                          .ffn_size = 8192,
                          .vocabulary_size = 50304};
  const recipe how{.global_batch_size = 64, .sequence_length = 2048};
  const interconnect fabric{10 * us, 50 * GB / second};
  const auto offer_of = [&](std::string_view name, const accelerator& gpu) {
    const price* paid = lowest_price(catalog::prices, name, price_kind::on_demand);
    REQUIRE(paid != nullptr);
    return run_offer{name, 16,
                     best_run(model, cluster_of(node_of(gpu, 8, fabric), 16), how, 20e9 * token,
                              {.gpu = paid->rate})};
  };
  const std::array types{offer_of("A100-PCIe-80GB", catalog::a100_pcie_80gb),
                         offer_of("H100-SXM5-80GB", catalog::h100_sxm5_80gb),
                         offer_of("H200-SXM-141GB", catalog::h200_sxm_141gb)};
  const seconds slow = types[0].run.time;
  REQUIRE(types[1].run.time < slow);
  // By the day the slowest needs any will do, and the least cost wins; earlier, it is out.
  const run_choice by_then = best_offer(types, {.deadline = slow});
  for (const run_offer& one : types) CHECK(by_then.taken.run.cost() <= one.run.cost());
  CHECK(best_offer(types, {.deadline = 0.99 * slow}).refused(offer_fault::late) >= 1);
  CHECK(best_offer(types, {.deadline = 0.99 * slow}).taken.name != types[0].name);
}

TEST_CASE("budgets refuse what their documentation refuses", "[plan][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(best_offer(offers, {.deadline = seconds{0}}), invalid_input);
  CHECK_THROWS_AS(best_offer(offers, {.budget = dollars{nan}}), invalid_input);
  CHECK_THROWS_AS(best_gpu_count(std::array{0}, {}, ideal), invalid_input);
  CHECK_THROWS_AS(best_gpu_count(counts, {.deadline = seconds{nan}}, ideal), invalid_input);
}

}  // namespace
}  // namespace gpuplan
