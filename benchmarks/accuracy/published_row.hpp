#pragma once
/// \file
/// An entry of published.json, a run as its source prints it, as a job.  What the source leaves
/// open is filled in by the rules below, which ask for no source by name.

#include <algorithm>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/hardware/catalog.hpp>

#include "accuracy/fields.hpp"
#include "accuracy/job.hpp"

namespace gpuplan::accuracy {

namespace detail {

/// A gated network comes with what Llama has: RMSNorm, rotary positions, no biases, an untied head.
/// A plain one with what GPT-2 has: LayerNorm, learned positions, biases, a tied head.
inline transformer published_transformer(const nlohmann::json& model) {
  const bool gated = flag(model, "glu");
  transformer m{.layers = whole_of(model, "layers"),
                .hidden_size = whole_of(model, "hidden"),
                .attention_heads = whole_of(model, "heads"),
                .kv_heads = whole(model, "kv_heads").value_or(0),
                .head_dim = whole(model, "head_dim").value_or(0),
                .ffn_size = whole_of(model, "ffn"),
                .vocabulary_size = whole_of(model, has(model, "vocab") ? "vocab" : "vocab_assumed"),
                .gated_ffn = gated,
                .tied_embeddings = !gated,
                .biases = {.query_key_value = !gated, .attention_output = !gated, .ffn = !gated}};
  m.norm = gated ? normalization::rms_norm : normalization::layer_norm;
  if (!gated) {
    m.positions = position_encoding::learned;
    m.position_rows = whole_of(model, "seq");
  }
  if (const int experts = whole(model, "n_experts").value_or(0); experts > 0)
    m.moe = {.experts = experts,
             .experts_per_token = whole_of(model, "topk"),
             .ffn_size = whole(model, "moe_ffn").value_or(m.ffn_size)};
  return m;
}

inline precision published_precision(const std::string& dtype) {
  if (dtype == "bf16") return precision::mixed_bf16;
  if (dtype == "fp16") return precision::mixed_fp16;
  if (dtype == "fp32") return precision::fp32;
  if (dtype == "tf32") return precision::tf32;
  if (dtype == "fp8" || dtype == "mxfp8") return precision::mixed_fp8;
  if (dtype == "nvfp4") return precision::mixed_nvfp4;
  throw unmapped{"dtype " + dtype + " is unknown"};
}

/// torchtitan always shards parameters, over context-parallel ranks too; with one data-parallel
/// rank its entries say 0.
inline zero_stage published_zero(const nlohmann::json& run) {
  if (text_of(run, "framework") == "torchtitan") return zero_stage::parameters;
  const int stage = whole_of(run, "zero");
  if (stage < 0 || stage > 3) throw unmapped{"zero is not 0 to 3"};
  return static_cast<zero_stage>(stage);
}

/// PyTorch's "selective" keeps every second product; Megatron-LM's computes the core again.  Where
/// nothing is printed, what its users take it for.
inline recompute published_recompute(const nlohmann::json& run) {
  const bool flagged = has(field(run, "flags"), "recompute_modules");  // which say it
  const std::string name =
      text_of(run, "recompute", text_of(run, "recompute_assumed", flagged ? "none" : ""));
  if (name == "none") return recompute::none;
  if (name == "selective")
    return text_of(run, "sharding") == "fsdp" ? recompute::alternate_products
                                              : recompute::selective;
  if (name == "full") return recompute::full;
  throw unmapped{"recompute " + name + " is unknown"};
}

inline pipeline_schedule published_schedule(const std::string& name) {
  if (name.empty() || name == "1f1b" || name == "interleaved")
    return pipeline_schedule::one_forward_one_backward;
  if (name == "gpipe") return pipeline_schedule::gpipe;
  if (name == "zb1p") return pipeline_schedule::zero_bubble_h1;
  if (name == "zb2p") return pipeline_schedule::zero_bubble_h2;
  if (name == "zbv") return pipeline_schedule::zero_bubble_v;
  if (name == "dualpipe") return pipeline_schedule::dualpipe;
  throw unmapped{"schedule " + name + " is unknown"};
}

inline bool mentions(const std::string& text, std::string_view word) {
  return text.find(word) != std::string::npos;
}

/// What PyTorch alone does: FP32 weights that are cast where they are used, its own loss, gradients
/// that an update frees.  Under autocast, norms and softmax stay in FP32.
inline void train_with_pytorch(const nlohmann::json& entry, job& asked) {
  const nlohmann::json& run = field(entry, "run");
  recipe& how = asked.recipe;
  kernel_memory& kernels = asked.workspace.kernels;
  const bool sharded = how.zero == zero_stage::parameters;
  const bool autocast = mentions(text_of(entry, "precision"), "amp");
  if (!sharded && !autocast && how.precision != precision::fp32) return;
  how.weights = weight_storage::fp32;
  how.loss = loss_kernel::eager;
  if (mentions(text_of(run, "variant"), "classification head")) how.loss = loss_kernel::none;
  if (sharded) how.gradients_live = gradient_lifetime::backward;
  kernels.norms_kept_fp32 = kernels.softmax_kept_fp32 = autocast;
  kernels.activation_fused = mentions(text_of(run, "variant"), "compile");
}

/// What DeepSpeed's pipeline does: sent outputs stay, gradients of 16-bit weights stay 16 bits
/// wide, beside FP32 ones where the printed precision names them.
inline void train_with_deepspeed(const nlohmann::json& entry, job& asked) {
  asked.workspace.kernels.outputs_kept = true;
  if (asked.recipe.precision != precision::mixed_bf16) return;
  const bool fp32 = mentions(text_of(entry, "precision"), "fp32 grad");
  asked.recipe.gradient = fp32 ? gradient_format::fp32 : gradient_format::bf16;
  asked.workspace.kernels.working_gradients = fp32;
}

/// The generation that an entry's software belongs to; the current one where it is not known.
/// Unknown software that shards as FSDP does is its current generation.
inline framework published_framework(const nlohmann::json& run) {
  const std::string name = text_of(run, "framework");
  if (name == "other" && text_of(run, "sharding") == "fsdp") return framework::fsdp2;
  if (is_one_of(name, {"megatron_2021", "other"})) return framework::megatron_2021;
  if (name == "bigscience") return framework::megatron_deepspeed;
  if (name == "llm_foundry") return framework::fsdp;
  if (is_one_of(name, {"torchtitan", "fsdp_pytorch", "torchtune", "litgpt"}))
    return framework::fsdp2;
  return framework::transformer_engine;
}

/// The GPU's workspaces without Transformer Engine.  The context is what the entry prints, or that
/// of CUDA before lazy loading where the software is older.
inline workspace published_workspace(const nlohmann::json& entry) {
  const nlohmann::json& run = field(entry, "run");
  const auto* gpu = catalog::find_accelerator(text_of(run, "gpu"));
  if (gpu == nullptr) throw unmapped{"gpu " + text_of(run, "gpu") + " is unknown"};
  workspace beside = workspace_of(*gpu->gpu);
  beside.transformer_engine = bytes{0};
  if (text_of(run, "framework") == "bigscience") beside.cuda_context = 1343 * units::MiB;
  std::smatch printed;
  const std::string notes = text_of(entry, "notes");
  if (std::regex_search(notes, printed, std::regex{"([0-9]+) MiB CUDA context"}))
    beside.cuda_context = std::stod(printed[1]) * units::MiB;
  return beside;
}

/// Chunks of a stage: an interleaved pipeline of unknown depth has as few as divide its layers.
inline int published_chunks(const nlohmann::json& entry, const transformer& m, int stages) {
  if (const auto chunks = whole(entry, "vp"); chunks && *chunks > 0) return *chunks;
  if (stages == 1 || text_of(field(entry, "run"), "schedule") != "interleaved") return 1;
  const int layers = (m.layers + stages - 1) / stages;
  for (int chunks = 2; chunks <= layers; ++chunks)
    if (layers % chunks == 0) return chunks;
  return 1;
}

}  // namespace detail

/// The job of an entry.
/// \throws unmapped saying what the descriptions cannot say, or the entry does not
inline job job_of_published(const nlohmann::json& entry) {
  const nlohmann::json& run = field(entry, "run");
  const nlohmann::json& model = field(entry, "model");
  if (text_of(run, "trainable", "full") != "full") throw unmapped{"not all parameters are trained"};
  const std::string rule = text_of(run, "optimizer");
  if (rule.empty()) throw unmapped{"the source says too little: optimizer, shape"};
  if (rule != "adam" && rule != "adamw" && rule != "lamb")
    throw unmapped{"optimizer " + rule + " is unknown"};

  job asked{
      .model = detail::published_transformer(model),
      .recipe = {.global_batch_size = whole_of(entry, "global_batch"),
                 .sequence_length = whole_of(model, "seq"),
                 .precision = detail::published_precision(text_of(run, "dtype")),
                 .zero = detail::published_zero(run),
                 .recompute = detail::published_recompute(run),
                 .attention = text_of(run, "attention") == "flash" ? attention_kernel::flash
                                                                   : attention_kernel::unfused,
                 .schedule = detail::published_schedule(text_of(run, "schedule")),
                 .sequence_parallel = flag(run, "sequence_parallel"),
                 .framework = detail::published_framework(run)},
      .parallelism = {.data = whole_of(entry, "dp"),
                      .tensor = whole_of(entry, "tp"),
                      .pipeline = whole_of(entry, "pp"),
                      .context = whole(entry, "cp").value_or(1),
                      .expert = whole(entry, "ep").value_or(1),
                      .micro_batch_size = whole_of(entry, "micro_batch"),
                      .shard_group = whole(run, "fsdp_group").value_or(0)},
      .workspace = detail::published_workspace(entry)};
  if (text_of(run, "framework") == "bigscience")
    detail::train_with_deepspeed(entry, asked);
  else
    detail::train_with_pytorch(entry, asked);
  asked.recipe.dropout = !asked.model.gated_ffn;  // GPT and BERT train with it, Llama without
  asked.parallelism.interleave =
      detail::published_chunks(entry, asked.model, asked.parallelism.pipeline);
  return asked;
}

}  // namespace gpuplan::accuracy
