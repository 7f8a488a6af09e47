#include <gpuplan/compute/quantization_time.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr basic_cast_unit<double> unit{.bandwidth = 2 * TB / second, .start = 4 * us};

static_assert(quantized_value_of(quantization::tensorwise).read == 4 * byte, "read twice");
static_assert(quantized_value_of(quantization::mxfp8).written == (1 + 1.0 / 32) * byte);
static_assert(quantized_value_of(quantization::nvfp4).written == 0.5625 * byte);
static_assert(quantization_time(0, quantization::blockwise, 1, unit) == 4 * us);

template <class... Args>
concept casts = requires(Args... args) {
  quantization_time(args...);
};
static_assert(casts<double, quantization, int, basic_cast_unit<double>>);
static_assert(!casts<bytes, quantization, int, basic_cast_unit<double>>, "values, not bytes");
static_assert(!casts<double, int, int, basic_cast_unit<double>>);

TEST_CASE("a cast takes its bytes and its kernels", "[compute][facts]") {
  // By hand: 1e9 values; read 2, written twice 1 + 1/32, at 2 TB/s, one kernel; read 4, written 1,
  // three kernels.
  CHECK_THAT(quantization_time(1e9, quantization::mxfp8, 2, unit).in(us),
             WithinRel(4 + 1e9 * (2 + 2 * (1 + 1.0 / 32)) / 2e6, 1e-14));
  CHECK_THAT(quantization_time(1e9, quantization::tensorwise, 1, unit).in(us),
             WithinRel(12 + 1e9 * 5 / 2e6, 1e-14));
}

TEST_CASE("quantization_time refuses what its documentation refuses", "[compute][errors]") {
  const auto mx = quantization::mxfp8;
  CHECK_THROWS_AS(quantization_time(-1, mx, 1, unit), invalid_input);
  CHECK_THROWS_AS(quantization_time(1, mx, 0, unit), invalid_input);
  CHECK_THROWS_AS(quantization_time(1, static_cast<quantization>(9), 1, unit), invalid_input);
  CHECK_THROWS_AS(quantization_time(1, mx, 1, basic_cast_unit<double>{}), invalid_input);
  CHECK_THROWS_AS(
      quantization_time(1, mx, 1,
                        basic_cast_unit<double>{.bandwidth = unit.bandwidth, .start = -1 * us}),
      invalid_input);
}

}  // namespace
}  // namespace gpuplan
