#include <gpuplan/launch/launch_gap.hpp>

#include <algorithm>
#include <string>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

const cluster pool =
    cluster_of(node_of(catalog::h100_sxm5_80gb, 8,
                       {.latency = 5 * units::us, .bandwidth = 50 * units::GB / units::second}),
               8);

std::string gap(launch_framework with, const recipe& how, const parallelism& cut,
                const transformer& m = catalog::llama_3_8b) {
  return launch_gap(with, {m, pool, how, cut, usual_workspace(with, pool.gpu(), how)});
}

recipe usual(launch_framework with) {
  recipe how = usual_recipe(with);
  how.global_batch_size = 64;
  return how;
}

TEST_CASE("a launch says the whole of a usual job", "[launch]") {
  for (const auto& row : launch_framework_names) {
    INFO(row.name);
    CHECK(gap(row.value, usual(row.value), {.data = 8, .micro_batch_size = 2}) == "");
  }
}

TEST_CASE("a launch says a cut unless it makes replicas alone", "[launch]") {
  for (const auto& row : launch_framework_names) {
    INFO(row.name);
    CHECK((gap(row.value, usual(row.value), {.data = 4, .tensor = 2}) == "tensor 2") ==
          makes_replicas_alone(row.value));
  }
}

/// A model with mixers, windows, an index or sinks, which Megatron Core has words for.
transformer special_model() {
  transformer m = catalog::llama_3_8b;
  m.layers = *rc::gen::inRange(2, 40);
  m.tied_embeddings = *rc::gen::arbitrary<bool>();
  const bool experts = *rc::gen::arbitrary<bool>();
  if (experts) {
    m.moe = {.experts = 8,
             .experts_per_token = *rc::gen::inRange(1, 5),
             .ffn_size = 1024,
             .shared_ffn_size = *rc::gen::element(0, 2048),
             .correction_bias = *rc::gen::arbitrary<bool>(),
             .latent_size = *rc::gen::element(0, 1024)};
    m.moe.dense_layers = *rc::gen::inRange(0, m.layers);
    m.moe.first_dense_layers = *rc::gen::inRange(0, m.moe.dense_layers + 1);
  }
  m.multi_token_prediction_layers = *rc::gen::element(0, 0, 1);
  m.gated_ffn = *rc::gen::arbitrary<bool>();
  m.squared_relu = !m.gated_ffn && *rc::gen::arbitrary<bool>();
  const int kind = *rc::gen::inRange(0, 4);
  if (kind == 0) {
    m.recurrent = {.layers = *rc::gen::inRange(1, 2 * m.layers),
                   .attention_layers = *rc::gen::inRange(0, m.layers),
                   .space = {.channels = 8192,
                             .state_size = *rc::gen::element(64, 128),
                             .heads = *rc::gen::element(64, 128),
                             .groups = *rc::gen::element(4, 8),
                             .norm = true}};
    m.positions = position_encoding::none;
  } else if (kind == 1) {
    const int attending = *rc::gen::inRange(0, m.layers);
    m.recurrent = {.layers = m.layers - attending,
                   .attention_layers = attending,
                   .linear = {.key_heads = *rc::gen::element(8, 16),
                              .value_heads = *rc::gen::element(16, 32),
                              .key_head_dim = *rc::gen::element(64, 128),
                              .value_head_dim = *rc::gen::element(64, 128),
                              .convolution = *rc::gen::element(3, 4)}};
    m.attention_gate = *rc::gen::arbitrary<bool>();
  } else if (kind == 2) {
    m.sliding_window = *rc::gen::element(128, 1024);
    m.first_full_attention_layers = *rc::gen::inRange(0, 3);
    m.full_attention_interval = *rc::gen::inRange(0, 6);
    m.listed_windowed_layers = *rc::gen::inRange(0, m.layers + 1);
    m.attention_sinks = *rc::gen::arbitrary<bool>();
  } else {
    m.latent = {.query_rank = 1536,
                .kv_rank = 512,
                .rope_head_dim = 64,
                .content_head_dim = 128,
                .value_head_dim = 128};
    m.sparse = {.heads = 64,
                .head_dim = 128,
                .query_rank = 1536,
                .tokens = 2048,
                .layers = *rc::gen::inRange(1, m.layers + 1),
                .attending_layers = m.layers};
  }
  return m;
}

TEST_CASE("launches of Megatron Core say models of layers of several kinds", "[launch][property]") {
  testing::check_property("nothing is lost", [] {
    const transformer m = special_model();
    const auto with =
        *rc::gen::element(launch_framework::megatron, launch_framework::megatron_bridge);
    parallelism cut{.data = *rc::gen::inRange(1, 5),
                    .tensor = *rc::gen::element(1, 2, 4),
                    .pipeline = *rc::gen::element(1, 1, 2, 3),
                    .micro_batch_size = *rc::gen::inRange(1, 3)};
    cut.pipeline = std::min(cut.pipeline, m.layers);
    if (cut.pipeline > 1 && m.layers % (2 * cut.pipeline) == 0)
      cut.interleave = *rc::gen::element(1, 2);
    recipe how{.global_batch_size = cut.data * cut.micro_batch_size * 12, .sequence_length = 4096};
    how.zero = *rc::gen::element(zero_stage::none, zero_stage::optimizer);
    how.recompute = *rc::gen::element(recompute::none, recompute::full);
    how.sequence_parallel = cut.tensor > 1;
    RC_ASSERT(gap(with, how, cut, m) == "");
  });
}

TEST_CASE("mixers that Megatron Core has no word for are named", "[launch]") {
  transformer m = catalog::llama_3_8b;
  m.recurrent = {.layers = 28,
                 .attention_layers = 4,
                 .space = {.kind = state_space_kind::mamba_1,
                           .channels = 8192,
                           .state_size = 16,
                           .time_step_rank = 256}};
  const recipe how = usual(launch_framework::megatron);
  const auto lost = [&] { return gap(launch_framework::megatron, how, {.data = 8}, m); };
  CHECK(lost() == "the model's recurrent");
  m.recurrent.space = {.channels = 8192, .state_size = 128, .heads = 128, .groups = 8};
  CHECK(lost() == "the model's recurrent");  // without a norm
  m.recurrent.space.norm = true;
  CHECK(lost() == "");
  m.recurrent.space.projection_bias = true;
  CHECK(lost() == "the model's recurrent");
  m.recurrent.space.projection_bias = false;
  m.recurrent.beside_attention = true;
  CHECK(lost() == "the model's recurrent");
  m = catalog::gpt_oss_20b;
  CHECK(lost() == "");
  m = catalog::deepseek_v3;
  m.moe.latent_size = 1024;
  CHECK(lost() == "");
  m.moe.latent_norm = true;
  CHECK(lost() == "the model's moe");
}

TEST_CASE("what no layout makes a launch say is named first", "[launch]") {
  recipe how = usual(launch_framework::torchtitan);
  how.precision = precision::mixed_fp8;
  how.weights = weight_storage::by_precision;
  const parallelism cut{.data = 2, .pipeline = 2, .interleave = 15};
  CHECK(gap(launch_framework::torchtitan, how, {.data = 8}) == "precision mixed_fp8");
  CHECK(gap(launch_framework::torchtitan, how, cut) == "precision mixed_fp8");
  how = usual(launch_framework::torchtitan);
  CHECK(gap(launch_framework::torchtitan, how, cut) == "interleave 15");
  how.recompute = recompute::selective;  // which a search varies with the layout
  CHECK(gap(launch_framework::torchtitan, how, cut) == "interleave 15");
  how = usual(launch_framework::deepspeed);
  how.precision = precision::mixed_fp8;
  CHECK(gap(launch_framework::deepspeed, how, {.data = 2, .tensor = 4}) == "precision mixed_fp8");
}

TEST_CASE("what a framework has no word for is named", "[launch]") {
  const recipe deepspeed = usual(launch_framework::deepspeed);
  CHECK(gap(launch_framework::deepspeed, deepspeed, {.data = 2, .tensor = 4}) == "tensor 4");
  CHECK(gap(launch_framework::deepspeed, deepspeed, {.tensor = 2}) == "tensor 2");
  CHECK(gap(launch_framework::accelerate, usual(launch_framework::accelerate),
            {.data = 2, .pipeline = 4}) == "pipeline 4");
  recipe selective = usual(launch_framework::torchtitan);
  selective.recompute = recompute::selective;
  CHECK(gap(launch_framework::torchtitan, selective, {.data = 8}) == "recompute selective");
  for (const auto with : {launch_framework::torchtitan, launch_framework::accelerate}) {
    recipe modules = usual(with);
    modules.recompute_modules.bits = static_cast<unsigned>(recomputed_module::layernorm) |
                                     static_cast<unsigned>(recomputed_module::mlp);
    CHECK(gap(with, modules, {.data = 8}) == "recompute_modules layernorm, mlp");
  }
  recipe capacity = usual(launch_framework::torchtitan);
  capacity.expert_capacity_factor = 1.25;
  CHECK(gap(launch_framework::torchtitan, capacity, {.data = 8}, catalog::mixtral_8x7b_v0_1) ==
        "expert_capacity_factor 1.25");
  recipe eager = usual(launch_framework::megatron);
  eager.loss = loss_kernel::eager;
  CHECK(gap(launch_framework::megatron, eager, {.data = 8}) == "loss eager");
  for (const auto with : {launch_framework::megatron, launch_framework::megatron_bridge}) {
    recipe other = usual(with);
    other.optimizer = optimizer::adam;
    CHECK(gap(with, other, {.data = 8}) == "optimizer adam");
    other.optimizer = optimizer::sgd;
    CHECK(gap(with, other, {.data = 8}) == "");
  }
  CHECK(gap(launch_framework::megatron, usual(launch_framework::megatron), {.data = 8},
            catalog::bert_base_uncased) != "");
}

}  // namespace
}  // namespace gpuplan
