#include <gpuplan/launch/torchtitan.hpp>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/launch/dotted_names.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/text/json_toml.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

launch_job job_of_toml(const char* text, int gpus = 16) {
  return read_torchtitan(
      launch_arguments{dotted(parse_toml(text, "f")), "f"},
      {.gpu = catalog::h100_sxm5_80gb, .gpus = gpus, .model = catalog::llama_3_8b});
}

}  // namespace

TEST_CASE("torchtitan's TOML is read by the names of two releases", "[launch]") {
  const launch_job now = job_of_toml(
      "[training]\nmax_context_length = 4096\nnum_tokens_per_microbatch_per_dp_rank = 8192\n"
      "num_tokens_per_train_step = 262144\n[parallelism]\ntensor_parallel_degree = 4\n"
      "[activation_checkpoint]\nmode = \"full\"\n[compile]\nenable = true\n");
  CHECK(now.parallelism.data == 4);
  CHECK(now.parallelism.micro_batch_size == 2);
  CHECK(now.recipe.global_batch_size == 64);
  CHECK(now.recipe.recompute == recompute::full);
  CHECK(now.recipe.sequence_parallel);
  CHECK(now.recipe.framework == framework::fsdp2);
  const launch_job before = job_of_toml(
      "[training]\nseq_len = 4096\nlocal_batch_size = 2\nglobal_batch_size = 64\n"
      "[parallelism]\ntensor_parallel_degree = 4\ndata_parallel_replicate_degree = 2\n");
  CHECK(before.parallelism.micro_batch_size == 2);
  CHECK(before.recipe.global_batch_size == 64);
  CHECK(before.parallelism.shard_group == 2);
  CHECK(before.recipe.loss == loss_kernel::eager);
  CHECK(before.recipe.recompute == recompute::alternate_products);
}

TEST_CASE("a torchtitan TOML that makes other ranks is refused", "[launch]") {
  CHECK_THROWS_WITH(job_of_toml("[parallelism]\ndata_parallel_shard_degree = 3\n"),
                    "f: parallelism.data_parallel_shard_degree makes 3 ranks, not 16");
  CHECK_THROWS_WITH(job_of_toml("[parallelism]\npipeline_parallel_schedule = \"x\"\n"),
                    Catch::Matchers::Contains("must be one of 1F1B, Interleaved1F1B"));
}

}  // namespace gpuplan
