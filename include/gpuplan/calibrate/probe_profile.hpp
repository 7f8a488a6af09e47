#pragma once
/// \file
/// A profile of what a probe measured.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <gpuplan/calibrate/probe_profile_device.hpp>
#include <gpuplan/calibrate/probe_profile_link.hpp>
#include <gpuplan/calibrate/probe_report.hpp>
#include <gpuplan/calibrate/profile.hpp>
#include <gpuplan/comm/collective.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A fitted sweep of a report.
struct probe_link_fit {
  sweep_group group{};
  link_fit fit{};
};

/// What was fitted to a report, device by device, and the profile that follows.
struct probe_fits {
  std::vector<device_fit> devices{};     ///< as the report has them
  std::vector<probe_link_fit> sweeps{};  ///< of collectives with two messages or more
  std::optional<std::size_t> link_of{};  ///< the sweep that tells the link between GPUs
  bool link_of_copies = false;           ///< no sweep does, copies between pairs do
  cluster_profile profile{};
};

namespace detail {

/// The lesser of what is known; zero is unknown.
template <class Q>
void take_lesser(Q& known, const Q& found) {
  if (found > Q{0} && (known == Q{0} || found < known)) known = found;
}

/// Rings of all-reduces tell the link as plans use it; then those of half the steps. The more ranks
/// the better.
inline int merit_of(const sweep_group& group) {
  const bool is_half =
      group.what == collective::all_gather || group.what == collective::reduce_scatter;
  if (group.what == collective::all_reduce) return 1'000'000 + group.ranks;
  return is_half ? group.ranks : -1;
}

inline void add_sweeps(const probe_report& report, probe_fits& fits) {
  int best = 0;
  for (const probe_collective& sweep : report.collectives) {
    std::vector<transfer_sample> samples;
    for (const probe_collective_row& row : sweep.rows)
      if (row.message > bytes{0} && row.time.median > seconds{0})
        samples.push_back({row.message, row.time.median});
    const sweep_group group{sweep.what, sweep.ranks, sweep.nodes};
    if (sizes_of(samples) < 2 || group.ranks < 2 || group.nodes < 1 ||
        group.ranks % group.nodes != 0)
      continue;
    fits.sweeps.push_back({group, fit_link(group, samples)});
    const bool is_usable = fault_of(fits.sweeps.back().fit.curve) == curve_fault::none;
    if (is_usable && group.nodes == 1 && merit_of(group) > best) {
      best = merit_of(group);
      fits.link_of = fits.sweeps.size() - 1;
    }
  }
}

/// The slowest pair that copies directly and rightly.
inline interconnect slowest_pair(const probe_report& report) {
  interconnect slowest;
  for (const probe_peer_row& row : report.p2p) {
    if (row.source == row.destination || row.access == false || row.verified == false ||
        !row.one_way)
      continue;
    take_lesser(slowest.bandwidth, *row.one_way);
    if (row.latency) slowest.latency = larger(slowest.latency, *row.latency);
  }
  return slowest;
}

/// Both directions at once where that was measured, as physical_link.achievable has it; the slower
/// of the two.
inline interconnect host_link_of(const device_fit& fit) {
  interconnect host;
  if (fit.to_device_beside && fit.to_host_beside) {
    take_lesser(host.bandwidth, fit.to_device_beside->rate);
    take_lesser(host.bandwidth, fit.to_host_beside->rate);
  }
  for (const auto& one_way : {fit.to_device, fit.to_host}) {
    if (!one_way || fault_of(*one_way) != curve_fault::none) continue;
    take_lesser(host.bandwidth, one_way->link.bandwidth);
    host.latency = larger(host.latency, one_way->link.latency);
  }
  return host;
}

inline void add_device(const probe_device& gpu, const device_fit& fit, cluster_profile& profile) {
  if (fit.memory) take_lesser(profile.memory_bandwidth, fit.memory->plateau.rate);
  for (std::size_t i = 0; i < number_formats.size(); ++i)
    if (const auto found = fit.products.find(number_formats[i]); found != fit.products.end())
      take_lesser(profile.products.*peak_fields[i], found->second.rate());
  const interconnect host = host_link_of(fit);
  take_lesser(profile.host.bandwidth, host.bandwidth);
  if (host.bandwidth > bytes_per_second{0})
    profile.host.latency = larger(profile.host.latency, host.latency);
  take_lesser(profile.memory, gpu.memory_size);
  profile.cuda_context = larger(profile.cuda_context, gpu.memory.context.value_or(bytes{}));
  profile.communicator = larger(profile.communicator, gpu.memory.nccl.value_or(bytes{}));
}

}  // namespace detail

/// Fits all that a report tells, and makes a profile of it. Of several devices the slowest counts,
/// as a job waits for it, and the largest of what software takes of their memory; those that were
/// busy with something else only if all were. The link between
/// GPUs is that of an all-reduce of the most ranks; else of an all-gather or reduce-scatter; else
/// of the slowest pair that copies directly. Curves with a fault_of are fitted and not used.
///
///     file  name of the report, for profile_source
inline probe_fits fit_probe(const probe_report& report, const std::string& file) {
  probe_fits fits;
  cluster_profile& profile = fits.profile;
  const auto is_busy = [](const probe_device& gpu) { return gpu.busy.value_or(false); };
  const bool all_busy = std::all_of(report.devices.begin(), report.devices.end(), is_busy);
  for (const probe_device& gpu : report.devices) {
    fits.devices.push_back(fit_device(gpu));
    if (all_busy || !is_busy(gpu)) detail::add_device(gpu, fits.devices.back(), profile);
  }
  detail::add_sweeps(report, fits);
  if (fits.link_of) {
    profile.scale_up = fits.sweeps[*fits.link_of].fit.link;
  } else {
    profile.scale_up = detail::slowest_pair(report);
    fits.link_of_copies = profile.scale_up.bandwidth > bytes_per_second{0};
    if (!fits.link_of_copies) profile.scale_up = {};
  }
  profile_source source{.file = file, .time_utc = report.time_utc};
  source.what = "probe of " + std::to_string(report.devices.size()) +
                (report.devices.size() == 1 ? " device" : " devices");
  if (!report.devices.empty()) {
    source.device = report.devices.front().name;
    if (!report.software.driver.empty()) source.device += ", driver " + report.software.driver;
  }
  for (const device_fit& fit : fits.devices)
    for (const auto& [format, products] : fit.products) {
      if (!products.fits()) continue;  // the best measured stands for itself
      source.median_error = (std::max)(source.median_error, products.fit.quality.median);
      source.p90_error = (std::max)(source.p90_error, products.fit.quality.p90);
    }
  if (fits.link_of) {
    const fit_quality& quality = fits.sweeps[*fits.link_of].fit.curve.quality;
    source.median_error = (std::max)(source.median_error, quality.median);
    source.p90_error = (std::max)(source.p90_error, quality.p90);
  }
  profile.sources.push_back(source);
  return fits;
}

}  // namespace gpuplan
