#pragma once
/// \file
/// Adapters that a configuration of Megatron Bridge asks for: peft.

#include <array>
#include <string>
#include <string_view>

#include <gpuplan/launch/arguments.hpp>
#include <gpuplan/launch/launch_job.hpp>
#include <gpuplan/model/adapter_choice.hpp>
#include <gpuplan/text/json_shown.hpp>
#include <gpuplan/text/lookup.hpp>

namespace gpuplan {

namespace detail {

/// Rank of adapters without peft.dim.
///
/// Source: NVIDIA, Megatron Bridge, src/megatron/bridge/peft/lora.py, LoRA.dim (2026).
inline constexpr int usual_bridge_rank = 32;

/// Modules by the maps that they hold, as bits of adapted_map.  One adapter of a fused module is
/// taken as one for each of its maps.
///
/// Source: as usual_bridge_rank, LoRA.target_modules.
inline constexpr auto bridge_modules =
    std::to_array<named<unsigned>>({{"linear_qkv", 7},   // query, key and value
                                    {"linear_proj", 8},  // output
                                    {"linear_fc1", 48},  // gate and up
                                    {"linear_fc2", 64}});

}  // namespace detail

/// Reads peft, or --peft_scheme of Bridge's scripts: lora has adapters of peft.dim on the modules
/// of peft.target_modules, all four unless some are named.  Other kinds are named as not modelled.
///
/// Source: NVIDIA, Megatron Bridge, docs/training/peft.md, and src/megatron/bridge/peft (2026).
///
/// \throws invalid_input if peft.dim is no whole number >= 1
inline void read_bridge_adapters(const launch_arguments& args, launch_job& said) {
  const auto is_of_peft = [&](const char* name, std::string_view field) {
    return args.shown_as(name) == field && args.has(name);
  };
  const bool has_rank = is_of_peft("dim", "peft.dim");
  const char* const given = args.has("peft") ? "peft" : "peft-scheme";
  if (!args.has(given) && !has_rank) return;
  const nlohmann::json& kind = args.value(given);
  const std::string scheme = args.text(given, kind.is_null() ? "lora" : "");
  if (same_name(scheme, "none")) return;
  if (!same_name(scheme, "lora")) {
    said.not_modelled.push_back(args.shown_as(given) + " " +
                                (scheme.empty() ? shown(kind) : shown_name(scheme)) +
                                ": all weights are taken as trained");
    return;
  }
  adapters& chosen = said.recipe.adapters;
  chosen.place = adapter_place::attention_and_ffn;
  chosen.rank =
      has_rank ? args.whole_or("dim", detail::usual_bridge_rank, 1) : detail::usual_bridge_rank;
  if (!has_rank)
    said.assumed.push_back("adapters of rank " + std::to_string(chosen.rank) +
                           ", the default of peft.dim");
  if (is_of_peft("alpha", "peft.alpha")) static_cast<void>(args.value("alpha"));
  if (!is_of_peft("target-modules", "peft.target_modules")) return;
  for (const std::string& module : args.words("target-modules")) {
    const auto* found = find_spelling(module, detail::bridge_modules);
    if (found != nullptr)
      chosen.maps.bits |= found->value;
    else
      said.not_modelled.push_back("peft.target_modules " + shown_name(module));
  }
}

}  // namespace gpuplan
