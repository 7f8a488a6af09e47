#include <gpuplan/compute/kernel_rates.hpp>

#include <cmath>
#include <limits>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"
#include "support/derivative.hpp"
#include "support/property.hpp"
#include "support/random_job.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr accelerator plain{.memory_bandwidth = 2 * TB / second,
                            .peak = {.fp32 = 20 * TFLOP / second,
                                     .bf16 = 300 * TFLOP / second,
                                     .fp8_e4m3 = 600 * TFLOP / second}};
constexpr framework_profile software{.elementwise = 2};

constexpr auto rates_of(const accelerator& gpu, precision in = precision::mixed_bf16,
                        const framework_profile& by = software) {
  return kernel_rates_of(gpu, {.precision = in}, by);
}

constexpr auto usual = rates_of(plain);
static_assert(usual.memory == 0.85 * 2 * TB / second, "streaming_share of the datasheet's");
static_assert(usual.elementwise == usual_operators.elementwise_memory * plain.memory_bandwidth / 2);
static_assert(usual.product.rate == sustained_rate(plain, number_format::bf16));
static_assert(usual.product.bandwidth == usual_operators.product_memory * plain.memory_bandwidth);
static_assert(usual.product.start == usual_operators.product_start);
static_assert(usual.attention.forward_128 == usual_shares{}.attention_128 * (300 * TFLOP / second));
static_assert(usual.cast_value == bytes{0}, "nothing is cast");
static_assert(usual.value == 2 * byte && usual.formats.operand == 2 * byte);
static_assert(usual.product.streaming_multiprocessors == usual_multiprocessors, "not published");
constexpr auto few_cores = [] {
  accelerator tpu = plain;
  tpu.streaming_multiprocessors = 2;
  return rates_of(tpu);
}();
static_assert(few_cores.product.streaming_multiprocessors == 1, "no waves of tiles");

// FP8 products beside 16-bit values: the head and written scores stay in 16 bits.
constexpr auto narrow = rates_of(plain, precision::mixed_fp8);
static_assert(narrow.product.rate == sustained_rate(plain, number_format::fp8_e4m3));
static_assert(narrow.product_16.rate == usual.product.rate);
static_assert(narrow.formats.operand == 1 * byte && narrow.formats.result == 2 * byte);
static_assert(narrow.formats_16.operand == 2 * byte && narrow.value == 2 * byte);
static_assert(narrow.attention.forward_128 == usual.attention.forward_128,
              "attention is not computed in 8 bits");
// Read twice for the scale, written in both orders: 4 + 2; MXFP8 reads once, and has scales.
static_assert(narrow.cast_value == 6 * byte);
constexpr auto cast_by(fp8_recipe scheme) {
  return kernel_rates_of(plain, {.precision = precision::mixed_fp8, .fp8_recipe = scheme}, software)
      .cast_value;
}
static_assert(cast_by(fp8_recipe::mxfp8) == (2 + 2 * (1 + 1.0 / 32)) * byte);
static_assert(cast_by(fp8_recipe::blockwise) == (2 + 2 * (1 + 4.0 / 128)) * byte);

// Products in 4 bits, and they alone, run at the software's share of the measured rate.
constexpr auto with_share(precision in) {
  framework_profile by = software;
  by.four_bit_products = 1.5;
  return rates_of(catalog::b200_sxm, in, by);
}
constexpr auto four_bits = with_share(precision::mixed_nvfp4);
static_assert(with_share(precision::mixed_fp8).product.rate ==
              catalog::b200_sxm.sustained.fp8_e4m3);
static_assert(four_bits.product.rate == 1.5 * catalog::b200_sxm.sustained.fp4);
static_assert(four_bits.product_16.rate ==
              rates_of(catalog::b200_sxm, precision::mixed_nvfp4).product_16.rate);

static_assert(rates_of(plain, precision::fp32).value == 4 * byte);
static_assert(usual.weight_gradient == 8 * byte, "FP32, read and written");

template <class... Args>
concept rates_from = requires(Args... args) {
  kernel_rates_of(args...);
};
static_assert(rates_from<accelerator, recipe, framework_profile>);
static_assert(!rates_from<accelerator, precision, framework_profile>);
static_assert(!rates_from<recipe, accelerator, framework_profile>);

TEST_CASE("what was measured of a device takes the place of what is usual", "[compute][facts]") {
  const accelerator& known = catalog::a100_sxm4_80gb;
  const auto a100 = rates_of(known);
  CHECK(a100.product.rate == known.sustained.bf16);
  CHECK(a100.product.streaming_multiprocessors == 108);
  CHECK(a100.product.start == known.operators.product_start);
  CHECK(a100.attention.forward_128 == known.operators.attention.forward_128);
}

TEST_CASE("a power limit slows arithmetic, and no memory", "[compute][facts]") {
  const accelerator& gpu = catalog::h100_sxm5_80gb;
  const auto limited = [&](double share) {
    return kernel_rates_of(gpu, {.power_limit = share * gpu.thermal_design_power}, software);
  };
  const auto whole = limited(1);
  CHECK(limited(2).product.rate == whole.product.rate);
  const auto eighth = limited(1.0 / 8);
  CHECK_THAT(eighth.product.rate / whole.product.rate, WithinRel(0.5, 1e-12));
  CHECK_THAT(eighth.attention.forward_128 / whole.attention.forward_128, WithinRel(0.5, 1e-12));
  CHECK(eighth.elementwise == whole.elementwise);
  // 500 of 700 W: the cube root of 5/7.
  CHECK_THAT(limited(5.0 / 7).product.rate / whole.product.rate,
             WithinRel(std::cbrt(5.0 / 7), 1e-12));
}

TEST_CASE("each generation of software has its own attention kernels", "[compute][facts]") {
  const auto attention = [](flash_kernel kernel, const accelerator& gpu) {
    return rates_of(gpu, precision::mixed_bf16, {.flash = kernel}).attention.forward_128;
  };
  for (const accelerator& gpu : {plain, catalog::h100_sxm5_80gb, catalog::a100_sxm4_80gb}) {
    CHECK(attention(flash_kernel::triton, gpu) < attention(flash_kernel::flash_2, gpu));
    CHECK(attention(flash_kernel::flash_2, gpu) <= attention(flash_kernel::fused, gpu));
  }
}

TEST_CASE("a product that does not accumulate writes its gradient once", "[compute][facts]") {
  const auto apart = rates_of(plain, precision::mixed_bf16, {.accumulates_in_product = false});
  CHECK(apart.weight_gradient == 4 * byte);
  const recipe fused{.gradient_accumulation_fusion = software_choice::on};
  CHECK(kernel_rates_of(plain, fused, {.accumulates_in_product = false}).weight_gradient ==
        8 * byte);
  const recipe not_fused{.gradient_accumulation_fusion = software_choice::off};
  CHECK(kernel_rates_of(plain, not_fused, software).weight_gradient == 4 * byte);
}

TEST_CASE("gradients that products do not add are added by kernels", "[compute][facts]") {
  const auto addition = [](const recipe& how, bool adds = true) {
    return kernel_rates_of(plain, how, {.accumulates_in_product = adds}).gradient_addition;
  };
  const recipe apart{.gradient_accumulation_fusion = software_choice::off};
  CHECK(addition({}) == 0 * byte);
  CHECK(addition(apart) == (2 + 4 + 4) * byte);  // BF16 read, FP32 read and written
  CHECK(addition(apart, false) == 0 * byte);     // its buffers are counted in the software's
  recipe half = apart;
  half.gradient = gradient_format::bf16;
  CHECK(addition(half) == (2 + 2 + 2) * byte);
  recipe adapted = apart;
  adapted.adapters.rank = 16;
  CHECK(addition(adapted) == 0 * byte);
}

TEST_CASE("no rate is above what the datasheet prints", "[compute][property]") {
  testing::check_property("rates below peaks", [] {
    const testing::random_job job = testing::random_job_any();
    const accelerator& gpu = job.pool.gpu();
    const auto by = profile_of(*rc::gen::elementOf(frameworks));
    const auto rates = kernel_rates_of(gpu, job.recipe, by);
    const precision_formats formats = formats_of(job.recipe.precision);
    RC_ASSERT(rates.product.rate <= gpu.peak[formats.product]);
    RC_ASSERT(rates.product_16.rate <= gpu.peak.bf16);
    RC_ASSERT(rates.attention.forward_256 <= gpu.peak.bf16);
    RC_ASSERT(rates.memory <= gpu.memory_bandwidth);
    RC_ASSERT(rates.product.bandwidth <= gpu.memory_bandwidth);
  });
}

TEST_CASE("rates grow as the numbers that they are shares of", "[compute][derivative]") {
  using testing::dual;
  basic_accelerator<dual> gpu{.memory_bandwidth = 2 * TB / second};
  gpu.peak.bf16 = basic_flop_per_second<dual>{testing::variable(3e14)};
  const auto rates = kernel_rates_of(gpu, {}, profile_as<dual>(framework::fsdp));
  CHECK(testing::slope(rates.product.rate.in_base_units()) == sustained_share * best_product_share);
  CHECK_THAT(
      testing::slope(rates.attention.forward_128.in_base_units()),
      WithinRel(usual_shares{}.attention_128 * usual_attention.triton / usual_attention.fused,
                1e-12));
  CHECK(testing::slope(rates.memory.in_base_units()) == 0);
}

TEST_CASE("a device without units for the format is refused", "[compute][errors]") {
  const auto refused = [](const accelerator& gpu, precision in) {
    CHECK_THROWS_AS(rates_of(gpu, in), invalid_input);
  };
  refused(catalog::v100_sxm2_16gb, precision::mixed_bf16);
  refused(catalog::a100_sxm4_80gb, precision::mixed_fp8);
  accelerator gpu = plain;
  gpu.peak.bf16 = std::numeric_limits<double>::quiet_NaN() * TFLOP / second;
  refused(gpu, precision::mixed_bf16);
  gpu = plain;
  gpu.peak.bf16 = {};
  refused(gpu, precision::mixed_fp8);
  refused(plain, precision{99});
  CHECK_THROWS_AS(
      kernel_rates_of(plain, {}, framework_profile{.flash = static_cast<flash_kernel>(99)}),
      invalid_input);
}

TEST_CASE("rotary positions need no kernel for biases", "[compute][facts]") {
  const framework_profile by = profile_of(framework::fsdp);
  CHECK(by.flash == flash_kernel::triton);
  framework_profile newer = by;
  newer.flash = flash_kernel::flash_2;
  transformer m = catalog::llama_3_8b;
  const accelerator& gpu = catalog::a100_sxm4_80gb;
  CHECK(kernel_rates_of(gpu, m, {}, by).attention.forward_128 ==
        kernel_rates_of(gpu, {}, newer).attention.forward_128);
  m.positions = position_encoding::alibi;
  CHECK(kernel_rates_of(gpu, m, {}, by).attention.forward_128 ==
        kernel_rates_of(gpu, {}, by).attention.forward_128);
  CHECK(kernel_rates_of(gpu, m, {}, by).attention.forward_128 <
        kernel_rates_of(gpu, {}, newer).attention.forward_128);
  CHECK(kernel_rates_of(gpu, m, {}, by).eager);
  CHECK(!kernel_rates_of(gpu, m, {}, profile_of(framework::fsdp2)).eager);
}

}  // namespace
}  // namespace gpuplan
