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

TEST_CASE("what is read for memory alone, or has another value than is taken, is named",
          "[launch]") {
  const auto named = [](const nlohmann::json& more) {
    return read_megatron(testing::small_launch(more), {.gpu = catalog::h100_sxm5_80gb, .gpus = 8})
        .not_modelled;
  };
  using lines = std::vector<std::string>;
  CHECK(named({{"deterministic-mode", true}}) ==
        lines{"--deterministic-mode: the time of its kernels"});
  CHECK(named({{"distributed-backend", "nccl"}}).empty());
  CHECK(named({{"distributed-backend", "gloo"}}) == lines{"--distributed-backend gloo"});
  CHECK(named({{"attention-dropout", 0}, {"hidden-dropout", 0}}).empty());
  CHECK(named({{"attention-dropout", 0.1}}).empty());
  CHECK(named({{"attention-dropout", 0.1}, {"hidden-dropout", 0}}) ==
        lines{"--attention-dropout 0.1: --hidden-dropout is taken for both"});
  CHECK(named({{"moe-router-group-topk", 4}, {"train-sync-interval", 10}}) ==
        lines{"--moe-router-group-topk", "--train-sync-interval"});
  CHECK(named({{"train-iters", 10}, {"attention-softmax-in-fp32", true}}).empty());
}

TEST_CASE("surroundings say what arguments do not", "[launch]") {
  const auto read = [](const char* lacks, const launch_surroundings& around) {
    return read_megatron(testing::small_launch({{lacks, nullptr}}), around);
  };
  const launch_job two = read("micro-batch-size", {.gpus = 8, .micro_batch_size = 2});
  CHECK(two.parallelism.micro_batch_size == 2);
  CHECK(two.recipe.global_batch_size == 16);
  CHECK(read("seq-length", {.sequence_length = 512}).recipe.sequence_length == 512);
  CHECK(
      read("none", {.sequence_length = 512, .micro_batch_size = 2}).parallelism.micro_batch_size ==
      4);  // what is said counts
  CHECK_THROWS_WITH(read("micro-batch-size", {}), "f: --micro-batch-size is missing");
  CHECK_THROWS_WITH(read("seq-length", {}), "f: --seq-length is missing");
}

TEST_CASE("one replica is taken where nobody says the GPUs", "[launch]") {
  const launch_surroundings gpu{.gpu = catalog::h100_sxm5_80gb};
  CHECK(read_megatron(testing::small_launch(), gpu).one_replica);
  CHECK_FALSE(read_megatron(testing::small_launch(), {.gpu = gpu.gpu, .gpus = 8}).one_replica);
  CHECK_FALSE(read_megatron(testing::small_launch({{"nproc-per-node", 1}}), gpu).one_replica);
}

TEST_CASE("products in FP4 are a precision", "[launch]") {
  const auto read = [](nlohmann::json more) {
    more["fp4-format"] = "e2m1";
    return read_megatron(testing::small_launch(more), {.gpu = catalog::h100_sxm5_80gb});
  };
  CHECK(read({}).recipe.precision == precision::mixed_nvfp4);
  CHECK(read({{"fp4-recipe", "nvfp4"}}).not_modelled.empty());
  CHECK_THROWS_WITH(read({{"fp4-recipe", "x"}}), ContainsSubstring("--fp4-recipe must be one of"));
  CHECK_THROWS_WITH(read({{"fp8-format", "hybrid"}}),
                    ContainsSubstring("--fp4-format contradicts --fp8-format"));
}

TEST_CASE("every switch of Megatron-LM is true or false", "[launch]") {
  for (const char* name :
       {"sequence-parallel", "bf16", "fp16", "swiglu", "squared-relu", "quick-geglu",
        "add-qkv-bias", "overlap-grad-reduce", "overlap-param-gather", "grad-reduce-in-bf16",
        "accumulate-allreduce-grads-in-fp32", "use-distributed-optimizer", "qk-layernorm",
        "account-for-loss-in-pipeline-split", "moe-grouped-gemm", "is-hybrid-model"})
    CHECK_THROWS_WITH(
        read_megatron(testing::small_launch({{name, "maybe"}}), {}),
        std::string("f: --") + name + " must be true or false, not the string \"maybe\"");
  CHECK_FALSE(read_megatron(testing::small_launch({{"sequence-parallel", 0}}), {})
                  .recipe.sequence_parallel);
}

TEST_CASE("layers written out and models are refused with the file", "[launch]") {
  const auto refused = [](const nlohmann::json& more) {
    return [=] {
      static_cast<void>(
          read_megatron(testing::small_launch(more), {.gpu = catalog::h100_sxm5_80gb}));
    };
  };
  const nlohmann::json experts{{"num-experts", 4}};
  const auto of_experts = [&](const char* layers) {
    nlohmann::json more = experts;
    more["moe-layer-freq"] = layers;
    return refused(more);
  };
  CHECK_THROWS_WITH(of_experts("([1]*12")(),
                    "f: --moe-layer-freq: a bracket is not closed in \"([1]*12\"");
  CHECK_THROWS_WITH(of_experts("[1]*99999")(),
                    "f: --moe-layer-freq: \"[1]*99999\" stands for more than 65536 layers");
  CHECK_THROWS_WITH(of_experts("[x]*12")(), "f: --moe-layer-freq must have 0 or 1 for each layer");
  CHECK_THROWS_WITH(refused({{"window-size", "127,0"}, {"window-attn-skip-freq", "[1]*12)"}})(),
                    "f: --window-attn-skip-freq: a bracket too many in \"[1]*12)\"");
  CHECK_THROWS_WITH(
      refused({{"pipeline-model-parallel-size", 2}, {"pipeline-model-parallel-layout", "E(t|t"}})(),
      "f: --pipeline-model-parallel-layout: a bracket is not closed in \"E(t|t\"");
  CHECK_THROWS_WITH(
      refused({{"pipeline-model-parallel-size", 4}, {"decoder-last-pipeline-num-layers", 5}})(),
      "f: --decoder-last-pipeline-num-layers: layers do not divide over the stages between the "
      "ends");
  CHECK_THROWS_WITH(refused({{"pipeline-model-parallel-size", 4},
                             {"account-for-loss-in-pipeline-split", true}})(),
                    "f: --account-for-loss-in-pipeline-split: layers and ends do not divide into "
                    "equal stages");
  CHECK_THROWS_WITH(refused({{"pipeline-model-parallel-size", 129}})(),
                    "f: --pipeline-model-parallel-size must be <= 128");
  CHECK_THROWS_WITH(refused({{"group-query-attention", true}, {"num-query-groups", 3}})(),
                    "f: transformer.kv_heads must divide attention_heads");
}

}  // namespace
}  // namespace gpuplan
