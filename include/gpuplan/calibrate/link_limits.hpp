#pragma once
/// \file
/// The fastest that the links of a profile can be.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/calibrate/profile.hpp>
#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/hardware/physical_link.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A link of a profile that is faster than its wires.
struct link_excess {
  std::string_view name{};  ///< "scale_up", "fabric" or "host", as in the file of a profile
  bytes_per_second rate{};
  bytes_per_second most{};  ///< that the wires can signal
  std::string device{};     ///< whose wires; empty: any of the catalogue's

  bool operator==(const link_excess&) const = default;
};

namespace detail {

/// What a link puts on its wires each way; what is advertised where that is not known.
constexpr bytes_per_second signalled(const physical_link& wire) {
  const bytes_per_second rate = wire.signalling.per_direction();
  return rate > bytes_per_second{0} ? rate : wire.advertised.per_direction();
}

/// The fastest of a device's links of a kind; of every device of the catalogue where none is named.
template <class RateOf>
constexpr bytes_per_second fastest_of_devices(std::string_view device, RateOf rate_of) {
  bytes_per_second most{};
  for (const catalog::accelerator_entry& entry : catalog::accelerators)
    if (device.empty() || device == entry.name) most = larger(most, rate_of(*entry.gpu));
  return most;
}

constexpr bytes_per_second most_inside(std::string_view device) {
  return fastest_of_devices(device, [](const accelerator& gpu) {
    return larger(signalled(gpu.scale_up.all_peers), signalled(gpu.host));
  });
}

constexpr bytes_per_second most_to_host(std::string_view device) {
  return fastest_of_devices(device, [](const accelerator& gpu) { return signalled(gpu.host); });
}

/// Networks, and the links between GPUs, which join the nodes of a rack.
constexpr bytes_per_second most_outside(std::string_view device) {
  bytes_per_second most = most_inside(device);
  for (const catalog::fabric_entry& entry : catalog::fabrics) {
    const bool of_gpus = entry.name.starts_with("NVLink") || entry.name.starts_with("xGMI");
    if (!of_gpus) most = larger(most, signalled(entry.net->port) / entry.net->accelerators);
  }
  return most;
}

/// "450 GB/s", in tenths at most.
inline std::string in_GB_per_s(bytes_per_second rate) {
  const long long tenths = std::llround(10 * (rate / (units::GB / units::second)));
  const std::string part = tenths % 10 == 0 ? "" : "." + std::to_string(tenths % 10);
  return std::to_string(tenths / 10) + part + " GB/s";
}

/// A link of a profile, and the fastest that it can be on a device.
struct bounded_link {
  std::string_view name;
  interconnect cluster_profile::*link;
  bytes_per_second (*most)(std::string_view device);
};

inline constexpr std::array bounded_links{
    bounded_link{"scale_up", &cluster_profile::scale_up, most_inside},
    bounded_link{"fabric", &cluster_profile::fabric, most_outside},
    bounded_link{"host", &cluster_profile::host, most_to_host}};

}  // namespace detail

/// The links of a profile that are above what their wires can signal by more than
/// most_over_datasheet; links of the device that the profile names, else of any.
inline std::vector<link_excess> links_beyond_wires(const cluster_profile& profile) {
  const catalog::accelerator_entry* const of = catalog::find_accelerator(profile.gpu);
  const std::string device{of == nullptr ? std::string_view{} : of->name};
  std::vector<link_excess> beyond;
  for (const detail::bounded_link& one : detail::bounded_links) {
    const bytes_per_second rate = (profile.*one.link).bandwidth;
    const bytes_per_second most = one.most(device);
    if (!(most > bytes_per_second{0}) || rate <= detail::most_over_datasheet * most) continue;
    beyond.push_back({.name = one.name, .rate = rate, .most = most, .device = device});
  }
  return beyond;
}

/// "fabric: 9000 GB/s is above the 450 GB/s that links of H100-SXM5-80GB can signal".
inline std::string in_words(const link_excess& one) {
  return std::string(one.name) + ": " + detail::in_GB_per_s(one.rate) + " is above the " +
         detail::in_GB_per_s(one.most) + " that " +
         (one.device.empty() ? "any link of the catalogue" : "links of " + one.device) +
         " can signal";
}

/// Refuses a profile whose links no wires carry, but for those that were forced when it was made.
///
/// \throws invalid_input naming the file and the link
inline void require_possible_links(const cluster_profile& profile, const std::string& file) {
  for (const link_excess& one : links_beyond_wires(profile))
    if (std::find(profile.forced.begin(), profile.forced.end(), one.name) == profile.forced.end())
      refuse(
          (file + ": " + in_words(one) +
           "; gpuplan calibrate --force writes a profile that has it, as of sums inside a switch")
              .c_str());
}

}  // namespace gpuplan
