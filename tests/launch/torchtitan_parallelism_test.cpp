#include <gpuplan/launch/torchtitan_parallelism.hpp>

#include <string>
#include <vector>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/launch/dotted_names.hpp>
#include <gpuplan/launch/torchtitan.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/text/json_toml.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

launch_job cut_of_toml(const char* text, int gpus = 16) {
  return read_torchtitan(
      launch_arguments{dotted(parse_toml(text, "f")), "f"},
      {.gpu = catalog::h100_sxm5_80gb, .gpus = gpus, .model = catalog::llama_3_8b});
}

TEST_CASE("degrees of torchtitan are read where releases up to 0.1 have them",
          "[launch][reference]") {
  // PyTorch, torchtitan, torchtitan/config_manager.py (commit 0011fb90, 2024).
  const launch_job said = cut_of_toml(
      "[training]\nbatch_size = 8\nseq_len = 8192\ntensor_parallel_degree = 2\n"
      "data_parallel_replicate_degree = 2\ndata_parallel_shard_degree = 2\n"
      "[experimental]\npipeline_parallel_degree = 4\ncontext_parallel_degree = 2\n"
      "pipeline_parallel_schedule = \"interleaved_1f1b\"\n",
      64);
  CHECK(said.parallelism.tensor == 2);
  CHECK(said.parallelism.pipeline == 4);
  CHECK(said.parallelism.context == 2);
  CHECK(said.parallelism.data == 4);
  CHECK(said.parallelism.shard_group == 4);
  CHECK(said.parallelism.interleave == 2);
  CHECK(said.parallelism.micro_batch_size == 1);  // 8 sequences in as many parts as stages
  CHECK(said.not_modelled.empty());
  CHECK(said.assumed.empty());
  CHECK_THROWS_WITH(
      cut_of_toml("[training]\ntensor_parallel_degree = 0\n"),
      Catch::Matchers::Contains("f: training.tensor_parallel_degree must be a whole"));
  CHECK_THROWS_WITH(cut_of_toml("[training]\ndata_parallel_shard_degree = 3\n"),
                    "f: training.data_parallel_shard_degree makes 3 ranks, not 16");
  CHECK_THROWS_WITH(cut_of_toml("[parallelism]\ndata_parallel_replicate_degree = 3\n"),
                    "f: parallelism.data_parallel_replicate_degree is 3, which does not divide "
                    "the 16 data-parallel ranks");
}

TEST_CASE("DualPipeV is refused and not taken for DualPipe", "[launch]") {
  // DeepSeek-AI, "DualPipe", README (2025): half the ranks of DualPipe, each with the parameters of
  // one replica and not of two.
  for (const char* degree : {"1", "4"})
    CHECK_THROWS_WITH(cut_of_toml(("[parallelism]\npipeline_parallel_schedule = \"DualPipeV\"\n"
                                   "pipeline_parallel_degree = " +
                                   std::string(degree) + "\n")
                                      .c_str()),
                      "f: parallelism.pipeline_parallel_schedule is DualPipeV, which is not "
                      "modelled and is not DualPipe; allowed: 1F1B, Interleaved1F1B, GPipe, "
                      "ZBVZeroBubble, 1f1b, interleaved_1f1b, gpipe");
}

TEST_CASE("micro-batches of older pipelines are parts of a rank's sequences", "[launch]") {
  const auto of = [](const std::string& batch, const std::string& more) {
    return cut_of_toml(("[training]\nseq_len = 8192\nbatch_size = " + batch +
                        "\n[experimental]\npipeline_parallel_degree = 4\n" + more)
                           .c_str());
  };
  CHECK(of("16", "").parallelism.micro_batch_size == 4);
  CHECK(of("16", "pipeline_parallel_microbatches = 8\n").parallelism.micro_batch_size == 2);
  CHECK(of("16", "").assumed.empty());
  const launch_job few = of("1", "");
  CHECK(few.parallelism.micro_batch_size == 1);
  CHECK(few.assumed ==
        std::vector<std::string>{
            "micro-batch 1: the pipeline's 4 micro-batches do not divide a rank's batch of 1"});
  const launch_job later = cut_of_toml(
      "[training]\nseq_len = 8192\nlocal_batch_size = 8\n[parallelism]\n"
      "pipeline_parallel_degree = 4\n");
  CHECK(later.parallelism.micro_batch_size == 1);
}

TEST_CASE("no degree of torchtitan is ignored in silence", "[launch]") {
  CHECK(cut_of_toml("[training]\ndata_parallel_degree = 16\n").parallelism.data == 16);
  CHECK_THROWS_WITH(
      cut_of_toml("[training]\ndata_parallel_degree = 16\ndata_parallel_type = \"ddp\"\n"),
      "f: training.data_parallel_type is ddp; write [parallelism] "
      "data_parallel_replicate_degree, and data_parallel_shard_degree = 1, in place of "
      "training.data_parallel_degree");
  // Two sections that say it: the newer one counts, the other one is named.
  const launch_job both = cut_of_toml(
      "[parallelism]\ntensor_parallel_degree = 4\n[training]\ntensor_parallel_degree = 2\n");
  CHECK(both.parallelism.tensor == 4);
  CHECK(both.not_modelled == std::vector<std::string>{"training.tensor_parallel_degree"});
  CHECK(cut_of_toml("[experimental]\npipeline_parallel_split_points = \"layers.4\"\n"
                    "enable_async_tensor_parallel = true\ncustom_import = \"x\"\n")
            .not_modelled ==
        std::vector<std::string>{"experimental.enable_async_tensor_parallel",
                                 "experimental.pipeline_parallel_split_points"});
}

}  // namespace
}  // namespace gpuplan
