#pragma once
/// \file
/// Names of Megatron Bridge's mixed precisions, as arguments of Megatron-LM.

#include <array>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/require.hpp>
#include <gpuplan/text/json_shown.hpp>

namespace gpuplan {

/// A mixed precision by its name, and what arguments of Megatron-LM call it.
struct bridge_precision {
  std::string_view name;
  std::string_view format;  ///< bf16 or fp16
  std::string_view fp8_format{};
  std::string_view fp8_recipe{};
  std::string_view fp4_format{};
};

/// Those that a name may ask for, recipes of one model behind the others; its words are parted by _
/// or -.
///
/// Source: NVIDIA, Megatron Bridge, src/megatron/bridge/training/mixed_precision.py (2026).
inline constexpr auto bridge_precisions = std::to_array<bridge_precision>({
    {"bf16_mixed", "bf16"},
    {"fp16_mixed", "fp16"},
    {"bf16_with_fp8_delayed_scaling_mixed", "bf16", "hybrid", "delayed"},
    {"fp16_with_fp8_delayed_scaling_mixed", "fp16", "hybrid", "delayed"},
    {"bf16_with_fp8_current_scaling_mixed", "bf16", "hybrid", "tensorwise"},
    {"fp16_with_fp8_current_scaling_mixed", "fp16", "hybrid", "tensorwise"},
    {"bf16_with_fp8_subchannel_scaling_mixed", "bf16", "hybrid", "blockwise"},
    {"fp16_with_fp8_subchannel_scaling_mixed", "fp16", "hybrid", "blockwise"},
    {"bf16_with_mxfp8_mixed", "bf16", "e4m3", "mxfp8"},
    {"fp16_with_mxfp8_mixed", "fp16", "e4m3", "mxfp8"},
    {"nemotron_h_bf16_with_fp8_current_scaling_mixed", "bf16", "hybrid", "tensorwise"},
    {"nanov2_bf16_with_fp8_current_scaling_mixed", "bf16", "hybrid", "blockwise"},
    {"bf16_with_nvfp4_mixed", "bf16", "", "", "e2m1"},
    {"nemotron_3_super_bf16_with_nvfp4_mixed", "bf16", "", "", "e2m1"},
    {"nemotron_3_ultra_bf16_with_nvfp4_mixed", "bf16", "", "", "e2m1"},
});

namespace detail {

inline const bridge_precision* find_bridge_precision(std::string_view name) {
  for (const bridge_precision& row : bridge_precisions)
    if (row.name == name || row.name == std::string(name) + "_mixed") return &row;
  return nullptr;
}

/// Whether a name ended with a modifier, which is then taken off.
inline bool ended_with(std::string& name, std::string_view modifier) {
  const bool ends = name.ends_with(modifier);
  if (ends) name.resize(name.size() - modifier.size());
  return ends;
}

}  // namespace detail

/// The first name for what arguments of Megatron-LM say; empty where it is FP32, or has no name.
/// It is not enough to write the fields that it sets: it sets them again when training begins.
///
/// Source: as bridge_precisions.
inline std::string bridge_precision_name(const nlohmann::json& args) {
  const auto is = [&](const char* argument, std::string_view value) {
    const auto found = args.find(argument);
    return found == args.end() ? value.empty() : *found == value;
  };
  for (const bridge_precision& row : bridge_precisions)
    if (args.value(std::string(row.format), false) && is("fp8-recipe", row.fp8_recipe) &&
        is("fp4-format", row.fp4_format))
      return std::string(row.name);
  return {};
}

/// Puts a mixed precision into arguments.  A name may end with _bf16_params, which keeps weights
/// in BF16 beside products in FP8, as they are counted here, and then with _bf16_grad_reduce.
///
///     where  the file, for the error line
///
/// Source: as bridge_precisions.
///
/// \throws invalid_input "<where>: mixed_precision must be one of ..."
inline void read_bridge_precision(const nlohmann::json& value, std::string_view where,
                                  nlohmann::json& args) {
  std::string name = value.is_string() ? value.get<std::string>() : std::string{};
  for (char& c : name)
    if (c == '-') c = '_';
  const bool in_bf16 = detail::ended_with(name, "_bf16_grad_reduce");
  detail::ended_with(name, "_bf16_params");
  const bridge_precision* found = detail::find_bridge_precision(name);
  if (found == nullptr) {
    std::string known;
    for (const bridge_precision& row : bridge_precisions)
      known += (known.empty() ? "" : ", ") + std::string(row.name);
    throw invalid_input{std::string(where) + ": mixed_precision must be one of " + known +
                        ", not " + shown(value)};
  }
  args[std::string(found->format)] = true;
  if (!found->fp8_format.empty()) args["fp8-format"] = found->fp8_format;
  if (!found->fp8_recipe.empty()) args["fp8-recipe"] = found->fp8_recipe;
  if (!found->fp4_format.empty()) args["fp4-format"] = found->fp4_format;
  if (in_bf16) args["grad-reduce-in-bf16"] = true;
}

}  // namespace gpuplan
