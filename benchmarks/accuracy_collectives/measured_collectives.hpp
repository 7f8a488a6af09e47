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

#include <gpuplan/comm/collective.hpp>
#include <gpuplan/comm/nccl_fabric.hpp>
#include <gpuplan/compute/kernel_rates.hpp>

#include "accuracy/statistics.hpp"
#include "accuracy_collectives/machines.hpp"

namespace gpuplan::accuracy {

/// One message size.
struct measured_time {
  bytes message{};
  seconds measured{};
  lone_collective expected{};

  [[nodiscard]] seconds predicted() const { return expected.total(); }
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

/// A collective on a machine; a process launches a kernel on each of its GPUs, one after another.
inline lone_collective expected_on(const measured_machine& machine, collective what, int ranks,
                                   bytes message) {
  const int nodes = (ranks + machine.node_gpus - 1) / machine.node_gpus;
  auto found = lone_collective_on(machine.node, what, ranks, nodes, message, machine.allowed);
  if (!found) throw std::runtime_error{"no formula speaks of such a collective there"};
  found->launches = machine.process_gpus * collective_launch;
  return *found;
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
                            .expected = expected_on(*machine, read.what, read.ranks, message)});
    }
    result.sweeps.push_back(std::move(read));
  }
  return result;
}

}  // namespace gpuplan::accuracy
