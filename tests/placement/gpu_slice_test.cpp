#include <gpuplan/placement/gpu_slice.hpp>

#include <array>
#include <bit>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

// The largest numbers of each slice on one GPU, as NVIDIA's guide lists them: 7, 4, 3, 2, 1, 1.
static_assert(slices_left({}, slice_size::one) == 7);
static_assert(slices_left({}, slice_size::one_wide) == 4);
static_assert(slices_left({}, slice_size::two) == 3);
static_assert(slices_left({}, slice_size::three) == 2);
static_assert(slices_left({}, slice_size::four) == 1);
static_assert(slices_left({}, slice_size::seven) == 1);
// Slices of compute and of memory, of seven and eight.
constexpr std::array<std::array<int, 2>, 6> slices_of_profiles{
    {{1, 1}, {1, 2}, {2, 2}, {3, 4}, {4, 4}, {7, 8}}};
static_assert([] {
  std::size_t index = 0;
  for (const slice_size size : slice_sizes) {
    const slice_profile profile = profile_of_slice(size);
    const auto& [compute, memory] = slices_of_profiles.at(index++);
    if (profile.sevenths != compute || profile.eighths != memory) return false;
  }
  return index == slices_of_profiles.size();
}());
static_assert(slice_memory(slice_size::three, 80 * GB) == 40 * GB);

constexpr sliced_gpu four = with_slice({}, slice_size::four, 0);
static_assert(slices_left(four, slice_size::three) == 1, "4g + 3g is a GPU");
static_assert(slices_left(four, slice_size::four) == 0);
constexpr sliced_gpu two_threes =
    with_slice(with_slice({}, slice_size::three, 0), slice_size::three, 4);
static_assert(slices_left(two_threes, slice_size::one) == 0, "compute is left, memory is not");

// A small slice in the wrong place costs a large one.
constexpr sliced_gpu low = with_slice({}, slice_size::one, 0);
static_assert(slices_left(low, slice_size::four) == 0 && slices_left(low, slice_size::three) == 1);
static_assert(*best_beginning({}, slice_size::one) == 6);
static_assert(slices_left(with_slice({}, slice_size::one, 6), slice_size::four) == 1);
static_assert(!best_beginning(four, slice_size::four));

TEST_CASE("slices never overlap, and never ask for more than a GPU", "[placement][property]") {
  testing::check_property("any order of slices", [] {
    sliced_gpu gpu;
    int eighths = 0;
    for (int step = 0; step < 12; ++step) {
      const slice_size size = *rc::gen::elementOf(slice_sizes);
      const auto at = best_beginning(gpu, size);
      RC_ASSERT(at.has_value() == (slice_beginnings(gpu, size) != 0));
      if (!at) continue;
      gpu = with_slice(gpu, size, *at);
      eighths += profile_of_slice(size).eighths;
      RC_ASSERT(std::popcount(gpu.taken) == eighths);
      RC_ASSERT(gpu.sevenths <= 7);
    }
  });
}

TEST_CASE("a slice where there is no room is refused", "[placement][errors]") {
  CHECK_THROWS_AS(with_slice(four, slice_size::one, 0), invalid_input);
  CHECK_THROWS_AS(with_slice({}, slice_size::two, 1), invalid_input);
  CHECK_THROWS_AS(with_slice({}, slice_size::one, 8), invalid_input);
  CHECK_THROWS_AS(with_slice({}, slice_size::one, -1), invalid_input);
  CHECK_THROWS_AS(slice_memory(slice_size::one, bytes{0}), invalid_input);
  CHECK_THROWS_AS(profile_of_slice(static_cast<slice_size>(9)), invalid_input);
}

}  // namespace
}  // namespace gpuplan
