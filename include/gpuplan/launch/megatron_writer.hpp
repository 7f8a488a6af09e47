#pragma once
/// \file
/// Writes a job as arguments of Megatron-LM, or as overrides of Megatron Bridge.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/launch/bridge_precision.hpp>
#include <gpuplan/launch/launch_job.hpp>
#include <gpuplan/launch/megatron_hybrid.hpp>
#include <gpuplan/launch/megatron_model_writer.hpp>
#include <gpuplan/launch/megatron_names.hpp>
#include <gpuplan/launch/megatron_recipe.hpp>
#include <gpuplan/model/pipeline_stage.hpp>

namespace gpuplan {

namespace detail {

/// Et*4|t*4|t*4L: the layers of each chunk, where they are not equal.
inline std::string drawn_pipeline(const transformer& m, const recipe& how, const parallelism& cut) {
  std::string drawn = "E";
  for (int chunk = 0; chunk < cut.interleave; ++chunk)
    for (int stage = 0; stage < cut.pipeline; ++stage) {
      if (chunk + stage > 0) drawn += "|";
      const int layers = layers_of_chunk(m, how, cut, stage, chunk).total();
      if (layers > 0) drawn += "t*" + std::to_string(layers);
    }
  drawn += std::string(static_cast<std::size_t>(m.multi_token_prediction_layers), 'm');
  return drawn + "L";
}

inline void write_megatron_layout(const transformer& m, const recipe& how, const parallelism& cut,
                                  nlohmann::json& args) {
  args["tensor-model-parallel-size"] = cut.tensor;
  args["pipeline-model-parallel-size"] = cut.pipeline;
  args["context-parallel-size"] = cut.context;
  if (cut.context > 1)
    args["cp-comm-type"] = cut.exchange == context_exchange::ring ? "p2p" : "a2a";
  if (m.moe.experts > 0) {
    args["expert-model-parallel-size"] = cut.expert;
    args["expert-tensor-parallel-size"] = cut.expert_tensor_ranks();
  }
  args["sequence-parallel"] = how.sequence_parallel && cut.tensor > 1;
  args["use-tp-pp-dp-mapping"] = cut.order == group_order::pipeline_then_data;
  args["micro-batch-size"] = cut.micro_batch_size;
  args["global-batch-size"] = how.global_batch_size;
  if (cut.shard_group > 0)
    args["num-distributed-optimizer-instances"] = cut.replicas() / cut.shard_group;
  const bool equal = how.split.stages() == 0 && m.layers % (cut.pipeline * cut.interleave) == 0;
  const bool drawn = is_hybrid_pattern(m);  // with its stages
  if (drawn) args["hybrid-layer-pattern"] = drawn_hybrid(m, how, cut);
  if (cut.pipeline == 1) return;
  if (!equal && !drawn)
    args["pipeline-model-parallel-layout"] = drawn_pipeline(m, how, cut);
  else if (cut.interleave > 1 && !drawn)
    args["num-virtual-stages-per-pipeline-rank"] = cut.interleave;
  if (how.interleave_group > 0 && cut.interleave > 1)
    args["microbatch-group-size-per-virtual-pipeline-stage"] = how.interleave_group;
}

/// The optimizer, where Megatron-LM has a word for it.
inline void write_megatron_optimizer(optimizer chosen, nlohmann::json& args) {
  const bool plain = chosen == optimizer::sgd;
  const auto name = first_name(megatron_optimizers, plain ? optimizer::momentum : chosen);
  if (!name.empty()) args["optimizer"] = name;
  if (plain) args["sgd-momentum"] = 0;
}

inline void write_megatron_states(const recipe& how, nlohmann::json& args) {
  args["bf16"] = how.precision == precision::mixed_bf16 || how.precision == precision::mixed_fp8 ||
                 how.precision == precision::mixed_nvfp4;
  args["fp16"] = how.precision == precision::mixed_fp16;
  if (how.precision == precision::mixed_fp8) {
    args["fp8-format"] = "hybrid";
    args["fp8-recipe"] = first_name(fp8_recipe_names, how.fp8_recipe);
  }
  if (how.precision == precision::mixed_nvfp4) args["fp4-format"] = "e2m1";
  write_megatron_optimizer(how.optimizer, args);
  const bool sharded = how.zero == zero_stage::gradients || how.zero == zero_stage::parameters;
  args["use-distributed-optimizer"] = how.zero != zero_stage::none;
  if (sharded) {
    args["use-megatron-fsdp"] = true;
    args["data-parallel-sharding-strategy"] = first_name(sharding_strategies, how.zero);
    args["ckpt-format"] = "fsdp_dtensor";
  }
  args["accumulate-allreduce-grads-in-fp32"] = how.gradient == gradient_format::fp32;
  args["grad-reduce-in-bf16"] = how.gradient == gradient_format::bf16;
  const bool smaller = how.moments == moment_format::bf16 || how.moments == moment_format::fp8;
  if (smaller || how.offload == offloaded_states::optimizer)
    args["use-precision-aware-optimizer"] = true;
  if (smaller) {
    args["exp-avg-dtype"] = first_name(megatron_moments, how.moments);
    args["exp-avg-sq-dtype"] = args["exp-avg-dtype"];
  }
  if (how.offload == offloaded_states::optimizer) args["optimizer-cpu-offload"] = true;
}

inline void write_megatron_recompute(const recipe& how, nlohmann::json& args) {
  if (how.recompute == recompute::full) {
    args["recompute-granularity"] = "full";
    args["recompute-method"] = "uniform";
    args["recompute-num-layers"] = how.recompute_every;
    return;
  }
  const bool core = how.recompute == recompute::selective;
  if (!core && how.recompute_modules.bits == 0) return;
  args["recompute-granularity"] = "selective";
  nlohmann::json modules = nlohmann::json::array();
  for (const auto& row : module_names)
    if (how.recomputes(row.value) || (core && row.value == recomputed_module::core_attn))
      modules.push_back(row.name);
  args["recompute-modules"] = modules;
}

inline bool is_on(software_choice chosen, bool usual) {
  return chosen == software_choice::by_framework ? usual : chosen == software_choice::on;
}

inline void write_megatron_kernels(const transformer& m, const recipe& how, const parallelism& cut,
                                   const workspace& beside, nlohmann::json& args) {
  const kernel_memory& kernels = beside.kernels;
  const bool flash = how.attention == attention_kernel::flash;
  args["transformer-impl"] = "transformer_engine";
  args["attention-backend"] = !flash ? "unfused" : kernels.flash_output_copied ? "flash" : "fused";
  args["no-create-attention-mask-in-dataloader"] = !kernels.mask_in_batch;
  // Megatron Core refuses to fuse a squared ReLU with a bias.
  args["no-bias-gelu-fusion"] = !kernels.activation_fused || m.squared_relu;
  args["no-gradient-accumulation-fusion"] = !kernels.head_gradient_fused;
  args["cross-entropy-loss-fusion"] =
      how.loss == loss_kernel::fused || how.loss == loss_kernel::te_fused;
  if (how.loss == loss_kernel::te_fused) args["cross-entropy-fusion-impl"] = "te";
  args["hidden-dropout"] = how.dropout ? 0.1 : 0.0;
  args["attention-dropout"] = how.dropout ? 0.1 : 0.0;
  args["overlap-grad-reduce"] = is_on(how.overlap.data, true);
  args["overlap-param-gather"] = is_on(how.overlap.data, true) && how.zero != zero_stage::none;
  args["tp-comm-overlap"] = cut.tensor > 1 && is_on(how.overlap.tensor, m.moe.experts == 0);
  args["no-overlap-p2p-communication"] = !is_on(how.overlap.pipeline, true);
  if (how.cuda_graphs != cuda_graphs::none) {
    args["cuda-graph-impl"] =
        how.cuda_graphs == cuda_graphs::iteration ? "full_iteration" : "transformer_engine";
    args["te-rng-tracker"] = true;
  }
  if (m.latent.kv_rank > 0) {
    args["no-rope-fusion"] = !how.fuses_latent_rotary();
    args["enable-experimental"] = how.fuses_latent_rotary();
  }
  if (m.moe.experts == 0) return;
  args["moe-grouped-gemm"] = kernels.experts_grouped;
  args["overlap-moe-expert-parallel-comm"] = is_on(how.overlap.expert, false);
  args["moe-shared-expert-overlap"] = how.shared_expert_overlap;
  args["use-transformer-engine-op-fuser"] = how.fuses_experts();
  const bool hybrid = how.dispatcher == expert_dispatcher::hybrid_ep;
  args["moe-token-dispatcher-type"] =
      hybrid ? "flex" : first_name(megatron_dispatchers, how.dispatcher);
  if (hybrid || how.dispatcher == expert_dispatcher::deep_ep)
    args["moe-flex-dispatcher-backend"] = hybrid ? "hybridep" : "deepep";
  if (how.expert_capacity_factor > 0) {
    args["moe-expert-capacity-factor"] = how.expert_capacity_factor;
    args["moe-pad-expert-input-to-capacity"] = true;
  }
}

/// A value as a command line has it.
inline std::string spelled_value(const nlohmann::json& value) {
  if (!value.is_array()) return value.is_string() ? value.get<std::string>() : value.dump();
  std::string all;
  for (const nlohmann::json& one : value) all += (all.empty() ? "" : " ") + spelled_value(one);
  return all;
}

inline std::string quoted_where_needed(const std::string& word) {
  const bool plain = word.find_first_of(" ()|*[]$&;<>\"") == word.npos;
  return plain ? word : "'" + word + "'";
}

}  // namespace detail

/// The arguments of Megatron-LM for a job, by their names without dashes; a switch that is off is
/// false.  What no argument can say is left out: read_megatron of these tells.
inline nlohmann::json write_megatron(const transformer& model, const recipe& how,
                                     const parallelism& cut, const workspace& beside) {
  nlohmann::json args = nlohmann::json::object();
  detail::write_megatron_model(model, how.sequence_length, args);
  detail::write_megatron_layout(model, how, cut, args);
  detail::write_megatron_states(how, args);
  detail::write_megatron_recompute(how, args);
  detail::write_megatron_kernels(model, how, cut, beside, args);
  args["seq-length"] = how.sequence_length;
  return args;
}

/// Those arguments as a shell has them, one a line, each but the last with a backslash after it.
inline std::string megatron_command_line(const nlohmann::json& args) {
  std::string text;
  for (const bridge_field& row : bridge_fields) {
    const auto found = args.find(row.argument);
    if (found == args.end() || *found == false) continue;
    if (!text.empty()) text += " \\\n";
    text += "--" + std::string(row.argument);
    if (*found == true) continue;
    text += found->is_array() ? " " + detail::spelled_value(*found)
                              : " " + detail::quoted_where_needed(detail::spelled_value(*found));
  }
  return text + "\n";
}

/// Those arguments as overrides of Megatron Bridge, one a line.
inline std::string bridge_overrides(const nlohmann::json& args) {
  // Overrides are parsed by Hydra: a list stands in brackets, and has no repetitions.
  const auto as_list = [](const bridge_field& row, nlohmann::json value) -> nlohmann::json {
    if (!value.is_string()) return value;
    const std::string text = value.get<std::string>();
    nlohmann::json list = nlohmann::json::array();
    if (row.argument == "window-size") {
      const auto comma = text.find(',');
      list = {std::stoi(text.substr(0, comma)), std::stoi(text.substr(comma + 1))};
    } else if (row.argument.ends_with("-freq")) {
      for (const char layer : written_out(text)) list.push_back(layer - '0');
    } else {
      return value;
    }
    return list;
  };
  const std::string precision = bridge_precision_name(args);
  std::string text = precision.empty() ? "" : "mixed_precision=" + precision + " \\\n";
  for (const bridge_field& row : bridge_fields) {
    const auto found = args.find(row.argument);
    if (found == args.end() || row.section.empty()) continue;
    if (row.argument == "grad-reduce-in-bf16") continue;  // grad_reduce_in_fp32 says it
    if (row.argument.starts_with("fp8-") || row.argument.starts_with("fp4-"))
      continue;  // mixed_precision says it
    nlohmann::json value = as_list(row, *found);
    if (row.argument == "accumulate-allreduce-grads-in-fp32")
      value = *found == true ||
              !(args.value("grad-reduce-in-bf16", false) || args.value("fp16", false));
    if (row.how == bridged::inverted) value = value == false;
    if (value.is_array())
      value = "[" + [&] {
        std::string list;
        for (const auto& one : value)
          list += (list.empty() ? "" : ",") + detail::spelled_value(one);
        return list;
      }() + "]";
    text += std::string(row.section) + "." + detail::field_of(row) + "=" +
            detail::quoted_where_needed(detail::spelled_value(value)) + " \\\n";
  }
  return text.empty() ? text : text.substr(0, text.size() - 3) + "\n";
}

}  // namespace gpuplan
