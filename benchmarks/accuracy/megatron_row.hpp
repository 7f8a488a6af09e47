#pragma once
/// \file
/// A row of measured_memory.json, a run of Megatron-LM with its arguments, as a job.

#include <algorithm>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/hardware/catalog.hpp>

#include "accuracy/fields.hpp"
#include "accuracy/job.hpp"
#include "accuracy/pipeline_layout.hpp"

namespace gpuplan::accuracy {

namespace detail {

/// Which layers have experts: --moe-layer-freq, a period or a pattern of 0 and 1.
inline void place_experts(const nlohmann::json& args, transformer& m) {
  std::string pattern = text_of(args, "--moe-layer-freq");
  if (pattern.empty()) {
    const int period = whole(args, "--moe-layer-freq").value_or(1);
    for (int i = 0; i < m.layers; ++i) pattern += i % period == 0 ? '1' : '0';
  } else {
    pattern = written_out(pattern);
  }
  if (std::ssize(pattern) != m.layers) throw unmapped{"--moe-layer-freq does not fit the layers"};
  m.moe.dense_layers = static_cast<int>(std::count(pattern.begin(), pattern.end(), '0'));
  m.moe.first_dense_layers = static_cast<int>((std::min)(pattern.find('1'), pattern.size()));
}

inline transformer transformer_of(const nlohmann::json& row) {
  const nlohmann::json& args = field(row, "args");
  const nlohmann::json& said = field(row, "resolved");
  const bool bert = text_of(row, "family") == "bert";
  const bool both = has(said, "decoder_layers");  // an encoder and a decoder
  const bool bias = !flag(args, "--disable-bias-linear");
  const std::string positions = text_of(args, "--position-embedding-type", "learned_absolute");

  transformer m{.layers = whole_of(said, both ? "decoder_layers" : "layers"),
                .hidden_size = whole_of(said, "hidden"),
                .attention_heads = whole_of(said, "heads"),
                .kv_heads = whole_of(said, "kv_heads"),
                .head_dim = whole_of(said, "head_dim"),
                .ffn_size = whole_of(said, "ffn"),
                .vocabulary_size = whole_of(said, "vocab_padded"),
                .encoder_layers = both ? whole_of(said, "layers") : 0,
                .gated_ffn = flag(said, "swiglu"),
                .tied_embeddings = flag(said, "tied"),
                .norm = text_of(said, "norm") == "RMSNorm" ? normalization::rms_norm
                                                           : normalization::layer_norm,
                .biases = {.query_key_value = bias || flag(args, "--add-qkv-bias"),
                           .attention_output = bias,
                           .ffn = bias,
                           .head = bert || both}};
  m.positions = position_encoding::rotary;
  if (positions == "none") m.positions = position_encoding::none;
  if (positions == "learned_absolute") {
    m.positions = position_encoding::learned;
    m.position_rows = whole_of(args, "--max-position-embeddings");
  }
  if (flag(args, "--qk-layernorm")) m.query_key = query_key_norm::per_head;
  if (bert) {
    m.mask = attention_mask::full;
    m.token_types = 2;
    m.pooler = m.head_transform = true;
  }
  m.multi_token_prediction_layers = whole(args, "--mtp-num-layers").value_or(0);

  if (flag(said, "mla")) {
    m.latent = {.query_rank = whole(args, "--q-lora-rank").value_or(0),
                .kv_rank = whole(args, "--kv-lora-rank").value_or(512),
                .rope_head_dim = whole(args, "--qk-pos-emb-head-dim").value_or(64),
                .content_head_dim = whole(args, "--qk-head-dim").value_or(128),
                .value_head_dim = whole(args, "--v-head-dim").value_or(128)};
    m.query_key = query_key_norm::none;  // the latents' own norms are counted with them
    m.biases.query_key_value = false;
  }
  if (const int experts = whole(said, "experts").value_or(0); experts > 0) {
    m.moe = {.experts = experts,
             .experts_per_token = whole_of(said, "topk"),
             .ffn_size = whole_of(said, "moe_ffn"),
             .shared_ffn_size = whole(args, "--moe-shared-expert-intermediate-size").value_or(0),
             .expert_bias = bias,
             .correction_bias = flag(args, "--moe-router-enable-expert-bias")};
    place_experts(args, m);
  }
  return m;
}

inline precision precision_of(const nlohmann::json& args, const nlohmann::json& said) {
  if (has(args, "--fp8-format")) return precision::mixed_fp8;
  const std::string dtype = text_of(said, "dtype");
  if (dtype == "bf16") return precision::mixed_bf16;
  if (dtype == "fp16") return precision::mixed_fp16;
  if (dtype == "fp32") return precision::fp32;
  throw unmapped{"dtype " + dtype + " is unknown"};
}

inline optimizer optimizer_of(const nlohmann::json& said) {
  const std::string name = text_of(said, "optimizer");
  if (name == "adam") return optimizer::adamw;
  if (name == "muon" || name == "dist_muon") return optimizer::muon;
  if (name == "sgd") return optimizer::momentum;  // its --sgd-momentum is 0.9 unless said
  throw unmapped{"optimizer " + name + " is unknown"};
}

/// Gradients are accumulated in FP32 beside BF16 weights and in FP16 beside FP16 ones, unless told.
inline gradient_format gradient_of(const nlohmann::json& args) {
  if (flag(args, "--accumulate-allreduce-grads-in-fp32")) return gradient_format::fp32;
  if (flag(args, "--grad-reduce-in-bf16")) return gradient_format::bf16;
  return gradient_format::by_precision;
}

inline void recompute_of(const nlohmann::json& args, const nlohmann::json& said, recipe& how) {
  const std::string name = text_of(said, "recompute", "none");
  if (name == "none") return;
  if (name == "selective") {
    if (has(args, "--recompute-modules") && text_of(args, "--recompute-modules") != "[core_attn]")
      throw unmapped{"--recompute-modules " + field(args, "--recompute-modules").dump()};
    how.recompute = recompute::selective;
    return;
  }
  if (name != "full") throw unmapped{"recompute " + name + " is unknown"};
  if (text_of(args, "--recompute-method", "uniform") != "uniform")
    throw unmapped{"--recompute-method " + text_of(args, "--recompute-method")};
  how.recompute = recompute::full;
  how.recompute_every = whole(args, "--recompute-num-layers").value_or(1);
}

/// Chunks of a pipeline rank, and the layers of each stage where they are not equal.
inline void cut_pipeline(const nlohmann::json& args, const transformer& m, recipe& how,
                         parallelism& cut) {
  const int p = cut.pipeline;
  if (const std::string layout = text_of(args, "--pipeline-model-parallel-layout");
      !layout.empty()) {
    const std::vector<int> pieces = layers_of_pieces(layout);
    if (pieces.size() % static_cast<std::size_t>(p) != 0)
      throw unmapped{"--pipeline-model-parallel-layout does not fit the stages"};
    std::vector<int> split(static_cast<std::size_t>(p), 0);
    for (std::size_t i = 0; i < pieces.size(); ++i)
      split[i % static_cast<std::size_t>(p)] += pieces[i];
    how.split = layer_split{split};
    cut.interleave = static_cast<int>(pieces.size()) / p;
    return;
  }
  const int first = whole(args, "--decoder-first-pipeline-num-layers").value_or(0);
  const int last = whole(args, "--decoder-last-pipeline-num-layers").value_or(0);
  const bool embedding = flag(args, "--account-for-embedding-in-pipeline-split");
  const bool head = flag(args, "--account-for-loss-in-pipeline-split");
  std::vector<int> split;
  if (embedding || head) split = balanced_ends(m.layers, p, embedding, head);
  if (first > 0 || last > 0) split = given_ends(m.layers, p, first, last);
  if (!split.empty()) how.split = layer_split{split};

  cut.interleave = whole(args, "--num-virtual-stages-per-pipeline-rank").value_or(1);
  if (const auto chunk = whole(args, "--num-layers-per-virtual-pipeline-stage")) {
    const int held = split.empty() ? m.layers / p : split[static_cast<std::size_t>(p > 2 ? 1 : 0)];
    cut.interleave = (std::max)(1, held / *chunk);
  }
}

/// Whether the framework's own layers are used, not those of Transformer Engine.
inline bool made_locally(const nlohmann::json& args) {
  return text_of(args, "--transformer-impl") == "local" || text_of(args, "--spec") == "local";
}

/// The kernel of a named backend; without one, flash where Transformer Engine makes the layers.
inline attention_kernel attention_of(const nlohmann::json& args) {
  const std::string backend = text_of(args, "--attention-backend");
  const bool flash = backend == "flash" || backend == "fused" || flag(args, "--use-flash-attn") ||
                     ((backend.empty() || backend == "auto") && !made_locally(args));
  return flash ? attention_kernel::flash : attention_kernel::unfused;
}

inline recipe recipe_of(const nlohmann::json& row) {
  const nlohmann::json& args = field(row, "args");
  const nlohmann::json& said = field(row, "resolved");
  const bool both = has(said, "decoder_layers");
  recipe how{.global_batch_size = whole_of(said, "global_batch"),
             .sequence_length = whole_of(said, both ? "decoder_seq_len" : "seq_len"),
             .encoder_sequence_length = both ? whole_of(said, "seq_len") : 0,
             .precision = precision_of(args, said),
             .optimizer = optimizer_of(said),
             .gradient = gradient_of(args),
             .zero = flag(said, "distributed_optimizer") ? zero_stage::optimizer : zero_stage::none,
             .attention = attention_of(args),
             .sequence_parallel = flag(said, "sequence_parallel") && whole_of(said, "tp") > 1,
             .dropout = number(args, "--hidden-dropout").value_or(0.1) > 0};
  if (flag(args, "--cross-entropy-loss-fusion")) how.loss = loss_kernel::fused;
  if (flag(args, "--no-gradient-accumulation-fusion"))
    how.gradient_accumulation_fusion = software_choice::off;
  how.interleave_group =
      whole(args, "--microbatch-group-size-per-virtual-pipeline-stage").value_or(0);
  recompute_of(args, said, how);
  return how;
}

inline parallelism parallelism_of(const nlohmann::json& row) {
  const nlohmann::json& said = field(row, "resolved");
  parallelism cut{.data = whole_of(said, "dp"),
                  .tensor = whole_of(said, "tp"),
                  .pipeline = whole_of(said, "pp"),
                  .context = whole(said, "cp").value_or(1),
                  .expert = whole(said, "ep").value_or(1),
                  .micro_batch_size = whole_of(said, "micro_batch"),
                  .expert_tensor = whole(said, "etp").value_or(0)};
  if (const auto instances = whole(field(row, "args"), "--num-distributed-optimizer-instances"))
    cut.shard_group = static_cast<int>(cut.replicas() / *instances);
  return cut;
}

/// The accelerator of a row: a name of the catalog, or the first part of one ("A100").
inline const accelerator& accelerator_of(const nlohmann::json& row) {
  const std::string name = text_of(row, "gpu");
  if (const auto* exact = catalog::find_accelerator(name)) return *exact->gpu;
  for (const auto& entry : catalog::accelerators)
    if (entry.name.starts_with(name + "-") || entry.name.starts_with(name + " ")) return *entry.gpu;
  throw unmapped{"gpu " + name + " is unknown"};
}

/// The workspaces of a GPU's generation, and what the arguments choose.
inline workspace workspace_of_row(const nlohmann::json& row) {
  const nlohmann::json& args = field(row, "args");
  const bool moe = whole(field(row, "resolved"), "experts").value_or(0) > 0;
  const bool deterministic = flag(args, "--deterministic-mode");
  const accelerator& gpu = accelerator_of(row);
  workspace beside = workspace_of(gpu);
  // Deterministic products need CUBLAS_WORKSPACE_CONFIG=:4096:8, 8 times 4096 KiB.
  if (deterministic) beside.cublas = 32 * units::MiB;
  if (made_locally(args) && !moe) beside.transformer_engine = bytes{0};

  const bool fp32_softmax =
      flag(args, "--attention-softmax-in-fp32") || flag(args, "--apply-query-key-layer-scaling");
  const std::string dispatcher = text_of(args, "--moe-token-dispatcher-type", "allgather");
  kernel_memory& kernels = beside.kernels;
  // Transformer Engine takes FlashAttention-2 where it is named, where cuDNN has no kernel (before
  // Hopper) and where cuDNN's is not deterministic (Blackwell).
  const bool hopper = gpu.peak.fp8_e4m3 > flop_per_second{0};
  const bool blackwell = gpu.peak.fp4 > flop_per_second{0};
  kernels.flash_output_copied =
      text_of(args, "--attention-backend") == "flash" || !hopper || (blackwell && deterministic);
  kernels.scores_buffered = made_locally(args);
  kernels.gradients_unused = !made_locally(args);
  kernels.softmax_kept_fp32 = flag(args, "--no-masked-softmax-fusion") && fp32_softmax;
  kernels.activation_fused = !flag(args, "--no-bias-gelu-fusion");
  kernels.mask_in_batch = !flag(args, "--no-create-attention-mask-in-dataloader");
  kernels.head_gradient_fused = !flag(args, "--no-gradient-accumulation-fusion");
  if (flag(args, "--defer-embedding-wgrad-compute"))
    kernels.head_gradients_deferred = whole(args, "--wgrad-deferral-limit").value_or(0);
  kernels.experts_grouped = flag(args, "--moe-grouped-gemm");
  kernels.dispatcher =
      dispatcher == "allgather" ? token_dispatcher::all_gather : token_dispatcher::all_to_all;
  return beside;
}

}  // namespace detail

/// The job of a row.
/// \throws unmapped saying what the descriptions cannot say, or the row does not
inline job job_of_megatron(const nlohmann::json& row) {
  job asked{.model = detail::transformer_of(row),
            .recipe = detail::recipe_of(row),
            .parallelism = detail::parallelism_of(row),
            .workspace = detail::workspace_of_row(row)};
  asked.data_rank = static_cast<int>(asked.parallelism.replicas() - 1);  // the last rank is read
  detail::cut_pipeline(field(row, "args"), asked.model, asked.recipe, asked.parallelism);
  return asked;
}

/// The pipeline stage whose memory a row gives.
inline int stage_of_megatron(const nlohmann::json& row) {
  return whole_of(field(row, "resolved"), "stage");
}

}  // namespace gpuplan::accuracy
