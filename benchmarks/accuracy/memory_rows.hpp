#pragma once
/// \file
/// Memory that runs of 2024 to 2026 report, row by row: what the allocator handed out, what it
/// reserved, or what the device showed, against the same of the library.

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/accuracy/error_class.hpp>
#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/memory/stage_footprint.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/units/units.hpp>

#include "accuracy/fields.hpp"
#include "accuracy/job.hpp"
#include "accuracy/measured_table.hpp"
#include "accuracy/run_row.hpp"
#include "accuracy/statistics.hpp"
#include "accuracy/steps_row.hpp"

namespace gpuplan::accuracy {

/// What a source read.
enum class memory_visibility { allocated, reserved, device, not_said };

inline constexpr std::array<std::string_view, 4> visibility_names{"allocated", "reserved", "device",
                                                                  "not said"};

/// One reported number and its prediction.
struct memory_row {
  std::string id;
  std::string family;
  std::string source;
  trained_kind kind{};
  framework software{};
  memory_visibility seen{};
  bytes measured{};
  bytes predicted{};

  [[nodiscard]] double error() const { return relative_error(predicted / measured, 1); }
};

struct memory_rows {
  std::vector<memory_row> rows;
  std::vector<refusal> unmapped;
};

namespace detail {

/// What a source says that it read; where it says nothing, the allocator is taken for it.
inline memory_visibility run_visibility(const std::string& what) {
  if (matches(what, "^(rank-0 )?peak allocated")) return memory_visibility::allocated;
  const bool reserved = says(what, "reserved") && !matches(what, "nvidia-smi style");
  if (reserved || matches(what, "^max memory \\(gib\\)")) return memory_visibility::reserved;
  if (matches(what, "rocm-smi|script header")) return memory_visibility::device;
  return matches(what, "not stated") ? memory_visibility::not_said : memory_visibility::allocated;
}

inline bytes seen_as(const stage_footprint& stage, memory_visibility seen) {
  switch (seen) {
    case memory_visibility::device: return stage.device_total();
    case memory_visibility::reserved: return stage.allocator_peak() + stage.fragmentation;
    case memory_visibility::allocated:
    case memory_visibility::not_said: break;
  }
  return stage.allocator_peak();
}

/// Where the loss is computed, and what it keeps.
inline loss_kernel run_loss(const nlohmann::json& row, run_software software) {
  if (software == run_software::megatron) return loss_kernel::in_place;
  const std::string notes = text_of(row, "notes");
  if (says(notes, "loss chunks")) return loss_kernel::chunked;
  const bool compiled =
      choice_of(row, "compile") == software_choice::on || says(notes, "torch.compile");
  const bool loss_too = !says(repository_of(row), "Kempner");  // compiles the model alone
  return compiled && loss_too ? loss_kernel::compiled : loss_kernel::eager;
}

/// Adds what memory alone depends on to the job of a row.
inline void set_run_memory(const nlohmann::json& row, job& asked) {
  const run_software software = software_of(row);
  recipe& how = asked.recipe;
  how.loss = run_loss(row, software);
  how.sequence_length = whole_of(row, "sequence_length");
  if (has(row, "optimizer_states")) how.moments = moment_format::bf16;
  if (how.adapts() && says(text_of(row, "weights_storage"), "FP8"))
    how.adapters.base = base_weights::fp8;
  // What these sources call trained embeddings is the embedding and the output layer: the README of
  // QwenLM/Qwen, "Profiling of Memory and Speed".
  if (flag(field(row, "lora"), "embedding_trainable"))
    how.adapters.trained_tables = {static_cast<unsigned>(trained_table::embedding) |
                                   static_cast<unsigned>(trained_table::head)};
  asked.workspace = workspace_of(*run_gpu(text_of(row, "gpu")).gpu, how.framework);
}

inline memory_row memory_of_run(const nlohmann::json& row) {
  const nlohmann::json& measured = field(row, "measured");
  if (flag(measured, "oom")) throw unmapped{"out of memory: no number"};
  const auto size = number(measured, "memory_bytes");
  if (!size) throw unmapped{"no memory is printed"};
  job asked{.model = run_transformer(row), .parallelism = run_layout(row)};
  asked.recipe = run_recipe(row, asked.parallelism);
  if (const auto split = run_split(row, asked.model.layers, asked.parallelism); !split.empty())
    asked.recipe.split = layer_split{split};
  set_run_memory(row, asked);

  const std::string what = text_of(measured, "what");
  const memory_visibility seen = run_visibility(what);
  const footprint all = asked.memory();
  bytes most{};
  for (int i = 0; i < (says(what, "rank-0") ? 1 : all.stages()); ++i)
    most = (std::max)(most, seen_as(all.stage(i), seen));
  const std::string_view family = flag(row, "moe")        ? "mixtures of experts"
                                  : asked.recipe.adapts() ? "adapters"
                                                          : "dense models";
  return {.id = text_of(row, "id"),
          .family = std::string(family),
          .source = repository_of(row),
          .kind = trained_kind_of(asked.model, asked.recipe),
          .software = asked.recipe.framework,
          .seen = seen,
          .measured = *size * units::byte,
          .predicted = most};
}

/// Each stage of a run on 8 B200, by the fullest of its ranks.
inline void add_stages_of_b200(const nlohmann::json& row, memory_rows& all) {
  job asked = simumax_job(row);
  asked.recipe.loss =
      has(row, "fused_cross_entropy") ? loss_kernel::te_fused : loss_kernel::in_place;
  asked.workspace = workspace_of(catalog::b200_sxm, asked.recipe.framework);
  const footprint memory = asked.memory();
  const nlohmann::json& stages = field(row, "rank_stages");
  const bool experts = whole(row, "experts").value_or(0) > 0;
  for (const auto& [key, seen] : {std::pair{"max_allocated_bytes", memory_visibility::allocated},
                                  std::pair{"max_reserved_bytes", memory_visibility::reserved}}) {
    const nlohmann::json& sizes = field(row, key);
    for (int stage = 0; stage < memory.stages(); ++stage) {
      bytes most{};
      for (std::size_t rank = 0; rank < stages.size() && rank < sizes.size(); ++rank)
        if (stages[rank].get<int>() == stage)
          most = (std::max)(most, sizes[rank].get<double>() * units::byte);
      if (most == bytes{}) throw unmapped{"no memory is printed"};
      all.rows.push_back({.id = text_of(row, "case") + ", stage " + std::to_string(stage),
                          .family = experts ? "8 B200, experts" : "8 B200, dense",
                          .source = "8 B200",
                          .kind = trained_kind_of(asked.model, asked.recipe),
                          .software = asked.recipe.framework,
                          .seen = seen,
                          .measured = most,
                          .predicted = seen_as(memory.stage(stage), seen)});
    }
  }
}

}  // namespace detail

/// The rows of measured_runs.json that are of memory, and the stages of measured_steps_b200.json.
/// Twins count once.
inline memory_rows read_memory_rows(const nlohmann::json& runs, const nlohmann::json& b200) {
  memory_rows all;
  std::set<std::string> seen;
  const auto guarded = [&](const nlohmann::json& row, const auto& add) {
    try {
      add();
    } catch (const std::exception& fault) {  // unmapped, invalid_input, or no such JSON
      all.unmapped.push_back({text_of(row, "id"), fault.what()});
    }
  };
  for (const nlohmann::json& row : field(runs, "rows")) {
    if (text_of(row, "kind") != "memory") continue;
    const std::string twins = text_of(row, "twin_group");
    if (!twins.empty() && !seen.insert(twins).second) continue;
    guarded(row, [&] { all.rows.push_back(detail::memory_of_run(row)); });
  }
  for (const nlohmann::json& row : field(b200, "rows"))
    if (has(row, "max_allocated_bytes") && seen.insert(text_of(row, "case")).second)
      guarded(row, [&] { detail::add_stages_of_b200(row, all); });
  return all;
}

/// The errors of one family as one thing read it.
struct memory_errors {
  std::string family;
  memory_visibility seen{};
  errors found;
};

inline std::vector<memory_errors> errors_of(const memory_rows& all) {
  std::vector<memory_errors> lines;
  for (const memory_row& row : all.rows) {
    const auto same = [&](const memory_errors& line) {
      return line.family == row.family && line.seen == row.seen;
    };
    auto line = std::find_if(lines.begin(), lines.end(), same);
    if (line == lines.end()) line = lines.insert(line, {row.family, row.seen, {}});
    line->found.add(row.error());
  }
  return lines;
}

}  // namespace gpuplan::accuracy
