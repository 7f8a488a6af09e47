#include <gpuplan/launch/launch_file.hpp>

#include <string>
#include <vector>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

launch_framework whose(const std::string& text, const std::string& name = "f") {
  return read_launch_text(text, name).framework;
}

TEST_CASE("whose launch a text is, its form says", "[launch]") {
  CHECK(whose("{\"zero_optimization\": {\"stage\": 2}}") == launch_framework::deepspeed);
  CHECK(whose("[training]\nsteps = 1\n") == launch_framework::torchtitan);
  CHECK(whose("distributed_type: FSDP\n") == launch_framework::accelerate);
  CHECK(whose("MODEL_ARGS:\n  --num-layers: 1\n") == launch_framework::megatron);
  CHECK(whose("num_layers: 1\n") == launch_framework::megatron);
  CHECK(whose("model:\n  num_layers: 1\n") == launch_framework::megatron_bridge);
  CHECK(whose("model.num_layers=1") == launch_framework::megatron_bridge);
  CHECK(whose("torchrun pretrain_gpt.py --num-layers 1") == launch_framework::megatron);
  const std::string mark = "\xEF\xBB\xBF";
  CHECK(whose(mark + "{}") == launch_framework::deepspeed);
  CHECK(whose(mark + "[training]\nsteps = 1\n") == launch_framework::torchtitan);
  CHECK(whose(mark + "distributed_type: FSDP\n") == launch_framework::accelerate);
  CHECK(read_launch_text(mark + "--num-layers 1", "f").values == nlohmann::json{{"num-layers", 1}});
  CHECK_THROWS_WITH(whose(""), "f: holds no arguments");
  CHECK_THROWS_WITH(whose("[1]", "f.json"), "f.json: holds no names with values");
  CHECK_THROWS_WITH(whose("3", "f.json"), "f.json: holds no names with values");
  CHECK_THROWS_WITH(whose("MODEL_ARGS: 1\n"), "f: MODEL_ARGS holds no names with values");
}

TEST_CASE("a launch of Megatron Bridge is refused by its own names", "[launch]") {
  const auto refused = [](const std::string& text, const std::string& line) {
    INFO(text);
    CHECK_THROWS_WITH(read_launch(read_launch_text(text, "f"), "f", {}), line);
  };
  const std::string start = "train.micro_batch_size=1 ";
  refused("model.hidden_size=512", "f: train.micro_batch_size is missing");
  refused(start + "model.hidden_size=512", "f: model.num_attention_heads is missing");
  refused(start + "model.num_query_groups=x", "f: model.hidden_size is missing");
  refused(
      "ddp:\n  overlap_grad_reduce: maybe\nmodel:\n  num_layers: x\n  hidden_size: 512\n"
      "  num_attention_heads: 8\n  vocab_size: 100\ntrain:\n  micro_batch_size: 1\n",
      "f: model.num_layers must be a number, not the string \"x\"");
  refused(start + "model.is_hybrid_model=true",
          "f: model.is_hybrid_model needs model.hybrid_layer_pattern, as M-M*-");
  refused(start +
              "model.hidden_size=512 model.num_attention_heads=8 model.vocab_size=100 "
              "model.position_embedding_type=rope",
          "f: model.num_layers is missing");
  const launch_text given = read_launch_text(
      start +
          "model.num_layers=2 model.hidden_size=512 model.num_attention_heads=8 "
          "model.vocab_size=100 model.position_embedding_type=rope model.seq_length=128 "
          "model.some_new_switch=true model.recompute_granularity=full "
          "model.recompute_method=block",
      "f");
  CHECK(read_launch(given, "f", {}).not_modelled ==
        std::vector<std::string>{
            "model.recompute_method block: every layer is taken to be recomputed",
            "model.some_new_switch"});
  CHECK(rollout_argument(read_launch_text("model.x=1 rl.grpo_kl_beta=1", "f")) ==
        "rl.grpo_kl_beta");
}

TEST_CASE("a pattern may be a block of text", "[launch]") {
  for (const char* block : {"|", "|-", "|+", "|4", ">-", ">"})
    CHECK(read_launch_text("MODEL_ARGS:\n  --hybrid-layer-pattern: " + std::string(block) +
                               "\n      M-|M*-\n\n  --num-layers: 5\n",
                           "f")
              .values == nlohmann::json{{"hybrid-layer-pattern", "M-|M*-"}, {"num-layers", 5}});
}

TEST_CASE("heads that do not divide are Megatron-LM's to refuse, not Bridge's", "[launch]") {
  const auto width = [](const std::string& text) {
    return read_launch(read_launch_text(text, "f"), "f", {}).model->head_dim;
  };
  const std::string rest =
      "num_layers: 2\n  hidden_size: 512\n  num_attention_heads: 12\n  vocab_size: 1024\n"
      "  seq_length: 512\n  position_embedding_type: rope\n  micro_batch_size: 1\n";
  CHECK(width("model:\n  " + rest) == 42);
  CHECK(width("model:\n  kv_channels: 64\n  " + rest) == 64);
  CHECK_THROWS_WITH(width("MODEL_ARGS:\n  " + rest),
                    Catch::Matchers::Contains("--num-attention-heads 12 does not divide"));
}

TEST_CASE("what is written for Megatron-LM is read as the same job", "[launch][property]") {
  testing::check_property("round trip", [] {
    const int shape = *rc::gen::inRange(0, 3);
    const transformer& m = shape == 0   ? catalog::llama_3_8b
                           : shape == 1 ? catalog::gpt2_xl
                                        : catalog::mixtral_8x7b_v0_1;
    const auto with =
        *rc::gen::element(launch_framework::megatron, launch_framework::megatron_bridge);
    parallelism cut{.data = *rc::gen::inRange(1, 5),
                    .tensor = *rc::gen::element(1, 2, 4),
                    .pipeline = *rc::gen::element(1, 2, 3, 4),
                    .micro_batch_size = *rc::gen::inRange(1, 4)};
    if (m.attention_heads % cut.tensor != 0) cut.tensor = 1;
    recipe how{.global_batch_size = cut.data * cut.micro_batch_size * 8, .sequence_length = 1024};
    how.zero = *rc::gen::element(zero_stage::none, zero_stage::optimizer, zero_stage::parameters);
    how.recompute = *rc::gen::element(recompute::none, recompute::selective, recompute::full);
    how.attention = *rc::gen::element(attention_kernel::flash, attention_kernel::unfused);
    how.precision =
        *rc::gen::element(precision::mixed_bf16, precision::mixed_fp16, precision::fp32);
    how.loss = *rc::gen::element(loss_kernel::in_place, loss_kernel::fused, loss_kernel::te_fused);
    how.dropout = *rc::gen::arbitrary<bool>();
    how.sequence_parallel = cut.tensor > 1;
    const accelerator& gpu =
        *rc::gen::arbitrary<bool>() ? catalog::h100_sxm5_80gb : catalog::a100_sxm4_80gb;
    const workspace beside = workspace_of(gpu);
    const std::string text = write_launch(with, m, how, cut, beside);
    const launch_job read = read_launch(read_launch_text(text, "f"), "f",
                                        {.gpu = gpu, .gpus = static_cast<int>(cut.gpus())});
    const footprint meant = memory_footprint(m, how, cut, beside);
    const footprint found =
        memory_footprint(*read.model, read.recipe, read.parallelism, read.workspace);
    RC_ASSERT(meant.stages() == found.stages());
    for (int i = 0; i < meant.stages(); ++i)
      RC_ASSERT(meant.stage(i).device_total() == found.stage(i).device_total());
    RC_ASSERT(read.not_modelled.empty());
  });
}

TEST_CASE("any launch is read, or refused in one line", "[launch][property]") {
  testing::check_property("one line", [] {
    const std::string text = *rc::gen::arbitrary<std::string>();
    try {
      static_cast<void>(read_launch(read_launch_text(text, "f"), "f", {}));
    } catch (const invalid_input& refused) {
      RC_ASSERT(std::string(refused.what()).find('\n') == std::string::npos);
    }
  });
}

TEST_CASE("a branch that is not decided is assumed", "[launch]") {
  const std::string usual =
      "torchrun pretrain_gpt.py --num-layers $L --hidden-size 512 --num-attention-heads 8 "
      "--seq-length 1024 --max-position-embeddings 1024 --bf16 --vocab-size 50304 "
      "--micro-batch-size 1\n";
  const auto read = [&](const std::string& test) {
    const std::string text = test + "L=12\nelse L=24\nfi\n" + usual;
    return read_launch(read_launch_text(text, "a.sh"), "a.sh", {.gpu = catalog::h100_sxm5_80gb});
  };
  const launch_job known = read("S=a\nif [ $S = a ]; then ");
  CHECK(known.model->layers == 12);
  CHECK(known.assumed.empty());
  const launch_job open = read("if [ $S = a ]; then ");
  CHECK(open.model->layers == 24);
  CHECK(open.assumed == std::vector<std::string>{"line 1: which branch is taken is not known; the "
                                                 "last one that sets an option counts"});
}

TEST_CASE("DeepSpeed's launcher says nodes and GPUs", "[launch]") {
  for (const char* launcher : {"--num_nodes 4 --num_gpus 8", "--num-nodes=4 --num-gpus=8"}) {
    const nlohmann::json values =
        read_launch_text("deepspeed " + std::string(launcher) + " pretrain_gpt.py --num-layers 1",
                         "a.sh")
            .values;
    CHECK(values["nnodes"] == 4);
    CHECK(values["nproc-per-node"] == 8);
    CHECK_FALSE(values.contains("num-gpus"));
  }
}

TEST_CASE("counts of srun that cannot be read are refused, and --gpus goes before them",
          "[launch]") {
  const std::string train =
      " python pretrain_gpt.py --num-layers 8 --hidden-size 512 --num-attention-heads 8 "
      "--seq-length 512 --max-position-embeddings 512 --micro-batch-size 1 --vocab-size 1024 "
      "--tensor-model-parallel-size 8";
  const auto job = [&](const std::string& options, int gpus) {
    return read_launch(read_launch_text("srun " + options + train, "f"), "f",
                       {.gpu = catalog::h100_sxm5_80gb, .gpus = gpus});
  };
  for (const char* options :
       {"-N $NODES --ntasks-per-node=8", "--nodes=$1 --ntasks-per-node=8",
        "-N 2-4 --ntasks-per-node=8", "-n $TASKS", "-N 2 --gres=gpu:$EACH,nvme:2"}) {
    INFO(options);
    CHECK_THROWS_WITH(job(options, 0), ContainsSubstring("; give --gpus"));
    const launch_job cured = job(options, 16);
    CHECK(cured.parallelism.data == 2);
    CHECK(cured.not_modelled.empty());
  }
  CHECK(job("-N 4 --ntasks-per-node=8 numactl -N 1", 0).gpus == 32);
  CHECK(job("--ntasks 2000000", 0).gpus == 2000000);
  CHECK(job("-N 2 --gres=gpu:8,nvme:2", 0).gpus_per_node == 8);
}

}  // namespace
}  // namespace gpuplan
