/// \file
/// The lists of `gpuplan catalog` for people: one for each kind of entry.

#include "catalog/lists.hpp"

#include <string>

#include <fmt/format.h>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/hardware/catalog_others.hpp>
#include <gpuplan/hardware/multiprocessor.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/model/huggingface_config_families.hpp>
#include <gpuplan/model/parameters.hpp>
#include <gpuplan/units/format.hpp>

namespace gpuplan::cli {
namespace {

template <class Q>
std::string or_dash(const char* pattern, Q value) {
  return value > Q{} ? fmt::format(fmt::runtime(pattern), value) : "-";
}

table list_of_accelerators() {
  table rows{{{"Accelerator"},
              {"Vendor"},
              {"Year", column_side::right},
              {"Memory", column_side::right},
              {"Bandwidth", column_side::right},
              {"BF16 dense", column_side::right},
              {"Links, one way", column_side::right},
              {"Power", column_side::right}}};
  for (const auto& entry : catalog::accelerators) {
    const accelerator& gpu = *entry.gpu;
    rows.row({std::string(entry.name), std::string(entry.vendor), std::to_string(entry.year),
              fmt::format("{:.3g}", binary{gpu.memory}),
              fmt::format("{:.3g}", gpu.memory_bandwidth), or_dash("{:.3g}", gpu.peak.bf16),
              or_dash("{:.3g}", planned_rate(gpu.scale_up.all_peers).per_direction()),
              or_dash("{:.3g}", gpu.thermal_design_power)});
  }
  return rows;
}

/// Devices that are known, and why they are not planned with.
table list_of_others() {
  table rows{{{"Not planned with"},
              {"Vendor"},
              {"Year", column_side::right},
              {"Memory", column_side::right},
              {"Why"}}};
  for (const other_device& one : catalog::others)
    rows.row({std::string(one.name), std::string(one.vendor), std::to_string(one.year),
              fmt::format("{:.3g}", binary{one.memory}), std::string(one.why)});
  return rows;
}

table list_of_fabrics() {
  table rows{{{"Fabric"},
              {"Latency", column_side::right},
              {"Signalling", column_side::right},
              {"Advertised", column_side::right},
              {"Achievable", column_side::right}}};
  for (const auto& entry : catalog::fabrics) {
    const physical_link& port = entry.net->port;
    rows.row({std::string(entry.name), or_dash("{:.3g}", port.latency),
              or_dash("{:.4g}", port.signalling.per_direction()),
              or_dash("{:.4g}", port.advertised.per_direction()),
              or_dash("{:.4g}", port.achievable.per_direction())});
  }
  return rows;
}

table list_of_models() {
  table rows{{{"Model"},
              {"Parameters", column_side::right},
              {"Active", column_side::right},
              {"Layers", column_side::right},
              {"Hidden", column_side::right},
              {"Heads", column_side::right},
              {"KV heads", column_side::right},
              {"Vocabulary", column_side::right}}};
  for (const auto& entry : catalog::models) {
    const transformer& m = entry.model;
    const auto billions = [](double count) { return fmt::format("{:.4g} B", count / 1e9); };
    rows.row({std::string(entry.name), billions(parameters_of(m).total()),
              m.moe_layers() > 0 ? billions(active_parameters(m)) : "", std::to_string(m.layers),
              std::to_string(m.hidden_size), std::to_string(m.attention_heads),
              std::to_string(m.key_value_heads()), std::to_string(m.vocabulary_size)});
  }
  return rows;
}

/// Values of model_type in a config.json, and what is made of each.
table list_of_families() {
  table rows{{{"Family of config.json"}, {"Its language model is"}, {"Why not planned"}}};
  for (const config_family& one : config_families())
    rows.row({std::string(one.name),
              std::string(!one.planned   ? "of another family"
                          : *one.planned ? "planned"
                                         : "counted"),
              std::string(one.unlike)});
  return rows;
}

/// Multiprocessors by compute capability: what each holds, and its results a cycle.
table list_of_multiprocessors() {
  table rows{{{"Capability"},
              {"Cores", column_side::right},
              {"FP16 a cycle", column_side::right},
              {"Registers", column_side::right},
              {"Shared + L1", column_side::right},
              {"Shared at most", column_side::right}}};
  for (const multiprocessor& one : known_multiprocessors)
    rows.row({fmt::format("{}.{}", one.compute_capability / 10, one.compute_capability % 10),
              std::to_string(one.cores), std::to_string(one.half_results),
              fmt::format("{:.4g}", binary{one.registers}),
              fmt::format("{:.4g}", binary{one.shared_and_l1}),
              fmt::format("{:.4g}", binary{one.shared_at_most})});
  return rows;
}

}  // namespace

std::vector<table> tables_of(std::string_view kind) {
  if (kind == "accelerators") return {list_of_accelerators(), list_of_others()};
  if (kind == "fabrics") return {list_of_fabrics()};
  if (kind == "models") return {list_of_models()};
  if (kind == "families") return {list_of_families()};
  return {list_of_multiprocessors()};
}

}  // namespace gpuplan::cli
