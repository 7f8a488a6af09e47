#include <gpuplan/launch/launch_gap.hpp>

#include <string>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

const cluster pool =
    cluster_of(node_of(catalog::h100_sxm5_80gb, 8,
                       {.latency = 5 * units::us, .bandwidth = 50 * units::GB / units::second}),
               8);

std::string gap(launch_framework with, const recipe& how, const parallelism& cut,
                const transformer& m = catalog::llama_3_8b) {
  return launch_gap(with, {m, pool, how, cut, usual_workspace(with, pool.gpu(), how)});
}

recipe usual(launch_framework with) {
  recipe how = usual_recipe(with);
  how.global_batch_size = 64;
  return how;
}

}  // namespace

TEST_CASE("a launch says the whole of a usual job", "[launch]") {
  for (const auto& row : launch_framework_names) {
    INFO(row.name);
    CHECK(gap(row.value, usual(row.value), {.data = 8, .micro_batch_size = 2}) == "");
  }
}

TEST_CASE("what a framework has no word for is named", "[launch]") {
  const recipe deepspeed = usual(launch_framework::deepspeed);
  CHECK(gap(launch_framework::deepspeed, deepspeed, {.data = 2, .tensor = 4}) == "data 2");
  recipe selective = usual(launch_framework::torchtitan);
  selective.recompute = recompute::selective;
  CHECK(gap(launch_framework::torchtitan, selective, {.data = 8}) == "recompute selective");
  recipe eager = usual(launch_framework::megatron);
  eager.loss = loss_kernel::eager;
  CHECK(gap(launch_framework::megatron, eager, {.data = 8}) == "loss eager");
  CHECK(gap(launch_framework::megatron, usual(launch_framework::megatron), {.data = 8},
            catalog::bert_base_uncased) != "");
}

}  // namespace gpuplan
