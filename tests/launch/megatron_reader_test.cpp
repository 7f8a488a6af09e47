#include <gpuplan/launch/megatron_reader.hpp>

#include <string>
#include <vector>

#include <gpuplan/hardware/catalog.hpp>

#include "launch/small_launch.hpp"
#include "support/catch.hpp"

namespace gpuplan {
namespace {

TEST_CASE("what can change memory or time and is not modelled is named", "[launch]") {
  const launch_job said = read_megatron(
      testing::small_launch({{"fp8-param-gather", true}, {"log-interval", 1}, {"lr", 1e-4}}),
      {.gpu = catalog::h100_sxm5_80gb, .gpus = 8});
  CHECK(said.not_modelled == std::vector<std::string>{"--fp8-param-gather"});
  CHECK(said.parallelism.data == 8);
  CHECK(said.model->layers == 12);
  CHECK_THROWS_WITH(read_megatron(testing::small_launch({{"optimizer", "other"}}), {}),
                    Catch::Matchers::Contains("--optimizer must be one of adam"));
}

}  // namespace
}  // namespace gpuplan
