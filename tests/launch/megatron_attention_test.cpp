#include <gpuplan/launch/megatron_attention.hpp>

#include <gpuplan/launch/megatron_model.hpp>

#include "launch/small_launch.hpp"
#include "support/catch.hpp"

namespace gpuplan {
namespace {

transformer model_of(const nlohmann::json& more) {
  launch_job said;
  return read_megatron_model(testing::small_launch(more), 1, said);
}

const nlohmann::json sparse{{"multi-latent-attention", true},
                            {"q-lora-rank", 256},
                            {"experimental-attention-variant", "dsa"},
                            {"dsa-indexer-n-heads", 64},
                            {"dsa-indexer-head-dim", 128},
                            {"dsa-indexer-topk", 2048}};

TEST_CASE("windows stand in layers that an interval or a list names", "[launch]") {
  CHECK(model_of({{"window-size", "127,0"}, {"window-attn-skip-freq", 4}}).windowed_layers() == 9);
  const transformer listed =
      model_of({{"window-size", "(127,0)"}, {"window-attn-skip-freq", "([1]*5+[0])*2"}});
  CHECK(listed.sliding_window == 128);
  CHECK(listed.windowed_layers() == 10);
  CHECK(
      model_of({{"window-size", "127,0"}, {"window-attn-skip-freq", "[0]*12"}}).windowed_layers() ==
      0);
  CHECK(model_of({{"window-size", "-1,0"}}).sliding_window == 0);  // no limit
  for (const char* odd : {"127", "127,x", "127,-2", "127,0,1"})
    CHECK_THROWS_WITH(model_of({{"window-size", odd}}),
                      "f: --window-size must be tokens to the left and to the right, as 4095,0");
  CHECK_THROWS_AS(model_of({{"window-size", "127,0"},
                            {"window-attn-skip-freq", nlohmann::json::array({0, 1, 7})}}),
                  invalid_input);
  CHECK_THROWS_WITH(model_of({{"window-size", "127,0"}, {"window-attn-skip-freq", "[0]*11"}}),
                    "f: --window-attn-skip-freq must have 0 or 1 for each of the 12 layers");
}

TEST_CASE("a softmax learns a value of each head, an output has a gate", "[launch]") {
  CHECK(model_of({{"softmax-type", "learnable"}}).attention_sinks);
  CHECK_FALSE(model_of({{"softmax-type", "off-by-one"}}).attention_sinks);
  CHECK(model_of({{"attention-output-gate", true}}).attention_gate);
}

TEST_CASE("latent attention has Megatron's ranks and sizes where none are given",
          "[launch][reference]") {
  // Megatron-LM, arguments.py: --kv-lora-rank 32, --qk-head-dim 128, --qk-pos-emb-head-dim 64,
  // --v-head-dim 128.
  const latent_attention usual = model_of({{"multi-latent-attention", true}}).latent;
  CHECK(usual.query_rank == 0);
  CHECK(usual.kv_rank == 32);
  CHECK(usual.rope_head_dim == 64);
  CHECK(usual.content_head_dim == 128);
  CHECK(usual.value_head_dim == 128);
  const latent_attention given = model_of({{"multi-latent-attention", true},
                                           {"q-lora-rank", 256},
                                           {"kv-lora-rank", 16},
                                           {"qk-head-dim", 96},
                                           {"qk-pos-emb-head-dim", 32},
                                           {"v-head-dim", 80}})
                                     .latent;
  CHECK(given.query_rank == 256);
  CHECK(given.kv_rank == 16);
  CHECK(given.rope_head_dim == 32);
  CHECK(given.content_head_dim == 96);
  CHECK(given.value_head_dim == 80);
  CHECK_THROWS_AS(model_of({{"multi-latent-attention", true}, {"qk-head-dim", 0}}), invalid_input);
}

TEST_CASE("linear attention stands where no full attention does", "[launch][reference]") {
  // Megatron-LM, la_freq_type (2026): N is N - 1 linear layers for every full one; 1 is linear.
  const nlohmann::json variant{{"experimental-attention-variant", "gated_delta_net"}};
  const auto attending = [&](const nlohmann::json& frequency) {
    nlohmann::json values = variant;
    values["linear-attention-freq"] = frequency;
    return model_of(values).recurrent.attention_layers;
  };
  CHECK(attending(4) == 3);
  CHECK(attending("4") == 3);
  CHECK(attending("([1]*3+[0]*1)*3") == 3);
  CHECK(attending("[1]*12") == 0);
  CHECK(attending(5) == 2);
  CHECK_THROWS_WITH(model_of(variant), "f: --linear-attention-freq is missing");
  CHECK_THROWS_WITH(model_of({{"experimental-attention-variant", "gdn2"}}),
                    "f: --experimental-attention-variant must be one of gated_delta_net, gdn, dsa, "
                    "not the string \"gdn2\"");
}

TEST_CASE("an index of tokens stands in the layers that have one of their own",
          "[launch][reference]") {
  // Megatron Core, TransformerConfig.dsa_indexer_skip_topk_offset (2026): of GLM-5.2's 78 layers
  // 1, 2, 3, 7, 11, ... 75 have one.
  CHECK(detail::indexed_layers(78, 3, 4) == 21);
  CHECK(detail::indexed_layers(12, 0, 1) == 12);
  const transformer m = model_of(sparse);
  CHECK(m.sparse.heads == 64);
  CHECK(m.sparse.query_rank == 256);
  CHECK(m.sparse.layers == 12);
  CHECK(m.sparse.attending_layers == 12);
  nlohmann::json shared = sparse;
  shared["dsa-indexer-topk-freq"] = 4;
  shared["dsa-indexer-skip-topk-offset"] = 3;
  CHECK(model_of(shared).sparse.layers == 5);
  shared.erase("dsa-indexer-topk");
  CHECK_THROWS_WITH(model_of(shared), "f: --dsa-indexer-topk is missing");
}

}  // namespace
}  // namespace gpuplan
