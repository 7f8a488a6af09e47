#pragma once
/// \file
/// The report in a few lines, for who watches.

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <gpuplan/calibrate/probe_report.hpp>
#include <gpuplan/model/recipe_names.hpp>
#include <gpuplan/units/number_format.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::probe {

namespace detail {

/// "2.95 TB/s, 88 % of the datasheet"
inline std::string figure(double value, const char* unit, std::optional<double> share = {}) {
  char text[96];
  std::snprintf(text, sizeof text, "%.3g %s", value, unit);
  std::string said{text};
  if (share) {
    std::snprintf(text, sizeof text, ", %.0f %% of the datasheet", 100 * *share);
    said += text;
  }
  return said;
}

/// The row of the highest rate among those that count; nullptr: there is none.
template <class Row, class Counts, class Rate>
const Row* fastest(const std::vector<Row>& rows, Counts counts, Rate rate) {
  const Row* best = nullptr;
  for (const Row& row : rows)
    if (counts(row) && (best == nullptr || rate(row) > rate(*best))) best = &row;
  return best;
}

}  // namespace detail

/// What a device reaches at best, each beside its datasheet.
inline std::vector<std::string> summary_of(const probe_device& device) {
  using detail::figure;
  std::vector<std::string> lines;
  const auto say = [&](const std::string& what, const std::string& said) {
    lines.push_back("device " + std::to_string(device.index) + ": " + what + " " + said);
  };
  lines.push_back("device " + std::to_string(device.index) + ": " + device.name);
  if (const auto* row = detail::fastest(
          device.hbm, [&](const auto& r) { return r.buffer >= 8 * device.l2; },
          [](const auto& r) { return r.rate; }))
    say("memory", figure(row->rate / (units::GB / units::second), "GB/s", row->datasheet_share));
  for (const number_format format : number_formats)
    if (const auto* row = detail::fastest(
            device.gemm, [&](const auto& r) { return r.format == format; },
            [](const auto& r) { return r.rate; }))
      say(std::string{spelled(number_format_names, format)} + " products",
          figure(row->rate / (units::TFLOP / units::second), "TFLOP/s", row->datasheet_share));
  for (const host_direction direction : {host_direction::to_device, host_direction::to_host})
    if (const auto* row = detail::fastest(
            device.host_copy,
            [&](const auto& r) { return r.direction == direction && r.pinned && !r.duplex; },
            [](const auto& r) { return r.size / r.time.median; }))
      say(direction == host_direction::to_device ? "from the host" : "to the host",
          figure(row->size / row->time.median / (units::GB / units::second), "GB/s",
                 row->datasheet_share));
  if (device.launch.queued)
    say("launch of a kernel", figure(device.launch.queued->median / units::us, "us"));
  return lines;
}

}  // namespace gpuplan::probe
