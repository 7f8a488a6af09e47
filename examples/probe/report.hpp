#pragma once
/// \file
/// The report: made of parts that processes of their own have measured, and of what they left out.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gpuplan/calibrate/probe_report.hpp>

namespace gpuplan::probe {

/// Names of measurements that were not made, gathered by reason.
class left_out {
 public:
  void add(const std::string& reason, const std::string& name) {
    auto found = std::find_if(reasons_.begin(), reasons_.end(),
                              [&](const auto& known) { return known.first == reason; });
    if (found == reasons_.end()) found = reasons_.insert(found, {reason, {}});
    found->second.push_back(name);
  }

  /// "no room: bf16 4096 x 4096 x 4096, fp16 ...", after six names "and 3 more".
  [[nodiscard]] std::vector<std::string> lines() const {
    constexpr std::size_t most_named = 6;
    std::vector<std::string> all;
    for (const auto& [reason, names] : reasons_) {
      std::string line = reason + ": " + names.front();
      for (std::size_t i = 1; i < std::min(names.size(), most_named); ++i) line += ", " + names[i];
      if (names.size() > most_named)
        line += " and " + std::to_string(names.size() - most_named) + " more";
      all.push_back(line);
    }
    return all;
  }

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons_{};
};

/// The device of that index, inserted in the order of indices where it is missing.
inline probe_device& device_in(probe_report& report, int index) {
  const auto place = std::lower_bound(
      report.devices.begin(), report.devices.end(), index,
      [](const probe_device& device, int wanted) { return device.index < wanted; });
  if (place != report.devices.end() && place->index == index) return *place;
  return *report.devices.insert(place, probe_device{.index = index});
}

/// Adds what a part says to the whole.  What identity says of a device, as its name, comes before
/// the rest of it.
inline void add_part(probe_report& whole, const probe_report& part) {
  const auto append = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(whole.problems, part.problems);
  append(whole.warnings, part.warnings);
  append(whole.p2p, part.p2p);
  append(whole.collectives, part.collectives);
  if (part.software != probe_software{}) whole.software = part.software;
  for (const probe_device& from : part.devices) {
    probe_device& to = device_in(whole, from.index);
    if (!from.name.empty()) {
      to = from;
      continue;
    }
    if (from.launch != probe_launch{}) to.launch = from.launch;
    append(to.hbm, from.hbm);
    append(to.host_copy, from.host_copy);
    append(to.gemm, from.gemm);
    if (from.memory.nccl) to.memory.nccl = from.memory.nccl;
  }
}

}  // namespace gpuplan::probe
