#include <gpuplan/placement/gpu_task.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

static_assert(gpu_task{}.total_gpu_thousandths() == whole_gpu);
static_assert(gpu_task{.gpus = 2, .gpu_thousandths = 250}.total_gpu_thousandths() == 500);
static_assert(gpu_task{.gpus = 0, .gpu_thousandths = 250}.total_gpu_thousandths() == 0);
static_assert(gpu_task{}.accepts(63), "without a list any type will do");
static_assert(gpu_task{.accepted_types = 0b10}.accepts(1));
static_assert(!gpu_task{.accepted_types = 0b10}.accepts(0));
static_assert(!gpu_task{.accepted_types = 1}.accepts(63));

TEST_CASE("a task out of range is refused", "[placement][errors]") {
  CHECK_THROWS_AS(require_valid(gpu_task{.gpus = 17}), invalid_input);
  CHECK_THROWS_AS(require_valid(gpu_task{.gpu_thousandths = 0}), invalid_input);
  CHECK_THROWS_AS(require_valid(gpu_task{.gpu_thousandths = 1001}), invalid_input);
  CHECK_THROWS_AS(require_valid(gpu_task{.core_thousandths = -1}), invalid_input);
  CHECK_THROWS_AS(require_valid(gpu_task{.memory = bytes{-1}}), invalid_input);
  CHECK_NOTHROW(require_valid(gpu_task{.gpus = 0, .gpu_thousandths = 0}));
}

}  // namespace
}  // namespace gpuplan
