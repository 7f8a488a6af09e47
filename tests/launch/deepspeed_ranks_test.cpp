#include <gpuplan/launch/deepspeed_ranks.hpp>

#include <gpuplan/launch/deepspeed.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

launch_job job_of(const char* text, const launch_surroundings& around = {.gpus = 8}) {
  return read_deepspeed({detail::without_auto(dotted(nlohmann::json::parse(text))), "f"}, around);
}

TEST_CASE("tensor and sequence ranks of DeepSpeed are no replicas", "[launch]") {
  const parallelism tensor =
      job_of(R"({"tensor_parallel": {"autotp_size": 2}, "zero_optimization": {"stage": 1}})")
          .parallelism;
  CHECK((tensor.data == 4 && tensor.tensor == 2 && tensor.context == 1));
  CHECK(job_of(R"({"tensor_parallel": {"tp_size": 4}})").parallelism.tensor == 4);
  CHECK(job_of(R"({"tensor_parallel": {"tp": {"tp_size": 2}}})").parallelism.tensor == 2);

  const launch_job sequence = job_of(R"({"sequence_parallel_size": 2, "train_batch_size": 16,
      "train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 4})");
  CHECK((sequence.parallelism.data == 4 && sequence.parallelism.context == 2));
  CHECK(sequence.parallelism.exchange == context_exchange::all_to_all);
  CHECK(sequence.not_modelled.empty());
}

TEST_CASE("one rank of an axis says nothing", "[launch]") {
  const launch_job said = job_of(R"({"tensor_parallel": {"autotp_size": 0, "tp_size": 1},
      "pipeline": {"stages": 1}, "sequence_parallel_size": 1})");
  CHECK(said.parallelism.data == 8);
  CHECK(said.parallelism.gpus() == 8);
  CHECK(said.not_modelled.empty());
  CHECK(job_of(R"({"pipeline": {"stages": "auto"}})").parallelism.data == 8);
}

TEST_CASE("an option goes before the ranks of a file of DeepSpeed", "[launch]") {
  launch_surroundings around{.gpus = 8};
  around.given["tensor-model-parallel-size"] = 4;
  around.given["pipeline-model-parallel-size"] = 2;
  const launch_job said =
      job_of(R"({"tensor_parallel": {"autotp_size": 2}, "pipeline": {"stages": 2}})", around);
  CHECK(said.parallelism.data == 1);
}

TEST_CASE("ranks that DeepSpeed's file cannot say are refused", "[launch]") {
  CHECK_THROWS_WITH(job_of(R"({"pipeline": {"stages": 2}})"),
                    "f: pipeline.stages is 2, but the script cuts the pipeline; give --pipeline 2");
  CHECK_THROWS_WITH(
      job_of(R"({"tensor_parallel": {"autotp_size": 2}, "zero_optimization": {"stage": 3}})"),
      "f: tensor_parallel.autotp_size must be 1 with zero_optimization.stage 3, as DeepSpeed has "
      "it");
  CHECK_THROWS_WITH(job_of(R"({"tensor_parallel": {"autotp_size": 2, "tp_size": 4}})"),
                    "f: tensor_parallel.tp_size is 4, but another field says 2 tensor ranks");
  CHECK_THROWS_WITH(job_of(R"({"sequence_parallel_size": 3})"),
                    "f: 3 ranks of a replica do not divide the 8 GPUs");
}

}  // namespace
}  // namespace gpuplan
