#pragma once
/// \file
/// Adapters that a configuration of Megatron Bridge asks for: peft.

#include <algorithm>
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
/// Source: as usual_bridge_rank, LoRA.target_modules; canonical_lora.py,
/// CanonicalLoRA.target_modules.
inline constexpr auto bridge_modules =
    std::to_array<named<unsigned>>({{"linear_qkv", 7},   // query, key and value
                                    {"linear_proj", 8},  // output
                                    {"linear_fc1", 48},  // gate and up
                                    {"linear_fc2", 64},
                                    {"linear_q", 1},
                                    {"linear_k", 2},
                                    {"linear_v", 4},
                                    {"linear_fc1_gate", 16},
                                    {"linear_fc1_up", 32}});

/// The maps that peft.target_modules names; those that nothing stands for are named as not
/// modelled.
///
/// \throws invalid_input if it is no list of names
inline unsigned bridge_maps(const launch_arguments& args, launch_job& said) {
  constexpr std::string_view name = "target-modules";
  const nlohmann::json& given = args.value(name);
  const auto is_name = [](const nlohmann::json& one) { return one.is_string(); };
  const bool lists =
      given.is_string() || (given.is_array() && std::all_of(given.begin(), given.end(), is_name));
  if (!lists) args.refuse(name, "must be a list of names, not " + shown(given));
  unsigned maps = 0;
  for (const std::string& module : args.words(name)) {
    const auto* found = find_spelling(module, bridge_modules);
    if (found != nullptr)
      maps |= found->value;
    else
      said.not_modelled.push_back("peft.target_modules " + shown_name(module));
  }
  if (maps == 0)
    said.not_modelled.push_back("peft.target_modules: names no known module, all four are taken");
  return maps;
}

/// The last word of a path: DoRA of megatron.bridge.peft.dora.DoRA.
inline std::string last_word(const std::string& path) {
  return path.substr(path.rfind('.') + 1);
}

/// Whether a kind of adapters is of low rank alone.
inline bool is_low_rank(std::string_view kind) {
  return same_name(kind, "lora") || same_name(kind, "canonical_lora");
}

}  // namespace detail

/// Reads peft, the class in peft._target_, or --peft_scheme of Bridge's scripts: lora has adapters
/// of peft.dim on the modules of peft.target_modules, all four unless some are named.  Other kinds
/// are named as not modelled.
///
/// Source: NVIDIA, Megatron Bridge, docs/training/peft.md, and src/megatron/bridge/peft (2026).
///
/// \throws invalid_input if peft.dim is no whole number >= 1, or peft.target_modules no list of
///         names
inline void read_bridge_adapters(const launch_arguments& args, launch_job& said) {
  const auto is_of_peft = [&](const char* name, std::string_view field) {
    return args.shown_as(name) == field && args.has(name);
  };
  const bool has_rank = is_of_peft("dim", "peft.dim");
  const char* const given = args.has("peft") ? "peft" : "peft-scheme";
  if (!args.has(given) && !has_rank) return;
  const nlohmann::json& kind = args.value(given);
  const std::string scheme = detail::last_word(args.text(given, kind.is_null() ? "lora" : ""));
  if (same_name(scheme, "none")) return;
  if (!detail::is_low_rank(scheme)) {
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
  if (is_of_peft("target-modules", "peft.target_modules"))
    chosen.maps.bits = detail::bridge_maps(args, said);
}

}  // namespace gpuplan
