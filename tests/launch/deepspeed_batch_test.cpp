#include <gpuplan/launch/deepspeed_batch.hpp>

#include <gpuplan/launch/deepspeed.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

launch_job batch_of(const nlohmann::json& values, const launch_surroundings& around = {}) {
  launch_job said;
  read_deepspeed_batch({detail::without_auto(values), "f"}, around, said);
  return said;
}

nlohmann::json three_numbers(int batch, int micro_batch, int steps) {
  return {{"train_batch_size", batch},
          {"train_micro_batch_size_per_gpu", micro_batch},
          {"gradient_accumulation_steps", steps}};
}

TEST_CASE("a batch that its factors do not make is refused", "[launch][reference]") {
  // Microsoft, DeepSpeed, deepspeed/runtime/config.py, _batch_assertion (2025).
  CHECK_THROWS_WITH(
      batch_of(three_numbers(256, 4, 8), {.gpus = 4}),
      "f: train_batch_size is 256, but must be 128: train_micro_batch_size_per_gpu 4 x "
      "gradient_accumulation_steps 8 x 4 GPUs; leave one of the three out, or give --gpus 8");
  CHECK_THROWS_WITH(
      batch_of(three_numbers(256, 4, 8), {.gpus = 16}),
      "f: train_batch_size is 256, but must be 512: train_micro_batch_size_per_gpu 4 x "
      "gradient_accumulation_steps 8 x 16 GPUs; leave one of the three out, or give --gpus 8");
  CHECK_THROWS_WITH(
      batch_of(three_numbers(250, 4, 8), {.gpus = 1}),
      "f: train_batch_size is 250, but must be 32: train_micro_batch_size_per_gpu 4 x "
      "gradient_accumulation_steps 8 x 1 GPU; leave one of the three out");
  CHECK_THROWS_WITH(
      batch_of(three_numbers(256, 4, 8), {.replicas = 4}),
      "f: train_batch_size is 256, but must be 128: train_micro_batch_size_per_gpu 4 x "
      "gradient_accumulation_steps 8 x 4 replicas; leave one of the three out, or "
      "give --data 8");
  CHECK(batch_of(three_numbers(256, 4, 8), {.gpus = 8}).parallelism.data == 8);
  constexpr int largest = launch_arguments::largest;
  CHECK_THROWS_WITH(batch_of(three_numbers(1, largest, largest), {.gpus = 1}),
                    Catch::Matchers::Contains("is 1, but contradicts train_micro_batch"));
}

TEST_CASE("the replicas follow from three numbers where nobody says the GPUs", "[launch]") {
  const launch_job said = batch_of(three_numbers(256, 4, 8));
  CHECK(said.parallelism.data == 8);
  CHECK(said.recipe.global_batch_size == 256);
  CHECK(said.assumed.empty());
  CHECK_FALSE(said.one_replica);
  CHECK_THROWS_WITH(batch_of(three_numbers(250, 4, 8)),
                    "f: train_batch_size is 250, but must be a multiple of "
                    "train_micro_batch_size_per_gpu 4 x gradient_accumulation_steps 8 = 32");
}

TEST_CASE("the replicas of a batch with fewer numbers are said", "[launch]") {
  const launch_job said =
      batch_of({{"train_batch_size", 256}, {"train_micro_batch_size_per_gpu", 4}});
  CHECK(said.parallelism.data == 64);
  CHECK(said.assumed ==
        std::vector<std::string>{
            "64 GPUs, each with 1 x 4 of the batch of 256; --gpus says how many there are"});
  CHECK(batch_of({{"train_batch_size", 256}}, {.gpus = 8}).assumed.empty());
  CHECK_THROWS_WITH(batch_of({{"train_batch_size", 250}, {"gradient_accumulation_steps", 4}}),
                    "f: train_batch_size is 250, but must be a multiple of "
                    "gradient_accumulation_steps 4");
}

TEST_CASE("a micro-batch that is left out follows from the others", "[launch][reference]") {
  // _set_batch_related_parameters: train_batch / world_size, by the steps where these are given.
  CHECK(batch_of({{"train_batch_size", 256}}, {.gpus = 8}).parallelism.micro_batch_size == 32);
  nlohmann::json two{{"train_batch_size", 256}, {"gradient_accumulation_steps", 4}};
  CHECK(batch_of(two, {.gpus = 8}).parallelism.micro_batch_size == 8);
  CHECK(batch_of(two, {.gpus = 8, .micro_batch_size = 2}).parallelism.micro_batch_size == 2);
  two["train_micro_batch_size_per_gpu"] = "auto";
  CHECK(batch_of(two, {.gpus = 8}).parallelism.micro_batch_size == 8);
  two["gradient_accumulation_steps"] = "auto";
  CHECK(batch_of(two, {.gpus = 8}).parallelism.micro_batch_size == 1);  // the script's
  CHECK_THROWS_WITH(batch_of({{"train_batch_size", 250}}, {.gpus = 8}),
                    "f: train_batch_size is 250, but must be a multiple of 8 GPUs");
}

TEST_CASE("an option goes before the three numbers of a batch", "[launch]") {
  const nlohmann::json three = three_numbers(256, 4, 8);
  CHECK(batch_of(three, {.gpus = 16, .given = {{"global-batch-size", 512}}}).parallelism.data ==
        16);
  CHECK(batch_of(three, {.gpus = 4, .micro_batch_size = 2}).parallelism.data == 4);
  CHECK(batch_of({{"train_batch_size", 250}}, {.gpus = 8, .given = {{"global-batch-size", 512}}})
            .parallelism.micro_batch_size == 64);
  CHECK(batch_of(three, {.gpus = 16, .given = {{"tensor-model-parallel-size", 2}}})
            .parallelism.data == 8);
  CHECK_THROWS_WITH(batch_of(three, {.gpus = 8, .given = {{"tensor-model-parallel-size", 2}}}),
                    Catch::Matchers::Contains(" x 4 replicas; "));
}

TEST_CASE("any one number of a batch may be left out", "[launch][property]") {
  testing::check_property("the same job", [] {
    const int data = *rc::gen::inRange(1, 64);
    const int micro_batch = *rc::gen::inRange(1, 9);
    const int steps = *rc::gen::inRange(1, 9);
    nlohmann::json file = three_numbers(data * micro_batch * steps, micro_batch, steps);
    const int left_out = *rc::gen::inRange(0, 4);
    if (left_out < 3) file.erase(std::next(file.begin(), left_out));
    const launch_job said = batch_of(file, {.gpus = left_out == 3 ? 0 : data});
    RC_ASSERT(said.parallelism.data == data);
    RC_ASSERT(said.parallelism.micro_batch_size == micro_batch);
    RC_ASSERT(said.recipe.global_batch_size == data * micro_batch * steps);
  });
}

}  // namespace
}  // namespace gpuplan
