#pragma once
/// \file
/// One report out of the parts that processes of their own have measured.

#include <algorithm>
#include <utility>

#include <gpuplan/calibrate/probe_report.hpp>

#include "sections.hpp"

namespace gpuplan::probe {

namespace detail {

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// The device of that index; put in, in the order of indices, where it is not there.
inline probe_device& device_in(probe_report& report, int index) {
  const auto place = std::lower_bound(
      report.devices.begin(), report.devices.end(), index,
      [](const probe_device& device, int wanted) { return device.index < wanted; });
  if (place != report.devices.end() && place->index == index) return *place;
  return *report.devices.insert(place, probe_device{.index = index});
}

inline void take_identity(probe_device& to, const probe_device& from) {
  probe_device taken = from;
  taken.pcie = to.pcie;
  taken.memory = to.memory;
  taken.hbm = to.hbm;
  taken.gemm = to.gemm;
  taken.launch = to.launch;
  taken.host_copy = to.host_copy;
  taken.power = to.power;
  taken.contention = to.contention;
  taken.fit = to.fit;
  to = taken;
}

}  // namespace detail

/// Adds what `part` says of section `what`; of other sections it says nothing.
inline void take_part(probe_report& whole, section what, const probe_report& part) {
  detail::append(whole.problems, part.problems);
  detail::append(whole.warnings, part.warnings);
  detail::append(whole.p2p, part.p2p);
  detail::append(whole.collectives, part.collectives);
  // Of a device that did not answer it is empty.
  if (what == section::identity && part.software != probe_software{})
    whole.software = part.software;
  for (const probe_device& from : part.devices) {
    probe_device& to = detail::device_in(whole, from.index);
    switch (what) {
      case section::identity: detail::take_identity(to, from); break;
      case section::memory: {
        const auto nccl = to.memory.nccl;
        to.memory = from.memory;
        to.memory.nccl = nccl;
        break;
      }
      case section::launch: to.launch = from.launch; break;
      case section::hbm: to.hbm = from.hbm; break;
      case section::host_copy:
        to.host_copy = from.host_copy;
        to.pcie = from.pcie;
        break;
      case section::gemm: to.gemm = from.gemm; break;
      case section::power: to.power = from.power; break;
      case section::contention: detail::append(to.contention, from.contention); break;
      case section::collectives:
        if (from.memory.nccl) to.memory.nccl = from.memory.nccl;
        detail::append(to.contention, from.contention);
        break;
      case section::peers: break;
    }
  }
}

}  // namespace gpuplan::probe
