// Memory as llm-analysis and the EleutherAI cookbook estimate it: memory_peers.json.  Where they
// are wrong or count otherwise, the difference is computed here, and named.
#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/memory/kv_cache.hpp>
#include <gpuplan/model/parameters.hpp>

#include "support/catch.hpp"
#include "support/megatron.hpp"
#include "support/peers.hpp"

namespace gpuplan::testing {
namespace {

using namespace units;
using nlohmann::json;

void check_equal(double ours, double theirs) {
  CHECK_THAT(ours, WithinRel(theirs, 1e-12));
}

/// The model as llm-analysis takes it: one table for embedding and head, norms with a scale alone,
/// no biases, no positions, key-value heads at least as many as tensor ranks.
transformer analysis_model(const json& shape, int tensor) {
  const int experts = shape.at("moe_num_experts");
  transformer m{.layers = shape.at("num_layers"),
                .hidden_size = shape.at("hidden_dim"),
                .attention_heads = shape.at("n_head"),
                .kv_heads = (std::max)(shape.at("num_key_value_heads").get<int>(), tensor),
                .ffn_size = shape.at("ffn_embed_dim"),
                .vocabulary_size = shape.at("vocab_size"),
                .gated_ffn = shape.at("mlp_gated_linear_units"),
                .tied_embeddings = true};
  if (experts > 1)
    m.moe = {
        .experts = experts, .experts_per_token = shape.at("moe_top_k"), .ffn_size = m.ffn_size};
  return m;
}

struct analysis_job {
  transformer model{};
  parallelism cut{};
  recipe how{};
};

analysis_job analysis_job_of(const json& one) {
  const json& ranks = one.at("input").at("parallelism");
  const json& asked = one.at("input").at("kwargs");
  const int tensor = ranks.at("tp_size");
  const int again = asked.value("activation_recomputation", 0);
  const bool flash = asked.value("flash_attn", true);
  return {.model = analysis_model(one.at("input").at("model_config"), tensor),
          .cut = {.data = ranks.at("dp_size"),
                  .tensor = tensor,
                  .pipeline = ranks.at("pp_size"),
                  .expert = ranks.at("ep_size"),
                  .micro_batch_size = asked.at("batch_size_per_gpu")},
          .how = {.sequence_length = asked.at("seq_len"),
                  .optimizer = optimizer::adam,
                  .zero = static_cast<zero_stage>(asked.value("ds_zero", 0)),
                  .recompute = again == 0   ? recompute::none
                               : again == 1 ? recompute::selective
                                            : recompute::full,
                  .attention = flash ? attention_kernel::flash : attention_kernel::unfused,
                  .sequence_parallel = one.at("output").at("sp_size") > 1,
                  .dropout = true}};
}

/// Parameters on one rank: the final norm divided by the tensor ranks.
rank_parameters analysis_rank(const analysis_job& job) {
  const transformer& m = job.model;
  const parallelism& cut = job.cut;
  rank_parameters held = table_on_rank(m, cut);
  if (m.dense_layers() > 0)
    held =
        held + double(m.dense_layers()) / cut.pipeline * layer_on_rank(m, layer_kind::dense, cut);
  if (m.moe_layers() > 0)
    held = held + double(m.moe_layers()) / cut.pipeline * layer_on_rank(m, layer_kind::moe, cut);
  held.vectors += parameters_of(m).final_norms / cut.tensor;
  return held;
}

/// Sixteen bits for weights, activations and embeddings.
bool is_half(const json& one) {
  return one.at("input").at("dtype") == "w16a16e16";
}

/// Those of its recomputation levels that we name: none, attention core, all.
bool is_named(const json& one) {
  const json& asked = one.at("input").at("kwargs");
  const int level = asked.value("activation_recomputation", 0);
  return (level == 0 || level == 1 || level == 4) && !asked.contains("mlp_activation_quant_bits");
}

TEST_CASE("llm-analysis counts 18 bytes a parameter, and one table", "[memory][vectors]") {
  for (const json& one : peer_cases("llm-analysis", "training")) {
    if (!is_half(one)) continue;
    INFO(one.at("id"));
    const analysis_job job = analysis_job_of(one);
    const json& output = one.at("output");
    check_equal(parameters_of(job.model).total(), output.at("num_params_total"));

    const rank_parameters held = analysis_rank(job);
    const model_states states = states_on_rank(held, job.how, job.cut);
    // Norms are whole on every tensor rank, but their gradients are divided.
    const double final_norm = parameters_of(job.model).final_norms / job.cut.tensor;
    rank_parameters divided = held;
    divided.vectors = (held.vectors - final_norm) / job.cut.tensor + final_norm;
    check_equal(states_on_rank(divided, job.how, job.cut).gradients.in(byte),
                output.at("gradient_memory_per_gpu"));
    check_equal((states.master_weights + states.optimizer).in(byte),
                output.at("optimizer_state_memory_per_gpu"));
    // With ZeRO-3 the router's weights are divided over the ranks of one expert alone.
    double weights = states.weights.in(byte);
    if (job.how.zero == zero_stage::parameters && job.model.moe_layers() > 0) {
      const double router =
          2 * job.model.moe_layers() * parameters_of_layer(job.model, layer_kind::moe).router;
      weights += router * (1.0 / static_cast<double>(expert_shards(job.cut)) -
                           1.0 / static_cast<double>(job.cut.shards()));
    }
    check_equal(weights, output.at("weight_memory_per_gpu"));
  }
}

TEST_CASE("llm-analysis keeps all layers on the first stage", "[memory][vectors]") {
  for (const json& one : peer_cases("llm-analysis", "training")) {
    if (!is_half(one) || !is_named(one)) continue;
    INFO(one.at("id"));
    analysis_job job = analysis_job_of(one);
    const json& output = one.at("output");
    const bool dropped = one.at("input").at("kwargs").value("softmax_dropout", false);
    const kernel_memory kernels{.norms_kept_fp32 = output.at("layernorm_dtype_bytes") == 4};
    job.model.kv_heads = 0;  // keys of every head are kept
    job.cut.expert = 1;      // tokens of a rank's experts are as many as it sends
    const footprint at = memory_footprint(job.model, job.how, job.cut, {.kernels = kernels});
    const bool sparse = job.model.moe_layers() > 0;
    const layer_activations& layer =
        sparse ? at.layers.moe.activations : at.layers.dense.activations;
    const double tokens = at.seen.decoder.all;
    const double stream = job.model.hidden_size * tokens;
    const double layers = job.model.layers;

    double attention = 0;
    double ffn = 0;
    double norms = 2 * stream / job.cut.tensor;  // of a layer computed again: its input
    if (job.how.recompute != recompute::full) {
      norms = (layer.attention.norm_input + layer.ffn.norm_input).in(byte);
      attention =
          (layer.attention.total() - layer.attention.norm_input - layer.attention.core).in(byte);
      if (job.how.recompute == recompute::none) {
        // A flash kernel keeps two tensors of the hidden size more, and its statistics twice; an
        // unfused one the scores before the softmax too.
        const double rows = job.model.attention_heads * tokens / job.cut.tensor;
        attention += job.how.attention == attention_kernel::flash
                         ? 4 * stream / job.cut.tensor + 8 * rows
                         : rows * job.how.sequence_length * (dropped ? 5 : 4);
      }
      // No mask; of a gated network two tensors of its width, where a third enters the product.
      ffn = (layer.ffn.input + layer.ffn.hidden + layer.ffn.experts).in(byte);
      if (job.model.gated_ffn) ffn -= (layer.ffn.hidden + layer.ffn.experts).in(byte) / 3;
      if (one.at("input").at("kwargs").value("mlp_recompute_gelu", false))
        ffn -= (ffn - layer.ffn.input.in(byte)) / 2;
      if (sparse) {  // the input once for each visit, in and out again, and a probability
        const double visits = job.model.moe.experts_per_token;
        ffn += (visits - 1) * layer.ffn.input.in(byte) + 4 * visits * stream + 2 * visits * tokens;
      }
    }
    check_equal(layers * attention + 1,
                output.at("activation_memory_attn_per_gpu").get<double>() + 1);
    check_equal(layers * ffn + 1, output.at("activation_memory_mlp_per_gpu").get<double>() + 1);
    check_equal(layers * norms, output.at("activation_memory_layernorm_per_gpu"));

    // The embedding's output, and logits of two bytes without what the loss makes of them.
    check_equal(2 * stream / job.cut.tensor,
                output.at("activation_memory_input_embedding_per_gpu"));
    check_equal(2 * logits_on_rank(job.model, job.cut, at.seen),
                output.at("activation_memory_output_embedding_per_gpu"));
  }
}

TEST_CASE("llm-analysis caches keys as we do", "[memory][vectors]") {
  for (const json& one : peer_cases("llm-analysis", "inference")) {
    if (!is_half(one)) continue;
    INFO(one.at("id"));
    const json& asked = one.at("input").at("kwargs");
    const json& output = one.at("output");
    const int tensor = one.at("input").at("parallelism").at("tp_size");
    const transformer m = analysis_model(one.at("input").at("model_config"), tensor);
    const double length =
        asked.at("seq_len").get<double>() + asked.at("num_tokens_to_generate").get<double>();
    const bytes cache = asked.at("batch_size_per_gpu").get<double>() *
                        kv_cache(m, length * token, {.tensor = tensor});
    check_equal(cache.in(byte), output.at("kv_cache_memory_per_gpu"));
    const analysis_job job{.model = m, .cut = {.tensor = tensor}};
    check_equal(2 * analysis_rank(job).total(), output.at("weight_memory_per_gpu"));
  }
}

/// The cookbook's command line: options with a value, and switches as 1.
std::map<std::string, std::string> options_of(const json& one) {
  std::map<std::string, std::string> options;
  const json& line = one.at("input").at("argv");
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool has_value = i + 1 < line.size() && line[i + 1].get<std::string>()[0] != '-';
    options[line[i]] = has_value ? line[i + 1].get<std::string>() : "1";
    if (has_value) ++i;
  }
  return options;
}

struct cookbook_job {
  std::map<std::string, std::string> options;

  [[nodiscard]] bool has(const char* name) const { return options.contains(name); }
  [[nodiscard]] double number(const char* name, double otherwise) const {
    return has(name) ? std::stod(options.at(name)) : otherwise;
  }
  [[nodiscard]] int whole(const char* name, int otherwise) const {
    return static_cast<int>(number(name, otherwise));
  }

  /// The model it takes: learned positions always.  Key-value heads and width as parts of others.
  [[nodiscard]] transformer model(double ffn_factor, bool tied) const {
    const int hidden = whole("-hs", 0);
    const double heads = number("-a", hidden / 64.0);
    transformer m{.layers = whole("-l", 0),
                  .hidden_size = hidden,
                  .attention_heads = static_cast<int>(heads),
                  .kv_heads = static_cast<int>(heads * number("-kv", 1)),
                  .ffn_size = static_cast<int>(ffn_factor * hidden),
                  .vocabulary_size = whole("-v", 0),
                  .gated_ffn = whole("-nl", 2) == 3,
                  .tied_embeddings = tied,
                  .positions = position_encoding::learned,
                  .position_rows = whole("-s", 0),
                  .norm = normalization::layer_norm};
    m.kv_heads = (std::max)(m.kv_heads, 1);
    if (has("--moe"))
      m.moe = {
          .experts = whole("-e", 0), .experts_per_token = whole("-t", 1), .ffn_size = m.ffn_size};
    return m;
  }
};

/// Norms of eight values of the hidden size a layer, twice those of two LayerNorms.
double norms_again(const transformer& m) {
  return 4.0 * m.hidden_size * m.layers;
}

TEST_CASE("the cookbook's parameters: positions always, norms twice", "[memory][vectors]") {
  for (const json& one : peer_cases("eleuther-cookbook", "calc_params")) {
    INFO(one.at("id"));
    const cookbook_job job{options_of(one)};
    // -ff is read as an integer: 2.6875 is 2.
    const transformer m = job.model(job.whole("-ff", 4), job.has("--tied-embeddings"));
    const transformer_parameters count = parameters_of(m);
    const json& output = one.at("output");
    check_equal(count.token_embedding + count.head, output.at("embedding_params"));
    check_equal(count.position_embedding, output.at("position_embedding_params"));
    check_equal(count.layers.attention_weights, output.at("attention_params"));
    check_equal(count.layers.ffn_weights + count.layers.routed_experts, output.at("ffn_params"));
    check_equal(count.layers.norms + count.final_norms + norms_again(m),
                output.at("layernorm_params"));
    if (output.contains("gating_params"))
      check_equal(count.layers.router, output.at("gating_params"));
    check_equal(count.total() + norms_again(m), output.at("total_params"));
  }
}

TEST_CASE("the cookbook divides by all GPUs, and gradients by none", "[memory][vectors]") {
  for (const json& one : peer_cases("eleuther-cookbook", "calc_mem")) {
    INFO(one.at("id"));
    const cookbook_job job{options_of(one)};
    if (job.has("--moe")) continue;
    const transformer m = job.model(job.number("-ff", 4), false);  // never tied
    const json& output = one.at("output");
    const double parameters = parameters_of(m).total() + norms_again(m);
    check_equal(parameters, output.at("total_params"));

    const bool mixed = !job.has("--disable-mixed-precision");
    const std::string rule = job.has("-opt") ? job.options.at("-opt") : "adam";
    // A master copy in single precision too.
    const parameter_bytes per{.weight = (mixed ? 2 : 4) * byte,
                              .gradient = 4 * byte,
                              .master = 4 * byte,
                              .optimizer = (rule.starts_with("adam") ? 8 : 4) * byte};
    const auto stage = static_cast<zero_stage>(job.whole("-z", job.has("--infer") ? 0 : 1));
    const int gpus = job.whole("--num-gpus", 1);
    const int model_ranks = job.whole("-tp", 1) * job.whole("-pp", 1);
    const model_states one_copy = model_state_memory(parameters, 1, zero_stage::none, per);
    check_equal(one_copy.weights.in(byte), output.at("model_mem"));
    check_equal(one_copy.gradients.in(byte), output.at("gradient_mem"));
    check_equal((one_copy.master_weights + one_copy.optimizer).in(byte),
                output.at("optimizer_mem"));

    // Over all GPUs instead of the replicas, beside the division of weights by model ranks; of
    // gradients and states that is the only division, so below stage 1 and 2 there is none.
    if (!job.has("--infer")) {
      const model_states divided = model_state_memory(parameters, gpus, stage, per);
      check_equal(divided.weights.in(byte) / model_ranks, output.at("per_gpu_model_mem"));
      check_equal(divided.gradients.in(byte), output.at("per_gpu_gradient_mem"));
      check_equal((divided.master_weights + divided.optimizer).in(byte),
                  output.at("per_gpu_optimizer_mem"));
    }
  }
}

TEST_CASE("the cookbook's activations are a plain GPT's, of every stage", "[memory][vectors]") {
  for (const json& one : peer_cases("eleuther-cookbook", "calc_mem")) {
    INFO(one.at("id"));
    const cookbook_job job{options_of(one)};
    if (job.has("--moe")) continue;
    const json& output = one.at("output");
    // Two plain matrices of four hidden sizes and keys of every head, whatever the model.
    transformer m = job.model(4, false);
    m.gated_ffn = false;
    m.kv_heads = 0;
    m.moe = {};
    const bool checkpointed = job.has("-ca");  // the attention core alone is computed again
    const recipe how{.sequence_length = job.whole("-s", 0),
                     .recompute = checkpointed ? recompute::selective : recompute::none,
                     .attention = attention_kernel::unfused,
                     .dropout = true};
    const parallelism cut{.micro_batch_size = job.whole("-b", 0)};
    const footprint at = memory_footprint(m, how, cut);
    const bytes layer = kept_by(m, how, at.layers.dense.activations);
    if (job.has("--infer")) {  // one layer, as training keeps it
      check_equal(
          (at.layers.dense.activations.total() - at.layers.dense.activations.core()).in(byte),
          output.at("activation_mem"));
      continue;
    }
    check_equal((m.layers * layer).in(byte), output.at("activation_mem"));
    const int tensor = job.has("-pa") ? job.whole("-tp", 1) : 1;
    check_equal((m.layers * layer).in(byte) / tensor, output.at("per_gpu_activation_mem"));
  }
}

TEST_CASE("the cookbook caches keys without values, of every head", "[memory][vectors]") {
  for (const json& one : peer_cases("eleuther-cookbook", "calc_mem")) {
    const cookbook_job job{options_of(one)};
    if (!job.has("--infer")) continue;
    INFO(one.at("id"));
    transformer m = job.model(job.number("-ff", 4), false);
    m.kv_heads = 0;
    const tokens length = (job.number("-s", 0) + job.number("-o", 0)) * token;
    const bytes cache = job.whole("-b", 0) * kv_cache(m, length) / 2;
    // Not divided by tensor ranks either: all of it on each.
    check_equal(cache.in(byte), one.at("output").at("per_gpu_kv_cache_mem"));
    check_equal(cache.in(byte)*job.whole("-tp", 1), one.at("output").at("kv_cache_mem"));
  }
}

}  // namespace
}  // namespace gpuplan::testing
