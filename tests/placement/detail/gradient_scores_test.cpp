#include <gpuplan/placement/detail/gradient_scores.hpp>

#include <cstdint>
#include <vector>

#include <gpuplan/placement/detail/node_box.hpp>
#include <gpuplan/placement/expected_fragmentation.hpp>
#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/gpu_task.hpp>
#include <gpuplan/placement/placer_policy.hpp>
#include <gpuplan/units/units.hpp>

#include "support/catch.hpp"

namespace gpuplan::detail {
namespace {

// So many kinds that scores are not kept in words.
task_mix many_kinds() {
  std::vector<task_share> kinds;
  for (int kind = 0; kind < 600; ++kind)
    kinds.push_back({{.gpus = 1, .gpu_thousandths = 1 + kind, .core_thousandths = 10 * kind}, 1.0});
  return task_mix{kinds};
}

gpu_node node_with(int free_thousandths) {
  gpu_node host = empty_node(1, 8000, bytes{0});
  host.free_gpu[0] = free_thousandths;
  return host;
}

TEST_CASE("scores are those of the states as they are numbered now", "[placement]") {
  const task_mix mix = many_kinds();
  const gpu_task task{.gpus = 1, .gpu_thousandths = 300, .core_thousandths = 100};
  gradient_scores scores{mix, 2};
  std::uint32_t position = 0;
  const auto score_of = [&](const gpu_node& host) {
    const node_box box = box_of(host, position++, scores.state_of(host), {8000, 1000});
    return *scores.score_of(box, host, task, mix);
  };
  const auto expected = [&](const gpu_node& host) {
    return gradient_candidate(host, task, mix).score;
  };
  const gpu_node exact = node_with(300);
  const gpu_node roomy = node_with(1000);
  REQUIRE(expected(exact) != expected(roomy));
  CHECK(score_of(exact) == expected(exact));
  scores.forget();
  CHECK(score_of(roomy) == expected(roomy));  // the first of the states now
}

TEST_CASE("a score that was bounded for a request is found where it counts", "[placement]") {
  std::vector<task_share> kinds;  // more amounts of cores than are kept
  for (int kind = 0; kind < 3000; ++kind)
    kinds.push_back(
        {{.gpus = 1, .gpu_thousandths = 1 + kind % 900, .core_thousandths = 4 * kind}, 1.0});
  const task_mix mix{kinds};
  const gpu_node host = node_with(1000);
  gradient_scores scores{mix, 1};
  const node_box box = box_of(host, 0, scores.state_of(host), {8000, 1000});
  int bounded = 0;
  for (int cores = 100; cores < 8000; cores += 10) {
    const gpu_task task{.gpus = 1, .gpu_thousandths = 300, .core_thousandths = cores};
    const double right = gradient_candidate(host, task, mix).score;
    const double bound = *scores.score_of(box, host, task, mix, 100);
    CHECK(bound >= right);
    bounded += bound > right ? 1 : 0;
    CHECK(*scores.score_of(box, host, task, mix, right) == right);
    CHECK(*scores.score_of(box, host, task, mix) == right);
  }
  CHECK(bounded > 5);
}

}  // namespace
}  // namespace gpuplan::detail
