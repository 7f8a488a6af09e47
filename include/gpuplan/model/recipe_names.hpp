#pragma once
/// \file
/// The choices of a recipe and a layout by the names that people and programs write.  Of several
/// names of one value, the first is the one to print.

#include <array>
#include <cstddef>

#include <gpuplan/model/framework.hpp>
#include <gpuplan/model/optimizer.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/precision.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/text/lookup.hpp>
#include <gpuplan/units/number_format.hpp>

namespace gpuplan {

/// "bf16" alone is what people call mixed precision with BF16; without a master copy it is
/// "pure_bf16".
inline constexpr auto precision_names = std::to_array<named<precision>>({
    {"fp32", precision::fp32},
    {"tf32", precision::tf32},
    {"mixed_fp16", precision::mixed_fp16},
    {"mixed_bf16", precision::mixed_bf16},
    {"mixed_fp8", precision::mixed_fp8},
    {"mixed_nvfp4", precision::mixed_nvfp4},
    {"pure_bf16", precision::bf16},
    {"fp16", precision::mixed_fp16},
    {"bf16", precision::mixed_bf16},
    {"fp8", precision::mixed_fp8},
    {"nvfp4", precision::mixed_nvfp4},
    {"float32", precision::fp32},
    {"float16", precision::mixed_fp16},
    {"bfloat16", precision::mixed_bf16},
});

/// The names to print of optimizer_rules, then the others.
inline constexpr auto optimizer_names = [] {
  constexpr auto others = [] {
    std::size_t count = 0;
    for (const optimizer_rule& row : optimizer_rules)
      if (!row.other_name.empty()) ++count;
    return count;
  }();
  std::array<named<optimizer>, optimizer_rules.size() + others> names{};
  std::size_t place = 0;
  for (const optimizer_rule& row : optimizer_rules) names[place++] = {row.name, row.rule};
  for (const optimizer_rule& row : optimizer_rules)
    if (!row.other_name.empty()) names[place++] = {row.other_name, row.rule};
  return names;
}();

inline constexpr auto gradient_names = std::to_array<named<gradient_format>>({
    {"by_precision", gradient_format::by_precision},
    {"fp32", gradient_format::fp32},
    {"fp16", gradient_format::fp16},
    {"bf16", gradient_format::bf16},
    {"float32", gradient_format::fp32},
    {"float16", gradient_format::fp16},
    {"bfloat16", gradient_format::bf16},
});

inline constexpr auto reduction_names = std::to_array<named<reduction_format>>({
    {"by_framework", reduction_format::by_framework},
    {"fp32", reduction_format::fp32},
    {"fp16", reduction_format::fp16},
    {"bf16", reduction_format::bf16},
    {"float32", reduction_format::fp32},
    {"float16", reduction_format::fp16},
    {"bfloat16", reduction_format::bf16},
});

inline constexpr auto zero_names = std::to_array<named<zero_stage>>({
    {"0", zero_stage::none},
    {"1", zero_stage::optimizer},
    {"2", zero_stage::gradients},
    {"3", zero_stage::parameters},
    {"none", zero_stage::none},
    {"optimizer", zero_stage::optimizer},
    {"gradients", zero_stage::gradients},
    {"parameters", zero_stage::parameters},
    {"fsdp", zero_stage::parameters},
});

inline constexpr auto recompute_names = std::to_array<named<recompute>>({
    {"none", recompute::none},
    {"selective", recompute::selective},
    {"alternate_products", recompute::alternate_products},
    {"full", recompute::full},
});

inline constexpr auto attention_names = std::to_array<named<attention_kernel>>({
    {"flash", attention_kernel::flash},
    {"unfused", attention_kernel::unfused},
});

inline constexpr auto loss_names = std::to_array<named<loss_kernel>>({
    {"in_place", loss_kernel::in_place},
    {"fused", loss_kernel::fused},
    {"te_fused", loss_kernel::te_fused},
    {"compiled", loss_kernel::compiled},
    {"eager", loss_kernel::eager},
    {"chunked", loss_kernel::chunked},
    {"none", loss_kernel::none},
});

inline constexpr auto weight_storage_names = std::to_array<named<weight_storage>>({
    {"by_precision", weight_storage::by_precision},
    {"fp32", weight_storage::fp32},
});

inline constexpr auto moment_names = std::to_array<named<moment_format>>({
    {"by_precision", moment_format::by_precision},
    {"fp32", moment_format::fp32},
    {"bf16", moment_format::bf16},
    {"fp8", moment_format::fp8},
    {"float32", moment_format::fp32},
    {"bfloat16", moment_format::bf16},
});

inline constexpr auto activation_storage_names = std::to_array<named<activation_storage>>({
    {"by_precision", activation_storage::by_precision},
    {"fp8", activation_storage::fp8},
});

inline constexpr auto base_weights_names = std::to_array<named<base_weights>>({
    {"by_precision", base_weights::by_precision},
    {"int8", base_weights::int8},
    {"fp8", base_weights::fp8},
    {"int4", base_weights::int4},
    {"nf4", base_weights::nf4},
});

inline constexpr auto trained_table_names = std::to_array<named<trained_table>>({
    {"embedding", trained_table::embedding},
    {"head", trained_table::head},
});

inline constexpr auto gradient_lifetime_names = std::to_array<named<gradient_lifetime>>({
    {"always", gradient_lifetime::always},
    {"backward", gradient_lifetime::backward},
});

inline constexpr auto offload_names = std::to_array<named<offloaded_states>>({
    {"none", offloaded_states::none},
    {"optimizer", offloaded_states::optimizer},
    {"all", offloaded_states::all},
    {"parameters", offloaded_states::all},
});

inline constexpr auto framework_names = std::to_array<named<framework>>({
    {"transformer_engine", framework::transformer_engine},
    {"megatron_2021", framework::megatron_2021},
    {"megatron_deepspeed", framework::megatron_deepspeed},
    {"fsdp", framework::fsdp},
    {"fsdp2", framework::fsdp2},
});

/// "interleaved" is 1f1b, with parallelism.interleave above 1.
inline constexpr auto schedule_names = std::to_array<named<pipeline_schedule>>({
    {"gpipe", pipeline_schedule::gpipe},
    {"1f1b", pipeline_schedule::one_forward_one_backward},
    {"zb_h1", pipeline_schedule::zero_bubble_h1},
    {"zb_h2", pipeline_schedule::zero_bubble_h2},
    {"zb_v", pipeline_schedule::zero_bubble_v},
    {"dualpipe", pipeline_schedule::dualpipe},
    {"interleaved", pipeline_schedule::one_forward_one_backward},
    {"one_forward_one_backward", pipeline_schedule::one_forward_one_backward},
    {"zero_bubble_h1", pipeline_schedule::zero_bubble_h1},
    {"zero_bubble_h2", pipeline_schedule::zero_bubble_h2},
    {"zero_bubble_v", pipeline_schedule::zero_bubble_v},
});

inline constexpr auto dispatcher_names = std::to_array<named<expert_dispatcher>>({
    {"all_to_all", expert_dispatcher::all_to_all},
    {"all_gather", expert_dispatcher::all_gather},
    {"deep_ep", expert_dispatcher::deep_ep},
    {"hybrid_ep", expert_dispatcher::hybrid_ep},
});

/// JSON has true and false for the last two.
inline constexpr auto software_choice_names = std::to_array<named<software_choice>>({
    {"by_framework", software_choice::by_framework},
    {"on", software_choice::on},
    {"off", software_choice::off},
    {"true", software_choice::on},
    {"false", software_choice::off},
});

/// JSON has true and false for the first two.
inline constexpr auto graph_names = std::to_array<named<cuda_graphs>>({
    {"none", cuda_graphs::none},
    {"fixed_shapes", cuda_graphs::fixed_shapes},
    {"iteration", cuda_graphs::iteration},
    {"true", cuda_graphs::fixed_shapes},
    {"false", cuda_graphs::none},
    {"on", cuda_graphs::fixed_shapes},
    {"off", cuda_graphs::none},
});

inline constexpr auto module_names = std::to_array<named<recomputed_module>>({
    {"core_attn", recomputed_module::core_attn},
    {"layernorm", recomputed_module::layernorm},
    {"moe_act", recomputed_module::moe_act},
    {"mla_up_proj", recomputed_module::mla_up_proj},
    {"mlp", recomputed_module::mlp},
    {"moe", recomputed_module::moe},
    {"shared_experts", recomputed_module::shared_experts},
});

inline constexpr auto fp8_recipe_names = std::to_array<named<fp8_recipe>>({
    {"tensorwise", fp8_recipe::tensorwise},
    {"blockwise", fp8_recipe::blockwise},
    {"mxfp8", fp8_recipe::mxfp8},
    {"delayed", fp8_recipe::tensorwise},
});

inline constexpr auto adapter_place_names = std::to_array<named<adapter_place>>({
    {"attention", adapter_place::attention},
    {"attention_and_ffn", adapter_place::attention_and_ffn},
    {"all_linear", adapter_place::attention_and_ffn},
});

inline constexpr auto adapted_map_names = std::to_array<named<adapted_map>>({
    {"query", adapted_map::query},
    {"key", adapted_map::key},
    {"value", adapted_map::value},
    {"output", adapted_map::output},
    {"gate", adapted_map::gate},
    {"up", adapted_map::up},
    {"down", adapted_map::down},
    {"q_proj", adapted_map::query},
    {"k_proj", adapted_map::key},
    {"v_proj", adapted_map::value},
    {"o_proj", adapted_map::output},
    {"gate_proj", adapted_map::gate},
    {"up_proj", adapted_map::up},
    {"down_proj", adapted_map::down},
});

inline constexpr auto reference_model_names = std::to_array<named<reference_model>>({
    {"none", reference_model::none},
    {"frozen", reference_model::frozen},
    {"precomputed", reference_model::none},
});

inline constexpr auto exchange_names = std::to_array<named<context_exchange>>({
    {"ring", context_exchange::ring},
    {"all_to_all", context_exchange::all_to_all},
    {"ulysses", context_exchange::all_to_all},
    {"p2p", context_exchange::ring},
    {"a2a", context_exchange::all_to_all},
});

inline constexpr auto order_names = std::to_array<named<group_order>>({
    {"data_then_pipeline", group_order::data_then_pipeline},
    {"pipeline_then_data", group_order::pipeline_then_data},
    {"tp-cp-ep-dp-pp", group_order::data_then_pipeline},
    {"tp-cp-ep-pp-dp", group_order::pipeline_then_data},
});

inline constexpr auto number_format_names = std::to_array<named<number_format>>({
    {"fp64", number_format::fp64},
    {"fp32", number_format::fp32},
    {"tf32", number_format::tf32},
    {"fp16", number_format::fp16},
    {"bf16", number_format::bf16},
    {"fp8_e4m3", number_format::fp8_e4m3},
    {"fp8_e5m2", number_format::fp8_e5m2},
    {"fp4", number_format::fp4},
    {"int8", number_format::int8},
});

}  // namespace gpuplan
