#pragma once
/// \file
/// The lists of the question "catalog": one for each kind of entry, as JSON.

#include <array>
#include <string_view>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/hardware/multiprocessor.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/model/huggingface_config_families.hpp>
#include <gpuplan/model/parameters.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::api {
namespace detail {

/// A figure of an entry; null where it is 0, which says that a device lacks it or that it is
/// unknown.
template <class Q>
report_json json_of_known(const Q& figure) {
  return figure > Q{} ? json_number(figure) : report_json(nullptr);
}

inline report_json json_of_accelerators() {
  report_json list = report_json::array();
  for (const auto& entry : catalog::accelerators)
    list.push_back(
        {{"name", entry.name},
         {"vendor", entry.vendor},
         {"year", entry.year},
         {"memory_bytes", json_number(entry.gpu->memory)},
         {"memory_from", gpuplan::name_of(entry.gpu->memory_from)},
         {"label_memory_bytes", json_of_known(entry.gpu->label_memory)},
         {"memory_bandwidth_bytes_per_s", json_number(entry.gpu->memory_bandwidth)},
         {"peak_bf16_flop_per_s", json_of_known(entry.gpu->peak.bf16)},
         {"thermal_design_power_watts", json_of_known(entry.gpu->thermal_design_power)}});
  return list;
}

inline report_json json_of_fabrics() {
  report_json list = report_json::array();
  for (const auto& entry : catalog::fabrics)
    list.push_back(
        {{"name", entry.name},
         {"latency_s", json_of_known(entry.net->port.latency)},
         {"signalling_bytes_per_s", json_of_known(entry.net->port.signalling.per_direction())},
         {"advertised_bytes_per_s", json_of_known(entry.net->port.advertised.per_direction())},
         {"achievable_bytes_per_s", json_of_known(entry.net->port.achievable.per_direction())}});
  return list;
}

inline report_json json_of_models() {
  report_json list = report_json::array();
  for (const auto& entry : catalog::models)
    list.push_back({{"name", entry.name},
                    {"parameters", json_number(parameters_of(entry.model).total())},
                    {"active_parameters", json_number(active_parameters(entry.model))}});
  return list;
}

inline report_json json_of_families() {
  report_json list = report_json::array();
  for (const config_family& one : config_families())
    list.push_back({{"name", one.name},
                    {"planned", one.planned ? report_json(*one.planned) : report_json(nullptr)},
                    {"unlike", one.unlike.empty() ? report_json(nullptr) : report_json(one.unlike)},
                    {"holds_language_model", one.holds_language_model}});
  return list;
}

inline report_json json_of_multiprocessors() {
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

}  // namespace detail

/// All entries of one kind.
struct catalog_list {
  std::string_view name;    ///< of the kind
  report_json (*json)();    ///< an array
  bool has_entries = true;  ///< that can be asked for by name; else the list says all
};

/// In the order in which they are printed.
inline constexpr std::array catalog_lists{
    catalog_list{"accelerators", detail::json_of_accelerators},
    catalog_list{"fabrics", detail::json_of_fabrics},
    catalog_list{"models", detail::json_of_models},
    catalog_list{"families", detail::json_of_families, false},
    catalog_list{"multiprocessors", detail::json_of_multiprocessors, false}};

}  // namespace gpuplan::api
