#pragma once
/// \file
/// Figures that cannot be, by what is known of others.

#include <algorithm>
#include <string>
#include <vector>

#include <gpuplan/calibrate/probe_report.hpp>
#include <gpuplan/model/recipe_names.hpp>
#include <gpuplan/units/number_format.hpp>

namespace gpuplan::probe {

/// Shares of a datasheet between which a large transfer or product is believed.
///
/// From public measurements: memory reaches 80 to 95 % of its datasheet, products 51 to 87 %,
/// copies over PCIe 82 to 87 %.  A third of that is a fault of the machine or of the probe; more
/// than a tenth above 1 is no measurement of this device.
inline constexpr double least_share = 0.3;
inline constexpr double most_share = 1.1;
/// Memory is faster than its datasheet only where a cache helps; 2 % are for its clock.
inline constexpr double most_memory_share = 1.02;

constexpr bool is_believable(double share, double most = most_share) {
  return share >= least_share && share <= most;
}

namespace detail {

inline std::string percent(double share) {
  return std::to_string(static_cast<int>(100 * share + 0.5)) + " % of the datasheet";
}

}  // namespace detail

/// A line for each kind of measurement whose best figure is not believable: the best, since small
/// sizes are slow by nature.
inline std::vector<std::string> doubts_of(const probe_device& device) {
  std::vector<std::string> doubts;
  const auto doubt = [&](const std::string& what, double share, double most) {
    if (share > 0 && !is_believable(share, most))
      doubts.push_back("device " + std::to_string(device.index) + ": " + what + " at " +
                       detail::percent(share));
  };
  double memory = 0;
  for (const probe_hbm_row& row : device.hbm)
    if (row.buffer >= 8 * device.l2 && row.datasheet_share)
      memory = std::max(memory, *row.datasheet_share);
  doubt("memory", memory, most_memory_share);
  for (const number_format format : number_formats) {
    double best = 0;
    for (const probe_gemm_row& row : device.gemm)
      if (row.format == format && row.datasheet_share) best = std::max(best, *row.datasheet_share);
    doubt("products in " + std::string{spelled(number_format_names, format)}, best, most_share);
  }
  for (const host_direction direction : {host_direction::to_device, host_direction::to_host}) {
    double best = 0;
    for (const probe_host_copy& row : device.host_copy)
      if (row.direction == direction && row.pinned && row.datasheet_share)
        best = std::max(best, *row.datasheet_share);
    doubt(direction == host_direction::to_device ? "copies to the device" : "copies to the host",
          best, most_share);
  }
  return doubts;
}

}  // namespace gpuplan::probe
