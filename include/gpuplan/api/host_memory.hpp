#pragma once
/// \file
/// What a job offloads to the memory of its hosts.

#include <gpuplan/api/job.hpp>
#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::api {

/// Host memory of a node that a layout needs for what is offloaded; 0 where nothing is.
inline bytes host_memory_of_node(const footprint& memory, const job& asked) {
  if (memory.model.layers == 0 || !memory.recipe.uses_host()) return {};
  return host_memory_needed(memory, asked.asked.gpus_per_node);
}

/// Adds it to the memory of an answer; null where the layout was not evaluated.
inline void add_host_memory(report_json& answer, const estimate& what, const job& asked) {
  answer["memory"]["host_memory_bytes"] =
      what.costed() ? json_number(host_memory_of_node(what.memory, asked)) : report_json(nullptr);
}

}  // namespace gpuplan::api
