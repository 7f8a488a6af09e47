#include <gpuplan/memory/weight_formats.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr bytes in_fp8(fp8_recipe scaled, bool transposed) {
  return bytes_per_fp8_weight({.precision = precision::mixed_fp8, .fp8_recipe = scaled},
                              {.fp8_transposed = transposed});
}
static_assert(in_fp8(fp8_recipe::tensorwise, false) == 1 * byte);
static_assert(in_fp8(fp8_recipe::tensorwise, true) == 2 * byte, "as much as BF16");
static_assert(in_fp8(fp8_recipe::blockwise, false) == 2 * byte);
static_assert(in_fp8(fp8_recipe::mxfp8, false) == 2 * (1 + 1.0 / 32) * byte);

TEST_CASE("an FP8 recipe out of range is refused", "[memory][errors]") {
  CHECK_THROWS_AS(in_fp8(static_cast<fp8_recipe>(9), false), invalid_input);
}

}  // namespace
}  // namespace gpuplan
