#include <gpuplan/placement/expected_fragmentation.hpp>

#include <array>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

// The definition, kind by kind, with no gathering and no sorting.
double by_definition(const gpu_node& host, const std::vector<task_share>& kinds) {
  double sum = 0;
  for (const task_share& kind : kinds) sum += kind.popularity;
  double wasted = 0;
  for (const task_share& kind : kinds) {
    const gpu_task asks{.gpus = kind.task.gpus,
                        .gpu_thousandths = kind.task.gpu_thousandths,
                        .core_thousandths = kind.task.core_thousandths,
                        .accepted_types = kind.task.accepted_types};
    double lost = host.free_gpu_thousandths();
    if (asks.gpus > 0 && can_host(host, asks)) {
      lost = 0;
      for (int gpu = 0; gpu < host.gpus; ++gpu) {
        const int free = host.free_gpu[static_cast<std::size_t>(gpu)];
        if (free < asks.gpu_thousandths) lost += free;
      }
    }
    wasted += kind.popularity / sum * lost;
  }
  return wasted;
}

TEST_CASE("worked by hand: one node, two kinds of task", "[placement][reference]") {
  gpu_node host = empty_node(2, 8000, 64 * GiB);
  host.free_gpu = {300, 1000};
  const std::array kinds{task_share{{.gpus = 1, .core_thousandths = 4000}, 3},
                         task_share{{.gpus = 2, .core_thousandths = 4000}, 1}};
  // One GPU: 300 of 1300 are too small. Two: none of the 1300 can be used.
  CHECK_THAT(expected_fragmentation(host, task_mix{kinds}),
             WithinRel(0.75 * 300 + 0.25 * 1300, 1e-15));
  host.free_core_thousandths = 3999;
  CHECK_THAT(expected_fragmentation(host, task_mix{kinds}), WithinRel(1300.0, 1e-15));
}

TEST_CASE("it is what the definition says, kind by kind", "[placement][property]") {
  testing::check_property("gathered by demand or not", [] {
    gpu_node host = empty_node(*rc::gen::inRange(0, 17), *rc::gen::inRange(0, 64000), 1 * GiB,
                               *rc::gen::inRange(0, 3));
    for (int gpu = 0; gpu < host.gpus; ++gpu)
      host.free_gpu[static_cast<std::size_t>(gpu)] = 100 * *rc::gen::inRange(0, 11);
    std::vector<task_share> kinds;
    const int count = *rc::gen::inRange(1, 30);
    for (int kind = 0; kind < count; ++kind)
      kinds.push_back({{.gpus = *rc::gen::inRange(0, 9),
                        .gpu_thousandths = 100 * *rc::gen::inRange(1, 11),
                        .core_thousandths = 8000 * *rc::gen::inRange(0, 9),
                        .memory = 1 * TiB,
                        .accepted_types = *rc::gen::inRange<std::uint64_t>(0, 8)},
                       1.0 * *rc::gen::inRange(1, 100)});
    const double found = expected_fragmentation(host, task_mix{kinds});
    RC_ASSERT(std::abs(found - by_definition(host, kinds)) <= 1e-9);
    RC_ASSERT(found >= 0 && found <= host.free_gpu_thousandths() + 1e-9);
  });
}

TEST_CASE("a mix without tasks, or with a share that is none, is refused", "[placement][errors]") {
  CHECK_THROWS_AS(task_mix{std::span<const task_share>{}}, invalid_input);
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()})
    CHECK_THROWS_AS((task_mix{std::array{task_share{{}, bad}}}), invalid_input);
  CHECK_THROWS_AS((task_mix{std::array{task_share{{.gpus = 99}, 1}}}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
