#include <gpuplan/model/frozen_weights.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

// Dettmers et al. (2023), section 3: 0.5 bits a weight of FP32 scales for blocks of 64; 0.127 with
// scales in 8 bits.
static_assert(bytes_per_4_bit_weight({.size = 64, .double_quantization = false}) ==
              (0.5 + 4.0 / 64) * byte);
static_assert(bytes_per_4_bit_weight({}) == (0.5 + 1.015625 / 64) * byte);

constexpr recipe beside(base_weights base, precision mix = precision::mixed_bf16) {
  return {.precision = mix, .adapters = {.rank = 8, .base = base}};
}
static_assert(bytes_per_frozen_weight(beside(base_weights::by_precision)) == 2 * byte);
static_assert(bytes_per_frozen_weight(beside(base_weights::by_precision, precision::fp32)) ==
              4 * byte);
static_assert(bytes_per_frozen_weight(beside(base_weights::int8)) == 1 * byte);
static_assert(bytes_per_frozen_weight(beside(base_weights::fp8)) == 1 * byte);
static_assert(bytes_per_frozen_weight(beside(base_weights::int4)) == bytes_per_4_bit_weight({}));

static_assert(bytes_per_frozen_weight(beside(base_weights::nf4)) == bytes_per_4_bit_weight({}));
static_assert(unpacks(beside(base_weights::int4)) && !dequantizes(beside(base_weights::int4)));
static_assert(!unpacks(beside(base_weights::nf4)) && !unpacks(beside(base_weights::int8)));
static_assert(dequantizes(beside(base_weights::nf4)) && dequantizes(beside(base_weights::int8)));
static_assert(!dequantizes(beside(base_weights::fp8)), "its products read it as it is");
static_assert(!dequantizes({.adapters = {.base = base_weights::int4}}), "without adapters");

TEST_CASE("scales in 8 bits never cost more, larger blocks never either", "[model][property]") {
  testing::check_property("of any block", [] {
    const int size = *rc::gen::inRange(1, 65537);
    const bytes doubled = bytes_per_4_bit_weight({size, true});
    RC_ASSERT(doubled <= bytes_per_4_bit_weight({size, false}));
    RC_ASSERT(doubled > 0.5 * byte);
    RC_ASSERT(bytes_per_4_bit_weight({size + 1, true}) < doubled);
  });
}

TEST_CASE("formats out of range are refused", "[model][errors]") {
  CHECK_THROWS_AS(bytes_per_4_bit_weight({.size = 0}), invalid_input);
  CHECK_THROWS_AS(bytes_per_frozen_weight(beside(static_cast<base_weights>(9))), invalid_input);
}

}  // namespace
}  // namespace gpuplan
