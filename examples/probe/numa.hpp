#pragma once
/// \file
/// NUMA nodes: which one host memory is in, and which one is next to a device.

#include <fstream>
#include <optional>
#include <string>

#include <sys/syscall.h>
#include <unistd.h>

namespace gpuplan::probe {

/// The node of a page; nullopt where the system does not say, as in some containers.
///
/// Source: Linux manual pages, get_mempolicy(2): MPOL_F_NODE with MPOL_F_ADDR.
inline std::optional<int> numa_node_of_memory(const void* data) {
  constexpr unsigned long node_of_address = 1 | 2;
  int node = -1;
  if (syscall(SYS_get_mempolicy, &node, nullptr, 0UL, data, node_of_address) != 0 || node < 0)
    return std::nullopt;
  return node;
}

/// The node next to a PCI device; nullopt: all are as near, or unknown.
inline std::optional<int> numa_node_of_device(std::string bus_id) {
  for (char& c : bus_id)
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
  std::ifstream file{"/sys/bus/pci/devices/" + bus_id + "/numa_node"};
  int node = -1;
  if (!(file >> node) || node < 0) return std::nullopt;
  return node;
}

}  // namespace gpuplan::probe
