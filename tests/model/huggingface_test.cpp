#include <gpuplan/model/huggingface.hpp>

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/model/parameters.hpp>

#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using nlohmann::json;

json with(json config, const json& changes) {
  config.update(changes);
  return config;
}

json classic(const char* family, int hidden, int layers, int heads, int vocabulary) {
  return {{"model_type", family},
          {"hidden_size", hidden},
          {"num_hidden_layers", layers},
          {"num_attention_heads", heads},
          {"vocab_size", vocabulary}};
}
json gated(const char* family, int hidden, int layers, int heads, int kv_heads, int ffn,
           int vocabulary) {
  return with(classic(family, hidden, layers, heads, vocabulary),
              {{"num_key_value_heads", kv_heads}, {"intermediate_size", ffn}});
}

const json llama = gated("llama", 64, 2, 4, 2, 256, 100);

double count(const json& config) {
  return parameters_of(read_huggingface(config, "x")).total();
}

template <class Config>
std::string refusal(const Config& config) {
  try {
    static_cast<void>(read_huggingface(config, "some/config.json"));
  } catch (const invalid_input& error) {
    return error.what();
  }
  return "nothing";
}

TEST_CASE("sizes and options of the families come out exact", "[model][reference]") {
  // Counts as the models' pages on Hugging Face print them (safetensors, a tied head once).
  struct known_model {
    const char* name;
    double parameters;
    json config;
  };
  const std::vector<known_model> models{
      {"bert-base-cased", 108'310'272,
       with(classic("bert", 768, 12, 12, 28996), {{"intermediate_size", 3072}})},
      {"distilgpt2",
       81'912'576,
       {{"model_type", "gpt2"},
        {"n_embd", 768},
        {"n_layer", 6},
        {"n_head", 12},
        {"vocab_size", 50257}}},
      {"pythia-70m", 70'426'624,
       with(classic("gpt_neox", 512, 6, 8, 50304), {{"intermediate_size", 2048}})},
      {"opt-125m", 125'239'296, with(classic("opt", 768, 12, 12, 50272), {{"ffn_dim", 3072}})},
      {"bloom-1b7",
       1'722'408'960,
       {{"model_type", "bloom"},
        {"n_embed", 2048},
        {"n_layer", 24},
        {"n_head", 16},
        {"vocab_size", 250880}}},
      {"falcon-rw-1b", 1'311'625'216,
       with(classic("falcon", 2048, 24, 32, 50304),
            {{"alibi", true}, {"bias", true}, {"multi_query", false}, {"parallel_attn", false}})},
      {"falcon-40b", 41'303'293'952,
       with(classic("falcon", 8192, 60, 128, 65024),
            {{"new_decoder_architecture", true}, {"num_kv_heads", 8}})},
      {"codellama-34b", 33'743'970'304, gated("llama", 8192, 48, 64, 8, 22016, 32000)},
      {"mistral-7b-v0.3", 7'248'023'552,
       with(gated("mistral", 4096, 32, 32, 8, 14336, 32768), {{"sliding_window", nullptr}})},
      {"qwen2.5-3b", 3'085'938'688,
       with(gated("qwen2", 2048, 36, 16, 2, 11008, 151936), {{"tie_word_embeddings", true}})},
      {"qwen3-1.7b", 1'720'574'976,
       with(gated("qwen3", 2048, 28, 16, 8, 6144, 151936), {{"tie_word_embeddings", true}})},
      {"gemma-2-2b", 2'614'341'888, gated("gemma2", 2304, 26, 8, 4, 9216, 256000)},
      {"deepseek-v2-lite", 15'706'484'224,
       with(gated("deepseek_v2", 2048, 27, 16, 16, 10944, 102400), {{"moe_intermediate_size", 1408},
                                                                    {"n_routed_experts", 64},
                                                                    {"n_shared_experts", 2},
                                                                    {"num_experts_per_tok", 6},
                                                                    {"first_k_dense_replace", 1},
                                                                    {"q_lora_rank", nullptr}})},
      {"gpt-oss-120b", 116'829'156'672,
       with(gated("gpt_oss", 2880, 36, 64, 8, 2880, 201088), {{"num_local_experts", 128}})}};
  for (const known_model& model : models) {
    INFO(model.name);
    CHECK(count(model.config) == model.parameters);
  }
}

TEST_CASE("BERT has the head of the class that its config names", "[model][reference]") {
  // Counts of the classes of Hugging Face, Transformers (2026), a tied decoder once.
  const auto of = [](const json& config, const char* name) {
    return count(with(config, {{"architectures", {name}}}));
  };
  const json bert = with(classic("bert", 768, 12, 12, 30522), {{"intermediate_size", 3072}});
  CHECK(count(bert) == 109'482'240);
  CHECK(of(bert, "BertModel") == 109'482'240);
  CHECK(of(bert, "BertForMaskedLM") == 109'514'298);
  CHECK(of(bert, "BertLMHeadModel") == 109'514'298);
  // 110'106'428 with the head that predicts the next sentence, which is left out.
  CHECK(of(bert, "BertForPreTraining") == 110'106'428 - (2 * 768 + 2));

  const json roberta =
      with(classic("roberta", 768, 12, 12, 50265),
           {{"intermediate_size", 3072}, {"max_position_embeddings", 514}, {"type_vocab_size", 1}});
  CHECK(count(roberta) == 124'645'632);
  CHECK(of(roberta, "RobertaForMaskedLM") == 124'697'433);
  CHECK(of(with(roberta, {{"model_type", "camembert"}}), "CamembertForMaskedLM") == 124'697'433);

  json distilbert = with(classic("distilbert", 768, 6, 12, 30522), {{"hidden_dim", 3072}});
  distilbert.update({{"dim", 768}, {"n_layers", 6}, {"n_heads", 12}});
  for (const char* name : {"hidden_size", "num_hidden_layers", "num_attention_heads"})
    distilbert.erase(name);
  CHECK(count(distilbert) == 66'362'880);
  CHECK(of(distilbert, "DistilBertModel") == 66'362'880);
  CHECK(of(distilbert, "DistilBertForMaskedLM") == 66'985'530);
}

TEST_CASE("a head of BERT whose decoder is not tied has a matrix of its own", "[model]") {
  const json bert = with(classic("bert", 64, 2, 4, 100),
                         {{"intermediate_size", 256}, {"architectures", {"BertForMaskedLM"}}});
  CHECK(count(with(bert, {{"tie_word_embeddings", false}})) - count(bert) == 100 * 64);
}

TEST_CASE("a head that is left out is said", "[model]") {
  const auto left_out = [](const json& names) {
    return left_out_head({{"model_type", "bert"}, {"architectures", names}});
  };
  CHECK(left_out({"BertForPreTraining"}) == "the head that predicts the next sentence");
  CHECK(left_out({"BertForMaskedLM"}).empty());
  CHECK(left_out_head({{"model_type", "bert"}}).empty());
  CHECK(left_out_head({{"architectures", 5}}).empty());
  CHECK(left_out_head(json::array()).empty());
}

TEST_CASE("a field that says something and that nobody knows is refused by name", "[model]") {
  CHECK_THAT(refusal(with(llama, {{"draft_vocab_size", 32000}})),
             ContainsSubstring("draft_vocab_size is not known to model_type llama"));
  CHECK_THAT(refusal(with(llama, {{"surprising_size", "large"}})),
             ContainsSubstring("surprising_size is not known"));
  for (const json& value : {json(nullptr), json(false), json(0), json(json::array())})
    CHECK(refusal(with(llama, {{"surprising_size", value}})) == "nothing");
  for (const char* field : {"torch_dtype", "rope_scaling", "_name_or_path", "eos_token_id",
                            "attention_dropout", "initializer_range", "transformers_version"})
    CHECK(refusal(with(llama, {{field, "x"}})) == "nothing");
  const json starcoder = with(llama, {{"model_type", "starcoder2"}});
  CHECK(refusal(with(starcoder, {{"norm_type", "layer_norm"}})) == "nothing");
  CHECK_THAT(refusal(with(starcoder, {{"norm_type", "rms_norm"}})), ContainsSubstring("norm_type"));
  CHECK_THAT(refusal(with(starcoder, {{"mlp_type", "gated"}})), ContainsSubstring("mlp_type"));
}

TEST_CASE("further families have the parameters of published models", "[model][reference]") {
  // Totals of the weights' files on the models' pages: phi-2, OLMo-1B-hf, stablelm-2-1_6b.
  CHECK(count(gated("phi", 2560, 32, 32, 32, 10240, 51200)) == 2'779'683'840);
  CHECK(count(with(gated("olmo", 2048, 16, 16, 16, 8192, 50304),
                   {{"tie_word_embeddings", true}})) == 1'176'764'416);
  CHECK(count(with(gated("stablelm", 2048, 24, 32, 32, 5632, 100352), {{"use_qkv_bias", true}})) ==
        1'644'515'328);

  const auto more_than_llama = [](const char* family, const json& changes) {
    return count(with(with(llama, {{"model_type", family}}), changes)) - count(llama);
  };
  const json narrow{{"head_dim", 16}};  // 128 in these families, unless they say so
  const json untied = with(narrow, {{"tie_word_embeddings", false}});
  CHECK(more_than_llama("ernie4_5", untied) == 0);
  CHECK(more_than_llama("ernie4_5", with(untied, {{"use_bias", true}})) ==
        2 * (64 + 2 * 32 + 64 + 2 * 256 + 64));
  CHECK(more_than_llama("glm", narrow) == 2 * (64 + 2 * 32));
  CHECK(more_than_llama("glm4", narrow) == 2 * (64 + 2 * 32 + 2 * 64));
  CHECK(more_than_llama("hunyuan_v1_dense", {{"use_qk_norm", true}}) == 2 * 2 * 16);
  CHECK(more_than_llama("nemotron", json::object()) == -2 * 64 * 256 + 5 * 64);
  CHECK(more_than_llama("stablelm", {{"use_parallel_residual", true}}) == (3 * 2 - 5) * 64);
  CHECK(more_than_llama("hunyuan_v1_dense", {{"norm_type", "rms"},
                                             {"num_experts", 1},
                                             {"attention_head_dim", 16},
                                             {"qk_norm", true}}) == 2 * 2 * 16);
  const json experts{{"num_local_experts", 4}, {"num_experts_per_tok", 2}};
  CHECK(more_than_llama("granitemoe", experts) == 2 * (3 * 3 * 64 * 256 + 4 * 64));
  CHECK(more_than_llama("granitemoeshared", with(experts, {{"shared_intermediate_size", 8}})) ==
        2 * (3 * 3 * 64 * 256 + 4 * 64 + 3 * 64 * 8));
}

// Each with the counts of its family's modeling code.
TEST_CASE("published configs of 2024 to 2026 are counted exactly", "[model][reference]") {
  const json data = json::parse(testing::read_text(testing::data_folder() / "config_counts.json"));
  for (const json& model : data.at("models")) {
    INFO(model.at("name"));
    const transformer m = read_huggingface(model.at("config"), "x");
    CHECK(parameters_of(m).total() == model.at("parameters").get<double>());
    CHECK(active_parameters(m) == model.at("active").get<double>());
    CHECK(parameters_of(m).multi_token_prediction ==
          model.at("multi_token_prediction").get<double>());
  }
}

TEST_CASE("a field that changes the shape is read or refused", "[model]") {
  for (const char* field :
       {"linear_attn_config", "full_attention_interval", "index_topk", "block_configs",
        "hybrid_override_pattern", "use_qk_norm", "qkv_bias", "num_nextn_predict_layers",
        "num_experts", "moe_latent_size", "lm_head_bias", "pruned_heads", "num_layers", "n_heads",
        "kv_channels", "d_model", "hidden_dim", "window_size", "attn_config"}) {
    INFO(field);
    CHECK_THAT(refusal(with(llama, {{field, 2}})),
               ContainsSubstring(std::string(field) + " changes the shape"));
    CHECK(refusal(with(llama, {{field, nullptr}})) == "nothing");
    CHECK(refusal(with(llama, {{field, false}})) == "nothing");
    CHECK(refusal(with(llama, {{field, json::object()}})) == "nothing");
  }
  json types(llama.at("num_hidden_layers").get<std::size_t>(), "full_attention");
  CHECK(refusal(with(llama, {{"layer_types", types}})) == "nothing");
  types.push_back("full_attention");
  CHECK_THAT(refusal(with(llama, {{"layer_types", types}})),
             ContainsSubstring("layer_types must name each of the "));
  types.erase(types.begin());
  types[0] = "linear_attention";
  CHECK_THAT(refusal(with(llama, {{"layer_types", types}})),
             ContainsSubstring("layer_types must hold full_attention, "));
}

TEST_CASE("each option of an older family changes what it names", "[model]") {
  const auto change = [](const json& config, const json& changes) {
    return count(with(config, changes)) - count(config);
  };
  const json sizes{{"n_embd", 64}, {"n_layer", 2}, {"n_head", 4}, {"vocab_size", 100}};
  const json coder = with(sizes, {{"model_type", "gpt_bigcode"}});
  CHECK(change(coder, {{"multi_query", false}}) == 2 * 2 * (48 * 64 + 48));
  CHECK(change(with(sizes, {{"model_type", "gpt2"}}), {{"model_type", "gpt_bigcode"}}) ==
        -2 * 2 * (48 * 64 + 48));
  const json gptj = with(sizes, {{"model_type", "gptj"}});
  CHECK(change(gptj, {{"n_inner", 100}}) == -2 * (2 * 64 + 1) * 156);
  CHECK(change(gptj, {{"tie_word_embeddings", true}}) == -6400);

  const json neo = {{"model_type", "gpt_neo"},
                    {"hidden_size", 64},
                    {"num_layers", 4},
                    {"num_heads", 4},
                    {"vocab_size", 100},
                    {"window_size", 8},
                    {"attention_types", {{{"global", "local", "local"}, 1}, {{"global"}, 1}}}};
  CHECK(change(neo, {{"intermediate_size", 100}}) == -4 * (2 * 64 + 1) * 156);
  CHECK(change(neo, {{"max_position_embeddings", 48}}) == -2000 * 64);
  CHECK(read_huggingface(neo, "x").windowed_layers() == 2);
  CHECK(read_huggingface(neo, "x").sliding_window == 8);
  json silent = neo;
  silent.erase("attention_types");
  silent["num_layers"] = 5;
  CHECK(read_huggingface(silent, "x").windowed_layers() == 2);
  const auto kinds = [&](const json& types) {
    return refusal(with(neo, {{"attention_types", types}}));
  };
  CHECK(read_huggingface(with(neo, {{"attention_types", {{{"global"}, 4}}}}), "x").sliding_window ==
        0);
  CHECK(kinds({{{"global"}, 5}})
            .starts_with("some/config.json: attention_types must hold lists of kinds"));
  CHECK(kinds({{{"global"}, 3}}).ends_with("name each of the 4 layers, not 3"));
  CHECK_THAT(refusal(with(neo, {{"attention_layers", {"local", "local", "local", "global"}}})),
             ContainsSubstring("attention_layers is not what attention_types says"));
  CHECK(kinds({{{"near"}, 4}}).ends_with("must hold global or local, not the string \"near\""));
  for (const json& wrong : {json::array({1}), json::array({{{"global"}, -4}}),
                            json::array({{{"global"}, 1.5}}), json::array({{{"global"}}})})
    CHECK(kinds(wrong).starts_with("some/config.json: attention_types must hold lists of kinds"));

  const json mpt = {
      {"model_type", "mpt"}, {"d_model", 64}, {"n_layers", 2}, {"n_heads", 4}, {"vocab_size", 100}};
  const auto attends = [&](const json& how) { return with(mpt, {{"attn_config", how}}); };
  CHECK(count(mpt) == 2 * (12 * 64 * 64 + 2 * 64) + 64 + 6400);
  CHECK(change(mpt, {{"expansion_ratio", 2}}) == -2 * 2 * 2 * 64 * 64);
  CHECK(count(attends({{"attn_type", "multiquery_attention"}})) - count(mpt) == -2 * 2 * 48 * 64);
  CHECK(count(attends({{"attn_type", "grouped_query_attention"}, {"kv_n_heads", 2}})) -
            count(mpt) ==
        -2 * 2 * 32 * 64);
  CHECK(refusal(attends({{"attn_type", "sparse"}}))
            .starts_with("some/config.json: attn_config: attn_type must"));
  CHECK(refusal(attends({{"alibi", false}})) ==
        "some/config.json: attn_config: alibi must be true");
  CHECK(refusal(attends({{"qk_ln", true}})) ==
        "some/config.json: attn_config: qk_ln must be false");
  CHECK_THAT(refusal(attends({{"rope", true}})), ContainsSubstring("rope is not known"));
  CHECK(count(attends(nullptr)) == count(mpt));
  CHECK_THAT(refusal(with(mpt, {{"num_hidden_layers", 3}})),
             ContainsSubstring("num_hidden_layers"));
  CHECK(refusal(with(mpt, {{"norm_type", "rmsnorm"}})) ==
        "some/config.json: norm_type must be layernorm or low_precision_layernorm");
  CHECK(refusal(attends(3)).starts_with("some/config.json: attn_config: must be a JSON object"));
  CHECK(refusal(with(mpt, {{"no_bias", false}})) == "some/config.json: no_bias must be true");

  const json internlm = with(llama, {{"model_type", "internlm2"}});
  CHECK(count(internlm) - count(llama) == 2 * (64 + 2 * 32 + 64));
  CHECK(count(with(internlm, {{"bias", false}})) == count(llama));

  const json qwen = {{"model_type", "qwen"},     {"hidden_size", 256},
                     {"num_hidden_layers", 2},   {"kv_channels", 128},
                     {"intermediate_size", 512}, {"vocab_size", 100},
                     {"num_attention_heads", 2}};
  CHECK(count(qwen) == 2 * (4 * 256 * 256 + 3 * 256 + 3 * 256 * 256 + 2 * 256) + 256 + 51200);
  CHECK(refusal(with(qwen, {{"intermediate_size", 511}})) ==
        "some/config.json: intermediate_size must be even");
  CHECK(refusal(with(qwen, {{"kv_channels", 64}})) ==
        "some/config.json: kv_channels times num_attention_heads must be hidden_size");
  CHECK(refusal(with(qwen, {{"no_bias", false}})) == "some/config.json: no_bias must be true");

  const json glm = {{"model_type", "chatglm"}, {"hidden_size", 64},     {"num_layers", 2},
                    {"kv_channels", 16},       {"ffn_hidden_size", 32}, {"padded_vocab_size", 100},
                    {"num_attention_heads", 4}};
  CHECK(count(glm) == 2 * (4 * 64 * 64 + 3 * 64 * 32 + 2 * 64) + 64 + 12800);
  CHECK(change(glm, {{"multi_query_attention", true}, {"multi_query_group_num", 1}}) ==
        -2 * 2 * 48 * 64);
  CHECK(change(glm, {{"add_qkv_bias", true}}) == 2 * 3 * 64);
  CHECK(change(glm, {{"add_bias_linear", true}}) == 2 * (4 * 64 + 2 * 32 + 64));
  CHECK(change(glm, {{"post_layer_norm", false}}) == -64);
  CHECK(refusal(with(glm, {{"rmsnorm", false}})) == "some/config.json: rmsnorm must be true");
  CHECK(refusal(with(glm, {{"pre_seq_len", 8}})) == "some/config.json: pre_seq_len must be null");
}

TEST_CASE("a model_type that another reader knows is told from one that nobody does", "[model]") {
  CHECK(refusal(with(llama, {{"model_type", "jamba"}})) ==
        "some/config.json: model_type jamba has layers of several kinds: read_layered_model reads "
        "it");
  CHECK(refusal(with(llama, {{"model_type", "llava"}})) ==
        "some/config.json: model_type llava holds a language model under text_config, llm_config, "
        "language_config or thinker_config, and none is there");
  const std::string nobody = refusal(with(llama, {{"model_type", "jambo"}}));
  CHECK_THAT(refusal(with(llama, {{"model_type", "bananas"}})),
             ContainsSubstring("model_type must be a known family, not the string \"bananas\"; "
                               "gpuplan catalog families lists them"));
  CHECK_THAT(nobody, ContainsSubstring("not the string \"jambo\"; did you mean jamba?"));
}

TEST_CASE("Trinity has a gate, four norms and windows", "[model]") {
  const json base = with(gated("afmoe", 64, 8, 4, 2, 256, 100), {{"head_dim", 16},
                                                                 {"num_experts", 4},
                                                                 {"num_experts_per_tok", 2},
                                                                 {"moe_intermediate_size", 32},
                                                                 {"num_shared_experts", 1},
                                                                 {"num_dense_layers", 2}});
  const double attention = 3 * 64 * 64 + 2 * 64 * 32 + 2 * 16 + 4 * 64;
  CHECK(count(base) == 8 * attention + 2 * 3 * 64 * 256 +
                           6 * (4 * 3 * 64 * 32 + 4 * 64 + 3 * 64 * 32) + 64 + 12800);
  const transformer m = read_huggingface(base, "x");
  CHECK(m.windowed_layers() == 6);
  CHECK(m.sliding_window == 1024);
  CHECK(m.moe.correction_bias);
  CHECK(m.moe.first_dense_layers == 2);
  CHECK(count(with(base, {{"attention_bias", true}})) - count(base) == 8 * (64 + 2 * 32 + 64));
  CHECK(read_huggingface(with(base, {{"global_attn_every_n_layers", 2}}), "x").windowed_layers() ==
        4);
  CHECK(read_huggingface(with(base, {{"num_dense_layers", 8}}), "x").moe_layers() == 0);
  CHECK_THAT(refusal(with(base, {{"num_dense_layers", 9}})),
             ContainsSubstring("num_dense_layers (9) must be at most num_hidden_layers (8)"));
  CHECK_THAT(refusal(with(llama, {{"num_dense_layers", 1}})),
             ContainsSubstring("num_dense_layers changes the shape"));
}

TEST_CASE("Solar Open has experts in every layer", "[model]") {
  const json base =
      with(gated("solar_open", 64, 4, 4, 2, 256, 100), {{"head_dim", 16},
                                                        {"n_routed_experts", 4},
                                                        {"num_experts_per_tok", 2},
                                                        {"moe_intermediate_size", 32}});
  const double attention = 2 * 64 * 64 + 2 * 64 * 32 + 2 * 64;
  CHECK(count(base) == 4 * (attention + 5 * 3 * 64 * 32 + 4 * 64) + 64 + 12800);
  const transformer m = read_huggingface(base, "x");
  CHECK(m.moe.correction_bias);
  CHECK(m.query_key == query_key_norm::none);
  CHECK(count(with(base, {{"attention_bias", true}})) - count(base) == 4 * (64 + 2 * 32));
  CHECK(count(base) - count(with(base, {{"n_shared_experts", 0}})) == 4 * 3 * 64 * 32);
  CHECK_THAT(refusal(with(base, {{"first_k_dense_replace", 1}})),
             ContainsSubstring("first_k_dense_replace must be 0"));
  json silent = base;
  for (const char* field : {"num_key_value_heads", "head_dim", "n_routed_experts",
                            "num_experts_per_tok", "moe_intermediate_size"})
    silent.erase(field);
  const transformer usual = read_huggingface(with(silent, {{"num_attention_heads", 8}}), "x");
  CHECK(usual.kv_heads == 8);
  CHECK(usual.head_dim == 128);
  CHECK(usual.moe.experts == 128);
  CHECK(usual.moe.experts_per_token == 8);
  CHECK(usual.moe.ffn_size == 1280);
  CHECK(usual.moe.shared_ffn_size == 1280);
}

TEST_CASE("EXAONE has experts behind its first layers", "[model]") {
  const json base =
      with(gated("exaone_moe", 64, 8, 4, 2, 256, 100),
           {{"num_experts", 4}, {"num_experts_per_tok", 2}, {"moe_intermediate_size", 32}});
  const double attention = 2 * 64 * 64 + 2 * 64 * 32 + 2 * 16 + 2 * 64;
  const double experts = 4 * 64 + 5 * 3 * 64 * 32;
  CHECK(count(base) == 8 * attention + 3 * 64 * 256 + 7 * experts + 64 + 12800);
  const transformer m = read_huggingface(base, "x");
  CHECK(m.moe.correction_bias);
  CHECK(m.moe.first_dense_layers == 1);
  CHECK(m.windowed_layers() == 6);
  CHECK(m.sliding_window == 4096);
  CHECK(read_huggingface(with(base, {{"sliding_window_pattern", "LG"}}), "x").windowed_layers() ==
        4);
  CHECK(read_huggingface(with(base, {{"num_nextn_predict_layers", 1}}), "x") == m);
  json types(8, "sparse");
  types[0] = types[1] = "dense";
  CHECK(read_huggingface(with(base, {{"mlp_layer_types", types}}), "x") ==
        read_huggingface(with(base, {{"first_k_dense_replace", 2}}), "x"));
  types[7] = "dense";
  constexpr const char* order = "mlp_layer_types must be dense in the first layers and sparse in";
  CHECK_THAT(refusal(with(base, {{"mlp_layer_types", types}})), ContainsSubstring(order));
  types[7] = "sparse";
  types[1] = "other";
  CHECK_THAT(refusal(with(base, {{"mlp_layer_types", types}})), ContainsSubstring(order));
  CHECK_THAT(refusal(with(base, {{"mlp_layer_types", json(7, "sparse")}})),
             ContainsSubstring("mlp_layer_types must name each of the 8 layers, not 7"));
  CHECK_THAT(refusal(with(llama, {{"mlp_layer_types", json(2, "dense")}})),
             ContainsSubstring("mlp_layer_types changes the shape"));
  CHECK(read_huggingface(with(base, {{"first_k_dense_replace", 8}}), "x").moe_layers() == 0);
  CHECK_THAT(refusal(with(base, {{"first_k_dense_replace", 9}})),
             ContainsSubstring("first_k_dense_replace must be at most num_hidden_layers (8)"));
}

TEST_CASE("Aria's experts are as wide as its networks", "[model]") {
  const json base =
      with(gated("aria_text", 64, 2, 4, 2, 32, 100), {{"moe_num_experts", 4}, {"moe_topk", 2}});
  const double attention = 2 * 64 * 64 + 2 * 64 * 32 + 2 * 64;
  CHECK(count(base) == 2 * (attention + 4 * 64 + 6 * 3 * 64 * 32) + 64 + 12800);
  CHECK(count(base) - count(with(base, {{"moe_num_shared_experts", 0}})) == 2 * 2 * 3 * 64 * 32);
  CHECK_THAT(refusal(with(base, {{"mlp_bias", true}})),
             ContainsSubstring("mlp_bias must be false"));
  CHECK_THAT(refusal(with(base, {{"moe_topk", 5}})), ContainsSubstring("must be at most"));
  CHECK_THAT(refusal(with(base, {{"moe_intermediate_size", 64}})),
             ContainsSubstring("moe_intermediate_size must be intermediate_size"));
}

TEST_CASE("latent attention stands without experts too", "[model]") {
  const json ranks{
      {"q_lora_rank", 24}, {"kv_lora_rank", 16}, {"qk_rope_head_dim", 4}, {"qk_nope_head_dim", 8}};
  const json base = with(gated("minicpm3", 64, 2, 4, 4, 256, 100), ranks);
  const double maps = 64 * 24 + 24 * 4 * 12 + 64 * 20 + 16 * 4 * (8 + 16) + 4 * 16 * 64 + 24 + 16;
  CHECK(count(base) == 2 * (maps + 2 * 64 + 3 * 64 * 256) + 64 + 6400);
  CHECK(read_huggingface(with(base, {{"v_head_dim", 8}}), "x").latent.value_head_dim == 8);
  CHECK_THAT(refusal(with(base, {{"num_attention_heads", 3}})),
             ContainsSubstring("num_attention_heads (3) must divide hidden_size (64)"));
  const json youtu = with(base, {{"model_type", "youtu"}, {"v_head_dim", 16}});
  CHECK(read_huggingface(youtu, "x") == read_huggingface(base, "x"));
  CHECK(read_huggingface(with(youtu, {{"qk_head_dim", 12}}), "x") == read_huggingface(youtu, "x"));
  CHECK_THAT(refusal(with(youtu, {{"qk_head_dim", 16}})),
             ContainsSubstring("qk_head_dim must be qk_nope_head_dim plus qk_rope_head_dim (12)"));
  const transformer usual = read_huggingface(gated("youtu", 64, 2, 4, 4, 256, 100), "x");
  CHECK(usual.tied_embeddings);
  CHECK(usual.latent == latent_attention{.query_rank = 1536,
                                         .kv_rank = 512,
                                         .rope_head_dim = 64,
                                         .content_head_dim = 128,
                                         .value_head_dim = 128});
  // DeepSeek-V2's class has heads as in Llama where use_mla says so
  const json experts =
      with(gated("deepseek_v2", 64, 2, 4, 2, 256, 100),
           {{"use_mla", false}, {"n_routed_experts", 4}, {"num_experts_per_tok", 2}});
  CHECK(read_huggingface(experts, "x").kv_heads == 2);
  CHECK(read_huggingface(experts, "x").latent.kv_rank == 0);
  CHECK(read_huggingface(with(experts, {{"use_mla", true}}), "x").latent.kv_rank == 512);
  CHECK_THAT(refusal(with(llama, {{"use_mla", true}})),
             ContainsSubstring("use_mla changes the shape"));
}

TEST_CASE("Jais 2, nanochat and VaultGemma leave gates or norms out", "[model]") {
  const double attention = 2 * 64 * 64 + 2 * 64 * 32;
  const json jais = gated("jais2", 64, 2, 4, 2, 256, 100);
  CHECK(count(jais) ==
        2 * (attention + 64 + 2 * 32 + 64 + 2 * 64 * 256 + 256 + 64 + 4 * 64) + 2 * 64 + 12800);
  CHECK(count(jais) - count(with(jais, {{"mlp_bias", false}})) == 2 * (256 + 64));
  CHECK(count(jais) - count(with(jais, {{"attention_bias", false}})) == 2 * (64 + 2 * 32 + 64));

  const json nanochat = gated("nanochat", 64, 2, 4, 2, 256, 100);
  CHECK(count(nanochat) == 2 * (attention + 2 * 64 * 256) + 12800);
  CHECK(read_huggingface(nanochat, "x").query_key == query_key_norm::per_head);
  for (const char* field : {"qkv_bias", "attention_bias"})
    CHECK(count(with(nanochat, {{field, true}})) - count(nanochat) == 2 * (64 + 2 * 32 + 64));
  CHECK_THAT(refusal(with(nanochat, {{"qkv_bias", true}, {"attention_bias", false}})),
             ContainsSubstring("qkv_bias contradicts attention_bias"));

  const json vault = with(gated("vaultgemma", 64, 2, 4, 2, 256, 100), {{"head_dim", 16}});
  CHECK(count(vault) == 2 * (attention + 3 * 64 * 256 + 2 * 64) + 64 + 6400);
  CHECK(read_huggingface(vault, "x").windowed_layers() == 1);
}

TEST_CASE("Command A+ has wider networks before its experts", "[model]") {
  const json base = with(gated("cohere2_moe", 64, 8, 4, 2, 32, 100),
                         {{"head_dim", 16}, {"num_experts", 4}, {"num_experts_per_tok", 2}});
  const double attention = 2 * 64 * 64 + 2 * 64 * 32 + 64;
  const double experts = 4 * 64 + 4 * 3 * 64 * 32;
  CHECK(count(base) == 8 * (attention + experts) + 64 + 6400);
  CHECK(count(with(base, {{"num_shared_experts", 2}})) - count(base) == 8 * 2 * 3 * 64 * 32);
  CHECK(read_huggingface(base, "x").windowed_layers() == 6);
  CHECK(read_huggingface(base, "x").parallel_residual);
  const json behind =
      with(base, {{"first_k_dense_replace", 2}, {"prefix_dense_intermediate_size", 256}});
  CHECK(count(behind) == 8 * attention + 6 * experts + 2 * 3 * 64 * 256 + 64 + 6400);
  // two dense layers attend to all, of the six others the fourth
  CHECK(read_huggingface(behind, "x").windowed_layers() == 5);
  CHECK(read_huggingface(with(behind, {{"prefix_dense_sliding_window_pattern", 2}}), "x")
            .windowed_layers() == 6);
  CHECK(read_huggingface(with(behind, {{"sliding_window_pattern", 2}}), "x").windowed_layers() ==
        3);
  CHECK(read_huggingface(with(behind, {{"layer_types", json(8, "full_attention")}}), "x")
            .windowed_layers() == 0);
  CHECK(count(with(base, {{"first_k_dense_replace", 2}})) ==
        8 * attention + 6 * experts + 2 * 3 * 64 * 32 + 64 + 6400);
  CHECK(read_huggingface(with(base, {{"first_k_dense_replace", 8}}), "x").moe.experts == 0);
  CHECK_THAT(refusal(with(base, {{"num_hidden_layers", 1001}})),
             ContainsSubstring("num_hidden_layers must be <= 1000 where layer_types is absent"));
  CHECK(read_huggingface(with(base, {{"num_hidden_layers", 1000}}), "x").windowed_layers() == 750);
}

TEST_CASE("Granite has sinks and windows, HyperCLOVA X norms after its halves", "[model]") {
  const json base = gated("granite_swa", 64, 8, 4, 2, 256, 100);
  const double layer = 2 * 64 * 64 + 2 * 64 * 32 + 2 * 64 + 3 * 64 * 256;
  CHECK(count(base) == 8 * (layer + 4) + 64 + 6400);
  const transformer m = read_huggingface(base, "x");
  CHECK(m.windowed_layers() == 6);
  CHECK(m.sliding_window == 128);
  CHECK(read_huggingface(with(base, {{"sliding_window", nullptr}}), "x").windowed_layers() == 0);
  CHECK(read_huggingface(with(base, {{"layer_rope_theta", json(8, 0)}}), "x") == m);

  const json unsaid = gated("hyperclovax", 64, 8, 4, 2, 256, 100);
  CHECK_THAT(refusal(unsaid), ContainsSubstring("use_post_norm is missing"));
  const json naver = with(unsaid, {{"use_post_norm", false}});
  CHECK(count(naver) == 8 * layer + 64 + 12800);
  CHECK(count(with(naver, {{"use_post_norm", true}})) - count(naver) == 8 * 2 * 64);
  CHECK_THAT(refusal(with(llama, {{"use_post_norm", true}})),
             ContainsSubstring("use_post_norm changes the shape"));
}

TEST_CASE("Hunyuan 3, Mellum 2 and Mistral Small 4 differ in what chooses experts", "[model]") {
  const auto as = [](const char* family, const json& changes = json::object()) {
    return with(with(gated(family, 64, 4, 4, 2, 256, 100), {{"num_experts", 4},
                                                            {"num_experts_per_tok", 2},
                                                            {"moe_intermediate_size", 32},
                                                            {"head_dim", 16}}),
                changes);
  };
  const double attention = 2 * 64 * 64 + 2 * 64 * 32 + 2 * 16 + 2 * 64;
  const double experts = 4 * 64 + 4 * 3 * 64 * 32;
  CHECK(count(as("hy_v3")) ==
        4 * attention + 3 * 64 * 256 + 3 * (experts + 3 * 64 * 32) + 64 + 12800);
  CHECK(read_huggingface(as("hy_v3"), "x").moe.correction_bias);
  CHECK_THAT(refusal(as("hy_v3", {{"mlp_bias", true}})),
             ContainsSubstring("mlp_bias must be false"));
  CHECK_THAT(refusal(as("hy_v3", {{"qk_norm", false}})), ContainsSubstring("qk_norm must be true"));
  json widths = as("hy_v3", {{"expert_hidden_dim", 32}});
  CHECK(count(widths) == count(as("hy_v3")));
  widths.erase("moe_intermediate_size");
  CHECK(count(widths) == count(as("hy_v3")));
  CHECK_THAT(refusal(as("hy_v3", {{"expert_hidden_dim", 64}})),
             ContainsSubstring("expert_hidden_dim"));
  for (const char* family : {"hy_v3", "mellum", "exaone_moe", "cohere2_moe"})
    for (const char* name : {"num_local_experts", "n_routed_experts"}) {
      json renamed = as(family, {{name, 8}, {"num_key_value_heads", 2}});
      CHECK_THAT(refusal(renamed), ContainsSubstring(name));
      renamed.erase("num_experts");
      CHECK(read_huggingface(renamed, "x").moe.experts == 8);
    }
  CHECK(count(as("mellum")) == 4 * (attention + experts) + 64 + 12800);
  const transformer mellum = read_huggingface(as("mellum"), "x");
  CHECK_FALSE(mellum.moe.correction_bias);
  CHECK(mellum.windowed_layers() == 0);
  CHECK(read_huggingface(as("mellum", {{"layer_types", json(4, "sliding_attention")}}), "x")
            .windowed_layers() == 4);

  const json mistral = with(gated("mistral4", 64, 4, 4, 4, 256, 100),
                            {{"n_routed_experts", 4}, {"num_experts_per_tok", 2}});
  const json deepseek = with(mistral, {{"model_type", "deepseek_v3"},
                                       {"q_lora_rank", 1024},
                                       {"kv_lora_rank", 256},
                                       {"qk_nope_head_dim", 64},
                                       {"first_k_dense_replace", 0}});
  transformer m = read_huggingface(deepseek, "x");
  m.moe.correction_bias = false;
  CHECK(read_huggingface(mistral, "x") == m);
}

TEST_CASE("blocks of keys take no parameters", "[model]") {
  const json base = with(llama, {{"model_type", "minicpm"}});
  const json sparse{{"block_size", 64}, {"dense_len", 8192}, {"topk", 64}};
  CHECK(read_huggingface(with(base, {{"sparse_config", sparse}}), "x") ==
        read_huggingface(base, "x"));
  CHECK_THAT(refusal(with(base, {{"sparse_config", {{"index_heads", 4}}}})),
             ContainsSubstring("sparse_config: index_heads is not known"));
  CHECK_THAT(refusal(with(llama, {{"sparse_config", sparse}})),
             ContainsSubstring("sparse_config changes the shape"));
}

TEST_CASE("families of other names have the shapes of others", "[model]") {
  const auto as = [](json config, const char* family) {
    return read_huggingface(with(std::move(config), {{"model_type", family}}), "x");
  };
  const json narrow = with(llama, {{"head_dim", 16}});
  const json biased = with(narrow, {{"attention_bias", true}});
  CHECK(parameters_of(as(biased, "llama")).total() - parameters_of(as(biased, "helium")).total() ==
        2 * 64);
  for (const char* family : {"helium", "baichuan"})
    CHECK(as(narrow, family) == as(narrow, "llama"));
  const json listed =
      with(narrow, {{"layer_types", json(2, "full_attention")}, {"sliding_window", 16}});
  for (const char* family : {"cwm", "ministral"})
    CHECK(as(listed, family) == as(listed, "ministral3"));
  const json gpt2{
      {"n_embd", 64}, {"n_layer", 2}, {"n_head", 4}, {"vocab_size", 100}, {"model_type", "gpt2"}};
  CHECK(as(gpt2, "gpt-sw3") == as(gpt2, "gpt2"));
  CHECK(as(gpt2, "codegen") == as(gpt2, "gptj"));
  const json olmoe = with(llama, {{"num_experts", 4}, {"num_experts_per_tok", 2}});
  CHECK(as(olmoe, "flex_olmo") == as(olmoe, "olmoe"));
  const json bert = with(classic("bert", 64, 2, 4, 100), {{"intermediate_size", 256}});
  for (const char* family : {"roberta", "xlm-roberta", "camembert"})
    CHECK(as(bert, family) == as(bert, "bert"));
  CHECK(as(llama, "minicpm").tied_embeddings);
}

TEST_CASE("families that follow others have defaults of their own", "[model]") {
  json silent = llama;
  silent.erase("num_key_value_heads");
  const auto as = [&](const char* family, const json& changes = json::object()) {
    return with(with(silent, {{"model_type", family}, {"num_attention_heads", 8}}), changes);
  };
  for (const char* family : {"ministral", "qwen2_vl", "qwen2_vl_text"})
    CHECK(read_huggingface(as(family), "x").kv_heads == 8);
  const json types(2, "full_attention");
  CHECK(read_huggingface(as("cwm", {{"layer_types", types}}), "x").head_dim == 128);
  CHECK_THAT(refusal(as("cwm")), ContainsSubstring("layer_types is missing"));
  CHECK(read_huggingface(as("helium", {{"num_attention_heads", 20}}), "x").kv_heads == 20);
  CHECK(read_huggingface(as("helium", {{"num_attention_heads", 20}}), "x").head_dim == 128);
  CHECK(read_huggingface(as("ministral"), "x").sliding_window == 4096);
  CHECK(read_huggingface(as("glm4v_text", {{"head_dim", 8}}), "x").kv_heads == 2);
  for (const char* family : {"glm4v", "qwen2_5_omni_text", "qwen3_omni_moe_text", "deepseek"})
    CHECK_THAT(refusal(as(family)), ContainsSubstring("num_key_value_heads is missing"));
  const transformer m = read_huggingface(
      with(llama, {{"model_type", "glm4v_text"}, {"attention_bias", false}, {"head_dim", 16}}),
      "x");
  CHECK((m.biases.query_key_value && !m.biases.attention_output));

  json exaone = with(llama, {{"model_type", "exaone"}});
  CHECK(read_huggingface(exaone, "x").tied_embeddings);
  exaone.erase("intermediate_size");
  CHECK(read_huggingface(exaone, "x").ffn_size == 256);
  CHECK(refusal(with(llama, {{"model_type", "distilbert"}, {"activation", "bogus"}}))
            .find("activation names no known activation function") != std::string::npos);
  CHECK_THAT(refusal(with(llama, {{"model_type", "hunyuan_v1_dense"}, {"norm_type", "layer"}})),
             ContainsSubstring("norm_type must be rms or rmsnorm"));
  CHECK(count(with(llama, {{"model_type", "helium"}, {"mlp_bias", true}, {"head_dim", 16}})) ==
        count(with(llama, {{"mlp_bias", true}})));
}

TEST_CASE("DBRX keeps sizes in two objects", "[model]") {
  const json config = {
      {"model_type", "dbrx"},
      {"d_model", 64},
      {"n_layers", 2},
      {"n_heads", 4},
      {"vocab_size", 100},
      {"attn_config", {{"kv_n_heads", 2}}},
      {"ffn_config", {{"ffn_hidden_size", 32}, {"moe_num_experts", 4}, {"moe_top_k", 2}}}};
  CHECK(count(config) == 2 * (64 * 64 * 3 + 4 * 3 * 64 * 32 + 4 * 64 + 2 * 64) + 64 + 12800);
  const auto ffn = [&](const json& changes) {
    return refusal(with(config, {{"ffn_config", with(config["ffn_config"], changes)}}));
  };
  CHECK_THAT(ffn({{"moe_top_k", 5}}), ContainsSubstring("must be at most the number of experts"));
  CHECK(ffn({{"moe_num_experts", 0}})
            .starts_with("some/config.json: ffn_config: moe_num_experts must be"));
  CHECK_THAT(ffn({{"shared", 1}}), ContainsSubstring("shared is not known"));
  CHECK(ffn({{"ffn_act_fn", {{"name", "gelu"}}}}) ==
        "some/config.json: ffn_config: ffn_act_fn must be silu");
  CHECK(ffn({{"ffn_act_fn", {{"name", 3}}}})
            .starts_with("some/config.json: ffn_config: ffn_act_fn: name must be a string"));
  CHECK(ffn({{"id2label", {{"0", "LABEL_0"}}}, {"top_k", 50}}) == "nothing");
  CHECK(refusal(with(config, {{"tie_word_embeddings", true}})) ==
        "some/config.json: tie_word_embeddings must be false");
  CHECK_THAT(refusal(with(config, {{"hidden_size", 32}})), ContainsSubstring("hidden_size"));
  json lacking = config;
  lacking.erase("attn_config");
  CHECK(refusal(lacking) == "some/config.json: attn_config: kv_n_heads is missing");
}

TEST_CASE("each option of a dense family changes what it names", "[model]") {
  const auto change = [](const json& config, const json& changes) {
    return count(with(config, changes)) - count(config);
  };
  CHECK(change(llama, {{"attention_bias", true}}) == 2 * (64 + 2 * 32 + 64));
  CHECK(change(llama, {{"mlp_bias", true}}) == 2 * (2 * 256 + 64));
  CHECK(change(llama, {{"tie_word_embeddings", true}}) == -6400);
  CHECK(change(llama, {{"head_dim", 32}}) == 2 * 64 * (2 * 64 + 2 * 32));
  CHECK(change(llama, {{"num_key_value_heads", nullptr}}) == 2 * 64 * 2 * 32);
  json old_llama = llama;
  old_llama.erase("num_key_value_heads");
  CHECK(count(old_llama) == count(with(llama, {{"num_key_value_heads", 4}})));

  for (const char* family : {"qwen2", "qwen3", "gemma"}) {  // whose defaults fit one model only
    json unsaid = with(llama, {{"model_type", family}});
    unsaid.erase("num_key_value_heads");
    CHECK_THROWS_WITH(count(unsaid), ContainsSubstring("num_key_value_heads is missing"));
  }

  const json opt = with(classic("opt", 64, 2, 4, 100), {{"ffn_dim", 128}});
  CHECK(change(opt, {{"enable_bias", false}}) == -2 * (5 * 64 + 128));
  CHECK(change(opt, {{"do_layer_norm_before", false}}) == -128);
  CHECK(change(opt, {{"_remove_final_layer_norm", true}}) == -128);
  CHECK(change(opt, {{"layer_norm_elementwise_affine", false}}) == -5 * 128);
  CHECK(change(opt, {{"word_embed_proj_dim", 16}}) == 2 * 64 * 16 - 100 * 48);
  CHECK(change(opt, {{"max_position_embeddings", 10}}) == -2038 * 64);

  CHECK(change(opt, {{"init_std", 0.02}, {"learned_embeddings", true}}) == 0);

  const json neox = with(classic("gpt_neox", 64, 2, 4, 100), {{"intermediate_size", 256}});
  CHECK(change(neox, {{"attention_bias", false}}) == -2 * 4 * 64);
  CHECK(change(neox, {{"tie_word_embeddings", true}}) == -6400);

  const json falcon = classic("falcon", 64, 2, 4, 100);
  CHECK(change(falcon, {{"num_ln_in_parallel_attn", 2}}) == 2 * 128);
  CHECK(change(falcon, {{"parallel_attn", false}}) == 2 * 128);
  CHECK(change(falcon, {{"multi_query", false}}) == 2 * 64 * 2 * 48);
  CHECK(change(falcon, {{"ffn_hidden_size", 100}}) == -2 * 2 * 64 * 156);
  CHECK(change(falcon, {{"ffn_hidden_size", 100}, {"ff_factor", 3}}) == -2 * 2 * 64 * 156);
  CHECK(change(falcon, {{"ff_factor", 3}}) == -2 * 2 * 64 * 64);
  const json grouped = with(falcon, {{"new_decoder_architecture", true}, {"num_kv_heads", 2}});
  CHECK(count(grouped) - count(falcon) == 2 * (64 * 2 * 16 + 128));
  CHECK(change(grouped, {{"num_ln_in_parallel_attn", 1}}) == -2 * 128);

  const json gpt2{
      {"model_type", "gpt2"}, {"n_embd", 64}, {"n_layer", 2}, {"n_head", 4}, {"vocab_size", 100}};
  CHECK(change(gpt2, {{"n_inner", 100}}) == -2 * (2 * 64 + 1) * 156);
  CHECK(change(gpt2, {{"tie_word_embeddings", false}}) == 6400);
  CHECK(count(classic("gpt2", 64, 2, 4, 100)) == count(gpt2));

  const json gemma = gated("gemma", 64, 2, 4, 1, 256, 100);
  CHECK(change(gemma, {{"tie_word_embeddings", false}}) == 6400);
  CHECK(change(gemma, {{"model_type", "gemma2"}}) == 2 * 2 * 64);
  CHECK(change(gemma, {{"head_dim", 16}}) == -2 * 2 * 64 * (4 + 1) * 240);
}

TEST_CASE("layers with experts are those that the configuration names", "[model]") {
  const auto read = [](const json& config, const json& changes) {
    return read_huggingface(with(config, changes), "x");
  };
  const json none = json::object();
  const json qwen =
      with(gated("qwen3_moe", 64, 8, 4, 2, 256, 100),
           {{"num_experts", 4}, {"num_experts_per_tok", 2}, {"moe_intermediate_size", 32}});
  CHECK(read(qwen, none).moe_layers() == 8);
  CHECK(read(qwen, none).ffn_size == 0);
  CHECK(read(qwen, {{"decoder_sparse_step", 2}}).moe_layers() == 4);
  CHECK(read(qwen, {{"decoder_sparse_step", 2}}).moe.first_dense_layers == 1);
  CHECK(read(qwen, {{"decoder_sparse_step", 3}}).moe_layers() == 2);
  CHECK(read(qwen, {{"mlp_only_layers", {0, 1, 5, 5, 99, -1}}}).moe_layers() == 5);
  CHECK(read(qwen, {{"mlp_only_layers", {0, 1, 5}}}).moe.first_dense_layers == 2);
  CHECK(read(qwen, {{"num_experts", 0}}).moe_layers() == 0);
  CHECK(read(qwen, {{"decoder_sparse_step", 9}}).moe == mixture_of_experts{});

  const json v3 = with(gated("deepseek_v3", 64, 9, 4, 4, 256, 100),
                       {{"n_routed_experts", 16}, {"moe_intermediate_size", 32}});
  CHECK(read(v3, none).moe_layers() == 6);
  CHECK(read(v3, none).moe.shared_ffn_size == 32);
  CHECK(read(v3, none).moe.correction_bias);
  CHECK(read(v3, {{"moe_layer_freq", 2}}).moe_layers() == 3);
  CHECK(read(v3, {{"moe_layer_freq", 2}}).moe.first_dense_layers == 4);
  CHECK(read(v3, {{"first_k_dense_replace", 20}}).moe_layers() == 0);
  CHECK(read(v3, {{"n_routed_experts", nullptr}}).dense_layers() == 9);
  CHECK(read(v3, {{"n_shared_experts", nullptr}}).moe.shared_ffn_size == 0);
  CHECK_FALSE(read(v3, {{"topk_method", "greedy"}}).moe.correction_bias);
  CHECK(read(v3, {{"num_nextn_predict_layers", 2}}).multi_token_prediction_layers == 2);
  CHECK(read(v3, none).latent.query_rank == 1536);
  CHECK(read(v3, {{"q_lora_rank", nullptr}}).latent.query_rank == 0);
  CHECK(count(with(v3, {{"attention_bias", true}})) - count(v3) == 9 * (1536 + 512 + 64 + 64));
}

TEST_CASE("windows lie where the configuration puts them", "[model]") {
  const auto windowed = [](const json& config, const json& changes) {
    return read_huggingface(with(config, changes), "x").windowed_layers();
  };
  const json none = json::object();
  const json mistral = gated("mistral", 64, 8, 8, 2, 256, 100);
  CHECK(windowed(mistral, none) == 8);
  CHECK(windowed(mistral, {{"sliding_window", nullptr}}) == 0);
  CHECK(windowed(llama, {{"sliding_window", 16}}) == 0);

  const json qwen = gated("qwen2", 64, 8, 4, 2, 256, 100);
  CHECK(windowed(qwen, {{"sliding_window", 16}}) == 0);
  CHECK(windowed(qwen, {{"use_sliding_window", true}}) == 0);
  CHECK(windowed(qwen, {{"use_sliding_window", true}, {"max_window_layers", 5}}) == 3);

  const json gemma2 = gated("gemma2", 64, 8, 4, 2, 256, 100);
  CHECK(windowed(gemma2, none) == 4);
  json types = json::array();
  for (int i = 0; i < 8; ++i) types.push_back(i % 4 == 3 ? "full_attention" : "sliding_attention");
  CHECK(windowed(gemma2, {{"layer_types", types}}) == 6);
  CHECK(read_huggingface(with(gemma2, {{"layer_types", types}}), "x").full_attention_interval == 4);
  types[0] = "full_attention";
  CHECK(windowed(gemma2, {{"layer_types", types}}) == 5);
  types[1] = types[6] = "full_attention";
  CHECK(windowed(gemma2, {{"layer_types", types}}) == 3);
  CHECK(windowed(gemma2, {{"layer_types", json::array_t(8, "full_attention")}}) == 0);
}

TEST_CASE("what cannot be read is refused in one line that names file and field", "[model]") {
  const auto changed = [](const json& changes) { return refusal(with(llama, changes)); };
  const std::string file = "some/config.json: ";
  CHECK(changed({{"hidden_size", nullptr}}) == file + "hidden_size must not be null");
  CHECK(changed({{"hidden_size", "64"}}) ==
        file + "hidden_size must be an integer, not the string \"64\"");
  CHECK(changed({{"hidden_size", 64.5}}) == file + "hidden_size must be an integer, not 64.5");
  CHECK(changed({{"hidden_size", true}}) == file + "hidden_size must be an integer, not true");
  CHECK(changed({{"hidden_size", json::array()}}) ==
        file + "hidden_size must be an integer, not an array");
  CHECK(changed({{"num_hidden_layers", 0}}) == file + "num_hidden_layers must be >= 1, not 0");
  CHECK(changed({{"vocab_size", -5}}) == file + "vocab_size must be >= 1, not -5");
  CHECK(changed({{"vocab_size", 1LL << 40}}) ==
        file + "vocab_size must be <= 1000000000, not 1099511627776");
  CHECK(changed({{"vocab_size", 1e20}}) == file + "vocab_size must be <= 1000000000, not 1e+20");
  CHECK(changed({{"num_attention_heads", 5}}) ==
        file + "num_key_value_heads (2) must divide num_attention_heads (5)");
  CHECK(changed({{"num_attention_heads", 6}}) ==
        file + "num_attention_heads (6) must divide hidden_size (64)");
  CHECK(changed({{"attention_bias", 1}}) == file + "attention_bias must be true or false, not 1");
  CHECK(changed({{"model_type", 7}}) == file + "model_type must be a string, not 7");
  CHECK_THAT(changed({{"model_type", "lama"}}),
             ContainsSubstring(
                 "model_type must be a known family, not the string \"lama\"; did you mean llama"));
  CHECK_THAT(changed({{"text_config", json::object()}}),
             ContainsSubstring("text_config stands in a model_type that is not known"));
  CHECK_THAT(changed({{"architectures", {"LlamaForCausalLMEagle3"}}}),
             ContainsSubstring("architectures must be a whole model"));
  CHECK_THAT(changed({{"architectures", {7}}}), ContainsSubstring("architectures must hold names"));
  CHECK(refusal(json(json::array())) == file + "must be a JSON object, not an array");
  CHECK(refusal(json(json::object())) == file + "model_type is missing");

  for (const char* field : {"hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size",
                            "intermediate_size", "model_type"}) {
    json without = llama;
    without.erase(field);
    CHECK(refusal(without) == file + field + " is missing");
  }

  const json gemma2 = gated("gemma2", 64, 2, 4, 2, 256, 100);
  CHECK_THAT(refusal(with(gemma2, {{"layer_types", json::array_t{"full_attention"}}})),
             ContainsSubstring("layer_types must name each of the 2 layers, not 1"));
  CHECK_THAT(refusal(with(gemma2, {{"layer_types", json::array_t{"linear_attention", 3}}})),
             ContainsSubstring("must hold full_attention, sliding_attention or"));
  const json mixtral = with(gated("mixtral", 64, 2, 8, 8, 256, 100), {{"num_local_experts", 2}});
  CHECK_THAT(
      refusal(with(mixtral, {{"num_experts_per_tok", 3}})),
      ContainsSubstring("num_experts_per_tok (3) must be at most the number of experts (2)"));
  CHECK_THAT(refusal(with(mixtral, {{"num_experts", 4}})),
             ContainsSubstring("num_experts is not what num_local_experts says"));
  CHECK_THAT(refusal(with(classic("bert", 64, 2, 4, 100),
                          {{"intermediate_size", 8}, {"position_embedding_type", "relative_key"}})),
             ContainsSubstring("position_embedding_type must be absolute"));
}

TEST_CASE("a width that the config leaves out is refused where an int cannot hold it", "[model]") {
  for (const char* family : {"gpt2", "bloom"}) {
    const json wide = classic(family, 1'000'000'000, 2, 1000, 100);
    CHECK_THAT(refusal(wide), ContainsSubstring("hidden_size must be <= 250000000"));
  }
  const json given = with(classic("gpt2", 1'000'000'000, 2, 1000, 100), {{"n_inner", 8}});
  CHECK(read_huggingface(given, "given").ffn_size == 8);
}

TEST_CASE("no bytes crash the reader, and it refuses in one line", "[model]") {
  testing::check_property("random bytes", [](const std::string& bytes) {
    const std::string line = refusal(bytes);
    RC_ASSERT(line != "nothing");
    RC_ASSERT(line.find('\n') == std::string::npos);
  });

  // Some bytes of a good config changed: another model, or a refusal in one line.
  std::vector<std::string> good;
  for (const auto& path : testing::files_of(testing::data_folder() / "configs", ".json"))
    good.push_back(testing::read_text(path));
  testing::check_property("mutated configs", [&] {
    std::string text = *rc::gen::elementOf(good);
    for (int i = *rc::gen::inRange(1, 4); i > 0; --i)
      text[static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(text.size())))] =
          *rc::gen::arbitrary<char>();
    try {
      RC_ASSERT(parameters_of(read_huggingface(text, "x")).total() > 0);
    } catch (const invalid_input& error) {
      RC_ASSERT(std::string_view(error.what()).find('\n') == std::string_view::npos);
    }
  });
}

TEST_CASE("more layers are more parameters, in every family", "[model]") {
  for (const auto& path : testing::files_of(testing::data_folder() / "configs", ".json")) {
    INFO(path.stem().string());
    json config = json::parse(testing::read_text(path));
    const double before = count(config);
    const char* field = config.contains("n_layer") ? "n_layer" : "num_hidden_layers";
    config[field] = config[field].get<int>() + 1;
    CHECK(count(config) > before);
  }
}

TEST_CASE("an activation function that nobody knows is refused by name", "[model][errors]") {
  for (const char* field : {"hidden_act", "hidden_activation", "activation_function"}) {
    CHECK(refusal(with(llama, {{field, "foo"}})) ==
          "some/config.json: " + std::string(field) + " names no known activation function: foo");
    CHECK(refusal(with(llama, {{field, 5}})).find(field) != std::string::npos);
    CHECK(read_huggingface(with(llama, {{field, nullptr}}), "x") == read_huggingface(llama, "x"));
    for (const char* known : {"gelu", "gelu_new", "gelu_pytorch_tanh", "quick_gelu", "swish"})
      CHECK(read_huggingface(with(llama, {{field, known}}), "x") == read_huggingface(llama, "x"));
  }
}

TEST_CASE("what says how weights are stored is an object", "[model][errors]") {
  CHECK(refusal(with(llama, {{"quantization_config", 5}})) ==
        "some/config.json: quantization_config must be an object, not 5");
  CHECK(read_huggingface(with(llama, {{"quantization_config", nullptr}}), "x") ==
        read_huggingface(llama, "x"));
}

TEST_CASE("families without gates have a squared ReLU unless they say otherwise", "[model]") {
  for (const char* family : {"nemotron", "arcee"}) {
    const auto read = [&](const json& changes) {
      return read_huggingface(with(with(llama, {{"model_type", family}}), changes), "x");
    };
    CHECK(read({{"hidden_act", "relu2"}}).squared_relu);
    CHECK_FALSE(read({{"hidden_act", "gelu"}}).squared_relu);
    CHECK_FALSE(read({{"hidden_act", "relu2"}}).gated_ffn);
  }
  CHECK_FALSE(read_huggingface(llama, "x").squared_relu);
}

TEST_CASE("InternLM 3 has biases of queries, keys and values apart from the others", "[model]") {
  const json bare =
      with(llama, {{"model_type", "internlm3"}, {"head_dim", 16}, {"tie_word_embeddings", false}});
  // Of output, gate, up and down; of queries, keys and values.
  CHECK(count(with(bare, {{"bias", true}})) - count(bare) == 2 * (64 + 2 * 256 + 64));
  CHECK(count(with(bare, {{"qkv_bias", true}})) - count(bare) == 2 * (64 + 2 * 32));
}

TEST_CASE("what tools add to a config changes no shape", "[model]") {
  const json tuned =
      with(llama, {{"unsloth_version", "2025.3.19"}, {"unsloth_fixed", true}, {"_attn", "sdpa"}});
  CHECK(read_huggingface(tuned, "x") == read_huggingface(llama, "x"));
}

TEST_CASE("layers of Llama 4 that have experts may be listed", "[model]") {
  const json text = with(llama, {{"model_type", "llama4_text"},
                                 {"num_hidden_layers", 4},
                                 {"intermediate_size_mlp", 128},
                                 {"interleave_moe_layer_step", 2}});
  CHECK(count(with(text, {{"moe_layers", {1, 3}}})) == count(text));
  CHECK(refusal(with(text, {{"moe_layers", {0, 1}}})) ==
        "some/config.json: moe_layers must be every interleave_moe_layer_step-th layer");
}

TEST_CASE("MiniMax M2 says fields of its first version, which change no shape", "[model]") {
  const json bare = with(llama, {{"model_type", "minimax_m2"}, {"head_dim", 16}});
  const json said = with(bare, {{"layernorm_mlp_beta", 1.0},
                                {"layernorm_full_attention_beta", 3.56},
                                {"mlp_intermediate_size", 8192}});
  CHECK(read_huggingface(said, "x") == read_huggingface(bare, "x"));
  CHECK(refusal(with(llama, {{"mlp_intermediate_size", 8192}})).find("mlp_intermediate_size") !=
        std::string::npos);
}

}  // namespace
}  // namespace gpuplan
