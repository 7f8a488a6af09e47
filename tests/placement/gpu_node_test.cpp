#include <gpuplan/placement/gpu_node.hpp>

#include <limits>

#include <gpuplan/placement/gpu_task.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr gpu_node host = empty_node(4, 32000, 256 * GiB, 3);
constexpr gpu_task half{.gpus = 1, .gpu_thousandths = 500, .core_thousandths = 4000};
constexpr gpu_task pair{.gpus = 2, .core_thousandths = 8000, .memory = 64 * GiB};

static_assert(host.free_gpu_thousandths() == 4000 && host.whole_free_gpus() == 4);
static_assert(can_host(host, pair));
static_assert(!can_host(host, gpu_task{.gpus = 5}), "no node lends more GPUs than it has");
static_assert(!can_host(host, gpu_task{.core_thousandths = 32001}));
static_assert(!can_host(host, gpu_task{.memory = 257 * GiB}));
static_assert(!can_host(host, gpu_task{.accepted_types = 0b0111}), "type 3 is not among them");
static_assert(can_host(host, gpu_task{.accepted_types = 0b1000}));
static_assert(can_host(host, gpu_task{.gpus = 0, .core_thousandths = 1, .accepted_types = 1}),
              "a task without GPUs does not mind their type");

constexpr gpu_node used = with_task(host, half, 0b0100);
static_assert(used.free_gpu_thousandths() == 3500 && used.whole_free_gpus() == 3);
static_assert(used.free_core_thousandths == 28000);
static_assert(choose_gpus(used, half, gpu_choice::least_free) == 0b0100);
static_assert(choose_gpus(used, half, gpu_choice::most_free) == 0b0001);
static_assert(choose_gpus(used, pair, gpu_choice::least_free) == 0b0011);
static_assert(choose_gpus(used, gpu_task{.gpus = 4}, gpu_choice::least_free) == 0,
              "a node that cannot host it chooses none");
static_assert(without_task(used, half, 0b0100) == host);

TEST_CASE("a node gives only what is free, and takes back only what was taken", "[placement]") {
  CHECK_THROWS_AS(with_task(used, gpu_task{}, 0b0100), invalid_input);
  CHECK_THROWS_AS(with_task(used, gpu_task{}, 0b10000), invalid_input);
  CHECK_THROWS_AS(with_task(used, gpu_task{}, 0b0011), invalid_input);
  CHECK_THROWS_AS(with_task(used, gpu_task{.core_thousandths = 28001}, 1), invalid_input);
  CHECK_THROWS_AS(with_task(used, gpu_task{.memory = 257 * GiB}, 1), invalid_input);
  CHECK_THROWS_AS(without_task(host, half, 0b0100), invalid_input);
  CHECK_THROWS_AS(without_task(used, pair, 0b0100), invalid_input);
  CHECK_THROWS_AS(without_task(used, gpu_task{.gpus = 0, .core_thousandths = 4001}, 0),
                  invalid_input);
}

TEST_CASE("a node beyond its limits is refused", "[placement][errors]") {
  CHECK_THROWS_AS(empty_node(17, 0, bytes{0}), invalid_input);
  CHECK_THROWS_AS(empty_node(-1, 0, bytes{0}), invalid_input);
  CHECK_THROWS_AS(empty_node(1, -1, bytes{0}), invalid_input);
  CHECK_THROWS_AS(empty_node(1, 0, bytes{std::numeric_limits<double>::quiet_NaN()}), invalid_input);
  CHECK_THROWS_AS(empty_node(1, 0, bytes{0}, 64), invalid_input);
}

TEST_CASE("what a node hosts, taken and given back in any order, leaves it as it was",
          "[placement][property]") {
  testing::check_property("tasks come and go", [] {
    const gpu_node empty = empty_node(8, 96000, 512 * GiB);
    gpu_node now = empty;
    struct placed {
      gpu_task task;
      gpu_set on;
    };
    std::vector<placed> here;
    for (int step = 0; step < 60; ++step) {
      const gpu_task task{.gpus = *rc::gen::inRange(0, 5),
                          .gpu_thousandths = *rc::gen::inRange(1, 1001),
                          .core_thousandths = *rc::gen::inRange(0, 30000)};
      if (can_host(now, task)) {
        const gpu_set on = choose_gpus(
            now, task, *rc::gen::element(gpu_choice::least_free, gpu_choice::most_free));
        now = with_task(now, task, on);
        here.push_back({task, on});
      } else if (!here.empty()) {
        const auto leaving =
            static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(here.size())));
        now = without_task(now, here[leaving].task, here[leaving].on);
        here.erase(here.begin() + static_cast<std::ptrdiff_t>(leaving));
      }
      int asked = 0;
      for (const placed& p : here) asked += p.task.total_gpu_thousandths();
      RC_ASSERT(now.free_gpu_thousandths() == 8000 - asked);
    }
    for (const placed& p : here) now = without_task(now, p.task, p.on);
    RC_ASSERT(now == empty);
  });
}

}  // namespace
}  // namespace gpuplan
