#include <gpuplan/units/loss_scale.hpp>

#include <limits>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using enum number_format;

// FP16 holds 2^-24 to 65504: what is within needs no scale, what is below is lifted.
constexpr gradient_range typical{.smallest = 0x1p-27, .largest = 1};
static_assert(loss_scales(fp16, typical).least == 8, "Micikevicius et al. 2018, 3.2: 8 is enough");
static_assert(loss_scales(fp16, typical).most == 65504);
static_assert(loss_scales(fp16, typical).exists() && loss_scales(fp16, typical).needed());
static_assert(!loss_scales(fp16, {.smallest = 0x1p-24, .largest = 65504}).needed());
static_assert(!loss_scales(bf16, typical).needed(), "BF16 has the range of FP32");

// A range wider than the format's own has no scale.
static_assert(!loss_scales(fp16, {.smallest = 0x1p-30, .largest = 2048}).exists());
static_assert(loss_scales(fp8_e5m2, typical).exists() && loss_scales(fp8_e4m3, typical).least > 8);

static_assert(loss_scales(fp64, typical).most == limits_of(fp64).largest_finite);
static_assert(loss_scales(fp64, {.smallest = 1e-9, .largest = 1e-9}).most ==
                  limits_of(fp64).largest_finite,
              "no infinite factor");

TEST_CASE("a loss scale within the range loses no gradient", "[units][property]") {
  testing::check_property("both ends are held, above zero and below overflow", [] {
    const auto format = *rc::gen::elementOf(number_formats);
    const double smallest = *rc::gen::inRange(1, 1000) * 1e-9;
    const double largest = smallest * *rc::gen::inRange(1, 1'000'000);
    const loss_scale_range scales = loss_scales(format, {.smallest = smallest, .largest = largest});
    RC_PRE(scales.exists());
    for (const double scale : {scales.least, scales.most}) {
      const double rounding = 1 + 1e-15;
      RC_ASSERT(hold(format, scale * smallest * rounding) != held_as::zero);
      RC_ASSERT(hold(format, scale * largest / rounding) != held_as::overflow);
    }
  });
}

TEST_CASE("loss_scales refuses what its documentation refuses", "[units][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK_THROWS_AS(loss_scales(fp16, {.smallest = 0, .largest = 1}), invalid_input);
  CHECK_THROWS_AS(loss_scales(fp16, {.smallest = 2, .largest = 1}), invalid_input);
  CHECK_THROWS_AS(loss_scales(fp16, {.smallest = nan, .largest = 1}), invalid_input);
  CHECK_THROWS_AS(loss_scales(fp16, {.smallest = 1, .largest = nan}), invalid_input);
  CHECK_THROWS_AS(loss_scales(fp16, {.smallest = 1, .largest = infinity}), invalid_input);
  CHECK_THROWS_AS(loss_scales(number_format{99}, typical), invalid_input);
}

}  // namespace
}  // namespace gpuplan
