#pragma once
/// \file
/// The sections of a probe: what each is called, how long it may take, in which order they come.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/units/units.hpp>

namespace gpuplan::probe {

enum class section {
  identity,
  memory,
  launch,
  hbm,
  host_copy,
  gemm,
  power,
  contention,
  peers,
  collectives
};

struct section_facts {
  section what;
  std::string_view name;
  seconds time;         ///< for one device, one pair of devices, or one number of them
  bool of_each_device;  ///< else of the machine
  std::string_view says;
};

/// In the order they run: what heats the GPU comes late.  All of one device's make 48 s; with a
/// second of rest before each, and the start of a process, less than 60.
inline constexpr std::array section_table{
    section_facts{section::identity, "identity", seconds{2}, true, "what the device is"},
    section_facts{section::memory, "memory", seconds{3}, true,
                  "what the context, cuBLAS and NCCL take; the largest allocation"},
    section_facts{section::launch, "launch", seconds{2}, true, "kernels, graphs, events"},
    section_facts{section::hbm, "hbm", seconds{7}, true, "read, write, copy, triad by size"},
    section_facts{section::host_copy, "host_copy", seconds{7}, true, "pinned, pageable, duplex"},
    section_facts{section::gemm, "gemm", seconds{18}, true, "matrix products of each format"},
    section_facts{section::power, "power", seconds{6}, true, "idle, memory-bound, product-bound"},
    section_facts{section::contention, "contention", seconds{3}, true,
                  "products beside copies and collectives"},
    section_facts{section::peers, "peers", seconds{3}, false, "copies between two devices"},
    section_facts{section::collectives, "collectives", seconds{15}, false, "NCCL"}};

constexpr const section_facts& facts_of(section what) {
  for (const section_facts& facts : section_table)
    if (facts.what == what) return facts;
  return section_table.front();
}

constexpr std::optional<section> section_named(std::string_view name) {
  for (const section_facts& facts : section_table)
    if (facts.name == name) return facts.what;
  return std::nullopt;
}

/// How many devices take part in collectives: 2, 4 and all of them.
inline std::vector<int> team_sizes(int devices) {
  std::vector<int> sizes;
  for (int ranks = 2; ranks < devices && ranks <= 4; ranks *= 2) sizes.push_back(ranks);
  if (devices >= 2) sizes.push_back(devices);
  return sizes;
}

/// What a probe of so many devices may take: `scale` minutes for each, and for each part of the
/// machine its time, and that of its start: a process, contexts and, of collectives, NCCL's.
inline seconds time_of_probe(int devices, double scale) {
  const seconds start_of_peers{3};
  const seconds start_of_collectives{15};
  const double pairs = devices * (devices - 1) / 2;
  const auto teams = static_cast<double>(team_sizes(devices).size());
  return scale * devices * units::minute +
         pairs * (scale * facts_of(section::peers).time + start_of_peers) +
         teams * (scale * facts_of(section::collectives).time + start_of_collectives);
}

/// "identity, memory, ..."
inline std::string section_names() {
  std::string names;
  for (const section_facts& facts : section_table)
    names += (names.empty() ? "" : ", ") + std::string{facts.name};
  return names;
}

}  // namespace gpuplan::probe
