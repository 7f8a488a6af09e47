#include <gpuplan/placement/node_match.hpp>

#include <array>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;
using positions = std::vector<std::size_t>;

constexpr std::array pool{empty_node(8, 96000, 512 * GiB, 0), empty_node(2, 32000, 128 * GiB, 1),
                          empty_node(4, 32000, 256 * GiB, 1)};
static_assert(scale_of(pool).gpu_thousandths == 8000 && scale_of(pool).core_thousandths == 96000);

TEST_CASE("nodes are filtered by what they have and by what the caller asks", "[placement]") {
  CHECK(filter_nodes(pool, {.gpus = 3}) == positions{0, 2});
  CHECK(filter_nodes(pool, {.gpus = 1, .accepted_types = 0b10}) == positions{1, 2});
  CHECK(filter_nodes(pool, {.gpus = 1}, [](std::size_t n, const gpu_node& host) {
          return n != 2 && host.type == 1;
        }) == positions{1});
  CHECK(filter_nodes(pool, {.gpus = 9}).empty());
  CHECK_THROWS_AS(filter_nodes(pool, {.gpus = 17}), invalid_input);
}

TEST_CASE("one match is that of a placer, and only among those asked", "[placement][property]") {
  testing::check_property("any policy and task", [] {
    const placement_policy policy = *rc::gen::elementOf(placement_policies);
    if (policy == placement_policy::random) return;
    const std::array kinds{task_share{{.gpus = 1}, 3}, task_share{{.gpus = 4}, 1}};
    placer all{pool, policy, task_mix{kinds}};
    for (int step = 0; step < 10; ++step) {
      const gpu_task task{.gpus = *rc::gen::inRange(0, 4),
                          .gpu_thousandths = *rc::gen::element(500, 1000),
                          .core_thousandths = *rc::gen::inRange(0, 20000)};
      const std::vector<gpu_node> before(all.nodes().begin(), all.nodes().end());
      const auto match = match_node(policy, before, filter_nodes(before, task), task,
                                    scale_of(before), task_mix{kinds});
      const auto placed = all.place(task);
      RC_ASSERT(match.has_value() == placed.has_value());
      if (match) RC_ASSERT(match->node == placed->node && match->gpus == placed->gpus);
    }
  });
  const positions last{2};
  CHECK(match_node(placement_policy::first_fit, pool, last, {}, scale_of(pool))->node == 2);
  CHECK_FALSE(match_node(placement_policy::first_fit, pool, {}, {}, scale_of(pool)));
}

TEST_CASE("a match refuses what it cannot do", "[placement][errors]") {
  const positions beyond{3};
  CHECK_THROWS_AS(match_node(placement_policy::first_fit, pool, beyond, {}, scale_of(pool)),
                  invalid_input);
  CHECK_THROWS_AS(
      match_node(placement_policy::fragmentation_gradient, pool, {}, {}, scale_of(pool)),
      invalid_input);
}

}  // namespace
}  // namespace gpuplan
