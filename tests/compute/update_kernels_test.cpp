#include <gpuplan/compute/update_kernels.hpp>

#include <limits>
#include <vector>

#include <gpuplan/plan/step_time_data.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using enum optimizer;
using enum update_kernels;

static_assert(update_traffic(sgd, fused) == bytes{12} && update_traffic(sgd, separate) == bytes{12},
              "one kernel already");
static_assert(update_traffic(adam, fused) == bytes{28});
static_assert(update_traffic(adam, separate) == bytes{80});
static_assert(update_traffic(momentum, separate, {bytes{4}, bytes{2}, bytes{4}}) == bytes{30});
static_assert(update_passes_of(adamw, separate).kernels == 9);
static_assert(update_passes_of(adamw, fused).kernels == 1);
static_assert(coarse_update_passes(separate) == 5 && coarse_update_passes(fused) == 2);

// The fused update, without the passes for the gradients' norm and scale that a step has besides.
static_assert(update_traffic(adam, fused) + 2 * bytes{4} ==
              bytes_per_update({bytes{4}, bytes{4}, bytes{0}, bytes{8}}));

/// A kernel of one tensor operation: which tensors it reads and writes.
struct kernel {
  std::vector<char> read;
  char written;
};

/// Counts what kernels move, tensor by tensor: w weights, g gradients, m and v states, t between.
update_passes counted(const std::vector<kernel>& kernels) {
  update_passes sum{.kernels = static_cast<int>(kernels.size()), .weight = 0, .gradient = 0};
  const auto count = [&](char tensor) {
    if (tensor == 'w') ++sum.weight;
    if (tensor == 'g') ++sum.gradient;
    if (tensor == 'm' || tensor == 'v') ++sum.states;
    if (tensor == 't') ++sum.temporary;
  };
  for (const kernel& one : kernels) {
    for (const char tensor : one.read) count(tensor);
    count(one.written);
  }
  return sum;
}

void check_same(const update_passes& a, const update_passes& b) {
  CHECK(a.kernels == b.kernels);
  CHECK(a.weight == b.weight);
  CHECK(a.gradient == b.gradient);
  CHECK(a.states == b.states);
  CHECK(a.temporary == b.temporary);
}

TEST_CASE("separate kernels move what each of them reads and writes", "[compute][reference]") {
  const std::vector<kernel> of_adam{{{'m'}, 'm'},      {{'m', 'g'}, 'm'},     {{'v'}, 'v'},
                                    {{'v', 'g'}, 'v'}, {{'v'}, 't'},          {{'t'}, 't'},
                                    {{'t'}, 't'},      {{'w', 'm', 't'}, 'w'}};
  check_same(update_passes_of(adam, separate), counted(of_adam));
  std::vector<kernel> of_adamw = of_adam;
  of_adamw.insert(of_adamw.begin(), {{'w'}, 'w'});
  check_same(update_passes_of(adamw, separate), counted(of_adamw));
  check_same(update_passes_of(sgd, separate), counted({{{'w', 'g'}, 'w'}}));
  check_same(update_passes_of(momentum, separate),
             counted({{{'m'}, 'm'}, {{'m', 'g'}, 'm'}, {{'w', 'm'}, 'w'}}));
  check_same(
      update_passes_of(rmsprop, separate),
      counted(
          {{{'v'}, 'v'}, {{'v', 'g'}, 'v'}, {{'v'}, 't'}, {{'t'}, 't'}, {{'w', 'g', 't'}, 'w'}}));
}

TEST_CASE("a fused update reads and writes each tensor once", "[compute][reference]") {
  check_same(update_passes_of(momentum, fused),
             {.kernels = 1, .weight = 2, .gradient = 1, .states = 2});
  check_same(update_passes_of(rmsprop, fused),
             {.kernels = 1, .weight = 2, .gradient = 1, .states = 2});
  check_same(update_passes_of(adam, fused),
             {.kernels = 1, .weight = 2, .gradient = 1, .states = 4});
  check_same(update_passes_of(adamw, fused), update_passes_of(adam, fused));
}

TEST_CASE("update traffic refuses what it has not counted", "[compute][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(update_traffic(lamb, fused), invalid_input);
  CHECK_THROWS_AS(update_traffic(optimizer{99}, fused), invalid_input);
  CHECK_THROWS_AS(update_traffic(adam, update_kernels{2}), invalid_input);
  CHECK_THROWS_AS(update_traffic(adam, fused, {.weight = bytes{-1}}), invalid_input);
  CHECK_THROWS_AS(update_traffic(adam, fused, {.gradient = bytes{-1}}), invalid_input);
  CHECK_THROWS_AS(update_traffic(adam, fused, {.state = bytes{nan}}), invalid_input);
  CHECK_THROWS_AS(coarse_update_passes(update_kernels{2}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
