#include <gpuplan/launch/megatron_model.hpp>

#include "launch/small_launch.hpp"
#include "support/catch.hpp"

namespace gpuplan {
namespace {

transformer model_of(const nlohmann::json& more = nlohmann::json::object()) {
  launch_job said;
  return read_megatron_model(testing::small_launch(more), 1, said);
}

TEST_CASE("a model has Megatron-LM's defaults", "[launch][reference]") {
  // Megatron-LM, megatron/training/arguments.py (commit d98e8a64, 2026), validate_args.
  const transformer m = model_of();
  CHECK(m.ffn_size == 2048);
  CHECK(m.tied_embeddings);
  CHECK(m.norm == normalization::layer_norm);
  CHECK(m.positions == position_encoding::learned);
  CHECK(m.position_rows == 1024);
  CHECK(m.biases.ffn);
  CHECK(model_of({{"swiglu", true}}).ffn_size == 1344);  // 4 x 512 x 2 / 3, in multiples of 64
  CHECK(model_of({{"num-query-groups", 2}}).kv_heads == 8);
  CHECK(model_of({{"num-query-groups", 2}, {"group-query-attention", true}}).kv_heads == 2);
  CHECK(model_of({{"num-experts", 4}}).moe.experts_per_token == 2);
  CHECK(model_of({{"num-experts", 4}}).moe.ffn_size == 2048);
  CHECK(model_of({{"num-experts", 4}}).moe.router_bias);
  CHECK_FALSE(model_of({{"num-experts", 4}, {"disable-bias-linear", true}}).moe.router_bias);
  CHECK(
      model_of({{"num-experts", 4}, {"moe-layer-freq", "([0]*3+[1]*9)"}}).moe.first_dense_layers ==
      3);
  CHECK(model_of({{"num-experts", 4}, {"moe-layer-freq", 2}}).moe.dense_layers == 6);
  CHECK(model_of({{"num-experts", 4}, {"moe-latent-size", 128}}).moe.latent_size == 128);
  CHECK(model_of({{"window-size", "127,0"}}).sliding_window == 128);
}

TEST_CASE("what is trained is told by script, decoder or vocabulary", "[launch]") {
  const auto kind = [](const nlohmann::json& more) {
    return megatron_kind_of(testing::small_launch(more));
  };
  CHECK(kind(nlohmann::json::object()) == megatron_kind::gpt);
  CHECK(kind({{"vocab-file", "x/vocab.txt"}}) == megatron_kind::bert);
  CHECK(kind({{"vocab-file", "x/vocab.txt"}, {"decoder-num-layers", 2}}) == megatron_kind::t5);
  CHECK(kind({{"vocab-file", "x/vocab.txt"}, {"script", "pretrain_gpt.py"}}) == megatron_kind::gpt);
}

TEST_CASE("a model that no transformer is, is refused", "[launch]") {
  CHECK_THROWS_WITH(model_of({{"hidden-size", nullptr}}), "f: --hidden-size is missing");
  CHECK_THROWS_WITH(model_of({{"num-layers", nullptr}}), "f: --num-layers is missing");
  CHECK(model_of({{"num-layers", nullptr}, {"encoder-num-layers", 6}}).layers == 6);
  CHECK_THROWS_WITH(model_of({{"num-experts", 4}, {"moe-layer-freq", "([1]*3)"}}),
                    "f: --moe-layer-freq does not fit the layers");
  CHECK_THROWS_WITH(model_of({{"normalization", "Other"}}),
                    "f: --normalization must be one of LayerNorm, RMSNorm, not the string "
                    "\"Other\"");
}

TEST_CASE("heads divide the hidden size, or their width is given", "[launch]") {
  CHECK_THROWS_WITH(model_of({{"num-attention-heads", 12}}),
                    "f: --num-attention-heads 12 does not divide --hidden-size 512, and there is "
                    "no --kv-channels");
  CHECK(model_of({{"num-attention-heads", 12}, {"kv-channels", 64}}).head_dim == 64);
}

TEST_CASE("a squared ReLU is a network without a gate", "[launch]") {
  const transformer m = model_of({{"squared-relu", true}});
  CHECK((m.squared_relu && !m.gated_ffn));
  CHECK(m.ffn_size == 2048);
  CHECK_FALSE(model_of().squared_relu);
  CHECK_THROWS_WITH(model_of({{"squared-relu", true}, {"swiglu", true}}),
                    "f: --squared-relu contradicts --swiglu");
  CHECK_THROWS_WITH(model_of({{"squared-relu", true}, {"quick-geglu", true}}),
                    "f: --squared-relu contradicts --quick-geglu");
}

TEST_CASE("BERT attends to both sides, and has a pooler", "[launch]") {
  const transformer m = model_of({{"script", "pretrain_bert.py"}});
  CHECK(m.mask == attention_mask::full);
  CHECK(m.token_types == 2);
  CHECK((m.pooler && m.head_transform));
  CHECK(model_of().mask == attention_mask::causal);
}

}  // namespace
}  // namespace gpuplan
