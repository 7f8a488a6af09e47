#include <gpuplan/placement/detail/refused_requests.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/simulate/random_numbers.hpp>

#include "support/catch.hpp"

namespace gpuplan::detail {
namespace {

gpu_task drawn_task(random_numbers& random) {
  const auto up_to = [&](std::uint64_t most) { return static_cast<int>(random.below(most + 1)); };
  const int gpus = up_to(3);
  return {.gpus = gpus,
          .gpu_thousandths = gpus == 1 ? 250 * (1 + up_to(3)) : whole_gpu,
          .core_thousandths = up_to(5),
          .memory = bytes{1.0 * up_to(5)},
          .accepted_types = static_cast<std::uint64_t>(up_to(3))};
}

gpu_node drawn_node(random_numbers& random) {
  const auto up_to = [&](std::uint64_t most) { return static_cast<int>(random.below(most + 1)); };
  gpu_node host = empty_node(up_to(3), up_to(6), bytes{1.0 * up_to(6)}, up_to(1));
  for (int gpu = 0; gpu < host.gpus; ++gpu)
    host.free_gpu[static_cast<std::size_t>(gpu)] = 250 * up_to(4);
  return host;
}

TEST_CASE("what asks for no less is hosted nowhere else", "[placement][property]") {
  random_numbers random{3};
  int related = 0;
  for (int round = 0; round < 20000; ++round) {
    const gpu_task more = drawn_task(random);
    const gpu_task less = drawn_task(random);
    const gpu_node host = drawn_node(random);
    if (!asks_no_less(more, less)) continue;
    ++related;
    REQUIRE((!can_host(host, more) || can_host(host, less)));
  }
  CHECK(related > 500);
  const gpu_task shared{.gpus = 1, .gpu_thousandths = 500, .accepted_types = 3};
  CHECK(asks_no_less(shared, shared));
  CHECK(asks_no_less({.gpus = 1, .gpu_thousandths = 500, .accepted_types = 1}, shared));
  CHECK_FALSE(asks_no_less({.gpus = 1, .gpu_thousandths = 500, .accepted_types = 0}, shared));
  CHECK(asks_no_less(shared, {.gpus = 0, .accepted_types = 4}));
}

TEST_CASE("a request is ruled out only while no node can host it", "[placement][property]") {
  std::size_t ruled_out = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    random_numbers random{seed};
    std::vector<gpu_node> nodes(3);
    for (gpu_node& host : nodes) host = drawn_node(random);
    refused_requests refused;
    for (int round = 0; round < 200; ++round) {
      const gpu_task task = drawn_task(random);
      const bool possible = std::any_of(nodes.begin(), nodes.end(),
                                        [&](const auto& host) { return can_host(host, task); });
      if (refused.rule_out(task)) {
        ++ruled_out;
        REQUIRE_FALSE(possible);
      } else if (!possible) {
        refused.add(task);
        REQUIRE(refused.rule_out(task));
      }
      if (random.below(10) > 0) continue;
      gpu_node& host = nodes[random.below(nodes.size())];
      host = drawn_node(random);
      refused.note_release(host);
    }
  }
  CHECK(ruled_out > 1000);
}

TEST_CASE("no more requests are kept than is said", "[placement]") {
  refused_requests refused;
  for (int cores = 0; cores < 500; ++cores)
    refused.add({.gpus = 1, .core_thousandths = cores, .memory = bytes{500.0 - cores}});
  CHECK(refused.size() == refused_requests::most);
  refused.add({.gpus = 0});
  CHECK(refused.size() == 1);  // the others ask for no less
}

}  // namespace
}  // namespace gpuplan::detail
