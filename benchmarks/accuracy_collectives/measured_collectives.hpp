#pragma once
/// \file
/// Measured collectives held against closed forms with the constants of the catalogue.

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/comm/all_to_all.hpp>
#include <gpuplan/comm/collective.hpp>
#include <gpuplan/comm/nccl.hpp>
#include <gpuplan/comm/nccl_fabric.hpp>
#include <gpuplan/compute/kernel_rates.hpp>

#include "accuracy/statistics.hpp"
#include "accuracy_collectives/machines.hpp"

namespace gpuplan::accuracy {

/// One message size.
struct measured_time {
  bytes message{};
  seconds measured{};
  seconds network{};   ///< predicted, were launches free
  seconds launches{};  ///< of a kernel on each GPU of a process, one after another

  /// The host launches while the network works: the longer of the two.
  [[nodiscard]] seconds predicted() const { return larger(network, launches); }
};

/// One sweep over sizes.
struct measured_sweep {
  std::string hardware;
  std::string source;
  collective what{};
  int ranks = 0;
  std::vector<measured_time> times{};
  [[nodiscard]] errors of_all() const {
    errors all;
    for (const measured_time& t : times) all.add(relative_error(t.predicted() / t.measured, 1));
    return all;
  }
};

struct left_out_sweep {
  std::string hardware;
  std::string reason;
  std::size_t count = 0;
};

struct measured_collectives {
  std::vector<measured_sweep> sweeps{};
  std::vector<left_out_sweep> left_out{};
};

/// A collective on a machine: NCCL's, or pairwise messages for an all-to-all.
inline seconds network_time(const measured_machine& machine, collective what, int ranks,
                            bytes message) {
  const int nodes = (ranks + machine.node_gpus - 1) / machine.node_gpus;
  if (what == collective::all_to_all) {
    if (nodes > 1) throw std::runtime_error{"no all-to-all over several nodes was measured"};
    return pairwise_all_to_all(interconnect_of(machine.node.inside.port), ranks, message).total();
  }
  const auto time =
      nccl_expected(nccl_group_on(machine.node, ranks, nodes), what, message, machine.allowed);
  if (!time) throw std::runtime_error{"NCCL has no such collective"};
  return time->total();
}

namespace detail {

inline collective collective_of(const std::string& name) {
  static const std::map<std::string_view, collective> names{
      {"all_reduce", collective::all_reduce}, {"reduce_scatter", collective::reduce_scatter},
      {"all_gather", collective::all_gather}, {"alltoall", collective::all_to_all},
      {"broadcast", collective::broadcast},   {"reduce", collective::reduce}};
  const auto found = names.find(name);
  if (found == names.end()) throw std::runtime_error{"unknown collective " + name};
  return found->second;
}

template <class Machines>
auto machine_of(const Machines& machines, const std::string& hardware)
    -> decltype(machines.data()) {
  for (const auto& machine : machines)
    if (hardware.find(machine.hardware) != std::string::npos) return &machine;
  return nullptr;
}

}  // namespace detail

/// Every sweep of the table; those on no known machine are left out.
inline measured_collectives read_measured_collectives(const nlohmann::json& table) {
  using namespace units;
  measured_collectives result;
  for (const auto& sweep : table.at("datasets")) {
    const std::string hardware = sweep.at("hardware").get<std::string>();
    const auto& rows = sweep.at("rows");
    if (const auto* known = detail::machine_of(left_out_machines, hardware)) {
      result.left_out.push_back({hardware, std::string(known->reason), rows.size()});
      continue;
    }
    const auto* machine = detail::machine_of(measured_machines, hardware);
    if (machine == nullptr) {
      result.left_out.push_back({hardware, "the machine is not known", rows.size()});
      continue;
    }
    measured_sweep read{.hardware = hardware,
                        .source = sweep.at("source").get<std::string>(),
                        .what = detail::collective_of(sweep.at("op").get<std::string>()),
                        .ranks = sweep.at("n").get<int>()};
    for (const auto& row : rows) {
      const bytes message = row.at("bytes").get<double>() * byte;
      read.times.push_back({.message = message,
                            .measured = row.at("time_us").get<double>() * us,
                            .network = network_time(*machine, read.what, read.ranks, message),
                            .launches = machine->process_gpus * kernel_launch});
    }
    result.sweeps.push_back(std::move(read));
  }
  return result;
}

}  // namespace gpuplan::accuracy
