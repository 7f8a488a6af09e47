#include <gpuplan/compute/softmax_time.hpp>

#include <limits>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

static_assert(softmax_bytes(1, 1000, 4 * byte, softmax_passes::separate) == 16000 * byte);
static_assert(softmax_bytes(1, 1000, 4 * byte, softmax_passes::online) == 12000 * byte);
static_assert(softmax_bytes(1, 1000, 4 * byte, softmax_passes::held) == 8000 * byte);

template <class... Args>
concept time_accepts = requires(Args... args) {
  softmax_time(args...);
};
static_assert(time_accepts<double, double, bytes, softmax_passes, bytes_per_second>);
static_assert(!time_accepts<double, double, double, softmax_passes, bytes_per_second>);

TEST_CASE("one pass for the largest and the sum is 4/3 as fast", "[compute][reference]") {
  // Milakov and Gimelshein 2018, section 3: 4 accesses a value become 3, about 1.33 times faster.
  const auto time = [](softmax_passes passes) {
    return softmax_time(4000, 25000, 4 * byte, passes, 900 * GB / second);
  };
  CHECK_THAT(time(softmax_passes::separate) / time(softmax_passes::online),
             WithinRel(4.0 / 3, 1e-12));
  CHECK_THAT(time(softmax_passes::held).in(us), WithinRel(8e8 / 9e11 * 1e6, 1e-12));
}

TEST_CASE("softmax refuses what is no size", "[compute][errors]") {
  const auto held = softmax_passes::held;
  CHECK_THROWS_AS(softmax_bytes(-1, 1, 2 * byte, held), invalid_input);
  CHECK_THROWS_AS(softmax_bytes(nan, 1, 2 * byte, held), invalid_input);
  CHECK_THROWS_AS(softmax_bytes(1, -1, 2 * byte, held), invalid_input);
  CHECK_THROWS_AS(softmax_bytes(1, nan, 2 * byte, held), invalid_input);
  CHECK_THROWS_AS(softmax_bytes(1, 1, bytes{0}, held), invalid_input);
  CHECK_THROWS_AS(softmax_bytes(1, 1, 2 * byte, static_cast<softmax_passes>(7)), invalid_input);
  CHECK_THROWS_AS(softmax_time(1, 1, 2 * byte, held, bytes_per_second{0}), invalid_input);
  CHECK_THROWS_AS(softmax_time(1, 1, 2 * byte, held, bytes_per_second{nan}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
