#include <gpuplan/hardware/multiprocessor.hpp>

#include <cmath>
#include <limits>

#include <gpuplan/hardware/catalog.hpp>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

static_assert(core_count(108, 64) == 6912, "A100");
static_assert(core_count(80, 64) == 5120, "V100");
static_assert(core_count(132, 128) == 16896, "H100-SXM5");
static_assert(find_multiprocessor(80)->shared_at_most == 164 * KiB);
static_assert(find_multiprocessor(81) == nullptr);

template <class... Args>
concept peak_accepts = requires(Args... args) {
  vector_peak(args...);
};
static_assert(peak_accepts<int, int, per_second>);
static_assert(!peak_accepts<int, int, double>, "a clock needs a unit");

TEST_CASE("cores and clock give the rates of the data sheets", "[hardware][reference]") {
  // Boost clocks and rates without tensor cores: V100 1530 MHz, 15.7 and 31.4 TFLOP/s; A100
  // 1410 MHz, 19.5 and 78; H100-SXM5 1980 MHz, 66.9.  Printed to three digits.
  const auto peak = [](const accelerator& gpu, int capability, double clock, bool half) {
    const multiprocessor& one = *find_multiprocessor(capability);
    return vector_peak(gpu.streaming_multiprocessors, half ? one.half_results : one.cores,
                       clock * 1e6 / second)
        .in(TFLOP / second);
  };
  CHECK(std::abs(peak(catalog::v100_sxm2_16gb, 70, 1530, false) - 15.7) <= 0.05);
  CHECK(std::abs(peak(catalog::v100_sxm2_16gb, 70, 1530, true) - 31.4) <= 0.1);
  CHECK(std::abs(peak(catalog::a100_sxm4_40gb, 80, 1410, false) - 19.5) <= 0.05);
  CHECK(std::abs(peak(catalog::a100_sxm4_40gb, 80, 1410, true) - 78) <= 0.05);
  CHECK(std::abs(peak(catalog::h100_sxm5_80gb, 90, 1980, false) - 66.9) <= 0.05);
  // The card of V100 has 14 TFLOP/s in FP32 at 1370 MHz and twice that in FP16.
  CHECK(std::abs(vector_peak(80, 128, 1370e6 / second).in(TFLOP / second) - 28) <= 0.1);
}

TEST_CASE("a multiprocessor's shared memory is a part of what it shares with L1", "[hardware]") {
  for (const multiprocessor& one : known_multiprocessors) {
    CHECK(one.shared_at_most < one.shared_and_l1);
    CHECK(one.shared_and_l1 <= one.registers);
    CHECK(one.half_results >= one.cores);
  }
}

TEST_CASE("multiprocessors refuse what does not count", "[hardware][errors]") {
  CHECK_THROWS_AS(core_count(0, 64), invalid_input);
  CHECK_THROWS_AS(core_count(80, 0), invalid_input);
  CHECK_THROWS_AS(core_count(2'000'000'000, 64), invalid_input);
  CHECK_THROWS_AS(vector_peak(0, 64, 1e9 / second), invalid_input);
  CHECK_THROWS_AS(vector_peak(80, 0, 1e9 / second), invalid_input);
  CHECK_THROWS_AS(vector_peak(80, 64, 0 / second), invalid_input);
  CHECK_THROWS_AS(vector_peak(80, 64, nan / second), invalid_input);
}

}  // namespace
}  // namespace gpuplan
