#include <gpuplan/launch/launch_samples.hpp>

#include <nlohmann/json.hpp>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/launch/accelerate.hpp>
#include <gpuplan/launch/deepspeed.hpp>
#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

TEST_CASE("samples are counted in words", "[launch]") {
  CHECK(counted_samples(4, 1) == "4");
  CHECK(counted_samples(2, 2) == "1 pair");
  CHECK(counted_samples(8, 2) == "4 pairs");
  CHECK(counted_samples(8, 4) == "2 samples");
  CHECK(samples_of(2) == "pairs, each of 2 sequences");
}

TEST_CASE("DeepSpeed's file counts pairs of preferences", "[launch][reference]") {
  // Hugging Face, TRL, "DPO Trainer" (2025).
  const nlohmann::json file{{"train_batch_size", 128},
                            {"train_micro_batch_size_per_gpu", 1},
                            {"gradient_accumulation_steps", 16}};
  const launch_job pairs = read_deepspeed({file, "f"}, {.gpus = 8, .sequences_per_sample = 2});
  CHECK(pairs.parallelism.micro_batch_size == 2);
  CHECK(pairs.recipe.global_batch_size == 256);
  CHECK(pairs.recipe.sequences_per_sample == 2);
  CHECK(pairs.assumed.back() ==
        "train_batch_size and its micro-batch count pairs, each of 2 sequences");
  CHECK(read_deepspeed({file, "f"}, {.gpus = 8}).parallelism.micro_batch_size == 1);

  const nlohmann::ordered_json written =
      write_deepspeed(pairs.recipe, pairs.parallelism, pairs.workspace, catalog::llama_3_8b);
  CHECK(written["train_batch_size"] == 128);
  CHECK(written["train_micro_batch_size_per_gpu"] == 1);
  CHECK(written["gradient_accumulation_steps"] == 16);
}

TEST_CASE("an option counts sequences beside a file that counts pairs", "[launch]") {
  launch_surroundings around{.gpus = 8, .micro_batch_size = 4, .sequences_per_sample = 2};
  around.given["global-batch-size"] = 64;
  CHECK(in_samples(around).micro_batch_size == 2);
  CHECK(in_samples(around).given.at("global-batch-size") == 32);
  const launch_job said = read_deepspeed({nlohmann::json::object(), "f"}, around);
  CHECK(said.parallelism.micro_batch_size == 4);
}

TEST_CASE("a micro-batch of Accelerate's script is a pair", "[launch]") {
  const launch_job said = read_accelerate(
      {{{"distributed_type", "FSDP"}, {"num_processes", 8}}, "f"}, {.sequences_per_sample = 2});
  CHECK(said.parallelism.micro_batch_size == 2);
  recipe how = said.recipe;
  how.global_batch_size = 64;
  CHECK(write_accelerate(how, {.data = 8, .micro_batch_size = 4}, {})
            .find("micro-batches of 2 pairs and ") != std::string::npos);
  how.sequences_per_sample = 1;
  CHECK(write_accelerate(how, {.data = 8, .micro_batch_size = 4}, {})
            .find("micro-batches of 4 and ") != std::string::npos);
}

}  // namespace
}  // namespace gpuplan
