#pragma once
/// \file
/// Adapters that a script makes beside its launch, in words for a comment of that launch.

#include <string>

#include <gpuplan/model/adapter_choice.hpp>
#include <gpuplan/model/recipe_names.hpp>
#include <gpuplan/text/lookup.hpp>

namespace gpuplan {

/// "LoRA of rank 16 on query, value; weights of int4": what the script passes to PEFT.
inline std::string adapters_in_words(const adapters& chosen) {
  std::string text = "LoRA of rank " + std::to_string(chosen.rank) + " on ";
  if (chosen.maps.bits == 0) {
    text += chosen.place == adapter_place::attention ? "attention" : "attention and FFN";
  } else {
    unsigned said = 0;
    for (const auto& row : adapted_map_names) {
      const auto bit = static_cast<unsigned>(row.value);
      if (!chosen.maps.has(row.value) || (said & bit) != 0) continue;
      text += (said == 0 ? "" : ", ") + std::string(row.name);
      said |= bit;
    }
  }
  if (chosen.base != base_weights::by_precision)
    text += "; weights of " + std::string(spelled(base_weights_names, chosen.base));
  return text;
}

}  // namespace gpuplan
