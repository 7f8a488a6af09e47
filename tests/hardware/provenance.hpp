#pragma once
/// \file
/// Whether the numbers of a catalog entry and the facts about it are the same.

#include <cstddef>
#include <span>
#include <string_view>

#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/hardware/fabric.hpp>
#include <gpuplan/hardware/fact.hpp>

namespace gpuplan::testing {

/// Whether two values differ by rounding only: 3.4 * 1e-6 is not quite 3.4e-6.
constexpr bool same_value(double a, double b) {
  return a - b <= 1e-15 * b && b - a <= 1e-15 * b;
}

template <class Visit>
constexpr void each_number(std::string_view group, const physical_link& link, Visit visit) {
  visit(group, "latency", link.latency.in_base_units());
  visit(group, "signalling", link.signalling.per_direction().in_base_units());
  visit(group, "advertised", link.advertised.per_direction().in_base_units());
  visit(group, "achievable", link.achievable.per_direction().in_base_units());
}

template <class Visit>
constexpr void each_number(std::string_view group, const basic_peak<double>& peak, Visit visit) {
  visit(group, "fp64", peak.fp64.in_base_units());
  visit(group, "fp32", peak.fp32.in_base_units());
  visit(group, "tf32", peak.tf32.in_base_units());
  visit(group, "fp16", peak.fp16.in_base_units());
  visit(group, "bf16", peak.bf16.in_base_units());
  visit(group, "fp8_e4m3", peak.fp8_e4m3.in_base_units());
  visit(group, "fp8_e5m2", peak.fp8_e5m2.in_base_units());
  visit(group, "fp4", peak.fp4.in_base_units());
  visit(group, "int8", peak.int8.in_base_units());
}

/// Calls visit(group, name, value) for every number of an entry; the field is group + name.
template <class Visit>
constexpr void each_number(const accelerator& gpu, Visit visit) {
  visit("", "memory", gpu.memory.in_base_units());
  visit("", "label_memory", gpu.label_memory.in_base_units());
  visit("", "memory_bandwidth", gpu.memory_bandwidth.in_base_units());
  visit("", "achieved_memory_bandwidth", gpu.achieved_memory_bandwidth.in_base_units());
  each_number("peak.", gpu.peak, visit);
  each_number("achieved.", gpu.achieved, visit);
  each_number("sustained.", gpu.sustained, visit);
  visit("attention.", "triton", gpu.attention.triton);
  visit("attention.", "flash_2", gpu.attention.flash_2);
  visit("attention.", "fused", gpu.attention.fused);
  each_rate(gpu.operators, [&](std::string_view name, const auto& value) {
    if constexpr (requires { value.in_base_units(); })
      visit("operators.", name, value.in_base_units());
    else
      visit("operators.", name, value);
  });
  visit("", "streaming_multiprocessors", gpu.streaming_multiprocessors);
  visit("", "l2", gpu.l2.in_base_units());
  visit("", "thermal_design_power", gpu.thermal_design_power.in_base_units());
  visit("", "scale_up.links", gpu.scale_up.links);
  if (gpu.scale_up.domain > 0) visit("", "scale_up.domain", gpu.scale_up.domain);
  each_number("scale_up.all_peers.", gpu.scale_up.all_peers, visit);
  each_number("scale_up.one_peer.", gpu.scale_up.one_peer, visit);
  each_number("host.", gpu.host, visit);
}

template <class Visit>
constexpr void each_number(const network_fabric& net, Visit visit) {
  each_number("port.", net.port, visit);
  if (net.accelerators != 1) visit("", "accelerators", net.accelerators);
  visit("", "small_message_hop", net.small_message_hop.in_base_units());
  visit("", "medium_message_hop", net.medium_message_hop.in_base_units());
  visit("", "adapter_latency", net.adapter_latency.in_base_units());
}

/// Whether each number of the entry that is not zero has one fact, and each fact its number.
template <class Entry>
constexpr bool vouched_for(const Entry& entry, std::span<const fact> facts) {
  bool agree = true;
  std::size_t numbers = 0;
  each_number(entry, [&](std::string_view group, std::string_view name, double value) {
    int found = 0;
    for (const fact& one : facts) {
      if (one.field.size() != group.size() + name.size() || !one.field.starts_with(group) ||
          !one.field.ends_with(name))
        continue;
      ++found;
      agree = agree && value > 0 && same_value(value, one.value) && !one.source.empty();
    }
    numbers += value != 0;
    agree = agree && found == (value != 0);
  });
  return agree && numbers == facts.size();
}

}  // namespace gpuplan::testing
