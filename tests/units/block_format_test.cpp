#include <gpuplan/units/block_format.hpp>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

// Bits of an element as the sources count them: 8 + 8/32, 4 + 8/32, 4 + 8/16, 8 + 32/128.
static_assert(storage_per_element(mxfp8_e4m3) == 8.25 * bit);
static_assert(storage_per_element(mxfp8_e5m2) == 8.25 * bit);
static_assert(storage_per_element(mxint8) == 8.25 * bit);
static_assert(storage_per_element(mxfp4) == 4.25 * bit);
static_assert(storage_per_element(nvfp4) == 4.5 * bit);
static_assert(storage_per_element(fp8_tile_128) == 8.25 * bit);
static_assert(storage_per_element(fp8_block_128x128) == byte + 4 * byte / 16384);

static_assert(block_storage(mxfp8_e4m3, 64) == 66 * byte);
static_assert(block_storage(mxfp8_e4m3, 65) == 68 * byte, "a block begun has a scale");
static_assert(block_storage(nvfp4, 16) == 13 * byte, "8 of elements, 1 of block, 4 of tensor");
static_assert(block_storage(mxfp4, 0) == bytes{0});
static_assert(block_storage(mxfp4, 70'000'000'000) == 37.1875 * GB, "past 2^31 elements");

TEST_CASE("a large tensor takes what its elements take", "[units][property]") {
  testing::check_property("block_storage / n is within one block of storage_per_element", [] {
    const block_format format = *rc::gen::element(mxfp8_e4m3, mxfp4, nvfp4, fp8_tile_128);
    const auto n = *rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 50);
    const bytes least = static_cast<double>(n) * storage_per_element(format);
    const bytes whole = block_storage(format, n);
    RC_ASSERT(whole >= least);
    RC_ASSERT(whole <= least + format.scale + format.tensor_scale);
    RC_ASSERT(block_storage(format, n + 1) > whole);
  });
}

TEST_CASE("block formats refuse what their documentation refuses", "[units][errors]") {
  CHECK_THROWS_AS(block_storage(mxfp4, -1), invalid_input);
  CHECK_THROWS_AS(block_storage(block_format{}, 1), invalid_input);
  CHECK_THROWS_AS(storage_per_element(block_format{}), invalid_input);
  block_format negative = mxfp4;
  negative.scale = -1 * byte;
  CHECK_THROWS_AS(block_storage(negative, 1), invalid_input);
  negative = mxfp4;
  negative.tensor_scale = -1 * byte;
  CHECK_THROWS_AS(block_storage(negative, 1), invalid_input);
}

}  // namespace
}  // namespace gpuplan
