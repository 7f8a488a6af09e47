#pragma once
/// \file
/// The fields of a recipe and of a layout, one row each: what JSON, the command line, the help
/// texts, docs/json.md and the refusal of choices without effect are made from.  Rows are in the
/// order in which answers show them.

#include <array>

#include <gpuplan/model/field.hpp>
#include <gpuplan/model/optimizer.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/recipe_names.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/text/lookup.hpp>
#include <gpuplan/units/number_format.hpp>

namespace gpuplan {

/// Conditions under which a field has an effect.
namespace effect {

inline constexpr field_effect with_experts{
    [](const training_setup& of) { return of.transformer.moe.experts > 0; },
    "the model has no experts"};
inline constexpr field_effect with_encoder{
    [](const training_setup& of) { return of.transformer.encoder_layers > 0; },
    "the model has no encoder beside its decoder"};
inline constexpr field_effect with_adapters{
    [](const training_setup& of) { return of.recipe.adapts(); }, "adapter_rank is 0"};
inline constexpr field_effect with_full_recompute{
    [](const training_setup& of) { return of.recipe.recompute == recompute::full; },
    "recompute is not full"};
inline constexpr field_effect with_chunks{
    [](const training_setup& of) { return of.parallelism.interleave > 1; }, "interleave is 1"};
inline constexpr field_effect with_pipeline{
    [](const training_setup& of) { return of.parallelism.pipeline > 1; }, "pipeline is 1",
    idle_value::accepted};
inline constexpr field_effect with_tensor{
    [](const training_setup& of) { return of.parallelism.tensor > 1; }, "tensor is 1",
    idle_value::accepted};
inline constexpr field_effect with_context{
    [](const training_setup& of) { return of.parallelism.context > 1; }, "context is 1",
    idle_value::accepted};
inline constexpr field_effect with_expert_messages{
    [](const training_setup& of) { return of.transformer.moe.experts > 0; },
    "the model has no experts", idle_value::accepted};
inline constexpr field_effect with_shared_experts{
    [](const training_setup& of) { return of.transformer.moe.shared_ffn_size > 0; },
    "the model has no shared experts"};
inline constexpr field_effect with_modules{
    [](const training_setup& of) {
      const module_set asked = of.recipe.recompute_modules;
      const mixture_of_experts& moe = of.transformer.moe;
      const bool of_experts = asked.has(recomputed_module::moe) ||
                              asked.has(recomputed_module::moe_act) ||
                              asked.has(recomputed_module::shared_experts);
      return !(of_experts && moe.experts == 0) &&
             !(asked.has(recomputed_module::shared_experts) && moe.shared_ffn_size == 0) &&
             !(asked.has(recomputed_module::mla_up_proj) && of.transformer.latent.kv_rank == 0);
    },
    "the model lacks one: moe, moe_act and shared_experts need experts, mla_up_proj latent "
    "attention"};
inline constexpr field_effect with_mxfp8_experts{
    [](const training_setup& of) {
      return of.transformer.moe.experts > 0 && of.recipe.precision == precision::mixed_fp8 &&
             of.recipe.fp8_recipe == fp8_recipe::mxfp8;
    },
    "the model has no experts, or fp8_recipe is not mxfp8"};
inline constexpr field_effect with_latents{
    [](const training_setup& of) {
      return of.transformer.latent.kv_rank > 0 &&
             of.recipe.framework == framework::transformer_engine;
    },
    "the model has no latent attention, or framework is not transformer_engine"};
inline constexpr field_effect with_data{
    [](const training_setup& of) { return of.parallelism.data * of.parallelism.context > 1; },
    "data and context are 1", idle_value::accepted};
inline constexpr field_effect with_reduced_gradients{
    [](const training_setup& of) {
      const bool has_experts = of.transformer.moe.experts > 0;
      return of.parallelism.replicas() > 1 || (has_experts && of.parallelism.expert_replicas() > 1);
    },
    "no two ranks reduce gradients", idle_value::accepted};
inline constexpr field_effect with_sent_chunks{[](const training_setup& of) {
                                                 return of.parallelism.pipeline > 1 &&
                                                        of.parallelism.interleave > 1;
                                               },
                                               "pipeline or interleave is 1", idle_value::accepted};
inline constexpr field_effect with_fp8{
    [](const training_setup& of) { return of.recipe.precision == precision::mixed_fp8; },
    "precision is not fp8"};
inline constexpr field_effect with_4_bit_base{
    [](const training_setup& of) {
      const base_weights base = of.recipe.adapters.base;
      return of.recipe.adapts() && (base == base_weights::int4 || base == base_weights::nf4);
    },
    "base_weights is not int4 or nf4"};
inline constexpr field_effect with_moments{
    [](const training_setup& of) {
      const optimizer_rule& rule = rule_of(of.recipe.optimizer);
      return rule.states == state_storage::by_precision && rule.other_states == 2;
    },
    "the optimizer does not keep two moments a weight"};
inline constexpr field_effect with_two_outer_axes{
    [](const training_setup& of) { return of.parallelism.pipeline > 1 && of.parallelism.data > 1; },
    "pipeline or data is 1", idle_value::accepted};

}  // namespace effect

namespace detail {

/// The value that has the name of a number format.
template <class Names>
double value_of_format(number_format format, const Names& names) {
  return static_cast<double>(find_spelling(spelled(number_format_names, format), names)->value);
}

}  // namespace detail

/// A choice of message_overlap.
template <auto Which>
constexpr auto overlap_field() {
  return choice_field<software_choice_names, &recipe::overlap, Which>();
}

inline constexpr std::array recipe_fields{
    field<recipe>{.key = "sequence_length",
                  .option = "--sequence,--sequence-length,--seq,--seq-length",
                  .value = count_field<&recipe::sequence_length>(1),
                  .help = "Tokens of one sequence",
                  .usual = "2048, or fewer where the model has fewer positions"},
    field<recipe>{.key = "encoder_sequence_length",
                  .option = "--encoder-sequence,--encoder-sequence-length",
                  .value = count_field<&recipe::encoder_sequence_length>(0),
                  .help = "Tokens of one sequence of the encoder",
                  .usual = "as the decoder's",
                  .effect = effect::with_encoder},
    field<recipe>{.key = "global_batch_size",
                  .option = "--batch,--global-batch-size,--gbs",
                  .value = count_field<&recipe::global_batch_size>(1),
                  .help = "Sequences of one optimizer step",
                  .usual = "data x micro-batch x pipeline"},
    field<recipe>{.key = "precision",
                  .option = "--precision",
                  .value = choice_field<precision_names, &recipe::precision>(),
                  .help = "Number formats; bf16 means mixed_bf16, with FP32 master weights",
                  .usual = "mixed_bf16, or what the GPU has"},
    field<recipe>{.key = "optimizer",
                  .option = "--optimizer",
                  .value = choice_field<optimizer_names, &recipe::optimizer>(),
                  .help = "Rule that updates the weights"},
    field<recipe>{.key = "gradient_dtype",
                  .option = "--gradients,--gradient-dtype",
                  .value = choice_field<gradient_names, &recipe::gradient>(),
                  .help = "Format of accumulated gradients",
                  .shown =
                      [](const recipe& how) {
                        return detail::value_of_format(gradient_storage(how), gradient_names);
                      }},
    field<recipe>{.key = "reduce_dtype",
                  .option = "--reduce-dtype",
                  .value = choice_field<reduction_names, &recipe::reduction>(),
                  .help = "Format in which data-parallel ranks reduce gradients",
                  .usual = "that of gradient_dtype if given, else the framework's",
                  .seldom = true,
                  .effect = effect::with_reduced_gradients,
                  .shown =
                      [](const recipe& how) {
                        return detail::value_of_format(gradient_reduction(how), reduction_names);
                      }},
    field<recipe>{.key = "zero",
                  .option = "--zero",
                  .value = choice_field<zero_names, &recipe::zero>(field_kind::level),
                  .help = "What data-parallel ranks divide: 1 optimizer states, 2 gradients too, 3 "
                          "weights too (FSDP)"},
    field<recipe>{.key = "recompute",
                  .option = "--recompute",
                  .value = choice_field<recompute_names, &recipe::recompute>(),
                  .help = "What the backward pass computes again instead of keeping"},
    field<recipe>{.key = "recompute_every",
                  .option = "--recompute-every",
                  .value = count_field<&recipe::recompute_every>(1),
                  .help = "Layers of one block of full recomputation",
                  .effect = effect::with_full_recompute},
    field<recipe>{.key = "sequence_parallel",
                  .option = "--sequence-parallel",
                  .value = flag_field<&recipe::sequence_parallel>(),
                  .help = "Tensor-parallel ranks divide the tokens of what they would replicate",
                  .effect = effect::with_tensor},
    field<recipe>{.key = "attention",
                  .option = "--attention",
                  .value = choice_field<attention_names, &recipe::attention>(),
                  .help = "Attention kernel"},
    field<recipe>{.key = "dropout",
                  .option = "--dropout",
                  .value = flag_field<&recipe::dropout>(field_kind::flag_or_probability),
                  .help = "Whether a mask is kept beside each place that drops"},
    field<recipe>{.key = "schedule",
                  .option = "--schedule",
                  .value = choice_field<schedule_names, &recipe::schedule>(),
                  .help = "Order of forward and backward passes in a pipeline; interleaved is 1f1b "
                          "with interleave of 2 or more",
                  .effect = effect::with_pipeline},
    field<recipe>{.key = "layer_split",
                  .option = "--layer-split",
                  .value = stages_field<&recipe::split>(layer_split::most_layers),
                  .help = "Layers of each pipeline stage, as 9,8,8,7",
                  .usual = "equal"},
    field<recipe>{.key = "loss",
                  .option = "--loss",
                  .value = choice_field<loss_names, &recipe::loss>(),
                  .help = "How the loss treats the logits"},
    field<recipe>{.key = "replicated_logits",
                  .option = "--replicated-logits",
                  .value = flag_field<&recipe::replicated_logits>(),
                  .help = "Tensor-parallel ranks gather the logits before the loss",
                  .seldom = true,
                  .effect = effect::with_tensor},
    field<recipe>{.key = "weights",
                  .option = "--weights",
                  .value = choice_field<weight_storage_names, &recipe::weights>(),
                  .help = "What the weights of a mixed precision are kept as"},
    field<recipe>{.key = "adam_moments",
                  .option = "--adam-moments",
                  .value = choice_field<moment_names, &recipe::moments>(),
                  .help = "Format of Adam's moments",
                  .seldom = true,
                  .effect = effect::with_moments},
    field<recipe>{.key = "activation_storage",
                  .option = "--activation-storage",
                  .value = choice_field<activation_storage_names, &recipe::stored>(),
                  .help = "Format of what layers keep for the backward pass",
                  .seldom = true,
                  .effect = effect::with_fp8},
    field<recipe>{.key = "gradients_live",
                  .option = "--gradients-live",
                  .value = choice_field<gradient_lifetime_names, &recipe::gradients_live>(),
                  .help = "When accumulated gradients occupy memory"},
    field<recipe>{.key = "framework",
                  .option = "--framework",
                  .value = choice_field<framework_names, &recipe::framework>(),
                  .help = "Software whose kernels and overlap are assumed"},
    field<recipe>{.key = "interleave_group",
                  .option = "--interleave-group",
                  .value = count_field<&recipe::interleave_group>(0),
                  .help = "Micro-batches that a rank runs on one chunk in turn; 0: pipeline",
                  .seldom = true,
                  .effect = effect::with_chunks},
    field<recipe>{.key = "expert_imbalance",
                  .option = "--expert-imbalance",
                  .value = number_field<&recipe::expert_imbalance>(1, 1e6),
                  .help = "Tokens of the fullest expert rank over the mean",
                  .seldom = true,
                  .effect = effect::with_experts},
    field<recipe>{.key = "expert_capacity_factor",
                  .option = "--expert-capacity-factor",
                  .value = number_field<&recipe::expert_capacity_factor>(0, 1e6),
                  .help = "Tokens that an expert takes over the mean; more are dropped; 0: all",
                  .seldom = true,
                  .effect = effect::with_experts},
    field<recipe>{.key = "dispatcher",
                  .option = "--dispatcher",
                  .value = choice_field<dispatcher_names, &recipe::dispatcher>(),
                  .help = "How tokens are sent to experts",
                  .seldom = true,
                  .effect = effect::with_experts},
    field<recipe>{.key = "shared_expert_overlap",
                  .option = "--shared-expert-overlap",
                  .value = flag_field<&recipe::shared_expert_overlap>(),
                  .help = "Shared experts work while tokens are on their way",
                  .seldom = true,
                  .effect = effect::with_shared_experts},
    field<recipe>{.key = "expert_fusion",
                  .option = "--expert-fusion",
                  .value = choice_field<software_choice_names, &recipe::expert_fusion>(),
                  .help = "Activation and FP8 cast fused into the GEMMs of experts (MXFP8 only)",
                  .seldom = true,
                  .effect = effect::with_mxfp8_experts},
    field<recipe>{.key = "latent_rotary_fusion",
                  .option = "--latent-rotary-fusion",
                  .value = choice_field<software_choice_names, &recipe::latent_rotary_fusion>(),
                  .help = "Fused kernels for the rotary embedding of latent attention (YaRN only)",
                  .seldom = true,
                  .effect = effect::with_latents},
    field<recipe>{.key = "overlap.data",
                  .option = "--overlap-data",
                  .value = overlap_field<&message_overlap::data>(),
                  .help = "Gradients and weights of replicas run beside computing",
                  .seldom = true,
                  .effect = effect::with_data},
    field<recipe>{.key = "overlap.tensor",
                  .option = "--overlap-tensor",
                  .value = overlap_field<&message_overlap::tensor>(),
                  .help = "Messages of tensor ranks run beside products",
                  .seldom = true,
                  .effect = effect::with_tensor},
    field<recipe>{.key = "overlap.pipeline",
                  .option = "--overlap-pipeline",
                  .value = overlap_field<&message_overlap::pipeline>(),
                  .help = "Activations of interleaved chunks are sent beside computing",
                  .seldom = true,
                  .effect = effect::with_sent_chunks},
    field<recipe>{.key = "overlap.expert",
                  .option = "--overlap-expert",
                  .value = overlap_field<&message_overlap::expert>(),
                  .help = "Messages of experts run beside another micro-batch's work",
                  .seldom = true,
                  .effect = effect::with_expert_messages},
    field<recipe>{.key = "cuda_graphs",
                  .option = "--cuda-graphs",
                  .value = choice_field<graph_names, &recipe::cuda_graphs>(),
                  .help = "What CUDA graphs launch in place of the host",
                  .seldom = true},
    field<recipe>{.key = "recompute_modules",
                  .option = "--recompute-modules",
                  .value = set_field<module_names, &recipe::recompute_modules, &module_set::bits>(),
                  .help = "Parts of a layer that the backward pass computes again",
                  .usual = "none beside those of recompute",
                  .seldom = true,
                  .effect = effect::with_modules},
    field<recipe>{.key = "fp8_recipe",
                  .option = "--fp8-recipe",
                  .value = choice_field<fp8_recipe_names, &recipe::fp8_recipe>(),
                  .help = "How values are scaled before they are cast to 8 bits",
                  .seldom = true,
                  .effect = effect::with_fp8},
    field<recipe>{
        .key = "gradient_accumulation_fusion",
        .option = "--gradient-accumulation-fusion",
        .value = choice_field<software_choice_names, &recipe::gradient_accumulation_fusion>(),
        .help = "Products of weight gradients add to the accumulated ones",
        .seldom = true},
    field<recipe>{.key = "power_limit_w",
                  .option = "--power-limit",
                  .value = quantity_field<&recipe::power_limit>(field_unit::watt, 1, 1e6),
                  .help = "Power limit of one GPU",
                  .usual = "its thermal design power",
                  .seldom = true},
    field<recipe>{.key = "adapter_rank",
                  .option = "--adapter-rank,--lora-rank",
                  .value = count_field<&recipe::adapters, &adapters::rank>(0),
                  .help = "Rank of LoRA adapters beside frozen weights; 0: all is trained",
                  .seldom = true},
    field<recipe>{.key = "adapter_place",
                  .option = "--adapter-place",
                  .value = choice_field<adapter_place_names, &recipe::adapters, &adapters::place>(),
                  .help = "Which linear maps have adapters",
                  .seldom = true,
                  .effect = effect::with_adapters},
    field<recipe>{
        .key = "adapter_maps",
        .option = "--adapter-maps",
        .value = set_field<adapted_map_names, &recipe::adapters, &adapters::maps, &map_set::bits>(),
        .help = "Linear maps that have an adapter each, in place of adapter_place",
        .usual = "none: as adapter_place says",
        .seldom = true,
        .effect = effect::with_adapters},
    field<recipe>{.key = "base_weights",
                  .option = "--base-weights",
                  .value = choice_field<base_weights_names, &recipe::adapters, &adapters::base>(),
                  .help = "Format of the frozen matrices beside adapters: nf4 as QLoRA keeps "
                          "them, int4 as GPTQ",
                  .seldom = true,
                  .effect = effect::with_adapters},
    field<recipe>{
        .key = "base_weights_block",
        .option = "--base-weights-block",
        .value = count_field<&recipe::adapters, &adapters::blocks, &weight_blocks::size>(1),
        .help = "4-bit weights that share one scale",
        .seldom = true,
        .effect = effect::with_4_bit_base},
    field<recipe>{
        .key = "double_quantization",
        .option = "--double-quantization",
        .value =
            flag_field<&recipe::adapters, &adapters::blocks, &weight_blocks::double_quantization>(),
        .help = "Scales of 4-bit weights are kept in 8 bits",
        .seldom = true,
        .effect = effect::with_4_bit_base},
    field<recipe>{.key = "trained_beside_adapters",
                  .option = "--trained-beside-adapters",
                  .value = set_field<trained_table_names, &recipe::adapters,
                                     &adapters::trained_tables, &table_set::bits>(),
                  .help = "Tables that are trained in full beside adapters",
                  .usual = "none",
                  .seldom = true,
                  .effect = effect::with_adapters},
    field<recipe>{.key = "reference_model",
                  .option = "--reference-model",
                  .value = choice_field<reference_model_names, &recipe::reference>(),
                  .help =
                      "Second, frozen model whose log-probabilities the loss needs (DPO); none, "
                      "or precomputed, where they are computed before",
                  .seldom = true},
    field<recipe>{.key = "sequences_per_sample",
                  .option = "--sequences-per-sample",
                  .value = count_field<&recipe::sequences_per_sample>(1),
                  .help = "Sequences that a micro-batch holds together; 2: chosen and rejected",
                  .seldom = true},
    field<recipe>{.key = "offload",
                  .option = "--offload",
                  .value = choice_field<offload_names, &recipe::offload>(),
                  .help = "Model states in the host's memory",
                  .seldom = true},
    field<recipe>{.key = "offloaded_activations",
                  .option = "--offload-activations,--offloaded-activations",
                  .value = number_field<&recipe::offloaded_activations>(0, 1),
                  .help = "Part of the kept activations that waits in the host's memory",
                  .seldom = true}};

inline constexpr std::array parallelism_fields{
    field<parallelism>{.key = "data",
                       .option = "--data,--dp,--data-parallel",
                       .value = count_field<&parallelism::data>(1),
                       .help = "Replicas that share the batch"},
    field<parallelism>{.key = "tensor",
                       .option = "--tensor,--tp,--tensor-parallel",
                       .value = count_field<&parallelism::tensor>(1),
                       .help = "Ranks that share each matrix"},
    field<parallelism>{.key = "pipeline",
                       .option = "--pipeline,--pp,--pipeline-parallel",
                       .value = count_field<&parallelism::pipeline>(1),
                       .help = "Stages of layers"},
    field<parallelism>{.key = "context",
                       .option = "--context,--cp,--context-parallel",
                       .value = count_field<&parallelism::context>(1),
                       .help = "Ranks that share each sequence"},
    field<parallelism>{.key = "expert",
                       .option = "--expert,--ep,--expert-parallel",
                       .value = count_field<&parallelism::expert>(1),
                       .help = "Ranks that share the experts of a layer"},
    field<parallelism>{.key = "interleave",
                       .option = "--interleave,--vpp,--virtual-pipeline",
                       .value = count_field<&parallelism::interleave>(1),
                       .help = "Chunks of layers on each pipeline rank"},
    field<parallelism>{.key = "micro_batch_size",
                       .option = "--micro-batch,--micro-batch-size,--mbs",
                       .value = count_field<&parallelism::micro_batch_size>(1),
                       .help = "Sequences of one forward pass"},
    field<parallelism>{
        .key = "expert_tensor",
        .option = "--expert-tensor,--etp",
        .value = count_field<&parallelism::expert_tensor>(0),
        .help = "Tensor-parallel ranks within an expert; 0: as tensor",
        .seldom = true,
        .shown =
            [](const parallelism& cut) { return static_cast<double>(cut.expert_tensor_ranks()); }},
    field<parallelism>{
        .key = "shard_group",
        .option = "--shard-group",
        .value = count_field<&parallelism::shard_group>(0),
        .help = "Ranks that share what ZeRO divides; 0: all of data x context",
        .seldom = true,
        .shown = [](const parallelism& cut) { return static_cast<double>(cut.shards()); }},
    field<parallelism>{.key = "context_exchange",
                       .option = "--context-exchange",
                       .value = choice_field<exchange_names, &parallelism::exchange>(),
                       .help = "How ranks that share a sequence attend to all of it; all_to_all is "
                               "Ulysses",
                       .seldom = true,
                       .effect = effect::with_context},
    field<parallelism>{.key = "group_order",
                       .option = "--group-order",
                       .value = choice_field<order_names, &parallelism::order>(),
                       .help =
                           "What follows tensor, context and expert in the numbers of ranks; the "
                           "last lies farthest apart",
                       .seldom = true,
                       .effect = effect::with_two_outer_axes}};

}  // namespace gpuplan
