#include <gpuplan/placement/detail/gradient_bound.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gpuplan/placement/detail/node_box.hpp>
#include <gpuplan/placement/placer_policy.hpp>
#include <gpuplan/simulate/random_numbers.hpp>

#include "support/catch.hpp"

namespace gpuplan::detail {
namespace {

gpu_task asks_a_share(int thousandths, std::int64_t cores) {
  return {.gpus = 1, .gpu_thousandths = thousandths, .core_thousandths = cores};
}

/// A thousand kinds that ask for a tenth of a GPU, and for 1 to 1000 thousandths of a core.
task_mix mix_of_many_amounts() {
  std::vector<task_share> kinds;
  for (int cores = 1; cores <= 1000; ++cores) kinds.push_back({asks_a_share(100, cores), 1});
  return task_mix{kinds};
}

node_box box_around(const gpu_node& host) {
  return box_of(host, 0, node_box::several, {});
}

double gradient_on(const gpu_node& host, const gpu_task& task, const task_mix& mix) {
  return candidate_of(placement_policy::fragmentation_gradient, host, task, {}, mix).score;
}

TEST_CASE("a bound knows what lost cores strand on GPUs that the task leaves alone",
          "[placement][gradient_bound]") {
  const task_mix mix = mix_of_many_amounts();
  const gradient_bound bound{mix};
  const gpu_node host = empty_node(4, 1000, bytes{1});
  // Half of the kinds can use nothing any more, so that each of three GPUs wastes half of itself,
  // and of the GPU taken, or where none is, of the fourth, no more is left than before.
  const gpu_task whole{.gpus = 1, .gpu_thousandths = whole_gpu, .core_thousandths = 500};
  const gpu_task cores_alone{.gpus = 0, .gpu_thousandths = 0, .core_thousandths = 500};
  for (const gpu_task& task : {whole, asks_a_share(100, 500), cores_alone}) {
    const double most = bound.most_points(box_around(host), task);
    CHECK(most >= gradient_on(host, task, mix));
    CHECK(most <= gradient_points(-1400));
  }
  // A node without the other GPUs in the same box has nothing to strand.
  const node_box both = joined(box_around(host), box_around(empty_node(1, 1000, bytes{1})));
  CHECK(bound.most_points(both, whole) >= gradient_on(empty_node(1, 1000, bytes{1}), whole, mix));
  CHECK(bound.most_points(both, whole) == gradient_points(0));
}

TEST_CASE("a bound is at least the score of each node of its box", "[placement][gradient_bound]") {
  random_numbers random{7};
  const auto up_to = [&](int most) {
    return static_cast<int>(random.below(static_cast<unsigned>(most) + 1U));
  };
  std::vector<task_share> kinds;
  for (int kind = 0; kind < 600; ++kind) {
    const int gpus = up_to(4) == 0 ? 2 : 1;
    kinds.push_back({{.gpus = gpus,
                      .gpu_thousandths = gpus == 1 ? 1 + up_to(999) : whole_gpu,
                      .core_thousandths = up_to(12000),
                      .accepted_types = static_cast<std::uint64_t>(up_to(3))},
                     1.0 + up_to(3)});
  }
  const task_mix mix{kinds};
  const gradient_bound bound{mix};
  REQUIRE(bound.pays());
  std::size_t compared = 0;
  std::size_t cut = 0;  // short of what the cores strand
  for (int round = 0; round < 2000; ++round) {
    std::vector<gpu_node> nodes;
    node_box box;
    const int size = 1 + up_to(3);
    const std::int64_t near = up_to(14000);
    for (int i = 0; i < size; ++i) {
      gpu_node host = empty_node(up_to(4), 20000, bytes{1}, up_to(2));
      host.free_core_thousandths = near + up_to(round % 2 == 0 ? 300 : 6000);
      for (int gpu = 0; gpu < host.gpus; ++gpu)
        if (up_to(3) > 0) host.free_gpu[static_cast<std::size_t>(gpu)] = up_to(whole_gpu);
      nodes.push_back(host);
      box = joined(box, box_of(host, static_cast<std::size_t>(i), node_box::several, {}));
    }
    const gpu_task task{.gpus = up_to(2),
                        .gpu_thousandths = up_to(2) == 0 ? whole_gpu : 1 + up_to(999),
                        .core_thousandths = up_to(8000)};
    const double most = bound.most_points(box, task);
    for (const double least : {most - 2, most, most + 2}) {
      const double asked = bound.most_points(box, task, least);
      REQUIRE(asked >= most);
      REQUIRE((asked == most || asked < least));
      cut += asked == most ? 0 : 1;
    }
    for (const gpu_node& host : nodes) {
      if (!can_host(host, task)) continue;
      ++compared;
      REQUIRE(most >= gradient_on(host, task, mix));
    }
  }
  CHECK(compared > 1000);
  CHECK(cut > 100);
}

}  // namespace
}  // namespace gpuplan::detail
