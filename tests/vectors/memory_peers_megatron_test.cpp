// Memory as Megatron-LM and Megatron-Bridge estimate it: memory_peers.json.  Where they are wrong
// or count otherwise, the difference is computed here, and named.
#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/model/parameters.hpp>
#include <gpuplan/model/tensor_split.hpp>

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

/// A run as either of them is asked about it.
struct peer_job {
  transformer model{};
  parallelism cut{};
  int sequence_length{};
  int micro_batches{};
  int world_size{};
  bool distributed_optimizer{};
  bool knows_context{};  ///< Megatron-LM leaves context parallelism out

  [[nodiscard]] double context() const { return knows_context ? cut.context : 1; }
};

parallelism cut_of(const json& args) {
  return {.data = args.at("data_parallel_size"),
          .tensor = args.at("tensor_model_parallel_size"),
          .pipeline = args.at("pipeline_model_parallel_size"),
          .context = args.at("context_parallel_size"),
          .expert = args.at("expert_model_parallel_size"),
          .interleave = argument(args, "virtual_pipeline_model_parallel_size", 1),
          .micro_batch_size = args.at("micro_batch_size"),
          .expert_tensor = args.at("expert_tensor_parallel_size")};
}

peer_job megatron_job(const json& one) {
  const json& args = one.at("input").at("args");
  return {.model = transformer_of_megatron(args),
          .cut = cut_of(args),
          .sequence_length = args.at("seq_length"),
          .micro_batches = argument(one.at("input"), "num_microbatches", 0),
          .world_size = args.at("world_size"),
          .distributed_optimizer = args.at("use_distributed_optimizer")};
}

/// A mean layer of the model on one rank, counted over all layers: L / p layers, not rounded.
rank_parameters mean_layers(const peer_job& job, const auto& on_rank) {
  const transformer& m = job.model;
  rank_parameters sum;
  if (m.dense_layers() > 0) sum = sum + m.dense_layers() * on_rank(layer_kind::dense);
  if (m.moe_layers() > 0) sum = sum + m.moe_layers() * on_rank(layer_kind::moe);
  return 1.0 / job.cut.pipeline * sum;
}

/// Bytes a parameter: 18, or 6 + 12/N with the distributed optimizer.
double bytes_each(const peer_job& job, double replicas) {
  const parameter_bytes per = bytes_per_parameter(recipe{.optimizer = optimizer::adam});
  const bytes divided = per.master + per.optimizer;
  return (per.weight + per.gradient + (job.distributed_optimizer ? divided / replicas : divided))
      .in(byte);
}

/// Ranks that hold the same experts.
double expert_replicas(const peer_job& job) {
  const parallelism& c = job.cut;
  return job.world_size / (double(c.expert) * c.expert_tensor * c.pipeline);
}

double norm_of(const transformer& m) {
  return parameters_of(m).final_norms;
}

/// What Megatron-LM counts on its fullest rank: a p-th of the final norm there too; the whole of a
/// prediction layer on every stage, without its projection and its three norms; the maps that
/// compress latents, and their norms, divided, which Megatron-Core keeps whole; and of fewer
/// key-value heads than ranks a part on each.
rank_parameters megatron_rank(const peer_job& job) {
  const transformer& m = job.model;
  const parallelism& cut = job.cut;
  const double t = cut.tensor;
  const auto on_rank = [&](layer_kind kind) {
    const tensor_split split = tensor_split_of_layer(m, kind);
    const double latents = latent_compression_of(m) + parameters_of_layer(m, kind).latent_norms;
    return rank_parameters{.matrices = (split.divided + latents) / t + split.replicated - latents,
                           .experts = split.experts / (double(cut.expert) * cut.expert_tensor)};
  };
  rank_parameters held = mean_layers(job, on_rank);
  held.vectors += norm_of(m) / cut.pipeline;
  held.tables += table_on_rank(m, cut).tables;
  if (!m.tied_embeddings && cut.pipeline == 1) held.tables += table_on_rank(m, cut).tables;
  if (m.multi_token_prediction_layers > 0) {
    const layer_kind kind = m.moe_layers() > 0 ? layer_kind::moe : layer_kind::dense;
    held = held + m.multi_token_prediction_layers * on_rank(kind);
  }
  return held;
}

/// What both estimators take a layer for: heads as wide as the hidden size with keys of their own,
/// two plain matrices, dropout, no attention core, and all of it divided by the tensor ranks.
transformer plain_layer(const transformer& m, int tensor, int ffn_size) {
  return {.layers = 1,
          .hidden_size = m.hidden_size,
          .attention_heads = tensor,
          .ffn_size = ffn_size,
          .vocabulary_size = m.vocabulary_size};
}

struct plain_memory {
  double layer{};      ///< of one micro-batch
  double embedding{};  ///< its dropout mask
  double head{};       ///< inputs of the final norm and of the head
  double logits{};     ///< in FP32 alone
};

/// Memory of that layer, without context parallelism.
plain_memory plain_memory_of(const peer_job& job, int ffn_size, bool spread) {
  const transformer m = plain_layer(job.model, job.cut.tensor, ffn_size);
  parallelism cut{.tensor = job.cut.tensor, .micro_batch_size = job.cut.micro_batch_size};
  const recipe how{.sequence_length = job.sequence_length,
                   .recompute = recompute::selective,
                   .attention = attention_kernel::unfused,
                   .sequence_parallel = spread,
                   .dropout = true};
  const footprint at = memory_footprint(m, how, cut);
  return {.layer = kept_by(m, how, at.layers.dense.activations).in(byte),
          .embedding = embedding_mask(m, how, at.seen).in(byte),
          .head = head_inputs(m, how, at.seen).in(byte),
          .logits = 4 * logits_on_rank(m, cut, at.seen)};
}

/// p micro-batches of L / p layers, more with chunks, fewer where there are not so many.
double pipeline_factor(const peer_job& job) {
  const double p = job.cut.pipeline;
  if (job.cut.interleave > 1) return 1 + (p - 1) / (p * job.cut.interleave);
  if (job.cut.pipeline > 1 && job.micro_batches > 0) return (std::min)(1.0, job.micro_batches / p);
  return 1;
}

/// Eight bytes for each token of p micro-batches: ids in int64, where we hold labels, positions and
/// the loss mask too, of one micro-batch.
double token_ids(const peer_job& job) {
  return 8.0 * job.sequence_length * job.cut.micro_batch_size * job.cut.pipeline;
}

double with_sequence_parallelism(const peer_job& job, int ffn_size, double wider) {
  const plain_memory one = plain_memory_of(job, ffn_size, true);
  const double stage = wider * one.layer * job.model.layers + token_ids(job) / job.cut.tensor +
                       one.embedding * job.cut.pipeline;
  const double ends = job.cut.pipeline == 1 ? one.head + one.logits : 0;
  return (pipeline_factor(job) * stage + ends) / job.context();
}

/// The formula of everything else, for f = 4 h whatever f is, times 1.05.
double without_sequence_parallelism(const peer_job& job) {
  const plain_memory one = plain_memory_of(job, 4 * job.model.hidden_size, false);
  const double stage =
      one.layer * job.model.layers + token_ids(job) + one.embedding * job.cut.pipeline;
  // 2 (V/t + h) a token: logits of two bytes, and one of the two inputs.
  const double ends = job.cut.pipeline == 1 ? one.head / 2 + one.logits / 2 : 0;
  return 1.05 * (pipeline_factor(job) * stage + ends);
}

void check_activations(const peer_job& job, const json& output) {
  check_equal(with_sequence_parallelism(job, job.model.ffn_size, 1),
              output.at("activation_bytes_sp_selective_per_gpu"));
  if (output.contains("activation_bytes_without_sp_per_gpu"))
    check_equal(without_sequence_parallelism(job),
                output.at("activation_bytes_without_sp_per_gpu"));
}

/// Is a first stage of ours what the peer counts, up to its share of the final norm?
bool counts_alike(const peer_job& job) {
  const transformer& m = job.model;
  const bool whole_layers = m.layers % job.cut.pipeline == 0 &&
                            (m.moe_layers() == 0 || m.dense_layers() == 0 || job.cut.pipeline == 1);
  const bool whole_latents = m.latent.kv_rank == 0 || job.cut.tensor == 1;
  const bool whole_heads = m.latent.kv_rank > 0 || m.key_value_heads() >= job.cut.tensor;
  return whole_layers && whole_latents && whole_heads && job.cut.context == 1 &&
         m.multi_token_prediction_layers == 0;
}

TEST_CASE("Megatron-LM counts states as we do on whole stages", "[memory][vectors]") {
  for (const json& one : peer_cases("megatron-lm", "theoretical_memory_usage")) {
    INFO(one.at("id"));
    const peer_job job = megatron_job(one);
    const json& output = one.at("output");
    const rank_parameters held = megatron_rank(job);
    const double dense = bytes_each(job, job.cut.data);  // not times context, as its shards are
    const double theirs = output.at("weight_and_optimizer_bytes_per_gpu");
    check_equal(held.dense() * dense + held.experts * bytes_each(job, expert_replicas(job)),
                theirs);
    check_equal(dense, output.at("bytes_per_parameter_dense"));
    if (!counts_alike(job)) continue;

    const recipe how{.global_batch_size = job.cut.data * job.cut.micro_batch_size,
                     .sequence_length = job.sequence_length,
                     .optimizer = optimizer::adam,
                     .zero = job.distributed_optimizer ? zero_stage::optimizer : zero_stage::none};
    const bytes ours = memory_footprint(job.model, how, job.cut).stage(0).states.total();
    const double share_of_norm =
        job.cut.pipeline > 1 ? dense * norm_of(job.model) / job.cut.pipeline : 0;
    check_equal(ours.in(byte) + share_of_norm, theirs);
  }
}

TEST_CASE("Megatron-LM counts the parameters of models without biases", "[memory][vectors]") {
  for (const json& one : peer_cases("megatron-lm", "theoretical_memory_usage")) {
    INFO(one.at("id"));
    const transformer m = megatron_job(one).model;
    const transformer_parameters count = parameters_of(m);
    const json& theirs = one.at("output").at("params");
    check_equal(count.layers.total() + count.final_norms,
                theirs.at("num_parameters_in_transformer_block").get<double>() +
                    theirs.value("final_layernorm_outside", 0.0));
    check_equal(count.token_embedding + count.head,
                theirs.at("num_parameters_in_embedding_layers"));
    // A prediction layer without its projection of 2 h^2 and its three norms.
    const double left_out =
        m.multi_token_prediction_layers * (2.0 * m.hidden_size * m.hidden_size + 3 * norm_of(m));
    check_equal(count.multi_token_prediction - left_out, theirs.at("num_parameters_in_mtp_block"));
    check_equal(count.trained() - left_out, theirs.at("num_total_parameters"));
  }
}

TEST_CASE("Megatron-LM's activations are those of a plain layer", "[memory][vectors]") {
  for (const json& one : peer_cases("megatron-lm", "theoretical_memory_usage")) {
    INFO(one.at("id"));
    check_activations(megatron_job(one), one.at("output"));
  }
}

TEST_CASE("Megatron-LM of April 2024: one kind of layer, LayerNorms, no router",
          "[memory][vectors]") {
  for (const json& one : peer_cases("megatron-lm@2024-04", "theoretical_memory_usage")) {
    INFO(one.at("id"));
    const peer_job job = megatron_job(one);
    // Every layer has every expert, as wide as a dense network, on every rank.
    transformer m = job.model;
    m.norm = normalization::layer_norm;
    m.latent = {};
    m.head_dim = argument(one.at("input").at("args"), "kv_channels", 0);
    m.moe = {};
    const layer_parameters layer = parameters_of_layer(m, layer_kind::dense);
    const double networks = (std::max)(job.model.moe.experts, 1) * layer.ffn_weights;
    const double layers = m.layers * (layer.attention_weights + networks + layer.norms);

    const double tables =
        (m.tied_embeddings || job.cut.pipeline > 1 ? 1.0 : 2.0) * table_on_rank(m, {}).tables;
    const double inner = (layers + parameters_of(m).final_norms) / job.cut.pipeline;
    check_equal((inner + tables) / job.cut.tensor * bytes_each(job, job.cut.data),
                one.at("output").at("weight_and_optimizer_bytes_per_gpu"));
    check_activations(job, one.at("output"));
  }
}

TEST_CASE("Megatron-LM before May 2026 held every expert on every rank", "[memory][vectors]") {
  for (const json& one : peer_cases("megatron-lm@pre-ep-fix", "theoretical_memory_usage")) {
    INFO(one.at("id"));
    peer_job job = megatron_job(one);
    const transformer& m = job.model;
    const double router = m.moe_layers() * parameters_of_layer(m, layer_kind::moe).router;
    const double tables =
        (m.tied_embeddings || job.cut.pipeline > 1 ? 1.0 : 2.0) * table_on_rank(m, {}).tables;
    const double block = parameters_of(m).layers.total() + norm_of(m) - router;
    const double held = (block / job.cut.pipeline + tables) / job.cut.tensor;
    check_equal(held * bytes_each(job, job.cut.data),
                one.at("output").at("weight_and_optimizer_bytes_per_gpu"));
    check_activations(job, one.at("output"));
  }
}

peer_job bridge_job(const json& one) {
  const json& input = one.at("input");
  const json& shape = input.at("model");
  const int tensor = shape.at("tensor_model_parallel_size");
  const int step = shape.at("make_vocab_size_divisible_by").get<int>() *
                   (shape.at("should_pad_vocab").get<bool>() ? tensor : 0);
  int words = shape.at("vocab_size");
  if (step > 0) words = (words + step - 1) / step * step;
  transformer m{.layers = shape.at("num_layers"),
                .hidden_size = shape.at("hidden_size"),
                .attention_heads = shape.at("num_attention_heads"),
                .kv_heads = shape.at("num_query_groups"),
                .head_dim = shape.at("kv_channels"),
                .ffn_size = shape.at("ffn_hidden_size"),
                .vocabulary_size = words,
                .gated_ffn = shape.at("gated_linear_unit"),
                .tied_embeddings = shape.at("share_embeddings_and_output_weights"),
                .norm = normalization::layer_norm};  // whatever the model's norm is
  if (const int experts = argument(shape, "num_moe_experts", 0); experts > 0) {
    m.moe = {.experts = experts,
             .experts_per_token = shape.at("moe_router_topk"),
             .ffn_size = argument(shape, "moe_ffn_hidden_size", m.ffn_size),
             .shared_ffn_size = argument(shape, "moe_shared_expert_intermediate_size", 0)};
    read_moe_layers(m, shape.at("moe_layer_freq"));
  }
  const int data = input.at("data_parallel_size");
  const parallelism cut{.data = data,
                        .tensor = tensor,
                        .pipeline = shape.at("pipeline_model_parallel_size"),
                        .context = shape.at("context_parallel_size"),
                        .expert = shape.at("expert_model_parallel_size"),
                        .interleave = argument(shape, "virtual_pipeline_model_parallel_size", 1),
                        .micro_batch_size = input.at("micro_batch_size"),
                        .expert_tensor = shape.at("expert_tensor_parallel_size")};
  return {.model = m,
          .cut = cut,
          .sequence_length = shape.at("seq_length"),
          .micro_batches = argument(input, "num_microbatches", 0),
          .world_size = static_cast<int>(cut.gpus()),
          .distributed_optimizer = input.at("use_distributed_optimizer"),
          .knows_context = true};
}

/// Width of the networks that a token visits, a mean over layers.
double visited_width(const transformer& m) {
  const double moe = double(m.moe.ffn_size) * m.moe.experts_per_token + m.moe.shared_ffn_size;
  return (m.dense_layers() * double(m.ffn_size) + m.moe_layers() * moe) / m.layers;
}

TEST_CASE("Megatron-Bridge: norms divided, latents taken for heads, no router",
          "[memory][vectors]") {
  for (const json& one : peer_cases("megatron-bridge")) {
    INFO(one.at("id"));
    const peer_job job = bridge_job(one);
    const transformer& m = job.model;
    const parallelism& cut = job.cut;
    const json& output = one.at("output");
    const transformer_parameters count = parameters_of(m);
    const double routed = count.layers.routed_experts;
    const double dense = count.total() - routed - count.layers.router;
    check_equal(dense + routed, output.at("total_parameters"));

    const double table = count.token_embedding;
    const double inner = (dense - table - count.head) / cut.pipeline;
    const double ends = cut.pipeline == 1 ? table + count.head : table;
    const double replicas = double(cut.data) * cut.context;
    const double held = (inner + ends) / cut.tensor * bytes_each(job, replicas);
    const json& components = output.at("components");
    check_equal(held, components.at(0).at("memory_bytes"));

    double experts = 0;
    if (routed > 0) {
      const rank_parameters layer = layer_on_rank(m, layer_kind::moe, cut);
      experts = m.moe_layers() * layer.experts / cut.pipeline *
                bytes_each(job, static_cast<double>(cut.expert_replicas()));
      check_equal(experts, components.at(1).at("memory_bytes"));
    }

    // Activations of a plain layer whose network is as wide as what a token visits.
    const int f = m.hidden_size;
    const plain_memory narrow = plain_memory_of(job, f, true);
    const plain_memory wider = plain_memory_of(job, 2 * f, true);
    const double layer = narrow.layer + (wider.layer - narrow.layer) * (visited_width(m) / f - 1);
    const double activations = with_sequence_parallelism(job, f, layer / narrow.layer);
    check_equal(activations, output.at("activation_bytes"));
    check_equal(held + experts + activations, output.at("total_bytes"));
  }
}

}  // namespace
}  // namespace gpuplan::testing
