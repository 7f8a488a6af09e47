#include <gpuplan/launch/megatron_workspace.hpp>

#include <gpuplan/hardware/catalog.hpp>

#include "launch/small_launch.hpp"
#include "support/catch.hpp"

namespace gpuplan {
namespace {

TEST_CASE("arguments choose what kernels keep", "[launch]") {
  const auto beside = [](const nlohmann::json& more) {
    return read_megatron_workspace(testing::small_launch(more), catalog::h100_sxm5_80gb,
                                   {.layers = 12});
  };
  CHECK(beside(nlohmann::json::object()).kernels.mask_in_batch);
  CHECK_FALSE(beside(nlohmann::json::object()).kernels.flash_output_copied);
  CHECK(beside({{"attention-backend", "flash"}}).kernels.flash_output_copied);
  CHECK(beside({{"transformer-impl", "local"}}).transformer_engine == bytes{0});
  CHECK_FALSE(beside({{"no-gradient-accumulation-fusion", true}}).kernels.head_gradient_fused);
  CHECK(beside({{"defer-embedding-wgrad-compute", true}, {"wgrad-deferral-limit", 2}})
            .kernels.head_gradients_deferred == 2);
  CHECK(beside({{"wgrad-deferral-limit", 2}}).kernels.head_gradients_deferred == 0);
  for (const nlohmann::json& limit : {nlohmann::json{}, nlohmann::json(0)})
    CHECK(beside({{"defer-embedding-wgrad-compute", true}, {"wgrad-deferral-limit", limit}})
              .kernels.head_gradients_deferred == all_micro_batches);
  CHECK(beside({{"moe-token-dispatcher-type", "alltoall"}}).kernels.dispatcher ==
        token_dispatcher::all_to_all);
}

}  // namespace
}  // namespace gpuplan
