#include <gpuplan/launch/megatron_writer.hpp>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/launch/megatron_reader.hpp>
#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

TEST_CASE("layers and experts are drawn as Megatron-LM reads them", "[launch]") {
  const transformer& m = catalog::llama_3_8b;
  CHECK(detail::drawn_pipeline(m, {}, {.pipeline = 3}) == "Et*11|t*11|t*10L");
  const nlohmann::json args =
      write_megatron(m, {}, {.pipeline = 3}, workspace_of(catalog::h100_sxm5_80gb));
  CHECK(args["pipeline-model-parallel-layout"] == "Et*11|t*11|t*10L");
  const std::string line = megatron_command_line(args);
  CHECK(line.find("--pipeline-model-parallel-layout 'Et*11|t*11|t*10L' \\\n") != line.npos);
  CHECK(line.find("--sequence-parallel") == line.npos);
  const std::string overrides = bridge_overrides(args);
  CHECK(overrides.find("model.add_bias_linear=false \\\n") != overrides.npos);
  CHECK(overrides.starts_with("mixed_precision=bf16_mixed \\\n"));
}

TEST_CASE("overrides of Megatron Bridge have lists, as Hydra parses them", "[launch]") {
  transformer m = catalog::deepseek_v3;
  m.sliding_window = 128;
  m.listed_windowed_layers = 60;
  const nlohmann::json args = write_megatron(m, {}, {}, workspace_of(catalog::h100_sxm5_80gb));
  CHECK(args["window-size"] == "127,0");
  CHECK(args["moe-layer-freq"] == "([0]*3+[1]*58)");
  const std::string overrides = bridge_overrides(args);
  CHECK(overrides.find("window_size='[127,0]'") != overrides.npos);
  CHECK(overrides.find("moe_layer_freq='[0,0,0,1,1,") != overrides.npos);
  CHECK(overrides.find('*') == overrides.npos);
  CHECK(overrides.find('(') == overrides.npos);
}

TEST_CASE("routers score as Megatron Core takes them", "[launch]") {
  const auto written = [](const transformer& m) {
    return write_megatron(m, {}, {}, workspace_of(catalog::h100_sxm5_80gb));
  };
  CHECK(written(catalog::deepseek_v3)["moe-router-score-function"] == "sigmoid");
  transformer one = catalog::mixtral_8x7b_v0_1;
  CHECK_FALSE(written(one).value("moe-router-pre-softmax", false));
  one.moe.experts_per_token = 1;
  CHECK(written(one)["moe-router-pre-softmax"] == true);
  CHECK_FALSE(written(one).contains("moe-router-score-function"));
}

TEST_CASE("fused kernels of experts and latent rotations are said", "[launch]") {
  recipe how{.precision = precision::mixed_fp8, .fp8_recipe = fp8_recipe::mxfp8};
  const auto written = [&] {
    return write_megatron(catalog::deepseek_v3, how, {}, workspace_of(catalog::h100_sxm5_80gb));
  };
  CHECK(written()["enable-experimental"] == true);  // MXFP8 is of software that fuses
  CHECK_FALSE(written().value("no-rope-fusion", false));
  CHECK_FALSE(written().value("use-transformer-engine-op-fuser", false));
  how.latent_rotary_fusion = software_choice::off;
  how.expert_fusion = software_choice::on;
  CHECK_FALSE(written().value("enable-experimental", false));
  CHECK(written()["no-rope-fusion"] == true);
  CHECK(written()["use-transformer-engine-op-fuser"] == true);
}

TEST_CASE("what a workspace says of kernels is written as flags that turn them off", "[launch]") {
  workspace beside = workspace_of(catalog::h100_sxm5_80gb);
  const auto flag = [&](const char* name) {
    return write_megatron(catalog::gpt2, {}, {}, beside).value(name, false);
  };
  for (const bool on : {true, false}) {
    beside.kernels.head_gradient_fused = on;
    CHECK(flag("no-gradient-accumulation-fusion") == !on);
    beside.kernels.activation_fused = on;
    CHECK(flag("no-bias-gelu-fusion") == !on);
    beside.kernels.mask_in_batch = on;
    CHECK(flag("no-create-attention-mask-in-dataloader") == !on);
  }
}

TEST_CASE("gates of shared experts and the longest sequence are said", "[launch]") {
  transformer m = catalog::mixtral_8x7b_v0_1;
  const recipe how{.sequence_length = 8192};
  const auto written = [&] {
    return write_megatron(m, how, {}, workspace_of(catalog::h100_sxm5_80gb));
  };
  CHECK(written()["max-position-embeddings"] == 8192);
  CHECK_FALSE(written().value("moe-shared-expert-gate", false));
  m.moe.shared_ffn_size = 2048;
  m.moe.shared_gate = true;
  CHECK(written()["moe-shared-expert-gate"] == true);
}

TEST_CASE("an optimizer is said where Megatron-LM has a word for it", "[launch]") {
  const accelerator& gpu = catalog::h100_sxm5_80gb;
  const auto written = [&](optimizer chosen) {
    const recipe how{.sequence_length = 1024, .optimizer = chosen};
    return write_megatron(catalog::gpt2, how, {}, workspace_of(gpu));
  };
  CHECK(written(optimizer::adamw)["optimizer"] == "adam");
  for (const optimizer none : {optimizer::adam, optimizer::lamb, optimizer::adafactor})
    CHECK_FALSE(written(none).contains("optimizer"));
  const std::string line = megatron_command_line(written(optimizer::sgd));
  CHECK(line.find("--optimizer sgd \\\n--sgd-momentum 0 \\\n") != line.npos);
  CHECK_FALSE(written(optimizer::momentum).contains("sgd-momentum"));
  for (const optimizer said :
       {optimizer::sgd, optimizer::momentum, optimizer::lion, optimizer::muon}) {
    const launch_job read = read_megatron({written(said), "f", "--"}, {.gpu = gpu});
    CHECK(read.recipe.optimizer == said);
    CHECK(read.not_modelled.empty());
  }
}

TEST_CASE("a squared ReLU is said, and no bias fused with it", "[launch]") {
  transformer m = catalog::gpt2_xl;
  const auto written = [&] {
    return write_megatron(m, {}, {}, workspace_of(catalog::h100_sxm5_80gb));
  };
  CHECK(megatron_command_line(written()).find("squared-relu") == std::string::npos);
  m.squared_relu = true;
  const std::string line = megatron_command_line(written());
  CHECK(line.find("--squared-relu \\\n") != line.npos);
  CHECK(line.find("--no-bias-gelu-fusion \\\n") != line.npos);
  CHECK(bridge_overrides(written()).find("squared") == std::string::npos);
}

}  // namespace
}  // namespace gpuplan
