#include <gpuplan/plan/estimate_band.hpp>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

cluster pool_of(const accelerator& gpu, int gpus) {
  return cluster_of(node_of(gpu, 8, interconnect{14 * us, 47 * GB / second}), gpus);
}

constexpr recipe how{.global_batch_size = 64, .sequence_length = 4096};

estimate answer_on(const accelerator& gpu, int data, int micro_batch = 1, recipe asked = how) {
  return evaluate(catalog::llama_3_8b, pool_of(gpu, data), asked,
                  {.data = data, .micro_batch_size = micro_batch});
}

TEST_CASE("the class of an answer is what it was asked and what came out", "[plan]") {
  const estimate one = answer_on(catalog::h100_sxm5_80gb, 8);
  error_class expected{.of = prediction::step,
                       .kind = trained_kind::dense,
                       .software = framework::transformer_engine,
                       .launches = launch_part::little,
                       .many_gpus = false,
                       .gpus = 8,
                       .device = operator_origin::measured};
  CHECK(error_class_of(one, catalog::h100_sxm5_80gb) == expected);
  expected.many_gpus = true;
  expected.gpus = 16;
  CHECK(error_class_of(answer_on(catalog::h100_sxm5_80gb, 16), catalog::h100_sxm5_80gb) ==
        expected);
  expected.device = operator_origin::derived;
  expected.of = prediction::device_memory;
  CHECK(error_class_of(answer_on(catalog::mi300x, 16), catalog::mi300x,
                       prediction::device_memory) == expected);
}

TEST_CASE("a step under a power limit is extrapolated, its memory is not", "[plan]") {
  recipe limited = how;
  const accelerator& gpu = catalog::h100_sxm5_80gb;
  const error_grade usual = errors_of(answer_on(gpu, 8), gpu).step.grade;
  CHECK(usual != error_grade::extrapolated);
  for (const watts limit : {watts{1}, watts{400}, watts{699}}) {
    limited.power_limit = limit;
    const estimate_errors errors = errors_of(answer_on(gpu, 8, 1, limited), gpu);
    CHECK(errors.step.grade == error_grade::extrapolated);
    CHECK(errors.device.grade == errors_of(answer_on(gpu, 8), gpu).device.grade);
  }
  limited.power_limit = gpu.thermal_design_power;
  CHECK(errors_of(answer_on(gpu, 8, 1, limited), gpu).step.grade == usual);
}

TEST_CASE("a recipe that no timed run had widens the range of its step", "[plan]") {
  const accelerator& gpu = catalog::h100_sxm5_80gb;
  const estimate_errors usual = errors_of(answer_on(gpu, 8), gpu);
  const error_band before = error_band_of(usual.step);
  const auto wider = [&](const recipe& asked) {
    const estimate_errors errors = errors_of(answer_on(gpu, 8, 1, asked), gpu);
    const error_band band = error_band_of(errors.step);
    CHECK(errors.step.grade == error_grade::extrapolated);
    CHECK(errors.device == usual.device);
    return band.low <= before.low && band.high >= before.high &&
           band.high / band.low > before.high / before.low;
  };
  recipe asked = how;
  asked.power_limit = watts{400};
  CHECK(wider(asked));
  asked = how;
  asked.precision = precision::fp32;
  CHECK(wider(asked));
  asked = how;
  asked.sequence_length = 2 * static_cast<int>(timed_runs.longest_sequence);
  CHECK(wider(asked));
}

TEST_CASE("each of four things is beyond the timed runs", "[plan]") {
  const accelerator& gpu = catalog::h100_sxm5_80gb;
  timed_recipes runs{.longest_sequence = 4096};
  runs.formats[static_cast<std::size_t>(precision::mixed_bf16)] = true;
  recipe asked;
  asked.sequence_length = 4096;
  CHECK_FALSE(is_beyond_runs(gpu, asked, runs));
  asked.sequence_length = 4097;
  CHECK(is_beyond_runs(gpu, asked, runs));
  asked.sequence_length = 4096;
  asked.precision = precision::fp32;
  CHECK(is_beyond_runs(gpu, asked, runs));
  asked.precision = precision::mixed_bf16;
  asked.offloaded_activations = 0.5;
  CHECK(is_beyond_runs(gpu, asked, runs));
  runs.offloads = true;
  CHECK_FALSE(is_beyond_runs(gpu, asked, runs));
  asked.power_limit = watts{400};
  CHECK(is_beyond_runs(gpu, asked, runs));
}

TEST_CASE("a step of launches is bound by its host", "[plan]") {
  recipe small = how;
  small.sequence_length = 64;
  small.global_batch_size = 8;
  const estimate one = answer_on(catalog::h100_sxm5_80gb, 8, 1, small);
  CHECK(one.time[step_term::launch] > host_bound_share * one.time.total());
  CHECK(one.time[step_term::launch] < most_launches * one.time.total());
  CHECK(error_class_of(one, catalog::h100_sxm5_80gb).launches == launch_part::some);
}

TEST_CASE("no step is shorter than its operations take at the peak", "[plan]") {
  const estimate one = answer_on(catalog::h100_sxm5_80gb, 8);
  const double used = one.model_flop_utilization();
  CHECK((used > 0.2 && used < 1));
  const error_distribution narrow{.quantiles = {-0.03, -0.02, -0.01, 0, 0.01, 0.02, 0.03}};
  CHECK(step_band_of(one, narrow).low == error_band_of(narrow).low);
  const error_distribution wide{.quantiles = {-3, -2, -1, 0, 1, 2, 3}};
  CHECK(error_band_of(wide).low < used);
  CHECK(step_band_of(one, wide).low == used);
  CHECK(step_band_of(one, wide).high == error_band_of(wide).high);
}

TEST_CASE("bands hold what is predicted, at every level", "[plan][property]") {
  testing::check_property("hold", [] {
    const double level = *rc::gen::inRange(1, 1000) / 1000.0;
    const estimate one = answer_on(catalog::h100_sxm5_80gb, *rc::gen::element(8, 16, 32));
    const estimate_bands bands = bands_of(one, catalog::h100_sxm5_80gb, level);
    for (const error_band& band : {bands.step, bands.allocated, bands.reserved, bands.device}) {
      RC_ASSERT(band.low > 0 && band.low <= 1 && band.high >= 1);
      RC_ASSERT(band.runs > 0 && band.sources > 0);
    }
    RC_ASSERT(bands.fits_probability >= 0 && bands.fits_probability <= 1);
  });
}

TEST_CASE("low ends of memory hold the weights, and the outer figures the inner", "[plan]") {
  recipe lora = how;
  lora.global_batch_size = 1;
  lora.sequence_length = 512;
  lora.adapters.rank = 16;
  const estimate one = answer_on(catalog::a10, 1, 1, lora);
  const stage_footprint worst = one.memory.worst_stage();
  const estimate_errors errors = errors_of(one, catalog::a10);
  const memory_bands bands = memory_bands_of(worst, errors);
  const error_band alone = error_band_of(errors.device);
  CHECK(alone.low * worst.device_total() < worst.states.weights);
  CHECK(bands.allocated.low * worst.allocated() >= worst.states.weights);
  CHECK(bands.reserved.low * worst.reserved() >= bands.allocated.low * worst.allocated());
  CHECK(bands.device.low * worst.device_total() >= bands.reserved.low * worst.reserved());
  CHECK(bands.device.high == alone.high);
  CHECK(bands.device.runs == alone.runs);

  estimate_errors narrow;
  for (error_distribution* each : {&narrow.allocated, &narrow.reserved, &narrow.device})
    each->quantiles = {-0.003, -0.002, -0.001, 0, 0.001, 0.002, 0.003};
  narrow.device.quantiles[0] = -0.002;
  CHECK(memory_bands_of(worst, narrow).device.low == error_band_of(narrow.device).low);
  CHECK(memory_bands_of({}, narrow).device.low == error_band_of(narrow.device).low);
}

TEST_CASE("ranges of memory are in order whatever is trained", "[plan][property]") {
  testing::check_property("in order", [] {
    const accelerator gpu =
        *rc::gen::element(catalog::h100_sxm5_80gb, catalog::a10, catalog::mi300x);
    recipe asked = how;
    asked.sequence_length = *rc::gen::element(512, 4096, 32768);
    asked.adapters.rank = *rc::gen::element(0, 16);
    asked.framework = *rc::gen::element(framework::transformer_engine, framework::fsdp2);
    const estimate one = answer_on(gpu, *rc::gen::element(1, 8, 64), 1, asked);
    if (!one.costed()) return;
    const double level = *rc::gen::inRange(1, 1000) / 1000.0;
    const stage_footprint worst = one.memory.worst_stage();
    const estimate_bands bands = bands_of(one, gpu, level);
    const bytes low = bands.allocated.low * worst.allocated();
    const bytes high = bands.allocated.high * worst.allocated();
    RC_ASSERT(low >= worst.states.weights * (1 - 1e-12));
    RC_ASSERT(bands.reserved.low * worst.reserved() >= low * (1 - 1e-12));
    RC_ASSERT(bands.device.low * worst.device_total() >=
              bands.reserved.low * worst.reserved() * (1 - 1e-12));
    RC_ASSERT(bands.reserved.high * worst.reserved() >= high);
    RC_ASSERT(bands.device.high * worst.device_total() >= bands.reserved.high * worst.reserved());
    RC_ASSERT((bands.device.low <= 1 && bands.device.high >= 1));
  });
}

TEST_CASE("a larger micro-batch is no likelier to fit", "[plan][property]") {
  double before = 1;
  for (const int micro_batch : {1, 2, 4, 8}) {
    const estimate one = answer_on(catalog::h100_sxm5_80gb, 8, micro_batch);
    const double chance = bands_of(one, catalog::h100_sxm5_80gb).fits_probability;
    CHECK(chance <= before);
    before = chance;
  }
  CHECK(before < 0.1);
}

TEST_CASE("a layout that breaks a rule has no chance to fit", "[plan]") {
  const estimate one = evaluate(catalog::llama_3_8b, pool_of(catalog::h100_sxm5_80gb, 8), how,
                                {.data = 8, .micro_batch_size = 3});
  REQUIRE(!one.costed());
  CHECK(bands_of(one, catalog::h100_sxm5_80gb).fits_probability == 0);
}

}  // namespace
}  // namespace gpuplan
