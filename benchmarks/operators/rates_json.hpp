#pragma once
/// \file
/// The fitted rates as tests/data/operator_rates.json holds them.

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "operators/all_devices.hpp"

namespace gpuplan::operators {

namespace detail {

/// Three digits: more than the fits can tell apart.
inline double rounded(double value) {
  return std::stod(fmt::format("{:.3g}", value));
}

inline nlohmann::ordered_json fact_of(const device_rates& device, const std::string& field,
                                      double value) {
  nlohmann::ordered_json fact{{"value", rounded(value)}, {"status", "derived"}};
  const auto basis = device.fit.basis.find(field);
  if (basis != device.fit.basis.end()) {
    const bool framework = field == "operators.product_steady" ||
                           field == "operators.group_start" ||
                           field.starts_with("operators.attention.backward");
    fact["source"] = framework ? "simumax_operators" : "aiconfigurator_operators";
    fact["note"] = fmt::format("fitted to {} rows, median error {:.1f} %", basis->second.rows,
                               100 * basis->second.median);
  } else {
    fact["source"] = "gpuplan_operators";
    fact["note"] = device.derived_from.empty() ? "derived from what was measured on other GPUs"
                                               : "derived from " + device.derived_from;
  }
  return fact;
}

}  // namespace detail

inline nlohmann::ordered_json json_of(const std::vector<device_rates>& devices) {
  nlohmann::ordered_json all;
  all["about"] =
      "Rates of operators by accelerator, fitted by benchmarks/operators to the measured rows of "
      "tests/data/vectors/measured_*.json; written by it with --write.";
  nlohmann::ordered_json& by_name = all["devices"];
  for (const device_rates& device : devices) {
    nlohmann::ordered_json facts;
    const auto add = [&](const std::string& field, double value) {
      if (value > 0) facts[field] = detail::fact_of(device, field, value);
    };
    const auto add_rates = [&](const std::string& group, const basic_peak<double>& rates) {
      add(group + "fp16", rates.fp16.in_base_units());
      add(group + "bf16", rates.bf16.in_base_units());
      add(group + "fp8_e4m3", rates.fp8_e4m3.in_base_units());
      add(group + "fp8_e5m2", rates.fp8_e5m2.in_base_units());
      add(group + "fp4", rates.fp4.in_base_units());
    };
    add_rates("achieved.", device.fit.gpu.achieved);
    add_rates("sustained.", device.fit.gpu.sustained);
    each_rate(device.fit.gpu.operators, [&](std::string_view field, const auto& value) {
      add("operators." + std::string(field), detail::in_base(value));
    });
    by_name[device.name] = {{"derived_from", device.derived_from}, {"facts", facts}};
  }
  return all;
}

}  // namespace gpuplan::operators
