#include <gpuplan/launch/accelerate.hpp>

#include <string>
#include <vector>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/text/json_yaml.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

launch_job job_of_yaml(const char* text) {
  return read_accelerate(launch_arguments{dotted(parse_yaml(text, "f")), "f"},
                         {.gpu = catalog::h100_sxm5_80gb});
}

TEST_CASE("Accelerate's YAML is read", "[launch]") {
  const launch_job fsdp = job_of_yaml(
      "distributed_type: FSDP\nmixed_precision: bf16\nnum_processes: 8\nnum_machines: 2\n"
      "fsdp_config:\n  fsdp_sharding_strategy: HYBRID_SHARD\n"
      "  fsdp_activation_checkpointing: true\n");
  CHECK(fsdp.recipe.zero == zero_stage::parameters);
  CHECK(fsdp.recipe.recompute == recompute::full);
  CHECK(fsdp.parallelism.data == 8);
  CHECK(fsdp.parallelism.shard_group == 4);
  CHECK(job_of_yaml("distributed_type: FSDP\nfsdp_config:\n  fsdp_version: 2\n"
                    "  fsdp_reshard_after_forward: false\n")
            .recipe.zero == zero_stage::gradients);
  CHECK(job_of_yaml("distributed_type: FSDP\nfsdp_config:\n  fsdp_sharding_strategy: 2\n")
            .recipe.zero == zero_stage::gradients);
  CHECK(job_of_yaml("distributed_type: DEEPSPEED\ndeepspeed_config:\n  zero_stage: 3\n")
            .recipe.zero == zero_stage::parameters);
  CHECK(job_of_yaml("distributed_type: MULTI_GPU\n").recipe.zero == zero_stage::none);
}

TEST_CASE("a model that FSDP does not wrap is named, one on a CPU refused", "[launch]") {
  const auto wrapped = [](const std::string& policy) {
    const std::string text =
        "distributed_type: FSDP\nuse_cpu: false\nfsdp_config:\n"
        "  fsdp_auto_wrap_policy: " +
        policy + "\n";
    return job_of_yaml(text.c_str()).not_modelled;
  };
  CHECK(wrapped("NO_WRAP") ==
        std::vector<std::string>{
            "fsdp_config.fsdp_auto_wrap_policy NO_WRAP: layers are taken to be gathered one by "
            "one, not the whole model at once"});
  CHECK(wrapped("TRANSFORMER_BASED_WRAP").empty());
  CHECK(wrapped("SIZE_BASED_WRAP").empty());
  CHECK_THROWS_WITH(wrapped("SOME_WRAP"),
                    Catch::Matchers::Contains("fsdp_auto_wrap_policy must be one of TRANSFORMER_"));
  CHECK_THROWS_WITH(job_of_yaml("distributed_type: NO\nuse_cpu: true\n"),
                    "f: use_cpu trains on a CPU, which is not modelled");
}

TEST_CASE("another order of gathering than FSDP's own is named", "[launch]") {
  const auto named = [](const std::string& more) {
    const std::string text = "distributed_type: FSDP\nfsdp_config:\n" + more;
    return job_of_yaml(text.c_str()).not_modelled;
  };
  using lines = std::vector<std::string>;
  CHECK(named("  fsdp_backward_prefetch: BACKWARD_PRE\n  fsdp_forward_prefetch: false\n").empty());
  CHECK(named("  fsdp_backward_prefetch: NO_PREFETCH\n  fsdp_forward_prefetch: true\n") ==
        lines{"fsdp_config.fsdp_backward_prefetch NO_PREFETCH",
              "fsdp_config.fsdp_forward_prefetch true"});
  CHECK(named("  fsdp_version: 2\n  fsdp_backward_prefetch: NO_PREFETCH\n").empty());
}

TEST_CASE("what Accelerate does not launch on GPUs is refused", "[launch]") {
  CHECK_THROWS_WITH(job_of_yaml("distributed_type: TPU\n"),
                    "f: distributed_type must be one of NO, MULTI_GPU, FSDP, DEEPSPEED, not the "
                    "string \"TPU\"");
  CHECK_THROWS_WITH(
      job_of_yaml(
          "distributed_type: DEEPSPEED\ndeepspeed_config:\n  deepspeed_config_file: a.json\n"),
      "f: deepspeed_config.deepspeed_config_file names another file; read that one");
}

TEST_CASE("machines have as many processes each", "[launch]") {
  CHECK(job_of_yaml("num_processes: 8\nnum_machines: 2\n").gpus_per_node == 4);
  CHECK_THROWS_WITH(job_of_yaml("num_processes: 7\nnum_machines: 2\n"),
                    "f: num_processes is 7, which the 2 machines of num_machines do not divide");
}

TEST_CASE("a switch of Accelerate's YAML is true or false, FSDP1's word a strategy", "[launch]") {
  const auto read = [](nlohmann::json more) {
    more["distributed_type"] = "FSDP";
    return read_accelerate({more, "f"}, {}).recipe;
  };
  CHECK(read({{"fsdp_config.fsdp_offload_params", "no"}}).offload == offloaded_states::none);
  CHECK_THROWS_WITH(read({{"fsdp_config.fsdp_offload_params", "maybe"}}),
                    "f: fsdp_config.fsdp_offload_params must be true or false, not the string "
                    "\"maybe\"");
  const char* const after = "fsdp_config.fsdp_reshard_after_forward";
  CHECK(read({{after, false}}).zero == zero_stage::gradients);
  CHECK(read({{after, "SHARD_GRAD_OP"}}).zero == zero_stage::gradients);
  CHECK_THROWS_WITH(read({{after, "SOME"}}),
                    Catch::Matchers::Contains("fsdp_reshard_after_forward must be one of FULL_"));
  CHECK_THROWS_WITH(read({{after, "FULL_SHARD"}, {"fsdp_config.fsdp_version", 2}}),
                    Catch::Matchers::Contains("fsdp_reshard_after_forward must be true or false"));
}

}  // namespace
}  // namespace gpuplan
