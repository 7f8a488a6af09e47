#include <gpuplan/launch/deepspeed.hpp>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

launch_job job_of_json(const nlohmann::json& values, int gpus = 8) {
  return read_deepspeed(
      launch_arguments{detail::without_auto(dotted(values)), "f"},
      {.gpu = catalog::h100_sxm5_80gb, .gpus = gpus, .model = catalog::llama_3_8b});
}

TEST_CASE("DeepSpeed's JSON is read", "[launch]") {
  const launch_job said = job_of_json(nlohmann::json::parse(R"({"train_batch_size": 64,
      "train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": "auto",
      "bf16": {"enabled": true}, "optimizer": {"type": "AdamW", "params": {"lr": 1}},
      "zero_optimization": {"stage": 2, "overlap_comm": true, "reduce_bucket_size": 2e8,
                            "allgather_bucket_size": 2e8, "zero_quantized_weights": true,
                            "offload_optimizer": {"device": "cpu"}}})"));
  CHECK(said.parallelism.data == 8);
  CHECK(said.recipe.global_batch_size == 64);
  CHECK(said.recipe.zero == zero_stage::gradients);
  CHECK(said.recipe.offload == offloaded_states::optimizer);
  CHECK(said.workspace.zero_buckets == 3.6 * units::GB);
  CHECK(said.not_modelled == std::vector<std::string>{"zero_optimization.zero_quantized_weights"});
}

TEST_CASE("older words of ZeRO are read", "[launch][reference]") {
  // Microsoft, DeepSpeed, deepspeed/runtime/zero/config.py (2025).
  const auto of_zero = [](const char* zero) {
    return job_of_json(nlohmann::json::parse(
        std::string(R"({"bf16": {"enabled": true}, "zero_optimization": )") + zero + "}"));
  };
  CHECK(of_zero(R"({"stage": 2, "cpu_offload": true})").recipe.offload ==
        offloaded_states::optimizer);
  CHECK(
      of_zero(R"({"stage": 3, "cpu_offload": true, "cpu_offload_params": true})").recipe.offload ==
      offloaded_states::all);
  CHECK(of_zero(R"({"stage": 2, "cpu_offload": false})").recipe.offload == offloaded_states::none);
  CHECK(of_zero(R"({"stage": 2, "cpu_offload": true, "cpu_offload_use_pin_memory": true})")
            .not_modelled.empty());
  CHECK(of_zero("true").recipe.zero == zero_stage::optimizer);
  CHECK(of_zero("true").recipe.gradient == gradient_format::bf16);
  CHECK(of_zero("true").not_modelled.empty());
  CHECK(of_zero("false").recipe.zero == zero_stage::none);
}

TEST_CASE("what a file leaves to its script is said", "[launch]") {
  const auto lines = [](const char* text) {
    std::string all;
    for (const std::string& line : job_of_json(nlohmann::json::parse(text)).assumed)
      if (line.find("auto") != line.npos) all += line + "\n";
    return all;
  };
  const std::string precision =
      "the script's own, as the file says \"auto\": precision, fp32 unless another is given\n";
  const std::string micro_batch =
      "the script's own, as the file says \"auto\": micro-batch, 1 unless another is given\n";
  CHECK(lines(R"({"bf16": {"enabled": "auto"}, "train_micro_batch_size_per_gpu": "auto"})") ==
        precision + micro_batch);
  CHECK(lines(R"({"fp16": {"enabled": "auto"}})") == precision);
  CHECK(lines(R"({"fp16": {"enabled": "auto"}, "bf16": {"enabled": true}})").empty());
  CHECK(job_of_json({{"gradient_clipping", "auto"}}).not_modelled.empty());
}

TEST_CASE("a micro-batch of the surroundings stands for one that the file leaves out", "[launch]") {
  const launch_job said =
      read_deepspeed({nlohmann::json::object(), "f"}, {.gpus = 8, .micro_batch_size = 2});
  CHECK(said.parallelism.micro_batch_size == 2);
  CHECK(said.recipe.global_batch_size == 16);
}

TEST_CASE("what options say is not assumed of a script", "[launch]") {
  const launch_arguments args{
      detail::without_auto({{"bf16.enabled", "auto"}, {"train_micro_batch_size_per_gpu", "auto"}}),
      "f"};
  CHECK(read_deepspeed(args, {}).assumed.size() == 4);
  CHECK(read_deepspeed(args, {}).one_replica);
  CHECK_FALSE(read_deepspeed(args, {.gpus = 1}).one_replica);
  CHECK(read_deepspeed(args, {.micro_batch_size = 2, .precision_given = true}).assumed.back() ==
        "all weights are trained; --adapter-rank says otherwise");
  CHECK(
      read_deepspeed(args, {.micro_batch_size = 2, .precision_given = true, .trained_given = true})
          .assumed.size() == 1);
}

TEST_CASE("the format of DeepSpeed's messages is that of its gradients' reduction", "[launch]") {
  const auto reduced = [](const char* format) {
    return job_of_json({{"communication_data_type", format}, {"bf16", {{"enabled", true}}}})
        .recipe.reduction;
  };
  CHECK(reduced("fp32") == reduction_format::fp32);
  CHECK(reduced("bf16") == reduction_format::bf16);
  CHECK(reduced("bfp16") == reduction_format::bf16);
  CHECK(reduced("fp16") == reduction_format::fp16);
  const auto usual = [](const char* format, int stage) {
    return job_of_json({{format, {{"enabled", true}}}, {"zero_optimization", {{"stage", stage}}}})
        .recipe;
  };
  for (const int stage : {0, 1, 3}) {
    CHECK(usual("bf16", stage).reduction == reduction_format::bf16);
    CHECK(usual("fp16", stage).reduction == reduction_format::fp16);
    CHECK(usual("fp16", stage).gradient == gradient_format::fp16);
  }
  CHECK(usual("bf16", 0).gradient == gradient_format::fp32);
  CHECK(usual("bf16", 1).gradient == gradient_format::bf16);
  CHECK(gradient_reduction(job_of_json(nlohmann::json::object()).recipe) == number_format::fp32);
  CHECK_THROWS_WITH(reduced("fp8"), Catch::Matchers::Contains(
                                        "communication_data_type must be one of fp32, bf16, fp16"));
  recipe how = usual_recipe(launch_framework::deepspeed);
  const auto written = [&] { return write_deepspeed(how, {.data = 8}, {}, catalog::llama_3_8b); };
  CHECK(written().at("communication_data_type") == "fp32");
  how.reduction = reduction_format::bf16;
  CHECK_FALSE(written().contains("communication_data_type"));
  how.precision = precision::mixed_fp16;
  CHECK(written().at("communication_data_type") == "bf16");
}

TEST_CASE("DeepSpeed overlaps messages where the file says so, or with stage 3", "[launch]") {
  const auto read = [](const nlohmann::json& zero) {
    return job_of_json({{"bf16", {{"enabled", true}}}, {"zero_optimization", zero}});
  };
  const auto off = software_choice::off;
  CHECK(read({{"stage", 3}}).recipe.overlap.data != off);
  CHECK(read({{"stage", 3}}).workspace.zero_buckets == 9 * units::GB);
  CHECK(read({{"stage", 3}, {"overlap_comm", false}}).recipe.overlap.data == off);
  CHECK(read({{"stage", 2}}).recipe.overlap.data == off);
  CHECK(read({{"stage", 2}}).workspace.zero_buckets == 2 * units::GB);
  CHECK(read({{"stage", 2}, {"overlap_comm", true}}).recipe.overlap.data != off);
}

TEST_CASE("a plain file of DeepSpeed is written as it was read", "[launch]") {
  for (const char* format : {"bf16", "fp16"})
    for (const int stage : {1, 2, 3}) {
      CAPTURE(format, stage);
      const launch_job said = job_of_json({{"train_batch_size", 64},
                                           {"train_micro_batch_size_per_gpu", 1},
                                           {format, {{"enabled", true}}},
                                           {"zero_optimization", {{"stage", stage}}}});
      const launch_job again = job_of_json(
          write_deepspeed(said.recipe, said.parallelism, said.workspace, catalog::llama_3_8b));
      CHECK(again.recipe.zero == said.recipe.zero);
      CHECK(again.recipe.gradient == said.recipe.gradient);
      CHECK(again.recipe.reduction == said.recipe.reduction);
      CHECK(again.recipe.overlap.data == said.recipe.overlap.data);
      CHECK(again.workspace.zero_buckets == said.workspace.zero_buckets);
    }
}

TEST_CASE("what DeepSpeed does by default and a file changes is named", "[launch]") {
  const auto named = [](const char* text) {
    return job_of_json(nlohmann::json::parse(text)).not_modelled;
  };
  using lines = std::vector<std::string>;
  CHECK(named(R"({"elasticity": {"enabled": false, "max_train_batch_size": 2000}})").empty());
  CHECK(named(R"({"elasticity": {"enabled": true, "max_train_batch_size": 2000}})") ==
        lines{"elasticity.enabled: the batch that DeepSpeed chooses by it"});
  CHECK(named(R"({"zero_optimization": {"stage": 2, "reduce_scatter": true,
                  "allgather_partitions": true, "contiguous_gradients": true}})")
            .empty());
  CHECK(named(R"({"zero_optimization": {"stage": 2, "reduce_scatter": false,
                  "allgather_partitions": false, "contiguous_gradients": false,
                  "round_robin_gradients": true}})") ==
        lines{"zero_optimization.allgather_partitions false",
              "zero_optimization.contiguous_gradients false",
              "zero_optimization.reduce_scatter false",
              "zero_optimization.round_robin_gradients true"});
  CHECK(named(R"({"wall_clock_breakdown": true, "comms_logger": {"enabled": true}})") ==
        lines{"comms_logger.enabled true", "wall_clock_breakdown true"});
  CHECK(named(R"({"zero_force_ds_cpu_optimizer": false})").empty());
  CHECK(named(R"({"zero_force_ds_cpu_optimizer": false, "zero_optimization": {"stage": 2,
                  "offload_optimizer": {"device": "cpu"}}})") ==
        lines{"zero_force_ds_cpu_optimizer false"});
  CHECK(named(R"({"bf16": {"enabled": true, "bf16_master_weights_and_grads": true}})") ==
        lines{"bf16.bf16_master_weights_and_grads"});
  CHECK(named(R"({"fp16": {"enabled": true, "loss_scale": 0, "hysteresis": 2}})").empty());
  CHECK(named(R"({"optimizer": {"type": "Adam", "params": {"lr": 1, "torch_adam": true}}})") ==
        lines{"optimizer.params.torch_adam"});
}

TEST_CASE("a stage that ZeRO does not have is refused", "[launch]") {
  CHECK_THROWS_WITH(job_of_json({{"zero_optimization", {{"stage", 4}}}}),
                    "f: zero_optimization.stage must be 0, 1, 2 or 3");
  CHECK_THROWS_WITH(job_of_json({{"train_batch_size", "x"}}),
                    "f: train_batch_size must be a number, not the string \"x\"");
}

TEST_CASE("a bucket below 0 and two precisions are refused", "[launch]") {
  for (const std::string bucket : {"reduce_bucket_size", "allgather_bucket_size"})
    CHECK_THROWS_WITH(job_of_json({{"zero_optimization", {{bucket, -5}}}}),
                      "f: zero_optimization." + bucket + " must be 0 to 1e12 values");
  CHECK_THROWS_WITH(job_of_json({{"bf16", {{"enabled", true}}}, {"fp16", {{"enabled", true}}}}),
                    "f: fp16.enabled contradicts bf16.enabled");
}

TEST_CASE("a switch of DeepSpeed's JSON is true or false", "[launch]") {
  const auto refused = [](const char* name, const nlohmann::json& value) {
    return [=] { static_cast<void>(read_deepspeed({{{name, value}}, "f"}, {})); };
  };
  CHECK_THROWS_WITH(refused("zero_optimization.overlap_comm", "yes please")(),
                    "f: zero_optimization.overlap_comm must be true or false, not the string "
                    "\"yes please\"");
  const launch_arguments both{{{"bf16.enabled", true}, {"fp16.enabled", 7}}, "f"};
  CHECK_THROWS_WITH(read_deepspeed(both, {}), "f: fp16.enabled must be true or false, not 7");
}

}  // namespace
}  // namespace gpuplan
