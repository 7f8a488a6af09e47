#include <gpuplan/memory/accumulation.hpp>

#include <limits>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

static_assert(accumulate(512, 16, 8).steps == 4);
static_assert(accumulate(512, 16, 8).micro_batch_size == 16);
static_assert(accumulate(500, 16, 8).steps == 4);
static_assert(accumulate(500, 16, 8).effective_batch() == 512);
static_assert(accumulate(100, 48, 1).steps == 3);
static_assert(accumulate(100, 48, 1).micro_batch_size == 34,
              "not 48: the last would be half empty");
static_assert(replicas_without_accumulation(512, 16) == 32);
static_assert(updates_per_epoch(1281167, 256) == 5005, "ImageNet");
static_assert(gradient_weight(16, 64) == 0.25);

TEST_CASE("an epoch is as long as its updates", "[memory][facts]") {
  const accumulation how = accumulate(512, 16, 8);
  CHECK(epoch_time(512 * 100, how, 0.18 * second).in(second) == Approx(100 * 4 * 0.18));
  CHECK(epoch_time(1, how, 0 * second) == 0 * second);
  constexpr std::int64_t billion = 1'000'000'000;
  CHECK(epoch_time(billion, {billion, billion, billion}, 1e9 * second).in(second) == Approx(1));
}

TEST_CASE("accumulation reaches its target with the fewest steps", "[memory][property]") {
  testing::check_property("target <= effective < target + steps replicas", [] {
    const std::int64_t target = *rc::gen::inRange(1, 1 << 20);
    const std::int64_t largest = *rc::gen::inRange(1, 1 << 10);
    const std::int64_t replicas = *rc::gen::inRange(1, 1 << 12);
    const accumulation how = accumulate(target, largest, replicas);
    RC_ASSERT(how.effective_batch() >= target);
    RC_ASSERT(how.effective_batch() < target + how.steps * replicas);
    RC_ASSERT(how.micro_batch_size <= largest);
    RC_ASSERT(how.steps == 1 || (how.steps - 1) * largest * replicas < target);
  });
}

TEST_CASE("mean gradients are weighted by their samples", "[memory][property]") {
  // Ranks of 1 and 3 samples with gradients 8 and 0: the whole batch has mean 2, their mean is 4.
  CHECK(gradient_weight(1, 4) * 8 + gradient_weight(3, 4) * 0 == 2);
}

TEST_CASE("accumulation refuses what its documentation refuses", "[memory][errors]") {
  CHECK_THROWS_AS(accumulate(0, 1, 1), invalid_input);
  CHECK_THROWS_AS(accumulate(1, 0, 1), invalid_input);
  CHECK_THROWS_AS(accumulate(1, 1, 0), invalid_input);
  CHECK_THROWS_AS(accumulate(std::int64_t{1} << 40, 1, 1), invalid_input);
  CHECK_THROWS_AS(replicas_without_accumulation(0, 1), invalid_input);
  CHECK_THROWS_AS(replicas_without_accumulation(1, 0), invalid_input);
  CHECK_THROWS_AS(updates_per_epoch(0, 1), invalid_input);
  CHECK_THROWS_AS(updates_per_epoch(1, 0), invalid_input);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(epoch_time(1, {1, 1, 1}, seconds{nan}), invalid_input);
  CHECK_THROWS_AS(epoch_time(0, {1, 1, 1}, 1 * second), invalid_input);
  CHECK_THROWS_AS(epoch_time(1, {}, 1 * second), invalid_input);
  CHECK_THROWS_AS(gradient_weight(5, 4), invalid_input);
  CHECK_THROWS_AS(gradient_weight(nan, 4), invalid_input);
  CHECK_THROWS_AS(gradient_weight(0, 0), invalid_input);
}

}  // namespace
}  // namespace gpuplan
