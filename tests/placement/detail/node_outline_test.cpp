#include <gpuplan/placement/detail/node_outline.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>

#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/simulate/random_numbers.hpp>

#include "support/catch.hpp"

namespace gpuplan::detail {
namespace {

TEST_CASE("an outline can host what its node can", "[placement][property]") {
  random_numbers random{1};
  const auto below = [&](std::uint64_t most) { return static_cast<int>(random.below(most)); };
  int hosted = 0;
  for (int draw = 0; draw < 20000; ++draw) {
    gpu_node host = empty_node(below(5), 4, bytes{4}, below(3));
    for (std::size_t gpu = 0; gpu < static_cast<std::size_t>(host.gpus); ++gpu)
      host.free_gpu[gpu] = 250 * below(5);
    node_outline outline{
        .cores = host.free_core_thousandths, .memory = host.free_memory, .type = host.type};
    for (std::size_t gpu = 0; gpu < host.free_gpu.size(); ++gpu)
      outline.pieces[gpu] = static_cast<std::int16_t>(host.free_gpu[gpu]);
    std::sort(outline.pieces.begin(), outline.pieces.end(), std::greater<>());
    const gpu_task task{.gpus = below(4),
                        .gpu_thousandths = 250 * (1 + below(4)),
                        .core_thousandths = below(6),
                        .memory = bytes{1.0 * below(6)},
                        .accepted_types = random.below(8)};
    REQUIRE(outline.can_host(task) == can_host(host, task));
    hosted += can_host(host, task) ? 1 : 0;
  }
  CHECK(hosted > 5000);
}

}  // namespace
}  // namespace gpuplan::detail
