#include <gpuplan/memory/layered_cache.hpp>

#include <limits>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using units::byte;
using units::token;

layered_model example() {
  layer_group full;
  full.kind = "full";
  full.layers = 2;
  full.cached_values = 10;
  layer_group windowed;
  windowed.kind = "windowed";
  windowed.layers = 3;
  windowed.windowed_values = 10;
  windowed.window = 4;
  layer_group recurrent;
  recurrent.kind = "recurrent";
  recurrent.layers = 5;
  recurrent.state = {.recurrent = 7, .convolution = 3};
  layered_model m;
  for (const layer_group& group : {full, windowed, recurrent}) m.add(group);
  return m;
}

TEST_CASE("each kind of layer keeps its own", "[memory]") {
  const sequence_cache kept = layered_cache(example(), 6 * token);
  CHECK(kept.full == 2 * 10 * 6 * 2 * byte);
  CHECK(kept.windowed == 3 * 10 * 4 * 2 * byte);
  CHECK(kept.state == 5 * (7 * 4 + 3 * 2) * byte);
  CHECK(kept.total() == kept.full + kept.windowed + kept.state);
  CHECK(layered_cache(example(), 3 * token).windowed == 3 * 10 * 3 * 2 * byte);
  CHECK(layered_cache_per_token(example()) == 100 * byte / token);
}

TEST_CASE("the state does not grow with the sequence", "[memory]") {
  testing::check_property("keys and values do", [] {
    const double length = *rc::gen::inRange(4, 1'000'000);
    const sequence_cache one = layered_cache(example(), length * token);
    const sequence_cache two = layered_cache(example(), 2 * length * token);
    RC_ASSERT(two.full == 2 * one.full);
    RC_ASSERT(two.windowed == one.windowed);
    RC_ASSERT(two.state == one.state);
  });
}

TEST_CASE("an empty sequence keeps its state, a negative one is refused", "[memory]") {
  const sequence_cache none = layered_cache(example(), 0 * token);
  CHECK(none.total() == none.state);
  CHECK_THROWS_WITH(layered_cache(example(), -1 * token), ContainsSubstring("length"));
  CHECK_THROWS_WITH(layered_cache(example(), tokens{std::numeric_limits<double>::quiet_NaN()}),
                    ContainsSubstring("length"));
}

}  // namespace
}  // namespace gpuplan
