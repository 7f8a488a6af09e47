#include <gpuplan/launch/megatron_refusals.hpp>

#include <string>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/launch/megatron_reader.hpp>

#include "launch/small_launch.hpp"
#include "support/catch.hpp"

namespace gpuplan {
namespace {

launch_job job_of(const nlohmann::json& more, launch_surroundings around = {.gpus = 8}) {
  around.gpu = catalog::h100_sxm5_80gb;
  return read_megatron(testing::small_launch(more), around);
}

TEST_CASE("layers that do not divide into equal stages are refused", "[launch][reference]") {
  // Megatron-LM, megatron/core/transformer/transformer_block.py, get_num_layers_to_build (2026).
  constexpr const char* stages = "pipeline-model-parallel-size";
  constexpr const char* chunks = "num-virtual-stages-per-pipeline-rank";
  CHECK_THROWS_WITH(
      job_of({{stages, 8}}),
      "f: --pipeline-model-parallel-size 8 does not divide the 12 layers, which Megatron-LM "
      "refuses without --pipeline-model-parallel-layout or --decoder-first-pipeline-num-layers");
  CHECK_THROWS_WITH(job_of({{stages, 4}, {chunks, 2}}),
                    "f: --num-virtual-stages-per-pipeline-rank 2 does not divide the 3 layers of "
                    "a stage, which Megatron-LM refuses");
  CHECK(job_of({{stages, 4}, {chunks, 3}}).parallelism.interleave == 3);
  CHECK(job_of({{stages, 2}, {"num-layers", 11}, {"account-for-loss-in-pipeline-split", true}})
            .parallelism.pipeline == 2);
  CHECK(job_of({{stages, 4}, {"num-layers", 13}, {"decoder-first-pipeline-num-layers", 4}})
            .parallelism.pipeline == 4);
  launch_surroundings around{.gpus = 8};
  around.given[stages] = 4;
  CHECK(job_of({{stages, 8}}, around).parallelism.pipeline == 8);
}

TEST_CASE("instances of the optimizer divide the replicas", "[launch][reference]") {
  // Megatron-LM, megatron/core/parallel_state.py, initialize_model_parallel (2026).
  constexpr const char* instances = "num-distributed-optimizer-instances";
  CHECK_THROWS_WITH(job_of({{instances, 3}}),
                    "f: --num-distributed-optimizer-instances 3 does not divide the 8 "
                    "data-parallel x context-parallel ranks, which Megatron-LM refuses");
  CHECK_THROWS_WITH(
      job_of({{instances, 2}, {"num-experts", 8}, {"expert-model-parallel-size", 8}}),
      "f: --num-distributed-optimizer-instances 2 does not divide the 1 replicas of each expert, "
      "which Megatron-LM refuses");
  CHECK(job_of({{instances, 4}}).parallelism.shard_group == 2);
  CHECK(job_of({{instances, 2}}, {}).parallelism.data == 1);
}

TEST_CASE("no sequence is longer than the positions", "[launch][reference]") {
  // Megatron-LM, megatron/training/arguments.py, validate_args (commit d98e8a64, 2026).
  const nlohmann::json rotary{{"seq-length", 1025}, {"position-embedding-type", "rope"}};
  CHECK_THROWS_WITH(job_of(rotary),
                    "f: --seq-length 1025 must be <= --max-position-embeddings 1024; Megatron-LM "
                    "refuses longer sequences");
  launch_surroundings around{.gpus = 8};
  around.given["seq-length"] = 512;
  CHECK(job_of(rotary, around).recipe.sequence_length == 1025);
}

}  // namespace
}  // namespace gpuplan
