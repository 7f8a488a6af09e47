#pragma once
/// \file
/// Arguments of Megatron-LM that contradict a pattern of layers.

#include <string>

#include <gpuplan/launch/arguments.hpp>
#include <gpuplan/launch/launch_job.hpp>
#include <gpuplan/launch/megatron_hybrid.hpp>

namespace gpuplan {

/// Refuses what contradicts a pattern: another one by its older name, experts without a layer of
/// them.  Other numbers of layers and of further predictions (MTP) are ignored, which is said:
/// Megatron-LM's own tests have --num-layers 12 beside 13 letters.
///
/// Source: NVIDIA, Megatron-LM, megatron/training/arguments.py, validate_args (commit d98e8a64,
/// 2026); Megatron Bridge, HybridModelProvider.finalize (2026).
///
/// \throws invalid_input naming the argument
inline void refuse_contradictions(const launch_arguments& args, const hybrid_pattern& pattern,
                                  launch_job& said) {
  const std::string name = args.shown_as(detail::hybrid_pattern_name(args));
  const std::string older = args.text("hybrid-override-pattern");
  if (const std::string newer = args.text("hybrid-layer-pattern");
      !older.empty() && !newer.empty() && older != newer)
    args.refuse("hybrid-override-pattern", "is another pattern than " + name + ", its newer name");

  const auto letters = static_cast<int>(pattern.layers().size());
  const auto counts = [&](const char* argument, int of_pattern) {
    const int told = args.whole_or(argument, of_pattern);
    if (told != of_pattern)
      said.assumed.push_back(args.shown_as(argument) + " " + std::to_string(told) +
                             " is ignored: " + name + " has " + std::to_string(of_pattern));
  };
  counts("num-layers", letters);

  const bool has_experts =
      pattern.count('E') > 0 || pattern.prediction.find('E') != std::string::npos;
  const int experts = args.whole_or("num-experts", 0);
  if (experts > 0 && !has_experts)
    args.refuse("num-experts",
                "is " + std::to_string(experts) + ", but " + name + " has no layer E");
  if (experts == 0 && has_experts)
    args.refuse("num-experts", "is missing beside layers E of " + name);

  if (pattern.predictions > 0) counts("mtp-num-layers", pattern.predictions);
}

}  // namespace gpuplan
