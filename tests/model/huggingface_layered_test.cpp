#include <gpuplan/model/huggingface_layered.hpp>

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/memory/activations.hpp>
#include <gpuplan/memory/layered_cache.hpp>

#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using nlohmann::json;

const json& models() {
  static const json data =
      json::parse(testing::read_text(testing::data_folder() / "layered_counts.json"));
  return data.at("models");
}

json config_of(const char* name) {
  for (const json& model : models())
    if (model.at("name") == name) return model.at("config");
  FAIL("no config of " << name);
  return {};
}

/// The object that holds the language model's fields.
json& text_of(json& config) {
  return config.contains("text_config") ? config["text_config"] : config;
}

json with(json config, const json& changes) {
  text_of(config).update(changes);
  return config;
}

double count(const json& config) {
  return read_layered_model(config, "x").total();
}

std::string refusal(const json& config) {
  try {
    static_cast<void>(read_layered_model(config, "some/config.json"));
  } catch (const invalid_input& error) {
    return error.what();
  }
  return "nothing";
}

// Their papers: mixers keep the order of tokens, and attention has no positions.
TEST_CASE("hybrid models without positions are read so", "[model][reference]") {
  const auto positions = [](const char* name, const json& changes) {
    return read_layered_model(with(config_of(name), changes), "x").planned->positions;
  };
  CHECK(positions("Granite-4.0-H-Small", json::object()) == position_encoding::none);
  CHECK(positions("Granite-4.0-H-Small", {{"position_embedding_type", "rope"}}) ==
        position_encoding::rotary);
  CHECK(positions("Nemotron-3-Nano-30B-A3B", json::object()) == position_encoding::none);
}

// Each with the counts of its family's modeling code, most also the total of the weights' files.
TEST_CASE("published configs of layered models are counted exactly", "[model][reference]") {
  CHECK(models().size() == 51);
  for (const json& model : models()) {
    INFO(model.at("name"));
    const layered_model m = read_layered_model(model.at("config"), "x");
    CHECK(m.total() == model.at("parameters").get<double>());
    CHECK(m.active() == model.at("active").get<double>());
    CHECK(m.multi_token_prediction == model.at("multi_token_prediction").get<double>());
    CHECK(m.untrained == model.at("untrained").get<double>());
    const sequence_cache one = layered_cache(m, 1 * units::token);
    CHECK(one.full == model.at("cached_bytes_of_token").get<double>() * units::byte);
    CHECK(one.windowed == model.at("windowed_bytes_of_token").get<double>() * units::byte);
    CHECK(one.state == model.at("state_bytes").get<double>() * units::byte);
    CHECK(m.layers() >= 1);
  }
}

TEST_CASE("a transformer of mean layers has the parameters of the layers", "[model][reference]") {
  int planned = 0;
  for (const json& model : models()) {
    INFO(model.at("name"));
    const layered_model m = read_layered_model(model.at("config"), "x");
    if (!m.planned) continue;
    ++planned;
    require_valid(*m.planned);
    CHECK(parameters_of(*m.planned).total() == m.total());
    CHECK(active_parameters(*m.planned) == m.active());
    if (m.planned->multi_token_prediction_layers > 0)
      CHECK(parameters_of(*m.planned).multi_token_prediction == m.multi_token_prediction);
    CHECK(parameters_of(*m.planned).correction_biases ==
          (m.planned->moe.correction_bias ? m.untrained : 0));
  }
  CHECK(planned == 22);
}

TEST_CASE("attention and a mixer side by side share a norm", "[model]") {
  const transformer falcon = *read_layered_model(config_of("Falcon-H1-0.5B"), "x").planned;
  CHECK(falcon.recurrent.beside_attention);
  CHECK(falcon.mixing_norms() == 1);
  CHECK(parameters_of_layer(falcon, layer_kind::dense).norms == 2 * 1024);
  transformer in_turn = falcon;
  in_turn.recurrent.beside_attention = false;
  CHECK(in_turn.mixing_norms() == 2);
  CHECK(parameters_of_layer(in_turn, layer_kind::dense).norms == 3 * 1024);
}

// docs/plan.md has the figures: a stage that happens to hold mixers alone is fuller than mean layers
// say by no more than these.
TEST_CASE("a stage of mixers alone is little fuller than one of mean layers", "[model][facts]") {
  const recipe how{.global_batch_size = 64, .sequence_length = 4096};
  const parallelism cut{};
  const stream_tokens seen{tokens_on_rank(how.sequence_length, how, cut), {}};
  int hybrids = 0;
  for (const json& model : models()) {
    const layered_model read = read_layered_model(model.at("config"), "x");
    if (!read.planned || read.planned->recurrent.layers == 0) continue;
    INFO(model.at("name"));
    ++hybrids;
    const transformer& mean = *read.planned;
    transformer mixers = mean;
    mixers.recurrent.attention_layers = 0;
    mixers.recurrent.layers = mean.layers;
    const layer_kind kind = mean.moe_layers() > 0 ? layer_kind::moe : layer_kind::dense;
    const auto kept = [&](const transformer& m) {
      return decoder_layer(m, kind, how, cut, seen).total();
    };
    const bool bamba = read.family == "bamba";
    const bool olmo = read.family == "olmo_hybrid";
    CHECK(parameters_of_layer(mixers, kind).total() <= (olmo    ? 1.036
                                                        : bamba ? 1.021
                                                                : 1.011) *
                                                           parameters_of_layer(mean, kind).total());
    CHECK(kept(mixers) <= (olmo ? 1.056 : 1.033) * kept(mean));
  }
  CHECK(hybrids == 14);
}

TEST_CASE("a model that is not planned with says what it has", "[model]") {
  const auto unlike = [](const json& config) {
    const layered_model m = read_layered_model(config, "x");
    return m.planned ? "nothing" : m.unlike;
  };
  CHECK(unlike(config_of("Kimi-K3")) == "attention over earlier layers");
  CHECK(unlike(config_of("Gemma-4-E2B")) == "inputs of each layer's own");
  CHECK(unlike(with(config_of("Nemotron-3-Super-120B-A12B"),
                    {{"mtp_hybrid_override_pattern", "*EE"}})) ==
        "modules for further tokens with layers of their own");
  CHECK(unlike(with(config_of("Gemma-4-31B"), {{"num_kv_shared_layers", 6}})) ==
        "layers that share keys and values");
}

TEST_CASE("Nemotron-H squares its ReLU", "[model]") {
  const json config = config_of("Nemotron-3-Super-120B-A12B");
  CHECK(read_layered_model(config, "x").planned->squared_relu);
  CHECK_FALSE(
      read_layered_model(with(config, {{"mlp_hidden_act", "silu"}}), "x").planned->squared_relu);
}

TEST_CASE("layers of two kinds are told by their fields", "[model]") {
  const auto planned = [](const json& config) { return *read_layered_model(config, "x").planned; };
  const transformer gemma = planned(config_of("Gemma-4-31B"));
  CHECK(gemma.windowed_layers() == 50);
  CHECK((gemma.head_dim == 512 && gemma.kv_heads == 4 && gemma.keys_as_values));
  CHECK(gemma.windowed ==
        windowed_heads{.attention_heads = 32, .kv_heads = 16, .head_dim = 256, .value_dim = 256});
  const transformer mimo = planned(config_of("MiMo-V2-Flash"));
  CHECK(mimo.windowed_layers() == 39);
  CHECK((mimo.value_head_dim() == 128 && mimo.windowed.attention_sinks && !mimo.attention_sinks));
  CHECK((mimo.moe.dense_layers == 1 && mimo.moe.first_dense_layers == 1));

  const layered_model encoder = read_layered_model(config_of("ModernBERT-base"), "x");
  REQUIRE(encoder.groups.size() == 2);
  CHECK(encoder.groups[0].kind == "encoder, first");
  CHECK(encoder.groups[1].kind == "encoder");
  const transformer modern = planned(config_of("ModernBERT-base"));
  CHECK((modern.windowed_layers() == 14 && modern.sliding_window == 128));
  json types = json::array();
  for (int i = 0; i < 22; ++i) types.push_back(i < 4 ? "full_attention" : "sliding_attention");
  CHECK(planned(with(config_of("ModernBERT-base"), {{"layer_types", types}})).windowed_layers() ==
        18);
  CHECK(planned(with(config_of("ModernBERT-base"), {{"global_attn_every_n_layers", 1}}))
            .windowed_layers() == 0);

  const transformer glm = planned(config_of("GLM-5.2"));
  CHECK((glm.sparse.layers == 21 && glm.sparse.attending_layers == 78));
  CHECK((glm.sparse.tokens == 2048 && glm.sparse.query_rank == 2048));
  const transformer minimax = planned(config_of("MiniMax-M3"));
  CHECK((minimax.sparse.attending_layers == 57 && minimax.sparse.block == 128));
  CHECK(minimax.sparse.tokens == 16 * 128);
  CHECK(planned(config_of("Nemotron-3-Super-120B-A12B")).moe.latent_size == 1024);
  CHECK(planned(with(config_of("Kimi-K3"), {{"attn_res_block_size", nullptr}})).moe.latent_norm);
}

TEST_CASE("a field that nobody knows is refused by name, in every family", "[model]") {
  for (const json& model : models()) {
    INFO(model.at("name"));
    const json& config = model.at("config");
    for (const json& value : {json(1), json("a"), json(true), json(json::array_t{1})})
      CHECK_THAT(refusal(with(config, {{"surprising_size", value}})),
                 ContainsSubstring("some/config.json: surprising_size is not known to model_type"));
    for (const json& value : {json(nullptr), json(false), json(0), json(json::array())})
      CHECK(refusal(with(config, {{"surprising_size", value}})) == "nothing");
    CHECK(count(with(config, {{"rope_scaling", {{"factor", 8}}}, {"router_aux_loss_coef", 0.1}})) ==
          model.at("parameters").get<double>());
  }
}

TEST_CASE("each option of a hybrid changes what it names", "[model]") {
  const auto change = [](const char* name, const json& changes) {
    return count(with(config_of(name), changes)) - count(config_of(name));
  };
  CHECK(change("Apertus-70B", {{"hidden_act", "relu2"}}) == -160);
  CHECK(change("Qwen3.5-9B", {{"attn_output_gate", false}}) == -8.0 * 4096 * 16 * 256);
  CHECK(change("Falcon-H1-0.5B", {{"mamba_rms_norm", true}}) == 36 * 1536);
  CHECK(change("MiMo-V2-Flash", {{"add_full_attention_sink_bias", true}}) == 9 * 64);
  CHECK(change("Kimi-K3", {{"mla_use_output_gate", false}}) == -24.0 * 7168 * 96 * 128);
  CHECK(change("Kimi-K3", {{"attn_res_block_size", nullptr}}) == -2'680'832);
  CHECK(change("ModernBERT-base", {{"classifier_bias", true}}) == 768);
  CHECK_THAT(refusal(with(config_of("T5-11B"), {{"feed_forward_proj", "bogus"}})),
             ContainsSubstring("feed_forward_proj names no known activation function"));
  CHECK(change("T5-11B", {{"feed_forward_proj", "gated-gelu"}}) == 48.0 * 1024 * 65536);
  CHECK(change("T5-11B", {{"tie_word_embeddings", false}}) == 32128 * 1024);
  CHECK(change("Granite-4.0-H-Small", {{"attention_bias", true}}) == 4 * (4096 + 2 * 1024 + 4096));
  CHECK(change("Jamba-v0.1", {{"mamba_dt_rank", "auto"}}) == 0);
  CHECK(change("Gemma-4-E2B", {{"use_double_wide_mlp", false}}) == -20.0 * 3 * 1536 * 6144);
  const json next = config_of("Qwen3-Next-80B-A3B");
  CHECK(
      read_layered_model(with(next, {{"mtp_num_hidden_layers", 0}}), "x").multi_token_prediction ==
      0);
}

TEST_CASE("other sizes of the families have the totals of their weights' files",
          "[model][reference]") {
  // LFM2-1.2B, NVIDIA-Nemotron-Nano-9B-v2.
  json types = json::array();
  for (const char letter : std::string("ccaccaccacacacac"))
    types.push_back(letter == 'a' ? "full_attention" : "conv");
  const json lfm2{{"model_type", "lfm2"},     {"hidden_size", 2048},
                  {"num_hidden_layers", 16},  {"num_attention_heads", 32},
                  {"num_key_value_heads", 8}, {"vocab_size", 65536},
                  {"block_ff_dim", 12288},    {"block_auto_adjust_ff_dim", true},
                  {"block_multiple_of", 256}, {"block_ffn_dim_multiplier", 1.0},
                  {"conv_L_cache", 3},        {"layer_types", types}};
  CHECK(count(lfm2) == 1'170'340'608);
  CHECK(layered_cache(read_layered_model(lfm2, "x"), 1 * units::token).state ==
        10 * 2 * 2048 * 2 * units::byte);
  CHECK_THAT(refusal(with(lfm2, {{"conv_dim", 1024}})), ContainsSubstring("conv_dim"));
  CHECK_THAT(refusal(with(lfm2, {{"conv_bias", true}})), ContainsSubstring("conv_bias"));

  CHECK(count(with(lfm2, {{"tie_word_embeddings", true}, {"tie_embedding", false}})) ==
        1'304'558'336);
  const json wrapped{{"model_type", "lfm2-vl"},
                     {"tie_word_embeddings", false},
                     {"text_config", with(lfm2, {{"tie_embedding", true}})}};
  CHECK(read_layered_model(wrapped, "x").total() == 1'304'558'336);
  json indexed = lfm2;
  indexed.erase("layer_types");
  indexed["full_attn_idxs"] = json::array();
  for (int i = 0; i < 16; ++i)
    if (lfm2.at("layer_types").at(static_cast<std::size_t>(i)) == "full_attention")
      indexed["full_attn_idxs"].push_back(i);
  CHECK(count(indexed) == count(lfm2));
  CHECK(count(with(lfm2, {{"full_attn_idxs", indexed["full_attn_idxs"]}})) == count(lfm2));
  CHECK_THAT(refusal(with(lfm2, {{"full_attn_idxs", {0}}})),
             ContainsSubstring("full_attn_idxs is not what layer_types says"));
  for (const json& wrong : {json(-1), json(16), json(1.5), json("0")})
    CHECK_THAT(refusal(with(indexed, {{"full_attn_idxs", {wrong}}})),
               ContainsSubstring("full_attn_idxs must hold integers from 0 to 15"));

  const json experts = config_of("LFM2-8B-A1B");
  const double routed = 32 * (3.0 * 2048 * 1792 + 2048);
  CHECK(count(with(experts, {{"num_dense_layers", 3}})) - count(experts) ==
        3.0 * 2048 * 7168 - routed);
  CHECK(read_layered_model(with(experts, {{"use_expert_bias", false}}), "x").untrained == 0);
  CHECK(read_layered_model(with(experts, {{"num_dense_layers", 4}}), "x").untrained == 20 * 32);
  CHECK(count(with(experts, {{"tie_embedding", false}})) - count(experts) == 65536.0 * 2048);
  CHECK_THAT(refusal(with(experts, {{"num_dense_layers", 25}})),
             ContainsSubstring("num_dense_layers (25) must be at most num_hidden_layers (24)"));
  CHECK_THAT(refusal(with(experts, {{"num_experts_per_tok", 33}})),
             ContainsSubstring("must be at most the number of experts"));

  const json nano = with(
      config_of("Nemotron-H-56B"),
      {{"hidden_size", 4480},
       {"num_hidden_layers", 56},
       {"num_attention_heads", 40},
       {"intermediate_size", 15680},
       {"mamba_num_heads", 128},
       {"mamba_head_dim", 80},
       {"ssm_state_size", 128},
       {"hybrid_override_pattern", "M-M-M-MM-M-M-M*-M-M-M*-M-M-M-M*-M-M-M-M*-M-MM-M-M-M-M-M-"}});
  CHECK(count(nano) == 8'888'227'328);
}

TEST_CASE("experts of Gemma 4 stand beside the networks", "[model]") {
  const json dense = config_of("Gemma-4-31B");
  const json experts = with(dense, {{"enable_moe_block", true},
                                    {"num_experts", 8},
                                    {"top_k_experts", 2},
                                    {"moe_intermediate_size", 64}});
  const double h = 5376;
  const double one = 3 * h * 64;
  CHECK(count(experts) - count(dense) == 60 * (8 * one + h * 8 + h + 8 + 3 * h));
  CHECK(count(experts) - read_layered_model(experts, "x").active() == 60 * 6 * one);
}

TEST_CASE("what a layered reader cannot read is refused in one line", "[model]") {
  const auto refused = [](const char* name, const json& changes, const char* line) {
    INFO(name << ": " << changes.dump());
    const std::string said = refusal(with(config_of(name), changes));
    CHECK_THAT(said, ContainsSubstring(line));
    CHECK(said.find('\n') == std::string::npos);
  };
  refused("Jamba-v0.1", {{"num_hidden_layers", 1'000'000}}, "num_hidden_layers must be <= 1000");
  refused("Jamba-v0.1", {{"mamba_d_state", nullptr}}, "mamba_d_state must not be null");
  refused("Qwen3.5-9B", {{"layer_types", {"full_attention"}}}, "an entry for each of the 32");
  refused("Qwen3.5-35B-A3B", {{"mlp_only_layers", {0}}, {"intermediate_size", 64}},
          "mlp_only_layers");
  refused("Qwen3.5-9B", {{"mtp_use_dedicated_embeddings", true}}, "mtp_use_dedicated_embeddings");
  refused("Nemotron-H-56B", {{"hybrid_override_pattern", "MX"}}, "letters M, *, - and E");
  refused("Nemotron-H-56B", {{"hybrid_override_pattern", "MM"}}, "each of the 118 layers");
  refused("Nemotron-3-Super-120B-A12B", {{"num_nextn_predict_layers", 2}}, "must be 0 or 1");
  refused("GLM-5.1", {{"index_topk_freq", 4}}, "indexer_types is missing");
  refused("GLM-5.2", {{"first_k_dense_replace", 4}}, "is not what first_k_dense_replace says");
  refused("Kimi-K3", {{"linear_attn_config", json::object()}}, "linear_attn_config");
  refused("MiniMax-M1-80k", {{"shared_intermediate_size", 64}}, "shared_intermediate_size");
  refused("MiniMax-M3", {{"qk_norm_type", "per_layer"}}, "qk_norm_type must be per_head");
  refused("DeepSeek-V4-Flash", {{"compress_ratios", json::array_t(44, 16)}}, "compress_ratios");
  refused("Nemotron-Super-49B", {{"block_configs", json::array_t(80, {{"ffn", {}}})}},
          "attention and ffn");
  refused("LongCat-Flash", {{"zero_expert_type", "copy"}}, "zero_expert_type must be identity");
  refused("Gemma-3n-E4B", {{"num_kv_shared_layers", 35}}, "num_kv_shared_layers");
  refused("MiMo-V2-Flash", {{"hybrid_layer_pattern", json::array_t(48, 2)}}, "must hold 0 or 1");
  refused("Whisper-large-v3", {{"encoder_attention_heads", 7}}, "must divide d_model");
  refused("Apertus-70B", {{"architectures", {"ApertusForCausalLMEagle3"}}}, "architectures");
  CHECK_THAT(refusal({{"model_type", "llama"}}), ContainsSubstring("no layers of several kinds"));
}

TEST_CASE("a family is found in the config or in its language part", "[model]") {
  CHECK(find_layered_family(json{{"model_type", "jamba"}}) != nullptr);
  CHECK(find_layered_family(json{{"model_type", "llama"}}) == nullptr);
  CHECK(find_layered_family(config_of("Gemma-4-31B"))->name == "gemma4_text");
  CHECK(find_layered_family(json::array()) == nullptr);
  CHECK(find_layered_family(json{{"model_type", 7}}) == nullptr);
}

TEST_CASE("changed configs are counted or refused, never a crash", "[model]") {
  testing::check_property("one field changed", [] {
    json config = (*rc::gen::elementOf(models().get<std::vector<json>>())).at("config");
    json& text = text_of(config);
    std::vector<std::string> names;
    for (const auto& [name, value] : text.items()) names.push_back(name);
    const std::vector<json> values{nullptr,
                                   0,
                                   1,
                                   -1,
                                   3,
                                   1'000'000'000,
                                   1e300,
                                   "",
                                   "x",
                                   true,
                                   json::array(),
                                   json::object(),
                                   json::array_t{1}};
    text[*rc::gen::elementOf(names)] = *rc::gen::elementOf(values);
    try {
      RC_ASSERT(read_layered_model(config, "x").total() > 0);
    } catch (const invalid_input& error) {
      RC_ASSERT(std::string_view(error.what()).find('\n') == std::string_view::npos);
    }
  });
}

TEST_CASE("a model of state-space layers alone has nothing else in them", "[model]") {
  const json mamba = config_of("Mamba-2.8B");
  const layered_model m = read_layered_model(mamba, "x");
  CHECK_FALSE(m.planned);
  REQUIRE(m.groups.size() == 1);
  CHECK(m.groups[0].kind == "Mamba");
  CHECK(m.groups[0].cached_values == 0);
  CHECK(m.beside.head == 0);  // tied unless told
  const auto total = [](const json& config, const json& changes) {
    return read_layered_model(with(config, changes), "x").total();
  };
  json silent = mamba;
  for (const char* field :
       {"intermediate_size", "d_inner", "time_step_rank", "state_size", "conv_kernel", "expand"})
    silent.erase(field);
  CHECK(total(silent, json::object()) == m.total());
  CHECK(total(silent, {{"time_step_rank", "auto"}}) == m.total());
  // a rank of 160 more, on 5120 channels: a map there and one back
  CHECK(total(mamba, {{"time_step_rank", 320}}) - m.total() == 64 * 160. * 5120 * 2);
  CHECK(total(mamba, {{"use_bias", true}}) - m.total() == 64. * (2 * 5120 + 2560));
  CHECK(m.total() - total(mamba, {{"use_conv_bias", false}}) == 64. * 5120);
  CHECK(total(mamba, {{"tie_word_embeddings", false}}) - m.total() == 50280. * 2560);

  json second = config_of("Mamba-Codestral-7B");
  const double before = total(second, json::object());
  for (const char* field :
       {"state_size", "conv_kernel", "expand", "num_heads", "head_dim", "n_groups"})
    second.erase(field);
  CHECK(total(second, json::object()) == before);
  CHECK(refusal(with(second, {{"n_groups", 3}})) ==
        "some/config.json: n_groups must divide num_heads (128)");
  CHECK(refusal(with(second, {{"expand", 3}})) ==
        "some/config.json: expand times hidden_size contradicts num_heads times head_dim (8192)");
}

TEST_CASE("Bamba attends where its list says", "[model]") {
  const json bamba = config_of("Bamba-9B");
  const layered_model m = read_layered_model(bamba, "x");
  CHECK(read_layered_model(with(bamba, {{"mamba_d_head", "auto"}}), "x").groups == m.groups);
  REQUIRE(m.planned);
  CHECK(m.planned->recurrent.layers == 29);
  CHECK(m.planned->recurrent.attention_layers == 3);
  const json alone = with(bamba, {{"attn_layer_indices", nullptr}});
  CHECK(read_layered_model(alone, "x").groups.size() == 1);
  const auto refused = [&](const json& changes) { return refusal(with(bamba, changes)); };
  CHECK(refused({{"attn_layer_indices", {9, 32}}}) ==
        "some/config.json: attn_layer_indices must hold numbers of layers from 0 to 31, not 32");
  CHECK(refused({{"attn_layer_indices", {-1}}}) ==
        "some/config.json: attn_layer_indices must hold numbers of layers from 0 to 31, not -1");
  CHECK(refused({{"attn_layer_indices", {1.5}}}) ==
        "some/config.json: attn_layer_indices must hold numbers of layers from 0 to 31, not 1.5");
  CHECK(refused({{"attn_layer_indices", {9, 9}}}) ==
        "some/config.json: attn_layer_indices names layer 9 twice");
  CHECK(refused({{"attention_bias", true}}) == "some/config.json: attention_bias must be false");
  CHECK(refused({{"mlp_bias", true}}) == "some/config.json: mlp_bias must be false");
  CHECK(refused({{"mamba_d_head", "auto"}, {"mamba_n_heads", 100}}) ==
        "some/config.json: mamba_n_heads (100) must divide mamba_expand times hidden_size (8192)");
}

TEST_CASE("images are attended to in the layers of a list", "[model]") {
  const json whole = config_of("Llama-3.2-11B-Vision");
  const layered_model m = read_layered_model(whole, "x");
  REQUIRE(m.groups.size() == 2);
  CHECK(m.groups[0].layers == 32);
  CHECK(m.groups[1].layers == 8);
  CHECK(m.groups[1].cached_values == 0);
  CHECK(m.groups[1].total() - m.groups[0].total() == 2 * 128 + 2);
  CHECK(m.non_embedding() == m.total() - (2 * 128256 + 8) * 4096.);
  CHECK(m.note == "keys and values of images are not counted in the cache");
  json silent = whole;
  silent["text_config"].erase("cross_attention_layers");
  CHECK(read_layered_model(silent, "x").groups == m.groups);
  silent["text_config"]["cross_attention_layers"] = nullptr;
  CHECK(read_layered_model(silent, "x").groups == m.groups);
  silent["text_config"]["cross_attention_layers"] = {1, 2};
  CHECK(read_layered_model(silent, "x").groups[1].layers == 2);
}

TEST_CASE("a delta net has the widths that its heads leave it", "[model]") {
  const json olmo = config_of("Olmo-Hybrid-7B");
  const layered_model m = read_layered_model(olmo, "x");
  json silent = olmo;
  for (const char* field : {"linear_num_key_heads", "linear_num_value_heads", "linear_key_head_dim",
                            "linear_value_head_dim", "linear_conv_kernel_dim", "layer_types"})
    silent.erase(field);
  CHECK(read_layered_model(silent, "x").groups == m.groups);
  CHECK(read_layered_model(with(silent, {{"linear_key_head_dim", 64}}), "x").groups ==
        read_layered_model(
            with(olmo, {{"linear_key_head_dim", 64}, {"linear_value_head_dim", 128}}), "x")
            .groups);
  const layered_model few = read_layered_model(with(silent, {{"num_hidden_layers", 2}}), "x");
  REQUIRE(few.groups.size() == 2);
  CHECK(few.groups[0].kind == "gated delta net");
  CHECK(few.groups[1].kind == "full attention");
  CHECK(refusal(with(silent, {{"linear_num_key_heads", 4000}})) ==
        "some/config.json: linear_num_key_heads must be <= 3/4 of hidden_size");
}

TEST_CASE("parts that others lack are counted by their names", "[model]") {
  const layered_model bitnet = read_layered_model(config_of("BitNet-2B"), "x");
  REQUIRE(bitnet.groups.size() == 1);
  CHECK(bitnet.groups[0].further == std::vector<named_parameters>{{"inner norms", 2560. + 6912}});
  CHECK(refusal(with(config_of("BitNet-2B"), {{"mlp_bias", true}})) ==
        "some/config.json: mlp_bias must be false");
  CHECK(refusal(with(config_of("Phi-3-small"), {{"ff_dim_multiplier", 2}})) ==
        "some/config.json: ff_dim_multiplier must be null");
  CHECK_FALSE(bitnet.planned);
}

TEST_CASE("a norm stands after the experts of A.X K1", "[model]") {
  const json config = config_of("A.X-K1");
  const layered_model m = read_layered_model(config, "x");
  json silent = with(config, {{"model_type", "axk1"}});
  for (const char* field : {"q_lora_rank", "kv_lora_rank", "qk_rope_head_dim", "qk_nope_head_dim",
                            "v_head_dim", "n_routed_experts", "num_experts_per_tok",
                            "moe_intermediate_size", "n_shared_experts", "first_k_dense_replace"})
    silent.erase(field);
  CHECK(read_layered_model(silent, "x").groups == m.groups);
  CHECK(m.groups.size() == 2);
  CHECK(m.total() - parameters_of(read_huggingface(
                                      with(config, {{"model_type", "deepseek_v3"},
                                                    {"architectures", {"DeepseekV3ForCausalLM"}}}),
                                      "x"))
                        .total() ==
        60 * 7168.);
  CHECK(read_layered_model(with(config, {{"num_nextn_predict_layers", 0}}), "x")
            .multi_token_prediction == 0);
  CHECK(read_layered_model(with(config, {{"topk_method", "greedy"}}), "x").untrained == 0);
  CHECK(read_layered_model(with(config, {{"first_k_dense_replace", 61}}), "x").groups.size() == 1);
}

TEST_CASE("layers have heads and gates of their own", "[model]") {
  const json laguna = config_of("Laguna-XS.2");
  json alike = laguna;
  for (const char* field :
       {"num_attention_heads_per_layer", "mlp_layer_types", "layer_types", "num_experts",
        "num_experts_per_tok", "moe_intermediate_size", "shared_expert_intermediate_size"})
    alike.erase(field);
  const layered_model m = read_layered_model(alike, "x");
  REQUIRE(m.groups.size() == 2);
  CHECK(m.groups[0].layers == 1);
  CHECK(m.groups[0].kind == "full attention");
  CHECK(m.groups[1].kind == "full attention, experts");
  CHECK(m.groups[0].further == std::vector<named_parameters>{{"head gates", 2048. * 48}});
  CHECK(m.groups[1].common == read_layered_model(laguna, "x").groups[2].common);
  const auto refused = [](const json& config, const json& changes) {
    return refusal(with(config, changes));
  };
  const auto gates = [](const json& config, const json& changes) {
    const std::vector<named_parameters> further =
        read_layered_model(with(config, changes), "x").further_of_layers();
    return further.empty() ? 0 : further.front().count;
  };
  alike.erase("gating");
  const double each = 40 * 2048. * 48;
  CHECK(gates(alike, json::object()) == each);
  for (const json& word : {json(true), json("per-head"), json("per_head")})
    CHECK(gates(alike, {{"gating", word}}) == each);
  CHECK(gates(alike, {{"gating", "per-element"}}) == 128 * each);
  CHECK(gates(alike, {{"gating", false}}) == 0);
  CHECK(gates(alike, {{"gating", true}, {"gating_types", json(40, "per_element")}}) == 128 * each);
  CHECK(refused(alike, {{"gating", "other"}}) ==
        "some/config.json: gating must be per-head or per-element, not the string \"other\"");
  json types(40, "per_head");
  types[1] = "per_element";
  CHECK(refused(alike, {{"gating_types", types}}) ==
        "some/config.json: gating_types must be the same in every layer");
  alike.erase("mlp_only_layers");
  CHECK(read_layered_model(alike, "x").groups == m.groups);
  CHECK(read_layered_model(with(alike, {{"mlp_only_layers", {0, 5}}}), "x").groups[0].layers == 2);
  CHECK(refused(laguna, {{"mlp_only_layers", {1}}}) ==
        "some/config.json: mlp_layer_types is not what mlp_only_layers says");
  CHECK(refused(alike, {{"decoder_sparse_step", 2}}) ==
        "some/config.json: decoder_sparse_step must be 1");
  CHECK(
      refused(alike, {{"num_hidden_layers", 1'000'000'000}}) ==
      "some/config.json: num_hidden_layers must be <= 1000 where layers are of several kinds, not "
      "1000000000");
  CHECK(refused(laguna, {{"num_attention_heads_per_layer", json(39, 48)}}) ==
        "some/config.json: num_attention_heads_per_layer must have an entry for each of the 40 "
        "layers, not 39");
  CHECK(refused(laguna, {{"num_attention_heads_per_layer", json(40, 12)}}) ==
        "some/config.json: num_key_value_heads (8) must divide num_attention_heads (12)");
  CHECK(refused(laguna, {{"num_attention_heads_per_layer", json(40, "48")}})
            .find("num_attention_heads_per_layer") != std::string::npos);
}

TEST_CASE("Step's lists may go on behind the last layer", "[model]") {
  const json step = config_of("Step-3.5-Flash");
  const layered_model m = read_layered_model(step, "x");
  CHECK(m.note == "the modules that predict further tokens are not counted");
  const auto groups = [&](const json& changes) {
    return read_layered_model(with(step, changes), "x").groups;
  };
  CHECK(groups({{"moe_layers_enum", nullptr}}) == m.groups);
  json listed = json::array();
  for (int i = 3; i < 45; ++i) listed.push_back(i);
  CHECK(groups({{"moe_layers_enum", listed}}) == m.groups);
  CHECK(groups({{"moe_layers_enum", std::string(step.at("moe_layers_enum")) + ","}}) == m.groups);
  json many = with(step, {{"num_hidden_layers", 1'000'000'000}});
  for (const char* field : {"layer_types", "moe_layers_enum"}) many.erase(field);
  CHECK(refusal(many).find("num_hidden_layers must be <= 1000") != std::string::npos);
  CHECK(groups({{"attention_other_setting", nullptr}, {"num_sliding_attention_heads", 96}}) ==
        m.groups);
  json short_types = step.at("layer_types");
  short_types.erase(short_types.begin() + 45, short_types.end());
  CHECK(groups({{"layer_types", short_types}, {"num_nextn_predict_layers", 0}}) == m.groups);
  double gates = 0;
  for (const layer_group& group : m.groups)
    for (const named_parameters& part : group.further) gates += group.layers * part.count;
  CHECK(gates == 4096. * (12 * 64 + 33 * 96));
  CHECK(m.total() -
            read_layered_model(with(step, {{"use_head_wise_attn_gate", false}}), "x").total() ==
        gates);

  const auto refused = [&](const json& changes) { return refusal(with(step, changes)); };
  constexpr const char* numbers =
      "some/config.json: moe_layers_enum must hold numbers of layers, as \"3,4,5\" or a list";
  CHECK(refused({{"moe_layers_enum", "[[3]]"}}) == numbers);
  CHECK(refused({{"moe_layers_enum", 3}}) == numbers);
  CHECK(refused({{"moe_layers_enum", "3,,4"}}) == numbers);
  CHECK(refused({{"moe_layers_enum", "3,45"}}) ==
        "some/config.json: moe_layers_enum must hold numbers of layers from 0 to 44, not 45");
  for (const char* field : {"use_moe", "use_moe_router_bias", "use_qk_norm"})
    CHECK(refused({{field, false}}) == "some/config.json: " + std::string(field) + " must be true");
  CHECK(refused({{"mlp_bias", true}}) == "some/config.json: mlp_bias must be false");
  CHECK(refused({{"moe_every_n_layer", 2}}) == "some/config.json: moe_every_n_layer must be 1");
  for (const char* field : {"num_attention_groups", "head_dim", "true_head_dim"})
    CHECK(refused({{"attention_other_setting", {{field, 16}}}}) ==
          "some/config.json: attention_other_setting: " + std::string(field) +
              " must be that of the other layers");
  CHECK(refused({{"layer_types", json(44, "full_attention")}}) ==
        "some/config.json: layer_types must have an entry for each of the 45 layers, not 44");
}

// google/vit-base-patch16-224 names its classes; a config without architectures is the body alone.
TEST_CASE("encoders of images have the head that their class says", "[model][reference]") {
  const json classes = config_of("ViT-B-16-224");
  json names;
  for (int i = 0; i < 10; ++i) names[std::to_string(i)] = "class";
  const double head = 768 * 1000.0 + 1000;
  CHECK(count(with(classes, {{"id2label", names}})) == 86567656 - head + 768 * 10 + 10);
  json body = classes;
  body.erase("architectures");
  const layered_model without = read_layered_model(body, "x");
  CHECK(without.total() == 86567656 - head);
  CHECK_THAT(without.note, ContainsSubstring("a pooler or a classifier is not counted"));
  json unsaid = classes;
  unsaid.erase("num_labels");
  CHECK(count(unsaid) == 86567656 - head + 2 * 768 + 2);
  CHECK(read_layered_model(classes, "x").note.empty());
  // DINOv2's classifier sees the class token beside the mean of the others.
  const json labelled =
      with(config_of("DINOv2-giant"),
           {{"architectures", {"Dinov2ForImageClassification"}}, {"num_labels", 1000}});
  CHECK(count(labelled) == 1136480768 + 2 * 1536 * 1000.0 + 1000);
}

TEST_CASE("encoders of images count learned tokens, patches and biases", "[model][reference]") {
  const json body = config_of("ViT-L-16-in21k");
  const double whole = 304351232;
  CHECK(count(with(body, {{"model_type", "deit"}, {"architectures", {"DeiTModel"}}})) ==
        whole + 2 * 1024);
  CHECK(count(with(body, {{"qkv_bias", false}})) == whole - 24 * 3 * 1024);
  CHECK(count(with(body, {{"image_size", 384}})) == whole + (24 * 24 - 14 * 14) * 1024);
  CHECK(count(with(body, {{"num_channels", 1}})) == whole - 2 * 256 * 1024);
  const json two = config_of("DINOv2-giant");
  CHECK(count(with(two, {{"model_type", "dinov2_with_registers"},
                         {"architectures", {"Dinov2WithRegistersModel"}}})) ==
        1136480768 + 4 * 1536);
  CHECK(count(with(two, {{"use_mask_token", false}})) == 1136480768 - 1536);
  CHECK(count(with(two, {{"use_swiglu_ffn", false}})) ==
        1136480768 + 40 * (2.0 * 1536 * 6144 + 6144 - 3.0 * 1536 * 4096 - 2 * 4096));
  const json three = config_of("DINOv3-7B");
  CHECK(count(with(three, {{"query_bias", true}})) == 6716035072 + 40 * 4096);
  CHECK(count(with(three, {{"key_bias", true}})) == 6716035072 + 40 * 4096);
  CHECK(count(with(three, {{"value_bias", true}})) == 6716035072 + 40 * 4096);
  CHECK(count(with(three, {{"proj_bias", false}})) == 6716035072 - 40 * 4096);
  CHECK(count(with(three, {{"num_register_tokens", 0}})) == 6716035072 - 4 * 4096);
  // The pooler of SigLIP is a layer of attention by one query, whose input has no norm.
  CHECK(count(with(config_of("SigLIP-so400m-384"), {{"vision_use_head", false}})) ==
        428225600 - (15239504 - 2 * 1152 + 1152));
  CHECK(refusal(with(body, {{"patch_size", 225}})) ==
        "some/config.json: patch_size must be <= image_size, 224");
  CHECK(refusal(with(body, {{"num_attention_heads", 15}})) ==
        "some/config.json: num_attention_heads (15) must divide hidden_size (1024)");
  CHECK(refusal(with(body, {{"pooler_output_size", 8}})) ==
        "some/config.json: pooler_output_size must be hidden_size");
  CHECK_THAT(refusal(with(body, {{"use_swiglu_ffn", true}})),
             ContainsSubstring("use_swiglu_ffn is not known to model_type vit"));
  CHECK_THAT(refusal(with(body, {{"architectures", {"ViTForMaskedImageModeling"}}})),
             ContainsSubstring("architectures must be"));
}

// Hugging Face, "Transformers", modeling_deberta_v2.py; microsoft/deberta-v2-xlarge has a
// convolution of three tokens beside its first layer, and no token types.
TEST_CASE("DeBERTa counts what its distances learn", "[model][reference]") {
  const json large = config_of("DeBERTa-v3-large");
  const double whole = 434012160;
  const double square = 1024.0 * 1024 + 1024;
  CHECK(count(with(large, {{"share_att_key", false}})) == whole + 24 * 2 * square);
  CHECK(count(with(large, {{"share_att_key", false}, {"pos_att_type", {"c2p"}}})) ==
        whole + 24 * square);
  CHECK(count(with(large, {{"share_att_key", false}, {"pos_att_type", nullptr}})) == whole);
  CHECK(count(with(large, {{"norm_rel_ebd", "none"}})) == whole - 2 * 1024);
  CHECK(count(with(large, {{"position_buckets", -1}})) == whole + 512 * 1024);
  CHECK(count(with(large, {{"position_buckets", -1}, {"max_relative_positions", 128}})) ==
        whole - 256 * 1024);
  CHECK(count(with(large, {{"relative_attention", false}})) == whole - 512 * 1024 - 2 * 1024);
  CHECK(count(with(large, {{"position_biased_input", true}})) == whole + 512 * 1024);
  CHECK(count(with(large, {{"conv_kernel_size", 3}})) ==
        whole + 3 * 1024.0 * 1024 + 1024 + 2 * 1024);
  CHECK(count(with(large, {{"conv_kernel_size", 3}, {"conv_groups", 4}})) ==
        whole + 3 * 256.0 * 1024 + 1024 + 2 * 1024);
  CHECK(count(with(large, {{"architectures", {"DebertaV2ForMaskedLM"}}})) ==
        whole + square + 2 * 1024 + 128100);
  CHECK_THAT(read_layered_model(large, "x").note, ContainsSubstring("no head is counted"));
  CHECK(refusal(with(large, {{"embedding_size", 128}})) ==
        "some/config.json: embedding_size must be hidden_size");
  CHECK(refusal(with(large, {{"pos_att_type", 5}, {"share_att_key", false}})) ==
        "some/config.json: pos_att_type must be text or a list, not 5");
}

TEST_CASE("BART and mBART differ by the norms of their halves", "[model][reference]") {
  const json bart = config_of("BART-large");
  CHECK(count(with(bart, {{"model_type", "mbart"}, {"architectures", {"MBartModel"}}})) ==
        406291456 + 2 * 2 * 1024);
  CHECK(count(with(bart, {{"tie_word_embeddings", false}})) == 406291456 + 50265.0 * 1024);
  CHECK(count(with(bart, {{"max_position_embeddings", 512}})) == 406291456 - 2 * 512 * 1024);
  CHECK(read_layered_model(bart, "x").learned_positions == 1024);
  CHECK(refusal(with(bart, {{"encoder_attention_heads", 7}})) ==
        "some/config.json: encoder_attention_heads must divide d_model");
}

}  // namespace
}  // namespace gpuplan
