#include <gpuplan/model/precision.hpp>

#include <algorithm>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using enum number_format;

static_assert(std::ranges::is_sorted(precisions) && precisions.back() == precision::bf16,
              "precisions follows the enumeration");
static_assert(formats_of(precision::fp32).product == fp32);
static_assert(formats_of(precision::tf32).product == tf32);
static_assert(formats_of(precision::tf32).weight == fp32, "TF32 is a way to multiply");
static_assert(formats_of(precision::mixed_fp8).product == fp8_e4m3);
static_assert(formats_of(precision::mixed_fp8).activation == bf16);
static_assert(formats_of(precision::mixed_bf16).gradient == fp32, "as Megatron-LM accumulates");
static_assert(formats_of(precision::mixed_fp16).gradient == fp16);

// A master copy is what 16-bit weights have and 32-bit weights are.
static_assert(std::ranges::all_of(precisions, [](precision p) {
  const precision_formats f = formats_of(p);
  return !f.master_copy || limits_of(f.weight).storage < limits_of(fp32).storage;
}));
static_assert(!formats_of(precision::bf16).master_copy);

TEST_CASE("formats_of refuses what is no precision", "[model][errors]") {
  CHECK_THROWS_AS(formats_of(precision{99}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
