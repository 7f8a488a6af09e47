#include <gpuplan/placement/fragmentation.hpp>

#include <array>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr std::array pool{
    empty_node(8, 0, bytes{0}),
    with_task(empty_node(8, 0, bytes{0}), {.gpus = 5}, 0b11111),
    with_task(empty_node(4, 0, bytes{0}), {.gpus = 1, .gpu_thousandths = 300}, 0b1),
};
constexpr free_gpus for_four = free_gpus_of(pool, 4);
static_assert(for_four.whole == 8 + 3 + 3 && for_four.thousandths == 14700);
static_assert(for_four.whole_nodes == 1 && for_four.largest_block == 8);
static_assert(for_four.in_smaller_nodes == 6 && for_four.gangs == 2);
static_assert(for_four.unusable_share() == 6.0 / 14);
static_assert(for_four.fragmentation_index() == 1 - 8.0 / 14);
static_assert(free_gpus_of(pool, 1).unusable_share() == 0);
static_assert(free_gpus_of(pool, 9).gangs == 0 && free_gpus_of(pool, 9).unusable_share() == 1);
static_assert(free_gpus_of({}, 1).unusable_share() == 0 &&
              free_gpus_of({}, 1).fragmentation_index() == 0);

TEST_CASE("a larger gang never finds more", "[placement][property]") {
  testing::check_property("share and number of gangs", [] {
    std::vector<gpu_node> nodes(*rc::gen::inRange<std::size_t>(0, 20));
    for (gpu_node& host : nodes) {
      host = empty_node(*rc::gen::inRange(0, 17), 0, bytes{0});
      for (int gpu = 0; gpu < host.gpus; ++gpu)
        host.free_gpu[static_cast<std::size_t>(gpu)] = *rc::gen::element(0, 500, 1000);
    }
    for (int gang = 1; gang < 17; ++gang) {
      const free_gpus some = free_gpus_of(nodes, gang);
      const free_gpus more = free_gpus_of(nodes, gang + 1);
      RC_ASSERT(more.unusable_share() >= some.unusable_share());
      RC_ASSERT(more.gangs <= some.gangs);
      RC_ASSERT(some.gangs * gang + some.in_smaller_nodes <= some.whole);
      RC_ASSERT((some.largest_block >= gang) == (some.gangs > 0));
      RC_ASSERT(some.fragmentation_index() >= 0 && some.fragmentation_index() < 1);
    }
  });
  CHECK_THROWS_AS(free_gpus_of(pool, 0), invalid_input);
}

}  // namespace
}  // namespace gpuplan
