#pragma once
/// \file
/// Every public formula of the library, by room, with its symbols, source, errata and examples.

#include <array>
#include <cstddef>
#include <string_view>

#include <gpuplan/registry/adapter_formulas.hpp>
#include <gpuplan/registry/calibrate_formulas.hpp>
#include <gpuplan/registry/comm_collective_formulas.hpp>
#include <gpuplan/registry/comm_link_formulas.hpp>
#include <gpuplan/registry/comm_overlap_formulas.hpp>
#include <gpuplan/registry/comm_traffic_formulas.hpp>
#include <gpuplan/registry/compute_formulas.hpp>
#include <gpuplan/registry/data_pipeline_formulas.hpp>
#include <gpuplan/registry/elementwise_formulas.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/hardware_formulas.hpp>
#include <gpuplan/registry/kernel_formulas.hpp>
#include <gpuplan/registry/layer_formulas.hpp>
#include <gpuplan/registry/layer_group_formulas.hpp>
#include <gpuplan/registry/memory_activation_formulas.hpp>
#include <gpuplan/registry/memory_batch_formulas.hpp>
#include <gpuplan/registry/memory_state_formulas.hpp>
#include <gpuplan/registry/mixer_formulas.hpp>
#include <gpuplan/registry/model_formulas.hpp>
#include <gpuplan/registry/offload_formulas.hpp>
#include <gpuplan/registry/operator_formulas.hpp>
#include <gpuplan/registry/placement_choice_formulas.hpp>
#include <gpuplan/registry/placement_formulas.hpp>
#include <gpuplan/registry/plan_formulas.hpp>
#include <gpuplan/registry/queue_allocation_formulas.hpp>
#include <gpuplan/registry/queue_formulas.hpp>
#include <gpuplan/registry/queue_gang_formulas.hpp>
#include <gpuplan/registry/queue_general_formulas.hpp>
#include <gpuplan/registry/queue_policy_formulas.hpp>
#include <gpuplan/registry/queue_scheduler_formulas.hpp>
#include <gpuplan/registry/queue_simulation_formulas.hpp>
#include <gpuplan/registry/run_formulas.hpp>
#include <gpuplan/registry/scaling_formulas.hpp>
#include <gpuplan/registry/scaling_optimus_formulas.hpp>
#include <gpuplan/registry/step_formulas.hpp>
#include <gpuplan/registry/units_formulas.hpp>
#include <gpuplan/registry/update_formulas.hpp>
#include <gpuplan/registry/utilization_formulas.hpp>
#include <gpuplan/text/lookup.hpp>

namespace gpuplan::registry {

/// Every table, in the order of the rooms.
inline constexpr std::array tables{table{"units", units_formulas},
                                   table{"hardware", hardware_formulas},
                                   table{"model", model_formulas},
                                   table{"model", adapter_model_formulas},
                                   table{"model", mixer_formulas},
                                   table{"memory", memory_state_formulas},
                                   table{"memory", memory_activation_formulas},
                                   table{"memory", memory_batch_formulas},
                                   table{"memory", host_memory_formulas},
                                   table{"memory", adapter_memory_formulas},
                                   table{"compute", compute_formulas},
                                   table{"compute", data_pipeline_formulas},
                                   table{"compute", kernel_formulas},
                                   table{"compute", elementwise_formulas},
                                   table{"compute", utilization_formulas},
                                   table{"compute", operator_formulas},
                                   table{"compute", layer_formulas},
                                   table{"compute", adapter_compute_formulas},
                                   table{"comm", comm_link_formulas},
                                   table{"comm", comm_collective_formulas},
                                   table{"comm", exchange_formulas},
                                   table{"comm", comm_traffic_formulas},
                                   table{"comm", comm_fastest_formulas},
                                   table{"comm", comm_overlap_formulas},
                                   table{"scaling", scaling_formulas},
                                   table{"scaling", scaling_optimus_formulas},
                                   table{"scaling", update_formulas},
                                   table{"queue", queue_formulas},
                                   table{"queue", queue_general_formulas},
                                   table{"queue", queue_gang_formulas},
                                   table{"queue", queue_policy_formulas},
                                   table{"queue", queue_scheduler_formulas},
                                   table{"queue", queue_allocation_formulas},
                                   table{"simulate", queue_simulation_formulas},
                                   table{"placement", placement_formulas},
                                   table{"placement", placement_choice_formulas},
                                   table{"plan", plan_formulas},
                                   table{"plan", layer_group_formulas},
                                   table{"plan", step_formulas},
                                   table{"plan", host_traffic_formulas},
                                   table{"plan", run_formulas},
                                   table{"calibrate", calibrate_formulas}};

/// How many rows there are.
constexpr std::size_t formula_count() {
  std::size_t count = 0;
  for (const table& of : tables) count += of.rows.size();
  return count;
}

/// The row of a function, whatever the case and the separators of the name; with a header, of the
/// function that it declares.  nullptr if there is none.
constexpr const formula* find_formula(std::string_view name, std::string_view header = {}) {
  for (const table& of : tables)
    for (const formula& row : of.rows)
      if (same_name(row.name, name) && (header.empty() || row.header == header)) return &row;
  return nullptr;
}

}  // namespace gpuplan::registry
