#pragma once
/// \file
/// The choices of a recipe and a layout by the names that people and programs write.

#include <array>
#include <string_view>

#include <gpuplan/lookup.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/model/optimizer.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/precision.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/units/number_format.hpp>

namespace gpuplan {

/// A name and what it stands for.  Of several names of one value, the first is the one to print.
template <class T>
struct spelling {
  std::string_view name;
  T value{};
};

/// "bf16" alone is what people call mixed precision with BF16; without a master copy it is
/// "pure_bf16".
inline constexpr std::array precision_names{
    spelling<precision>{"fp32", precision::fp32},
    spelling<precision>{"tf32", precision::tf32},
    spelling<precision>{"mixed_fp16", precision::mixed_fp16},
    spelling<precision>{"mixed_bf16", precision::mixed_bf16},
    spelling<precision>{"mixed_fp8", precision::mixed_fp8},
    spelling<precision>{"pure_bf16", precision::bf16},
    spelling<precision>{"fp16", precision::mixed_fp16},
    spelling<precision>{"bf16", precision::mixed_bf16},
    spelling<precision>{"fp8", precision::mixed_fp8},
    spelling<precision>{"float32", precision::fp32},
    spelling<precision>{"float16", precision::mixed_fp16},
    spelling<precision>{"bfloat16", precision::mixed_bf16}};

inline constexpr std::array optimizer_names{
    spelling<optimizer>{"sgd", optimizer::sgd},
    spelling<optimizer>{"momentum", optimizer::momentum},
    spelling<optimizer>{"rmsprop", optimizer::rmsprop},
    spelling<optimizer>{"adagrad", optimizer::adagrad},
    spelling<optimizer>{"adam", optimizer::adam},
    spelling<optimizer>{"adamw", optimizer::adamw},
    spelling<optimizer>{"adam_8bit", optimizer::adam_8bit},
    spelling<optimizer>{"adafactor", optimizer::adafactor},
    spelling<optimizer>{"lion", optimizer::lion},
    spelling<optimizer>{"lamb", optimizer::lamb},
    spelling<optimizer>{"lars", optimizer::lars},
    spelling<optimizer>{"muon", optimizer::muon},
    spelling<optimizer>{"sgd_momentum", optimizer::momentum},
    spelling<optimizer>{"8bit_adam", optimizer::adam_8bit}};

inline constexpr std::array gradient_names{
    spelling<gradient_format>{"by_precision", gradient_format::by_precision},
    spelling<gradient_format>{"fp32", gradient_format::fp32},
    spelling<gradient_format>{"fp16", gradient_format::fp16},
    spelling<gradient_format>{"bf16", gradient_format::bf16},
    spelling<gradient_format>{"float32", gradient_format::fp32},
    spelling<gradient_format>{"float16", gradient_format::fp16},
    spelling<gradient_format>{"bfloat16", gradient_format::bf16}};

inline constexpr std::array zero_names{spelling<zero_stage>{"0", zero_stage::none},
                                       spelling<zero_stage>{"1", zero_stage::optimizer},
                                       spelling<zero_stage>{"2", zero_stage::gradients},
                                       spelling<zero_stage>{"3", zero_stage::parameters},
                                       spelling<zero_stage>{"none", zero_stage::none},
                                       spelling<zero_stage>{"optimizer", zero_stage::optimizer},
                                       spelling<zero_stage>{"gradients", zero_stage::gradients},
                                       spelling<zero_stage>{"parameters", zero_stage::parameters},
                                       spelling<zero_stage>{"fsdp", zero_stage::parameters}};

inline constexpr std::array recompute_names{
    spelling<recompute>{"none", recompute::none},
    spelling<recompute>{"selective", recompute::selective},
    spelling<recompute>{"alternate_products", recompute::alternate_products},
    spelling<recompute>{"full", recompute::full}};

inline constexpr std::array attention_names{
    spelling<attention_kernel>{"flash", attention_kernel::flash},
    spelling<attention_kernel>{"unfused", attention_kernel::unfused}};

inline constexpr std::array loss_names{spelling<loss_kernel>{"in_place", loss_kernel::in_place},
                                       spelling<loss_kernel>{"compiled", loss_kernel::compiled},
                                       spelling<loss_kernel>{"eager", loss_kernel::eager},
                                       spelling<loss_kernel>{"chunked", loss_kernel::chunked},
                                       spelling<loss_kernel>{"none", loss_kernel::none}};

inline constexpr std::array weight_storage_names{
    spelling<weight_storage>{"by_precision", weight_storage::by_precision},
    spelling<weight_storage>{"fp32", weight_storage::fp32}};

inline constexpr std::array gradient_lifetime_names{
    spelling<gradient_lifetime>{"always", gradient_lifetime::always},
    spelling<gradient_lifetime>{"backward", gradient_lifetime::backward}};

inline constexpr std::array offload_names{
    spelling<offloaded_states>{"none", offloaded_states::none},
    spelling<offloaded_states>{"optimizer", offloaded_states::optimizer},
    spelling<offloaded_states>{"all", offloaded_states::all},
    spelling<offloaded_states>{"parameters", offloaded_states::all}};

inline constexpr std::array framework_names{
    spelling<framework>{"transformer_engine", framework::transformer_engine},
    spelling<framework>{"megatron_2021", framework::megatron_2021},
    spelling<framework>{"megatron_deepspeed", framework::megatron_deepspeed},
    spelling<framework>{"fsdp", framework::fsdp}, spelling<framework>{"fsdp2", framework::fsdp2}};

/// "interleaved" is 1f1b, with parallelism.interleave above 1.
inline constexpr std::array schedule_names{
    spelling<pipeline_schedule>{"gpipe", pipeline_schedule::gpipe},
    spelling<pipeline_schedule>{"1f1b", pipeline_schedule::one_forward_one_backward},
    spelling<pipeline_schedule>{"zb_h1", pipeline_schedule::zero_bubble_h1},
    spelling<pipeline_schedule>{"zb_h2", pipeline_schedule::zero_bubble_h2},
    spelling<pipeline_schedule>{"zb_v", pipeline_schedule::zero_bubble_v},
    spelling<pipeline_schedule>{"dualpipe", pipeline_schedule::dualpipe},
    spelling<pipeline_schedule>{"interleaved", pipeline_schedule::one_forward_one_backward},
    spelling<pipeline_schedule>{"one_forward_one_backward",
                                pipeline_schedule::one_forward_one_backward},
    spelling<pipeline_schedule>{"zero_bubble_h1", pipeline_schedule::zero_bubble_h1},
    spelling<pipeline_schedule>{"zero_bubble_h2", pipeline_schedule::zero_bubble_h2},
    spelling<pipeline_schedule>{"zero_bubble_v", pipeline_schedule::zero_bubble_v}};

inline constexpr std::array dispatch_names{
    spelling<expert_dispatch>{"to_each_expert", expert_dispatch::to_each_expert},
    spelling<expert_dispatch>{"to_each_node", expert_dispatch::to_each_node},
    spelling<expert_dispatch>{"all_to_all", expert_dispatch::to_each_expert},
    spelling<expert_dispatch>{"deepep", expert_dispatch::to_each_node}};

inline constexpr std::array expert_message_names{
    spelling<expert_messages>{"by_schedule", expert_messages::by_schedule},
    spelling<expert_messages>{"overlapped", expert_messages::overlapped}};

inline constexpr std::array adapter_place_names{
    spelling<adapter_place>{"attention", adapter_place::attention},
    spelling<adapter_place>{"attention_and_ffn", adapter_place::attention_and_ffn},
    spelling<adapter_place>{"all_linear", adapter_place::attention_and_ffn}};

inline constexpr std::array exchange_names{
    spelling<context_exchange>{"ring", context_exchange::ring},
    spelling<context_exchange>{"all_to_all", context_exchange::all_to_all},
    spelling<context_exchange>{"ulysses", context_exchange::all_to_all},
    spelling<context_exchange>{"p2p", context_exchange::ring},
    spelling<context_exchange>{"a2a", context_exchange::all_to_all}};

inline constexpr std::array order_names{
    spelling<group_order>{"data_then_pipeline", group_order::data_then_pipeline},
    spelling<group_order>{"pipeline_then_data", group_order::pipeline_then_data},
    spelling<group_order>{"tp-cp-ep-dp-pp", group_order::data_then_pipeline},
    spelling<group_order>{"tp-cp-ep-pp-dp", group_order::pipeline_then_data}};

inline constexpr std::array number_format_names{
    spelling<number_format>{"fp64", number_format::fp64},
    spelling<number_format>{"fp32", number_format::fp32},
    spelling<number_format>{"tf32", number_format::tf32},
    spelling<number_format>{"fp16", number_format::fp16},
    spelling<number_format>{"bf16", number_format::bf16},
    spelling<number_format>{"fp8_e4m3", number_format::fp8_e4m3},
    spelling<number_format>{"fp8_e5m2", number_format::fp8_e5m2},
    spelling<number_format>{"fp4", number_format::fp4},
    spelling<number_format>{"int8", number_format::int8}};

/// The name to print for a value, or "unknown" for one that the table lacks.
template <class Table, class T>
constexpr std::string_view spelled(const Table& table, T value) {
  for (const auto& row : table)
    if (row.value == value) return row.name;
  return "unknown";
}

/// The row whose name has the letters and digits that were typed, in either case; nullptr if none.
template <class Table>
constexpr auto find_spelling(std::string_view typed, const Table& table)
    -> decltype(&*table.begin()) {
  for (const auto& row : table)
    if (same_name(row.name, typed)) return &row;
  return nullptr;
}

}  // namespace gpuplan
