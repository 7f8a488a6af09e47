#pragma once
/// \file
/// What fills the memory of each pipeline stage, against what a GPU has.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/memory/stage_terms.hpp>
#include <gpuplan/report/stacked_bars.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Bars of a memory chart; of a longer pipeline the first, the worst, the last and others between.
inline constexpr int most_memory_bars = 24;

namespace detail {

/// What terms are shown as, and which; those that are named nowhere are the last's.
struct memory_part {
  std::string_view name;
  std::array<std::string_view, 6> terms{};
};
inline constexpr std::array memory_parts{
    memory_part{"weights", {"weights", "gathered_parameters"}},
    memory_part{"optimizer", {"master_weights", "optimizer", "optimizer_temporaries"}},
    memory_part{"activations", {"batch", "activations", "embedding", "recomputed"}},
    memory_part{
        "gradients",
        {"gradients", "deferred_gradient", "whole_gradients", "layer_gradients", "gradient_copy"}},
    memory_part{"head and loss", {"head", "deferred_head", "logits", "head_gradients"}},
    memory_part{"fragmentation", {"fragmentation"}},
    memory_part{"buffers and context", {}}};

constexpr std::size_t part_of(const stage_term& term) {
  for (std::size_t i = 0; i < memory_parts.size(); ++i)
    for (const std::string_view name : memory_parts[i].terms)
      if (name == term.name) return i;
  return memory_parts.size() - 1;
}

/// All stages, or so many of them.
inline std::vector<int> stages_shown(const footprint& memory) {
  const int stages = memory.stages();
  const int bars = (std::min)(stages, most_memory_bars);
  std::vector<int> shown;
  for (int i = 0; i < bars; ++i)
    shown.push_back(
        bars > 1 ? static_cast<int>(static_cast<long long>(i) * (stages - 1) / (bars - 1)) : 0);
  const int worst = memory.worst_stage().stage;
  if (std::find(shown.begin(), shown.end(), worst) == shown.end())
    *std::min_element(shown.begin() + 1, shown.end() - 1, [&](int a, int b) {
      return std::abs(a - worst) < std::abs(b - worst);
    }) = worst;
  return shown;
}

}  // namespace detail

/// A bar for each stage: its memory at its fullest moment, by part; they add up to the stage's
/// total().
///
/// \throws invalid_input if the footprint was not computed
inline stacked_bars memory_chart(const footprint& memory, bytes of_gpu) {
  require(memory.model.layers > 0, "memory_chart: memory must be that of a layout that was costed");
  const std::vector<int> shown = detail::stages_shown(memory);
  stacked_bars chart{
      .words = {.title = "Memory of each pipeline stage",
                .description = "What the fullest moment of a step holds on a GPU of each stage, "
                               "against the memory of a GPU."},
      .of = "Stage",
      .value_title = "Memory of a GPU",
      .parts = {},
      .bars = {},
      .limit = bar_limit{"GPU memory", of_gpu}};
  if (memory.stages() > most_memory_bars)
    chart.words.description +=
        fmt::format(" {} of {} stages, the worst among them.", shown.size(), memory.stages());
  for (const detail::memory_part& part : detail::memory_parts) chart.parts.emplace_back(part.name);
  for (const int i : shown) {
    const stage_footprint stage = memory.stage(i);
    std::vector<bytes> sums(detail::memory_parts.size());
    for (const stage_term& term : stage_terms)
      sums[detail::part_of(term)] += share_of_total(stage, term);
    chart.bars.push_back({std::to_string(i), {sums.begin(), sums.end()}});
  }
  return chart;
}

}  // namespace gpuplan
