#include <gpuplan/scaling/useful_batch.hpp>

#include <limits>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using enum batch_domain;

static_assert(useful_batches_of(image_classification).least == 8192);
static_assert(useful_batches_of(dota).least / useful_batches_of(atari).least == 1e3,
              "reinforcement learning stands at both ends");
static_assert(usual_step_progress(language, 1e4) == 0.5);

TEST_CASE("every row of useful batches stands at its place", "[scaling][facts]") {
  for (std::size_t i = 0; i < useful_batch_table.size(); ++i) {
    CHECK(useful_batch_table[i].domain == static_cast<batch_domain>(i));
    CHECK(useful_batch_table[i].least > 0);
    CHECK(useful_batch_table[i].least < useful_batch_table[i].most);
  }
}

TEST_CASE("a kind of a larger noise scale gains longer from its batch", "[scaling][property]") {
  testing::check_property("progress of twice the batch", [] {
    const double batch = *rc::gen::inRange(1, 1000000);
    const auto gain = [batch](batch_domain k) {
      return usual_step_progress(k, 2 * batch) / usual_step_progress(k, batch);
    };
    RC_ASSERT(gain(dota) > gain(image_classification));
    RC_ASSERT(gain(image_classification) > gain(language));
    RC_ASSERT(gain(language) > 1 && gain(dota) < 2);
  });
}

TEST_CASE("useful batches refuse what their documentation refuses", "[scaling][errors]") {
  CHECK_THROWS_AS(useful_batches_of(static_cast<batch_domain>(4)), invalid_input);
  CHECK_THROWS_AS(useful_batches_of(static_cast<batch_domain>(-1)), invalid_input);
  CHECK_THROWS_AS(usual_step_progress(dota, 0), invalid_input);
  CHECK_THROWS_AS(usual_step_progress(dota, std::numeric_limits<double>::quiet_NaN()),
                  invalid_input);
}

}  // namespace
}  // namespace gpuplan
