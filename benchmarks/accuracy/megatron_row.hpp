#pragma once
/// \file
/// A row of measured_memory.json, a run of Megatron-LM with its arguments, as a job.

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/launch/arguments.hpp>
#include <gpuplan/launch/megatron_reader.hpp>

#include "accuracy/fields.hpp"
#include "accuracy/job.hpp"

namespace gpuplan::accuracy {

namespace detail {

/// The accelerator of a row: a name of the catalog, or the first part of one ("A100").
inline const accelerator& accelerator_of(const nlohmann::json& row) {
  const std::string name = text_of(row, "gpu");
  if (const auto* exact = catalog::find_accelerator(name)) return *exact->gpu;
  for (const auto& entry : catalog::accelerators)
    if (entry.name.starts_with(name + "-") || entry.name.starts_with(name + " ")) return *entry.gpu;
  throw unmapped{"gpu " + name + " is unknown"};
}

/// The arguments of a row, with what its source resolved where the arguments name only a file: the
/// vocabulary, and what is trained.
inline launch_arguments arguments_of(const nlohmann::json& row) {
  const nlohmann::json& said = field(row, "resolved");
  nlohmann::json args = nlohmann::json::object();
  for (const auto& [name, value] : field(row, "args").items())
    args[name.substr(name.find_first_not_of('-'))] = value;
  args["padded-vocab-size"] = whole_of(said, "vocab_padded");
  args["script"] = "pretrain_" + text_of(row, "family") + ".py";
  return {std::move(args), text_of(row, "id"), "--"};
}

}  // namespace detail

/// The job of a row.
/// \throws invalid_input or unmapped saying what the descriptions cannot say, or the row does not
inline job job_of_megatron(const nlohmann::json& row) {
  const nlohmann::json& said = field(row, "resolved");
  const int ranks = whole_of(said, "dp") * whole_of(said, "tp") * whole_of(said, "pp") *
                    whole(said, "cp").value_or(1);
  const launch_job read =
      read_megatron(detail::arguments_of(row), {.gpu = detail::accelerator_of(row), .gpus = ranks});
  return {.model = *read.model,
          .recipe = read.recipe,
          .parallelism = read.parallelism,
          .workspace = read.workspace,
          .data_rank = static_cast<int>(read.parallelism.replicas() - 1)};  // the last rank is read
}

/// The pipeline stage whose memory a row gives.
inline int stage_of_megatron(const nlohmann::json& row) {
  return whole_of(field(row, "resolved"), "stage");
}

}  // namespace gpuplan::accuracy
