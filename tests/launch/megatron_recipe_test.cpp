#include <gpuplan/launch/megatron_recipe.hpp>

#include "launch/small_launch.hpp"
#include "support/catch.hpp"

namespace gpuplan {
namespace {

recipe recipe_of(const nlohmann::json& more = nlohmann::json::object()) {
  launch_job said;
  return read_megatron_recipe(testing::small_launch(more), {.layers = 12}, {.data = 2}, said);
}

TEST_CASE("a recipe has Megatron-LM's defaults", "[launch]") {
  const recipe how = recipe_of();
  CHECK(how.global_batch_size == 2);  // one micro-batch of each replica
  CHECK(how.dropout);
  CHECK(how.zero == zero_stage::none);
  CHECK(how.attention == attention_kernel::flash);
  CHECK(how.precision == precision::mixed_bf16);
  CHECK(how.recompute == recompute::none);
}

TEST_CASE("arguments choose the recipe", "[launch]") {
  CHECK(recipe_of({{"use-distributed-optimizer", true}}).zero == zero_stage::optimizer);
  CHECK(recipe_of({{"use-megatron-fsdp", true}}).zero == zero_stage::parameters);
  CHECK(
      recipe_of({{"recompute-granularity", "full"}, {"recompute-num-layers", 3}}).recompute_every ==
      3);
  const recipe some = recipe_of(
      {{"recompute-granularity", "selective"}, {"recompute-modules", "[layernorm moe_act]"}});
  CHECK(some.recompute == recompute::none);
  CHECK(some.recomputes(recomputed_module::layernorm));
  CHECK_FALSE(some.recomputes(recomputed_module::mlp));
  CHECK(recipe_of({{"transformer-impl", "local"}}).attention == attention_kernel::unfused);
  CHECK(
      recipe_of({{"cross-entropy-loss-fusion", true}, {"cross-entropy-fusion-impl", "te"}}).loss ==
      loss_kernel::te_fused);
  CHECK(recipe_of({{"step-batch-size-schedule", "0:384 200B:768"}}).global_batch_size == 768);
  CHECK(recipe_of({{"main-grads-dtype", "bf16"}}).gradient == gradient_format::bf16);
}

TEST_CASE("an optimizer that is on the host in part is named", "[launch]") {
  launch_job said;
  const auto offload = [&](double fraction) {
    said = {};
    return read_megatron_recipe(testing::small_launch({{"optimizer-cpu-offload", true},
                                                       {"optimizer-offload-fraction", fraction}}),
                                {.layers = 12}, {}, said)
        .offload;
  };
  CHECK(offload(1) == offloaded_states::optimizer);
  CHECK(said.not_modelled.empty());
  CHECK(offload(0.5) == offloaded_states::none);
  CHECK(said.not_modelled ==
        std::vector<std::string>{"--optimizer-cpu-offload with --optimizer-offload-fraction 0.5: "
                                 "all of the optimizer is taken to stay on the GPU"});
}

TEST_CASE("what runs beside what is said by switches", "[launch]") {
  const auto on = software_choice::on;
  const auto off = software_choice::off;
  CHECK(recipe_of().overlap.data == off);
  CHECK(recipe_of({{"overlap-grad-reduce", true}}).overlap.data == on);
  CHECK(recipe_of({{"tp-comm-overlap", true}}).overlap.tensor == on);
  CHECK(recipe_of({{"overlap-moe-expert-parallel-comm", true}}).overlap.expert == on);
  CHECK(recipe_of().overlap.pipeline == software_choice::by_framework);
  CHECK(recipe_of({{"no-overlap-p2p-communication", true}}).overlap.pipeline == off);
  CHECK(recipe_of({{"moe-shared-expert-overlap", true}}).shared_expert_overlap);
}

TEST_CASE("precisions and backends are known words that agree", "[launch]") {
  CHECK(recipe_of({{"fp8-format", "e4m3"}}).precision == precision::mixed_fp8);
  for (const char* flash : {"flash", "fused", "auto"})
    CHECK(recipe_of({{"attention-backend", flash}}).attention == attention_kernel::flash);
  for (const char* unfused : {"unfused", "local"})
    CHECK(recipe_of({{"attention-backend", unfused}}).attention == attention_kernel::unfused);
  CHECK(recipe_of({{"attention-backend", "fused"}, {"transformer-impl", "local"}}).attention ==
        attention_kernel::flash);
  CHECK(recipe_of({{"attention-backend", "auto"}, {"transformer-impl", "local"}}).attention ==
        attention_kernel::unfused);
  CHECK(recipe_of({{"attention-backend", "unfused"}, {"use-flash-attn", true}}).attention ==
        attention_kernel::flash);
  CHECK_THROWS_WITH(recipe_of({{"fp16", true}}), "f: --fp16 contradicts --bf16");
  CHECK_THROWS_WITH(recipe_of({{"fp8-format", "e5m9"}}),
                    "f: --fp8-format must be one of hybrid, e4m3, not the string \"e5m9\"");
  CHECK_THROWS_WITH(recipe_of({{"attention-backend", "flsh"}}),
                    Catch::Matchers::Contains("--attention-backend must be one of flash, fused"));
}

TEST_CASE("a layout takes the GPUs", "[launch]") {
  const auto cut = read_megatron_layout(
      testing::small_launch({{"tensor-model-parallel-size", 2}, {"cp-comm-type", "a2a"}}), 8);
  CHECK(cut.data == 4);
  CHECK(cut.exchange == context_exchange::all_to_all);
  CHECK(
      read_megatron_layout(testing::small_launch({{"nproc-per-node", 4}, {"nnodes", 2}}), 0).data ==
      8);
  CHECK_THROWS_WITH(
      read_megatron_layout(
          testing::small_launch({{"nproc-per-node", 1 << 20}, {"nnodes", 1 << 20}}), 0),
      "f: --nproc-per-node times --nnodes must be <= 1000000000");
  CHECK_THROWS_WITH(read_megatron_layout(testing::small_launch({{"micro-batch-size", 0}}), 8),
                    Catch::Matchers::Contains("--micro-batch-size must be a whole number from 1"));
}

TEST_CASE("stages are cut as arguments say", "[launch]") {
  const auto chunks = [](const nlohmann::json& more) {
    recipe how;
    parallelism cut{.pipeline = 4};
    detail::cut_megatron_pipeline(testing::small_launch(more), {.layers = 12}, how, cut);
    return std::pair{cut.interleave, how.split};
  };
  CHECK(chunks({{"num-layers-per-virtual-pipeline-stage", 1}}).first == 3);
  CHECK(chunks({{"num-virtual-stages-per-pipeline-rank", 3}}).first == 3);
  CHECK(chunks({{"pipeline-model-parallel-layout", "Et*3|t*3|t*3|t*3L"}}).second.stages() == 0);
  CHECK(chunks({{"pipeline-model-parallel-layout", "Et*2|t*4|t*4|t*2L"}}).second.layers(3) == 2);
  CHECK(chunks({{"decoder-first-pipeline-num-layers", 2}, {"decoder-last-pipeline-num-layers", 2}})
            .second.layers(1) == 4);
  CHECK_THROWS_WITH(chunks({{"pipeline-model-parallel-layout", "Et|t|tL"}}),
                    "f: --pipeline-model-parallel-layout does not fit the stages");
}

TEST_CASE("chunks of a rank are equal, as Megatron-LM wants them", "[launch][reference]") {
  // Megatron-LM, megatron/training/arguments.py (commit d98e8a64, 2026), validate_args.
  const auto chunks = [](int layers, int stages, nlohmann::json more) {
    more["num-layers-per-virtual-pipeline-stage"] = 2;
    recipe how;
    parallelism cut{.pipeline = stages};
    detail::cut_megatron_pipeline(testing::small_launch(more), {.layers = layers}, how, cut);
    return cut.interleave;
  };
  CHECK(chunks(16, 4, {}) == 2);
  CHECK(chunks(15, 4, {{"account-for-embedding-in-pipeline-split", true}}) == 2);
  CHECK(chunks(6, 2,
               {{"account-for-embedding-in-pipeline-split", true},
                {"account-for-loss-in-pipeline-split", true}}) == 2);
  CHECK_THROWS_WITH(chunks(12, 4, {}),
                    "f: --num-layers-per-virtual-pipeline-stage 2 does not divide the 3 layers of "
                    "a stage");
  CHECK_THROWS_WITH(chunks(14, 4, {}),
                    "f: --pipeline-model-parallel-size 4 does not divide the 14 layers");
  CHECK_THROWS_WITH(
      chunks(14, 4, {{"decoder-last-pipeline-num-layers", 2}}),
      "f: --num-layers-per-virtual-pipeline-stage contradicts "
      "--decoder-last-pipeline-num-layers; use --num-virtual-stages-per-pipeline-rank");
}

}  // namespace
}  // namespace gpuplan
