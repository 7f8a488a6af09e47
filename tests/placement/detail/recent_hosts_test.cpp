#include <gpuplan/placement/detail/recent_hosts.hpp>

#include <cstdint>
#include <vector>

#include <gpuplan/placement/gpu_task.hpp>

#include "support/catch.hpp"

namespace gpuplan::detail {
namespace {

std::vector<std::uint32_t> noted(const recent_hosts& recent, const gpu_task& task) {
  const recent_hosts::hosts its = recent.of(task);
  const auto positions = its.positions();
  return {positions.begin(), positions.end()};
}

TEST_CASE("the latest positions of a kind are kept, apart from other kinds", "[placement]") {
  recent_hosts recent;
  const gpu_task half{.gpus = 1, .gpu_thousandths = 500};
  CHECK(noted(recent, half).empty());
  for (std::size_t position = 0; position < recent_hosts::few + 1; ++position)
    recent.note(half, position);
  CHECK(noted(recent, half) == std::vector<std::uint32_t>{8, 1, 2, 3, 4, 5, 6, 7});
  CHECK(noted(recent, {.gpus = 1, .gpu_thousandths = 510}).size() == recent_hosts::few);
  for (const gpu_task& other :
       {gpu_task{.gpus = 1, .gpu_thousandths = 600}, gpu_task{.gpus = 1},
        gpu_task{.gpus = 2, .gpu_thousandths = 500}, gpu_task{.gpus = 0}, gpu_task{.gpus = 16},
        gpu_task{.gpus = 1, .gpu_thousandths = 999}, gpu_task{.gpus = 1, .gpu_thousandths = 1}}) {
    CAPTURE(other.gpus, other.gpu_thousandths);
    CHECK(noted(recent, other).empty());
    recent.note(other, 5);
    CHECK(noted(recent, other) == std::vector<std::uint32_t>{5});
  }
}

}  // namespace
}  // namespace gpuplan::detail
