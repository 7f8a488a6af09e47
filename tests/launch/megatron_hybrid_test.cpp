#include <gpuplan/launch/megatron_hybrid.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <gpuplan/launch/megatron_reader.hpp>
#include <gpuplan/launch/megatron_writer.hpp>

#include "launch/small_launch.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

const auto pattern_name = "hybrid-layer-pattern";

launch_job job_of(nlohmann::json more) {
  more["num-layers"] = nullptr;
  return read_megatron(testing::small_launch(more), {});
}

std::vector<int> networks_of(const nlohmann::json& more, int stages) {
  nlohmann::json values = more;
  values["pipeline-model-parallel-size"] = stages;
  const recipe how = job_of(values).recipe;
  std::vector<int> split;
  for (int i = 0; i < how.split.stages(); ++i) split.push_back(how.split.layers(i));
  return split;
}

transformer hybrid(int networks, int mamba, int attending) {
  return {
      .layers = networks,
      .hidden_size = 512,
      .attention_heads = 8,
      .ffn_size = 2048,
      .vocabulary_size = 50304,
      .recurrent = {
          .layers = mamba,
          .attention_layers = attending,
          .space = {.channels = 1024, .state_size = 128, .heads = 16, .groups = 8, .norm = true}}};
}

TEST_CASE("layers of a hybrid model are read by their letters", "[launch][reference]") {
  // Megatron-LM, tests of megatron/core/models/hybrid (commit d98e8a64, 2026): 14 layers, 2 depths.
  const launch_job job = job_of({{pattern_name, "MEMEM*EMEMEM*E/*E/*E"},
                                 {"num-experts", 32},
                                 {"mamba-num-heads", 16},
                                 {"moe-latent-size", 64}});
  const transformer& m = *job.model;
  CHECK(m.layers == 6);
  CHECK(m.moe.dense_layers == 0);
  CHECK(m.moe.latent_size == 64);
  CHECK(m.recurrent.layers == 6);
  CHECK(m.recurrent.attention_layers == 2);
  CHECK(m.recurrent.space.channels == 1024);
  CHECK(m.recurrent.space.norm);
  CHECK(m.multi_token_prediction_layers == 2);
  CHECK(job.not_modelled.empty());
}

TEST_CASE("the mixer has Megatron Core's defaults", "[launch][reference]") {
  // Megatron Core, TransformerConfig and MambaMixer (2026): heads of 64 channels, expand 2.
  const state_space mamba = job_of({{pattern_name, "M-M*-"}}).model->recurrent.space;
  CHECK(mamba.kind == state_space_kind::mamba_2);
  CHECK(mamba.channels == 1024);
  CHECK(mamba.heads == 16);
  CHECK(mamba.groups == 8);
  CHECK(mamba.state_size == 128);
  CHECK(mamba.convolution == 4);
  const linear_attention delta = job_of({{pattern_name, "G-G*-"}}).model->recurrent.linear;
  CHECK(delta.key_heads == 16);
  CHECK(delta.value_heads == 32);
  CHECK(delta.key_head_dim == 128);
}

TEST_CASE("networks and experts, brackets and old names are read", "[launch]") {
  const nlohmann::json experts{{"num-experts", 4}, {"hybrid-override-pattern", "[M-]M-[*E]ME"}};
  const transformer m = *job_of(experts).model;
  CHECK(m.layers == 4);
  CHECK(m.moe.dense_layers == 2);
  CHECK(m.moe.first_dense_layers == 2);
  const launch_job further = job_of(
      {{pattern_name, "M-M*-"}, {"mtp-num-layers", 2}, {"mtp-hybrid-override-pattern", "MM"}});
  CHECK(further.model->multi_token_prediction_layers == 2);
  CHECK(further.not_modelled ==
        std::vector<std::string>{"--hybrid-layer-pattern: further predictions of layers MM, "
                                 "taken for attention and a network"});
  CHECK(job_of({{pattern_name, "*-*-"}}).model->recurrent.layers == 0);
  CHECK(job_of({{pattern_name, "M-M*-"}, {"is-hybrid-model", true}, {"hybrid-mlp-ratio", 0.5}})
            .not_modelled.empty());
}

TEST_CASE("bars, or equal letters, cut a pipeline", "[launch]") {
  CHECK(networks_of({{pattern_name, "M-M-|M*-M-M-"}}, 2) == std::vector{2, 3});
  CHECK(networks_of({{pattern_name, "M-M-M*-M-M"}}, 2).empty());  // two each, as nothing splits
  CHECK(networks_of({{pattern_name, "M-M-M*-M-M"}, {"decoder-first-pipeline-num-layers", 2}}, 2) ==
        std::vector{1, 3});
  CHECK(networks_of({{pattern_name, "-M-M-M*-"}, {"decoder-first-pipeline-num-layers", 1}}, 2) ==
        std::vector{1, 3});
  const launch_job job =
      job_of({{pattern_name, "M-|M-|M*-|M-"}, {"pipeline-model-parallel-size", 2}});
  CHECK(job.parallelism.interleave == 2);
  CHECK(job.assumed.back() == "each stage has mixers in proportion to its networks");
}

TEST_CASE("a hybrid model that is not modelled is refused", "[launch]") {
  const auto refused = [](const nlohmann::json& more, const std::string& words) {
    INFO(words);
    CHECK_THROWS_WITH(job_of(more), "f: " + words);
  };
  refused({{pattern_name, "MKM-"}},
          "--hybrid-layer-pattern has layers K; those that are modelled are M, G, *, - and E");
  refused({{pattern_name, "MM*"}},
          "--hybrid-layer-pattern needs a feed-forward network - or experts E");
  refused({{pattern_name, "MG-"}}, "--hybrid-layer-pattern has mixers of two kinds, M and G");
  refused({{pattern_name, "*--"}},
          "--hybrid-layer-pattern has other attentions than networks, and no mixer");
  refused({{pattern_name, "ME"}},
          "--num-experts is missing beside layers E of --hybrid-layer-pattern");
  for (const std::string other : {"*", "-*", ""})
    refused({{pattern_name, "M-/*-/" + other}},
            "--hybrid-layer-pattern has further predictions \"*-\" and \"" + other +
                "\", which must be alike");
  refused({{pattern_name, "M-"}, {"mamba-num-groups", 3}},
          "--mamba-num-groups 3 does not divide the 16 heads of Mamba");
  refused({{pattern_name, "M-"}, {"mamba-num-groups", 2}, {"tensor-model-parallel-size", 4}},
          "--tensor-model-parallel-size 4 does not divide the 2 groups of --mamba-num-groups");
  refused({{"is-hybrid-model", true}}, "--is-hybrid-model needs --hybrid-layer-pattern, as M-M*-");
  refused({{"hybrid-attention-ratio", 0.1}},
          "--hybrid-attention-ratio needs --hybrid-layer-pattern, as M-M*-");
  refused({{pattern_name, "M-|M-|M-"}, {"pipeline-model-parallel-size", 2}},
          "--hybrid-layer-pattern does not fit the stages");
  refused({{pattern_name, "M-M"}, {"pipeline-model-parallel-size", 2}},
          "--hybrid-layer-pattern does not divide into equal stages, and has no bars");
  refused({{pattern_name, "M-"}, {"mamba-head-dim", 96}},
          "--mamba-head-dim does not divide twice the hidden size");
  refused({{pattern_name, "M-"}, {"mamba-num-heads", 1 << 20}, {"mamba-head-dim", 1 << 20}},
          "--mamba-num-heads times --mamba-head-dim must be 1 to 1000000000 channels");
  refused({{pattern_name, std::string(1 << 17, 'M')}},
          "--hybrid-layer-pattern stands for more than 65536 layers");
}

TEST_CASE("layers of each kind are spread evenly", "[launch]") {
  CHECK(detail::drawn_hybrid(hybrid(8, 6, 2), {}, {}) == "M-M-M-*-M-M-M-*-");
  CHECK(detail::drawn_hybrid(hybrid(4, 6, 2), {}, {.pipeline = 2}) == "MM-M*-|MM-M*-");
  CHECK(detail::drawn_hybrid(hybrid(4, 2, 0), {}, {}) == "M--M--");
  CHECK(detail::drawn_hybrid(hybrid(4, 4, 0), {}, {.pipeline = 2, .interleave = 2}) ==
        "M-|M-|M-|M-");
}

TEST_CASE("a pattern has the layers that were meant", "[launch][property]") {
  testing::check_property("counts", [] {
    transformer m =
        hybrid(*rc::gen::inRange(1, 60), *rc::gen::inRange(1, 60), *rc::gen::inRange(0, 20));
    if (*rc::gen::arbitrary<bool>()) {
      m.moe = {.experts = 4, .experts_per_token = 2, .ffn_size = 512};
      m.moe.dense_layers = *rc::gen::inRange(0, m.layers);
      m.moe.first_dense_layers = *rc::gen::inRange(0, m.moe.dense_layers + 1);
    }
    const parallelism cut{.pipeline = *rc::gen::inRange(1, 5)};
    const std::string drawn = detail::drawn_hybrid(m, {}, cut);
    RC_ASSERT(std::count(drawn.begin(), drawn.end(), '|') == cut.pipeline - 1);
    const auto letters = [&](char c) {
      return static_cast<int>(std::count(drawn.begin(), drawn.end(), c));
    };
    RC_ASSERT(letters('M') == m.recurrent.layers);
    RC_ASSERT(letters('*') == m.recurrent.attention_layers);
    RC_ASSERT(letters('-') == m.dense_layers());
    RC_ASSERT(letters('E') == m.moe_layers());
  });
}

TEST_CASE("patterns that are no string, or whose brackets do not match, are refused", "[launch]") {
  const auto read = [](const nlohmann::json& pattern) {
    return job_of({{pattern_name, pattern}, {"mamba-num-heads", 16}});
  };
  CHECK(read("[M-]*-").model.has_value());
  CHECK_THROWS_WITH(read("]M-*-["), Catch::Contains("has a bracket too many"));
  CHECK_THROWS_WITH(read("[M-[*-]"), Catch::Contains("has a bracket that is not closed"));
  for (const nlohmann::json& odd : {nlohmann::json{5}, nlohmann::json{{"a", 1}}})
    CHECK_THROWS_WITH(read(odd), Catch::Contains("must be a string of layers"));
}

}  // namespace
}  // namespace gpuplan
