/// \file
/// The lists of `gpuplan catalog`: one for each kind of entry, for people and for programs.

#include "catalog/lists.hpp"

#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/hardware/catalog_others.hpp>
#include <gpuplan/hardware/multiprocessor.hpp>
#include <gpuplan/model/catalog.hpp>
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

report_json json_of_accelerators() {
  report_json list = report_json::array();
  for (const auto& entry : catalog::accelerators)
    list.push_back(
        {{"name", entry.name},
         {"vendor", entry.vendor},
         {"year", entry.year},
         {"memory_bytes", json_number(entry.gpu->memory)},
         {"memory_from", name_of(entry.gpu->memory_from)},
         {"label_memory_bytes", json_number(entry.gpu->label_memory)},
         {"memory_bandwidth_bytes_per_s", json_number(entry.gpu->memory_bandwidth)},
         {"peak_bf16_flop_per_s", json_number(entry.gpu->peak.bf16)},
         {"thermal_design_power_watts", entry.gpu->thermal_design_power > watts{0}
                                            ? json_number(entry.gpu->thermal_design_power)
                                            : report_json(nullptr)}});
  return list;
}

report_json json_of_fabrics() {
  report_json list = report_json::array();
  for (const auto& entry : catalog::fabrics)
    list.push_back(
        {{"name", entry.name},
         {"latency_s", json_number(entry.net->port.latency)},
         {"signalling_bytes_per_s", json_number(entry.net->port.signalling.per_direction())},
         {"advertised_bytes_per_s", json_number(entry.net->port.advertised.per_direction())},
         {"achievable_bytes_per_s", json_number(entry.net->port.achievable.per_direction())}});
  return list;
}

report_json json_of_models() {
  report_json list = report_json::array();
  for (const auto& entry : catalog::models)
    list.push_back({{"name", entry.name},
                    {"parameters", json_number(parameters_of(entry.model).total())},
                    {"active_parameters", json_number(active_parameters(entry.model))}});
  return list;
}

report_json json_of_multiprocessors() {
  report_json list = report_json::array();
  for (const multiprocessor& one : known_multiprocessors)
    list.push_back({{"compute_capability", one.compute_capability / 10.0},
                    {"cores", one.cores},
                    {"half_results_per_cycle", one.half_results},
                    {"registers_bytes", json_number(one.registers)},
                    {"shared_and_l1_bytes", json_number(one.shared_and_l1)},
                    {"shared_at_most_bytes", json_number(one.shared_at_most)}});
  return list;
}

constexpr std::array lists{
    catalog_list{"accelerators",
                 [] {
                   return std::vector{list_of_accelerators(), list_of_others()};
                 },
                 json_of_accelerators},
    catalog_list{"fabrics", [] { return std::vector{list_of_fabrics()}; }, json_of_fabrics},
    catalog_list{"models", [] { return std::vector{list_of_models()}; }, json_of_models},
    catalog_list{"multiprocessors", [] { return std::vector{list_of_multiprocessors()}; },
                 json_of_multiprocessors}};

}  // namespace

std::span<const catalog_list> catalog_lists() {
  return lists;
}

}  // namespace gpuplan::cli
