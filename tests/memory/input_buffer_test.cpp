#include <gpuplan/memory/input_buffer.hpp>

#include <limits>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr bytes fp32 = 4 * byte;
static_assert(image_batch_memory({.samples = 64, .height = 224, .width = 224}, fp32) ==
              38535168 * byte);
static_assert(image_batch_memory({.samples = 32, .height = 112, .width = 112, .channels = 64},
                                 fp32) == 98 * MiB);
static_assert(input_buffer({}, 10 * MB) == 40 * MB, "two ahead, one processed, one in transfer");
static_assert(input_buffer({.prefetched = 0, .processed = 0, .transferred = 0}, 10 * MB) == 0 * MB);

template <class... Args>
concept buffer_accepts = requires(Args... args) {
  input_buffer(args...);
};
static_assert(!buffer_accepts<bytes, bytes>, "counts of batches, not bytes");

TEST_CASE("input_buffer refuses what its documentation refuses", "[memory][errors]") {
  const bytes nan{std::numeric_limits<double>::quiet_NaN()};
  CHECK_THROWS_AS(input_buffer({.prefetched = -1}, 1 * MB), invalid_input);
  CHECK_THROWS_AS(input_buffer({.processed = -1}, 1 * MB), invalid_input);
  CHECK_THROWS_AS(input_buffer({.transferred = -1}, 1 * MB), invalid_input);
  CHECK_THROWS_AS(input_buffer({}, -1 * MB), invalid_input);
  CHECK_THROWS_AS(input_buffer({}, nan), invalid_input);
  CHECK_THROWS_AS(image_batch_memory({.height = 0}, fp32), invalid_input);
  CHECK_THROWS_AS(image_batch_memory({}, 0 * byte), invalid_input);
}

}  // namespace
}  // namespace gpuplan
