#pragma once
/// \file
/// Names of Megatron-LM's arguments, and how Megatron Bridge and configuration classes write them.

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/launch/arguments.hpp>
#include <gpuplan/launch/bridge_precision.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/json_scalar.hpp>
#include <gpuplan/text/json_shown.hpp>
#include <gpuplan/text/lookup.hpp>

namespace gpuplan {

/// How a field of a configuration stands for an argument.
enum class bridged { as_it_is, inverted };

/// An argument of Megatron-LM, without its dashes, and the field of Megatron Bridge for it.
struct bridge_field {
  std::string_view argument;
  std::string_view section;
  std::string_view field;  ///< empty: the argument's name, with _ for -
  bridged how = bridged::as_it_is;
};

/// Arguments that a plan decides, in the order in which they are written.
///
/// Source: NVIDIA, Megatron Bridge, docs/megatron-lm-to-megatron-bridge.md (2026), and the fields
/// of ModelParallelConfig, TransformerConfig, OptimizerConfig and DistributedDataParallelConfig of
/// Megatron Core (commit d98e8a64, 2026).
inline constexpr auto bridge_fields = std::to_array<bridge_field>({
    {"spec", "", ""},  // the model's provider says it
    {"hybrid-layer-pattern", "model", ""},
    {"num-layers", "model", ""},
    {"hidden-size", "model", ""},
    {"ffn-hidden-size", "model", ""},
    {"num-attention-heads", "model", ""},
    {"group-query-attention", "", ""},  // num_query_groups says it
    {"num-query-groups", "model", ""},
    {"kv-channels", "model", ""},
    {"vocab-size", "model", ""},
    {"make-vocab-size-divisible-by", "model", ""},
    {"swiglu", "model", "gated_linear_unit"},
    {"squared-relu", "", ""},  // the model's provider says it
    {"normalization", "model", ""},
    {"disable-bias-linear", "model", "add_bias_linear", bridged::inverted},
    {"add-qkv-bias", "model", ""},
    {"qk-layernorm", "model", ""},
    {"attention-output-gate", "model", ""},
    {"softmax-type", "model", ""},
    {"window-size", "model", ""},
    {"window-attn-skip-freq", "model", ""},
    {"experimental-attention-variant", "model", ""},
    {"linear-attention-freq", "model", ""},
    {"linear-conv-kernel-dim", "model", ""},
    {"linear-key-head-dim", "model", ""},
    {"linear-value-head-dim", "model", ""},
    {"linear-num-key-heads", "model", ""},
    {"linear-num-value-heads", "model", ""},
    {"dsa-indexer-n-heads", "model", ""},
    {"dsa-indexer-head-dim", "model", ""},
    {"dsa-indexer-topk", "model", ""},
    {"dsa-indexer-topk-freq", "model", ""},
    {"dsa-indexer-skip-topk-offset", "model", ""},
    {"mamba-state-dim", "model", ""},
    {"mamba-head-dim", "model", ""},
    {"mamba-num-groups", "model", ""},
    {"mamba-num-heads", "model", ""},
    {"untie-embeddings-and-output-weights", "model", "share_embeddings_and_output_weights",
     bridged::inverted},
    {"position-embedding-type", "model", ""},
    {"max-position-embeddings", "model", ""},
    {"multi-latent-attention", "model", ""},
    {"q-lora-rank", "model", ""},
    {"kv-lora-rank", "model", ""},
    {"qk-head-dim", "model", ""},
    {"qk-pos-emb-head-dim", "model", ""},
    {"v-head-dim", "model", ""},
    {"mtp-num-layers", "model", ""},
    {"num-experts", "model", "num_moe_experts"},
    {"moe-layer-freq", "model", ""},
    {"moe-ffn-hidden-size", "model", ""},
    {"moe-latent-size", "model", ""},
    {"moe-router-topk", "model", ""},
    {"moe-shared-expert-intermediate-size", "model", ""},
    {"moe-shared-expert-gate", "model", ""},
    {"moe-router-enable-expert-bias", "model", ""},
    {"moe-router-score-function", "model", ""},
    {"moe-router-pre-softmax", "model", ""},
    {"tensor-model-parallel-size", "model", ""},
    {"pipeline-model-parallel-size", "model", ""},
    {"context-parallel-size", "model", ""},
    {"cp-comm-type", "model", ""},
    {"expert-model-parallel-size", "model", ""},
    {"expert-tensor-parallel-size", "model", ""},
    {"sequence-parallel", "model", ""},
    {"num-virtual-stages-per-pipeline-rank", "model", "virtual_pipeline_model_parallel_size"},
    {"microbatch-group-size-per-virtual-pipeline-stage", "model",
     "microbatch_group_size_per_vp_stage"},
    {"pipeline-model-parallel-layout", "model", ""},
    {"decoder-first-pipeline-num-layers", "model", "num_layers_in_first_pipeline_stage"},
    {"decoder-last-pipeline-num-layers", "model", "num_layers_in_last_pipeline_stage"},
    {"account-for-embedding-in-pipeline-split", "model", ""},
    {"account-for-loss-in-pipeline-split", "model", ""},
    {"use-tp-pp-dp-mapping", "dist", ""},
    {"micro-batch-size", "train", ""},
    {"global-batch-size", "train", ""},
    {"seq-length", "model", ""},
    {"bf16", "", "mixed_precision"},
    {"fp16", "", "mixed_precision"},
    {"fp8-format", "model", "fp8"},
    {"fp8-recipe", "model", ""},
    {"fp4-format", "model", "fp4"},
    {"fp4-recipe", "model", ""},
    {"optimizer", "optimizer", ""},
    {"sgd-momentum", "optimizer", ""},
    {"use-distributed-optimizer", "ddp", ""},
    {"num-distributed-optimizer-instances", "ddp", ""},
    {"use-megatron-fsdp", "ddp", ""},
    {"data-parallel-sharding-strategy", "ddp", ""},
    {"accumulate-allreduce-grads-in-fp32", "ddp", "grad_reduce_in_fp32"},
    {"grad-reduce-in-bf16", "ddp", "grad_reduce_in_fp32", bridged::inverted},
    {"use-precision-aware-optimizer", "optimizer", ""},
    {"exp-avg-dtype", "optimizer", ""},
    {"exp-avg-sq-dtype", "optimizer", ""},
    {"optimizer-cpu-offload", "optimizer", ""},
    {"optimizer-offload-fraction", "optimizer", ""},
    {"recompute-granularity", "model", ""},
    {"recompute-method", "model", ""},
    {"recompute-num-layers", "model", ""},
    {"recompute-modules", "model", ""},
    {"hidden-dropout", "model", ""},
    {"attention-dropout", "model", ""},
    {"transformer-impl", "model", ""},
    {"attention-backend", "model", ""},
    {"cross-entropy-loss-fusion", "model", ""},
    {"cross-entropy-fusion-impl", "model", ""},
    {"use-transformer-engine-op-fuser", "model", ""},
    {"no-rope-fusion", "model", "apply_rope_fusion", bridged::inverted},
    {"enable-experimental", "dist", "enable_megatron_core_experimental"},
    {"no-gradient-accumulation-fusion", "model", "gradient_accumulation_fusion", bridged::inverted},
    {"no-bias-gelu-fusion", "model", "bias_activation_fusion", bridged::inverted},
    {"no-masked-softmax-fusion", "model", "masked_softmax_fusion", bridged::inverted},
    {"no-create-attention-mask-in-dataloader", "dataset",
     "skip_getting_attention_mask_from_dataset"},
    {"overlap-grad-reduce", "ddp", ""},
    {"overlap-param-gather", "ddp", ""},
    {"tp-comm-overlap", "model", ""},
    {"no-overlap-p2p-communication", "model", "overlap_p2p_comm", bridged::inverted},
    {"overlap-moe-expert-parallel-comm", "model", ""},
    {"moe-shared-expert-overlap", "model", ""},
    {"moe-token-dispatcher-type", "model", ""},
    {"moe-flex-dispatcher-backend", "model", ""},
    {"moe-expert-capacity-factor", "model", ""},
    {"moe-pad-expert-input-to-capacity", "model", ""},
    {"moe-grouped-gemm", "model", ""},
    {"cuda-graph-impl", "model", ""},
    {"te-rng-tracker", "rng", ""},
    {"ckpt-format", "checkpoint", ""},
});

namespace detail {

inline std::string with(std::string_view name, char from, char to) {
  std::string changed{name};
  for (char& c : changed)
    if (c == from) c = to;
  return changed;
}

/// The field of Megatron Bridge, without its section.
inline std::string field_of(const bridge_field& row) {
  return row.field.empty() ? with(row.argument, '-', '_') : std::string(row.field);
}

/// What a field says of a switch.
/// \throws invalid_input "<where>: <field> must be true or false, ..."
inline bool switch_of(const std::string& field, const nlohmann::json& value,
                      std::string_view where) {
  if (const std::optional<bool> is_on = switch_from(value)) return *is_on;
  throw invalid_input{std::string(where) + ": " + shown_name(field) +
                      " must be true or false, not " + shown(value)};
}

/// Whether a value names the function: squared_relu, or a path that ends with it.
inline bool is_squared_relu(const nlohmann::json& value) {
  if (!value.is_string()) return false;
  const std::string name = value.get<std::string>();
  return same_name(name.substr(name.rfind('.') + 1), "squared_relu");
}

/// Puts one field of a configuration into arguments.
inline void add_field(const std::string& field, const nlohmann::json& value, std::string_view where,
                      nlohmann::json& args) {
  if (field == "mixed_precision" && !value.is_null())
    return read_bridge_precision(value, where, args);
  if (field == "activation_func" && is_squared_relu(value)) {
    args["squared-relu"] = true;
    return;
  }
  if (field == "num_query_groups") args["group-query-attention"] = true;
  if (field == "grad_reduce_in_fp32" && !value.is_null()) {
    const bool in_fp32 = switch_of(field, value, where);
    args["accumulate-allreduce-grads-in-fp32"] = in_fp32;
    args["grad-reduce-in-bf16"] = !in_fp32;
    return;
  }
  for (const bridge_field& row : bridge_fields) {
    if (row.field.empty() || row.field != field) continue;
    const bool inverted = row.how == bridged::inverted && !value.is_null();
    args[std::string(row.argument)] =
        inverted ? nlohmann::json(!switch_of(field, value, where)) : value;
    return;
  }
  const std::size_t begin = field.find_first_not_of('-');
  if (begin != field.npos) args[with(field.substr(begin), '_', '-')] = value;
}

}  // namespace detail

/// Arguments of a file: by their names without dashes, and what each is called in the file.
struct named_arguments {
  nlohmann::json values = nlohmann::json::object();
  argument_names names{};
};

namespace detail {

/// Adds names of nested sections, by their last part.
inline void add_fields(const nlohmann::json& values, std::string_view where,
                       const std::string& section, named_arguments& all) {
  for (const auto& [name, value] : values.items()) {
    const std::string path = section.empty() ? name : section + "." + name;
    std::string field = name.substr(name.rfind('.') + 1);
    if (path == "peft._target_") field = "peft";  // its class is its kind
    const bool is_function = value.is_object() && value.contains("_target_");
    if (value.is_object() && !(is_function && field == "activation_func")) {
      add_fields(value, where, path, all);
      continue;
    }
    nlohmann::json read = nlohmann::json::object();
    add_field(field, is_function ? value["_target_"] : value, where, read);
    for (const auto& [argument, said] : read.items()) all.names[argument] = path;
    all.values.update(read);
  }
}

}  // namespace detail

/// What Megatron Bridge calls its arguments: model.num_layers.
inline argument_names bridge_names() {
  argument_names names;
  for (const bridge_field& row : bridge_fields)
    names[std::string(row.argument)] =
        (row.section.empty() ? "" : std::string(row.section) + ".") + detail::field_of(row);
  return names;
}

/// Arguments by their names without dashes, each with its name in the file.
///
/// \throws invalid_input as megatron_arguments_of
inline named_arguments named_megatron_arguments(const nlohmann::json& values,
                                                std::string_view name) {
  named_arguments all;
  if (values.is_object()) detail::add_fields(values, name, {}, all);
  return all;
}

/// Arguments by their names without dashes, from names as a command line, a YAML file of arguments,
/// a configuration class or an override of Megatron Bridge writes them: --num-layers, num_layers,
/// model.num_layers.
///
///     name  of the file, for the error line
///
/// \throws invalid_input if a field that stands for the opposite of an argument is no switch
inline nlohmann::json megatron_arguments_of(const nlohmann::json& values, std::string_view name) {
  return named_megatron_arguments(values, name).values;
}

}  // namespace gpuplan
