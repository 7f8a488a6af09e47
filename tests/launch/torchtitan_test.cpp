#include <gpuplan/launch/torchtitan.hpp>

#include <string>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/launch/dotted_names.hpp>
#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/text/json_toml.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

launch_job job_of_toml(const char* text, int gpus = 16) {
  return read_torchtitan(
      launch_arguments{dotted(parse_toml(text, "f")), "f"},
      {.gpu = catalog::h100_sxm5_80gb, .gpus = gpus, .model = catalog::llama_3_8b});
}

TEST_CASE("a flavor beside a model that is named is said", "[launch]") {
  constexpr const char* text = "[model]\nname = \"llama3\"\nflavor = \"70B\"\n";
  CHECK(job_of_toml(text).not_modelled ==
        std::vector<std::string>{"model.flavor 70B: the model is the one that was named"});
  CHECK(read_torchtitan({dotted(parse_toml(text, "f")), "f"}, {}).not_modelled.empty());
}

TEST_CASE("releases up to 0.2 take eight sequences where none are told", "[launch][reference]") {
  const launch_job before = job_of_toml("[training]\nseq_len = 512\n", 8);
  CHECK(before.parallelism.micro_batch_size == 8);
  CHECK(before.recipe.global_batch_size == 64);
  CHECK(job_of_toml("[training]\nseq_len = 512\nlocal_batch_size = 2\n", 8)
            .parallelism.micro_batch_size == 2);
  CHECK(job_of_toml("[training]\nmax_context_length = 512\n", 8).parallelism.micro_batch_size ==
        32);
}

TEST_CASE("a pipeline of torchtitan takes so many micro-batches of tokens a step",
          "[launch][reference]") {
  const launch_job now = job_of_toml(
      "[training]\nmax_context_length = 512\nnum_tokens_per_microbatch_per_dp_rank = 1024\n"
      "[parallelism]\npipeline_parallel_degree = 2\nnum_pp_microbatches = 4\n");
  CHECK(now.parallelism.pipeline == 2);
  CHECK(now.parallelism.micro_batch_size == 2);
  CHECK(now.recipe.global_batch_size == 2 * 4 * 8);
}

TEST_CASE("one replica of torchtitan is taken where no degree says more", "[launch]") {
  const char* const text = "[training]\nseq_len = 512\n";
  CHECK(job_of_toml(text, 0).one_replica);
  CHECK_FALSE(job_of_toml(text, 8).one_replica);
  CHECK_FALSE(job_of_toml("[parallelism]\ndata_parallel_shard_degree = 2\n", 0).one_replica);
}

TEST_CASE("a shard degree of -1 takes the GPUs that are left", "[launch][reference]") {
  const auto shards = [](const std::string& degree) {
    const std::string text =
        "[training]\nlocal_batch_size = 1\nseq_len = 512\n[parallelism]\n"
        "tensor_parallel_degree = 2\ndata_parallel_shard_degree = " +
        degree + "\n";
    return job_of_toml(text.c_str(), 16).parallelism.data;
  };
  CHECK(shards("-1") == 8);
  CHECK(shards("8") == 8);
  CHECK_THROWS_AS(shards("0"), invalid_input);
}

TEST_CASE("degrees of torchtitan are bounded together", "[launch]") {
  CHECK_THROWS_WITH(job_of_toml("[training]\nlocal_batch_size = 1\nseq_len = 8\n[parallelism]\n"
                                "data_parallel_shard_degree = 1000000000\n"
                                "context_parallel_degree = 1000000000\n",
                                0),
                    "f: parallelism.data_parallel_shard_degree times the other degrees must be <= "
                    "1000000000");
}

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

TEST_CASE("parameters that stay after the forward pass are ZeRO 2", "[launch][reference]") {
  // PyTorch, torchtitan, config.Parallelism.fsdp_reshard_after_forward (commit b5bcd76c, 2026):
  // "never" disables it; "default" is that of the best known case, to keep them in a pipeline.
  const auto zero = [](const std::string& more) {
    return job_of_toml(("[parallelism]\n" + more).c_str()).recipe.zero;
  };
  CHECK(zero("fsdp_reshard_after_forward = \"never\"\n") == zero_stage::gradients);
  CHECK(zero("fsdp_reshard_after_forward = \"always\"\n") == zero_stage::parameters);
  CHECK(zero("fsdp_reshard_after_forward = \"default\"\n") == zero_stage::parameters);
  CHECK(zero("pipeline_parallel_degree = 2\n") == zero_stage::gradients);
  CHECK(zero("pipeline_parallel_degree = 2\nfsdp_reshard_after_forward = \"always\"\n") ==
        zero_stage::parameters);
  CHECK(zero("fsdp_reshard_after_forward = \"never\"\ndata_parallel_replicate_degree = 16\n") ==
        zero_stage::none);
  CHECK_THROWS_WITH(zero("fsdp_reshard_after_forward = \"sometimes\"\n"),
                    "f: parallelism.fsdp_reshard_after_forward must be one of default, always, "
                    "never, not the string \"sometimes\"");
}

TEST_CASE("torchtitan's launch of each stage of ZeRO is read as the same job",
          "[launch][property]") {
  testing::check_property("round trip", [] {
    recipe how = usual_recipe(launch_framework::torchtitan);
    how.zero = *rc::gen::element(zero_stage::none, zero_stage::gradients, zero_stage::parameters);
    if (how.zero == zero_stage::none) how.gradients_live = gradient_lifetime::always;
    how.recompute =
        *rc::gen::element(recompute::none, recompute::alternate_products, recompute::full);
    how.sequence_length = *rc::gen::element(2048, 4096);
    parallelism cut{.data = *rc::gen::inRange(2, 9),
                    .tensor = *rc::gen::element(1, 2, 4),
                    .pipeline = *rc::gen::element(1, 2, 4),
                    .micro_batch_size = *rc::gen::inRange(1, 3)};
    how.sequence_parallel = cut.tensor > 1;
    how.global_batch_size = cut.data * cut.micro_batch_size * 8;
    const transformer& m = catalog::llama_3_8b;
    const workspace beside = workspace_of(catalog::h100_sxm5_80gb, how.framework);
    const launch_job read =
        job_of_toml(write_torchtitan(how, cut, m).c_str(), static_cast<int>(cut.gpus()));
    RC_ASSERT(read.recipe.zero == how.zero);
    RC_ASSERT(read.parallelism.data == cut.data);
    const footprint meant = memory_footprint(m, how, cut, beside);
    const footprint found = memory_footprint(m, read.recipe, read.parallelism, read.workspace);
    for (int i = 0; i < meant.stages(); ++i)
      RC_ASSERT(meant.stage(i).device_total() == found.stage(i).device_total());
    RC_ASSERT(read.not_modelled.empty());
  });
}

TEST_CASE("a torchtitan TOML that makes other ranks is refused", "[launch]") {
  CHECK_THROWS_WITH(job_of_toml("[parallelism]\ndata_parallel_shard_degree = 3\n"),
                    "f: parallelism.data_parallel_shard_degree makes 3 ranks, not 16");
  CHECK_THROWS_WITH(job_of_toml("[parallelism]\npipeline_parallel_schedule = \"x\"\n"),
                    Catch::Matchers::Contains("must be one of 1F1B, Interleaved1F1B"));
}

TEST_CASE("what torchtitan does by default and a file changes is named", "[launch]") {
  const auto named = [](const char* text) { return job_of_toml(text).not_modelled; };
  using lines = std::vector<std::string>;
  CHECK(named("[parallelism]\ncontext_parallel_load_balancer = \"headtail\"\n"
              "context_parallel_rotate_method = \"allgather\"\nspmd_backend = \"spmd_types\"\n"
              "expert_parallel_comm_backend = \"standard\"\n")
            .empty());
  CHECK(named("[parallelism]\ncontext_parallel_load_balancer = \"ptrr\"\n"
              "context_parallel_rotate_method = \"alltoall\"\nspmd_backend = \"full_dtensor\"\n"
              "expert_parallel_comm_backend = \"deepep\"\n") ==
        lines{"parallelism.context_parallel_load_balancer ptrr",
              "parallelism.context_parallel_rotate_method alltoall",
              "parallelism.expert_parallel_comm_backend deepep",
              "parallelism.spmd_backend full_dtensor"});
  CHECK(named("[training]\ndeterministic = true\ngc_freq = 50\n[debug]\nseed = 1\n"
              "deterministic = true\n[fault_tolerance]\nenable = true\n") ==
        lines{"debug.deterministic", "fault_tolerance.enable", "training.deterministic"});
  CHECK(named("[optimizer]\nimplementation = \"fused\"\n").empty());
  CHECK(named("[optimizer]\nimplementation = \"foreach\"\n") ==
        lines{"optimizer.implementation foreach"});
}

TEST_CASE("torchtitan's format of reductions is that of the recipe", "[launch]") {
  const launch_job said = job_of_toml("[training]\nmixed_precision_reduce = \"bfloat16\"\n");
  CHECK(said.recipe.reduction == reduction_format::bf16);
  CHECK(job_of_toml("[training]\nmixed_precision_reduce = \"float32\"\n").recipe.reduction ==
        reduction_format::by_framework);
  CHECK(job_of_toml(write_torchtitan(said.recipe, {.data = 16}, catalog::llama_3_8b).c_str())
            .recipe.reduction == reduction_format::bf16);
}

TEST_CASE("a switch of torchtitan's TOML is true or false", "[launch]") {
  for (const char* name : {"parallelism.enable_sequence_parallel", "compile.enable",
                           "training.compile", "training.enable_cpu_offload"})
    CHECK_THROWS_WITH(
        read_torchtitan({{{name, "maybe"}}, "f"}, {}),
        std::string("f: ") + name + " must be true or false, not the string \"maybe\"");
}

TEST_CASE("a batch of torchtitan has 1 to 1e9 sequences", "[launch]") {
  const auto batch = [](const std::string& value) {
    const std::string text = "[training]\nlocal_batch_size = 1\nseq_len = 8\nglobal_batch_size = ";
    return job_of_toml((text + value + "\n").c_str(), 8).recipe.global_batch_size;
  };
  CHECK(batch("1000000000") == 1'000'000'000);
  CHECK_THROWS_WITH(batch("1000000001"), ContainsSubstring("1 to 1e9 sequences"));
}

}  // namespace
}  // namespace gpuplan
