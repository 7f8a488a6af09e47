#include <gpuplan/launch/accelerate_ranks.hpp>

#include <string>

#include <gpuplan/launch/accelerate.hpp>
#include <gpuplan/text/json_yaml.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

launch_job job_of(const std::string& sizes, int processes, const launch_surroundings& around = {}) {
  std::string text =
      "distributed_type: FSDP\nmixed_precision: bf16\nnum_processes: " + std::to_string(processes) +
      "\nparallelism_config:\n";
  for (const char c : sizes + " ") text += c == ' ' ? std::string("\n") : std::string(1, c);
  for (std::size_t at = 0; (at = text.find("\n@", at)) != text.npos;)
    text.replace(at, 2, "\n  parallelism_config_");
  for (std::size_t at = 0; (at = text.find("=", at)) != text.npos;) text.replace(at, 1, ": ");
  return read_accelerate({dotted(parse_yaml(text, "f")), "f"}, around);
}

TEST_CASE("sizes of parallelism_config are the layout", "[launch]") {
  const launch_job said = job_of("@dp_replicate_size=1 @dp_shard_size=2 @tp_size=2 @cp_size=2", 8);
  const parallelism& cut = said.parallelism;
  CHECK((cut.data == 2 && cut.tensor == 2 && cut.context == 2));
  CHECK(cut.shard_group == 0);
  CHECK(cut.exchange == context_exchange::ring);
  CHECK(said.recipe.global_batch_size == 2);
  CHECK(said.not_modelled.empty());
  const parallelism heads = job_of("@sp_size=2 @dp_shard_size=4", 8).parallelism;
  CHECK((heads.data == 4 && heads.context == 2));
  CHECK(heads.exchange == context_exchange::all_to_all);
  CHECK(job_of("@tp_size=1", 8).parallelism.data == 8);
}

TEST_CASE("copies of a shard group are a hybrid", "[launch]") {
  const launch_job hybrid = job_of("@dp_replicate_size=2 @dp_shard_size=4", 8);
  CHECK(hybrid.parallelism.data == 8);
  CHECK(hybrid.parallelism.shard_group == 4);
  const launch_job ring = job_of("@dp_replicate_size=2 @dp_shard_size=2 @cp_size=2", 8);
  CHECK(ring.parallelism.shard_group == 4);
  CHECK(job_of("@dp_replicate_size=8", 8).recipe.zero == zero_stage::none);
}

TEST_CASE("options go before the sizes of parallelism_config", "[launch]") {
  CHECK(job_of("@tp_size=2 @dp_shard_size=4", 8, {.gpus = 16}).parallelism.data == 8);
  launch_surroundings around{.gpus = 8};
  around.given["tensor-model-parallel-size"] = 4;
  CHECK(job_of("@tp_size=2 @dp_shard_size=4", 8, around).parallelism.tensor == 1);
}

TEST_CASE("sizes that do not make the processes are refused", "[launch]") {
  CHECK_THROWS_WITH(job_of("@dp_shard_size=2 @tp_size=2", 8),
                    "f: num_processes is 8, which parallelism_config does not make: "
                    "dp_replicate_size 1 x dp_shard_size 2 x tp_size 2 x cp_size 1");
  CHECK_THROWS_WITH(job_of("@cp_size=2 @sp_size=2", 4),
                    "f: parallelism_config.parallelism_config_sp_size contradicts "
                    "parallelism_config_cp_size");
  CHECK_THROWS_WITH(
      job_of("@dp_replicate_size=2 @dp_shard_size=4", 8, {.gpus = 6}),
      "f: parallelism_config.parallelism_config_dp_shard_size is 4, which does not divide the 6 "
      "data-parallel ranks");
}

TEST_CASE("another exchange of context ranks is named", "[launch]") {
  CHECK(
      job_of("@cp_size=2 @cp_comm_strategy=alltoall", 2).not_modelled ==
      std::vector<std::string>{"parallelism_config.parallelism_config_cp_comm_strategy alltoall"});
  CHECK(job_of("@cp_size=1 @cp_comm_strategy=alltoall", 2).not_modelled.empty());
}

}  // namespace
}  // namespace gpuplan
