#pragma once
/// \file
/// The recipe and the layout that arguments of Megatron-LM describe.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/launch/arguments.hpp>
#include <gpuplan/launch/launch_job.hpp>
#include <gpuplan/launch/megatron_layers.hpp>
#include <gpuplan/launch/megatron_pieces.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/recipe_names.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/text/lookup.hpp>

namespace gpuplan {

/// The ranks of each axis, and the replicas that the GPUs leave room for.
///
///     micro_batch_size  where no argument says it; 0: it must
///
/// \throws invalid_input naming the argument, or if the ranks do not divide the GPUs
inline parallelism read_megatron_layout(const launch_arguments& args, int gpus,
                                        int micro_batch_size = 0) {
  const auto micro_batch = args.whole("micro-batch-size", 1);
  parallelism cut{.tensor = args.whole_or("tensor-model-parallel-size", 1, 1),
                  .pipeline = args.whole_or("pipeline-model-parallel-size", 1, 1),
                  .context = args.whole_or("context-parallel-size", 1, 1),
                  .expert = args.whole_or("expert-model-parallel-size", 1, 1),
                  .micro_batch_size = micro_batch.value_or(micro_batch_size),
                  .expert_tensor = args.whole_or("expert-tensor-parallel-size", 0)};
  if (cut.micro_batch_size == 0) args.refuse("micro-batch-size", "is missing");
  if (gpus == 0 && args.has("nproc-per-node")) {
    const double told = 1.0 * args.needed("nproc-per-node") * args.whole_or("nnodes", 1, 1);
    if (told > launch_arguments::largest)
      args.refuse("nproc-per-node", "times " + args.shown_as("nnodes") +
                                        " must be <= " + std::to_string(launch_arguments::largest));
    gpus = static_cast<int>(told);
  }
  cut.data = replicas_on(gpus, cut, args.where());
  if (cut.expert_tensor == cut.tensor) cut.expert_tensor = 0;
  const std::vector<std::string> exchange = args.words("cp-comm-type");
  if (!exchange.empty() && exchange.front() == "a2a") cut.exchange = context_exchange::all_to_all;
  if (args.flag("use-tp-pp-dp-mapping")) cut.order = group_order::pipeline_then_data;
  if (const auto instances = args.whole("num-distributed-optimizer-instances", 1))
    if (*instances > 1) cut.shard_group = static_cast<int>(cut.replicas() / *instances);
  return cut;
}

namespace detail {

inline constexpr auto megatron_optimizers = std::to_array<named<optimizer>>(
    {{"adam", optimizer::adamw},
     {"muon", optimizer::muon},
     {"dist_muon", optimizer::muon},
     {"sgd", optimizer::momentum},  // its --sgd-momentum is 0.9 unless said
     {"lion", optimizer::lion}});

/// Formats of FP8: all are of 1 B, so that memory and time are alike.
inline constexpr auto megatron_fp8_formats = std::to_array<named<precision>>(
    {{"hybrid", precision::mixed_fp8}, {"e4m3", precision::mixed_fp8}});

/// Products in FP4, whose one format and recipe Megatron-LM has.
///
/// Source: NVIDIA, Megatron-LM, megatron/training/arguments.py, --fp4-format (2026).
inline constexpr auto megatron_fp4_formats =
    std::to_array<named<precision>>({{"e2m1", precision::mixed_nvfp4}});
inline constexpr auto megatron_fp4_recipes =
    std::to_array<named<precision>>({{"nvfp4", precision::mixed_nvfp4}});

inline precision megatron_precision(const launch_arguments& args) {
  const bool bf16 = args.flag("bf16");
  const bool fp16 = args.flag("fp16");
  if (bf16 && fp16) args.refuse("fp16", "contradicts " + args.shown_as("bf16"));
  if (args.has("fp4-format")) {
    if (args.has("fp8-format"))
      args.refuse("fp4-format", "contradicts " + args.shown_as("fp8-format"));
    static_cast<void>(args.choice("fp4-recipe", "nvfp4", megatron_fp4_recipes));
    return args.choice("fp4-format", "e2m1", megatron_fp4_formats);
  }
  if (args.has("fp8-format")) return args.choice("fp8-format", "hybrid", megatron_fp8_formats);
  if (bf16) return precision::mixed_bf16;
  return fp16 ? precision::mixed_fp16 : precision::fp32;
}

/// Gradients are accumulated in FP32 beside BF16 weights and in FP16 beside FP16 ones, unless told.
inline gradient_format megatron_gradient(const launch_arguments& args) {
  const bool in_bf16 = args.flag("grad-reduce-in-bf16");
  const bool in_fp32 = args.flag("accumulate-allreduce-grads-in-fp32");
  const bool smaller = in_bf16 && !args.flag("fp16");
  if (args.text("main-grads-dtype") == "bf16" || smaller) return gradient_format::bf16;
  return in_fp32 ? gradient_format::fp32 : gradient_format::by_precision;
}

inline constexpr auto sharding_strategies =
    std::to_array<named<zero_stage>>({{"no_shard", zero_stage::none},
                                      {"optim", zero_stage::optimizer},
                                      {"optim_grads", zero_stage::gradients},
                                      {"optim_grads_params", zero_stage::parameters}});

/// Megatron-FSDP divides as its strategy says, the distributed optimizer states alone.
inline zero_stage megatron_zero(const launch_arguments& args) {
  const bool divided = args.flag("use-distributed-optimizer");
  if (args.flag("use-megatron-fsdp"))
    return args.choice("data-parallel-sharding-strategy", "optim_grads_params",
                       sharding_strategies);
  if (args.flag("use-torch-fsdp2")) return zero_stage::parameters;
  return divided ? zero_stage::optimizer : zero_stage::none;
}

inline void read_recomputed_modules(const launch_arguments& args, recipe& how, launch_job& said) {
  how.recompute = recompute::none;
  for (const std::string& word : args.words("recompute-modules")) {
    const auto* found = find_spelling(word, module_names);
    if (found == nullptr) {
      said.not_modelled.push_back(args.shown_as("recompute-modules") + " " + shown_name(word));
    } else if (found->value == recomputed_module::core_attn) {
      how.recompute = recompute::selective;
    } else {
      how.recompute_modules.bits |= static_cast<unsigned>(found->value);
    }
  }
}

inline constexpr auto megatron_granularities = std::to_array<named<recompute>>(
    {{"none", recompute::none}, {"selective", recompute::selective}, {"full", recompute::full}});

inline void read_megatron_recompute(const launch_arguments& args, recipe& how, launch_job& said) {
  how.recompute = args.choice("recompute-granularity",
                              args.flag("recompute-activations") ? "selective" : "none",
                              megatron_granularities);
  const int every = args.whole_or("recompute-num-layers", 1, 1);
  const std::string method = args.text("recompute-method", "uniform");
  const bool modules = args.has("recompute-modules");
  if (how.recompute == recompute::selective && modules) read_recomputed_modules(args, how, said);
  if (how.recompute != recompute::full) return;
  how.recompute_every = every;
  if (method == "uniform") return;
  how.recompute_every = 1;
  said.not_modelled.push_back(args.shown_as("recompute-method") + " " + shown_name(method) +
                              ": every layer is taken to be recomputed");
}

/// The pieces that an expression of layers draws.
inline void cut_as_drawn(const launch_arguments& args, const std::string& layout,
                         const transformer& m, recipe& how, parallelism& cut) {
  constexpr const char* name = "pipeline-model-parallel-layout";
  const std::vector<int> pieces = args.in_argument(name, [&] { return layers_of_pieces(layout); });
  if (pieces.size() % static_cast<std::size_t>(cut.pipeline) != 0)
    args.refuse(name, "does not fit the stages");
  args.in_argument(name, [&] { cut_into_pieces(pieces, m, how, cut); });
}

/// Chunks of a pipeline rank, and the layers of each stage where they are not equal.
inline void cut_megatron_pipeline(const launch_arguments& args, const transformer& m, recipe& how,
                                  parallelism& cut) {
  const int p = cut.pipeline;
  const int layers = m.layers;
  if (p > layer_split::most_stages) args.refuse("pipeline-model-parallel-size", "must be <= 128");
  const int first = args.whole_or("decoder-first-pipeline-num-layers", 0);
  const int last = args.whole_or("decoder-last-pipeline-num-layers", 0);
  const bool embedding = args.flag("account-for-embedding-in-pipeline-split");
  const bool head = args.flag("account-for-loss-in-pipeline-split");
  const auto chunks = args.whole("num-virtual-stages-per-pipeline-rank", 1);
  const auto chunk = args.whole("num-layers-per-virtual-pipeline-stage", 1);
  if (const std::string layout = args.text("pipeline-model-parallel-layout"); !layout.empty())
    return cut_as_drawn(args, layout, m, how, cut);

  std::vector<int> split;
  if (embedding || head)
    split = args.in_argument(embedding ? "account-for-embedding-in-pipeline-split"
                                       : "account-for-loss-in-pipeline-split",
                             [&] { return balanced_ends(layers, p, embedding, head); });
  if (first > 0 || last > 0) split = given_stages(args, layers, p, first, last);
  if (!split.empty()) how.split = args.in_file([&] { return layer_split{split}; });
  cut.interleave = chunks.value_or(1);
  const int ends = (embedding ? 1 : 0) + (head ? 1 : 0);
  if (chunk) cut.interleave = chunks_of_layers(args, layers + ends, p, *chunk);
}

/// Whether the framework's own layers are used, not those of Transformer Engine.
inline bool made_locally(const launch_arguments& args) {
  const bool spec = args.text("spec") == "local";
  return args.text("transformer-impl") == "local" || spec;
}

inline constexpr auto megatron_backends =
    std::to_array<named<attention_kernel>>({{"flash", attention_kernel::flash},
                                            {"fused", attention_kernel::flash},
                                            {"unfused", attention_kernel::unfused},
                                            {"local", attention_kernel::unfused},
                                            {"auto", attention_kernel::flash}});

/// The kernel of a named backend; without one, flash where Transformer Engine makes the layers.
///
/// Source: NVIDIA, Megatron-LM, megatron/core/transformer/enums.py, AttnBackend (2026).
inline attention_kernel megatron_attention(const launch_arguments& args) {
  const attention_kernel named = args.choice("attention-backend", "auto", megatron_backends);
  const bool chosen = args.text("attention-backend", "auto") != "auto";
  if (args.flag("use-flash-attn")) return attention_kernel::flash;
  return chosen || !made_locally(args) ? named : attention_kernel::unfused;
}

inline software_choice on_or_off(bool is_on) {
  return is_on ? software_choice::on : software_choice::off;
}

/// What runs beside what: of time alone.
inline void read_megatron_overlap(const launch_arguments& args, recipe& how) {
  how.overlap.data = on_or_off(args.flag("overlap-grad-reduce"));
  static_cast<void>(args.flag("overlap-param-gather"));
  how.overlap.tensor = on_or_off(args.flag("tp-comm-overlap"));
  how.overlap.expert = on_or_off(args.flag("overlap-moe-expert-parallel-comm"));
  if (args.flag("no-overlap-p2p-communication")) how.overlap.pipeline = software_choice::off;
  how.shared_expert_overlap = args.flag("moe-shared-expert-overlap");
  const bool fuses = args.flag("use-transformer-engine-op-fuser");
  if (args.whole_or("num-experts", 0) > 0) how.expert_fusion = on_or_off(fuses);
  const bool rotates_at_once = !args.flag("no-rope-fusion");  // of latents an experiment
  const bool experiments = args.flag("enable-experimental");
  if (args.flag("multi-latent-attention"))
    how.latent_rotary_fusion = on_or_off(rotates_at_once && experiments);
}

inline constexpr auto megatron_dispatchers =
    std::to_array<named<expert_dispatcher>>({{"allgather", expert_dispatcher::all_gather},
                                             {"alltoall", expert_dispatcher::all_to_all},
                                             {"flex", expert_dispatcher::deep_ep}});

inline void read_megatron_dispatch(const launch_arguments& args, recipe& how) {
  how.dispatcher = args.choice("moe-token-dispatcher-type", "allgather", megatron_dispatchers);
  const std::string backend = args.text("moe-flex-dispatcher-backend");
  if (how.dispatcher == expert_dispatcher::deep_ep && backend == "hybridep")
    how.dispatcher = expert_dispatcher::hybrid_ep;
  how.expert_capacity_factor = args.number_or("moe-expert-capacity-factor", 0);
  if (!(how.expert_capacity_factor >= 0 && how.expert_capacity_factor <= 1e6))
    args.refuse("moe-expert-capacity-factor", "must be 0 to 1e6");
}

inline constexpr auto megatron_moments =
    std::to_array<named<moment_format>>({{"fp32", moment_format::by_precision},
                                         {"bf16", moment_format::bf16},
                                         {"fp8", moment_format::fp8}});

inline void read_megatron_states(const launch_arguments& args, recipe& how, launch_job& said) {
  how.optimizer = args.choice("optimizer", "adam", megatron_optimizers);
  // Without momentum SGD keeps no state.
  if (args.number_or("sgd-momentum", 0.9) == 0 && how.optimizer == optimizer::momentum)
    how.optimizer = optimizer::sgd;
  const std::string mean = args.text("exp-avg-dtype", "fp32");
  const std::string square = args.text("exp-avg-sq-dtype", "fp32");
  if (mean == square)
    how.moments = args.choice("exp-avg-dtype", "fp32", megatron_moments);
  else
    said.not_modelled.push_back(args.shown_as("exp-avg-dtype") + " " + mean + " beside " +
                                args.shown_as("exp-avg-sq-dtype") + " " + square);
  if (const std::string kept = args.text("main-params-dtype", "fp32"); kept != "fp32")
    said.not_modelled.push_back(args.shown_as("main-params-dtype") + " " + kept);
  if (!args.flag("optimizer-cpu-offload")) return;
  const double on_host = args.number_or("optimizer-offload-fraction", 1);
  if (on_host == 1)
    how.offload = offloaded_states::optimizer;
  else
    said.not_modelled.push_back(args.shown_as("optimizer-cpu-offload") + " with " +
                                args.shown_as("optimizer-offload-fraction") + " " +
                                nlohmann::json(on_host).dump() +
                                ": all of the optimizer is taken to stay on the GPU");
}

inline loss_kernel megatron_loss(const launch_arguments& args) {
  const bool te = args.text("cross-entropy-fusion-impl") == "te";
  if (!args.flag("cross-entropy-loss-fusion")) return loss_kernel::in_place;
  return te ? loss_kernel::te_fused : loss_kernel::fused;
}

inline constexpr auto megatron_graphs =
    std::to_array<named<cuda_graphs>>({{"none", cuda_graphs::none},
                                       {"local", cuda_graphs::fixed_shapes},
                                       {"transformer_engine", cuda_graphs::fixed_shapes},
                                       {"full_iteration", cuda_graphs::iteration}});

/// The batch: --global-batch-size, the last of a schedule, or one micro-batch of each replica.
inline int megatron_batch(const launch_arguments& args, const parallelism& cut, launch_job& said) {
  const std::string schedule = args.text("step-batch-size-schedule");
  if (const auto given = args.whole("global-batch-size", 1)) return *given;
  if (const std::size_t colon = schedule.rfind(':'); colon != schedule.npos) {
    const nlohmann::json last = number_from(std::string_view(schedule).substr(colon + 1));
    if (last.is_number_integer() && last.get<double>() >= 1 && last.get<double>() <= 1e9) {
      said.assumed.push_back("global batch " + last.dump() + ": the last of the schedule");
      return last.get<int>();
    }
    args.refuse("step-batch-size-schedule", "must end with a batch, as 0:384 200B:768");
  }
  return static_cast<int>(
      std::min<double>(double{launch_arguments::largest}, double(cut.data) * cut.micro_batch_size));
}

}  // namespace detail

/// The recipe, with the defaults of Megatron-LM where an argument is absent; but for the layers of
/// each stage, which cut_megatron_pipeline reads.
///
///     sequence_length  where no argument says it; 0: one must
///
/// \throws invalid_input naming the argument
inline recipe read_megatron_recipe(const launch_arguments& args, const transformer& model,
                                   const parallelism& cut, launch_job& said,
                                   int sequence_length = 0) {
  const bool both = model.encoder_layers > 0;
  auto length = args.whole(args.has("seq-length") ? "seq-length" : "encoder-seq-length", 1);
  if (!length && sequence_length > 0) length = sequence_length;
  const auto decoded = args.whole("decoder-seq-length", 1);
  if (!length) args.refuse("seq-length", "is missing");
  recipe how{.global_batch_size = detail::megatron_batch(args, cut, said),
             .sequence_length = both ? decoded.value_or(*length) : *length,
             .encoder_sequence_length = both ? *length : 0,
             .precision = detail::megatron_precision(args),
             .gradient = detail::megatron_gradient(args),
             .zero = detail::megatron_zero(args),
             .attention = detail::megatron_attention(args),
             .sequence_parallel = args.flag("sequence-parallel") && cut.tensor > 1,
             .dropout = args.number_or("hidden-dropout", 0.1) > 0,
             .loss = detail::megatron_loss(args)};
  if (args.has("fp8-recipe"))
    how.fp8_recipe = args.choice("fp8-recipe", "delayed", fp8_recipe_names);
  if (args.flag("no-gradient-accumulation-fusion"))
    how.gradient_accumulation_fusion = software_choice::off;
  how.interleave_group = args.whole_or("microbatch-group-size-per-virtual-pipeline-stage", 0);
  how.cuda_graphs = args.choice("cuda-graph-impl", "none", detail::megatron_graphs);
  if (how.cuda_graphs != cuda_graphs::none)
    said.not_modelled.push_back(args.shown_as("cuda-graph-impl") + ": the memory of its graphs");
  detail::read_megatron_states(args, how, said);
  detail::read_megatron_recompute(args, how, said);
  detail::read_megatron_overlap(args, how);
  if (model.moe.experts > 0) detail::read_megatron_dispatch(args, how);
  return how;
}

}  // namespace gpuplan
