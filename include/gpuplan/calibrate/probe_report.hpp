#pragma once
/// \file
/// What a probe of a machine's devices reports: rows as they were measured, and fits beside them.

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/calibrate/probe_report_device.hpp>
#include <gpuplan/comm/collective.hpp>
#include <gpuplan/comm/pipelined_link.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What a version of the report is called; a reader refuses others.
inline constexpr std::string_view probe_schema = "probe/1";

/// The machine around the devices.
struct probe_host {
  std::string cpu{};
  std::optional<int> numa_nodes{};
  std::string kernel{};

  bool operator==(const probe_host&) const = default;
};

/// Versions as each prints its own; empty: not there.
struct probe_software {
  std::string driver{};
  std::string cuda_driver{};
  std::string cuda_runtime{};
  std::string cublas{};
  std::string nccl{};

  bool operator==(const probe_software&) const = default;
};

/// PCIe as it was under load.
struct probe_pcie {
  std::optional<int> generation{};
  std::optional<int> width{};

  bool operator==(const probe_pcie&) const = default;
};

/// What the device may draw, and how fast it may run.
struct probe_limits {
  std::optional<watts> power{};
  std::optional<per_second> clock{};         ///< highest, of the multiprocessors
  std::optional<per_second> memory_clock{};  ///< highest

  bool operator==(const probe_limits&) const = default;
};

/// One device.
struct probe_device {
  int index = 0;
  std::string uuid_hash{};
  std::string name{};
  std::string compute_capability{};  ///< "9.0"
  int multiprocessors = 0;
  bytes l2{};
  bytes memory_size{};
  std::optional<int> bus_width{};  ///< bits of the memory bus
  std::optional<bool> ecc{};
  std::optional<bool> mig{};
  std::optional<bool> persistence{};
  std::optional<bool> busy{};  ///< others used it: its figures are low
  probe_pcie pcie{};
  probe_limits limits{};
  probe_memory memory{};
  std::vector<probe_hbm_row> hbm{};
  std::vector<probe_gemm_row> gemm{};
  probe_launch launch{};
  std::vector<probe_host_copy> host_copy{};
  probe_power power{};
  std::vector<probe_contention> contention{};
  probe_fit fit{};

  bool operator==(const probe_device&) const = default;
};

/// Copies from one device to another.
struct probe_peer_row {
  int source = 0;
  int destination = 0;
  std::optional<bool> access{};
  std::optional<bool> verified{};  ///< every byte arrived
  std::optional<bytes_per_second> one_way{};
  std::optional<bytes_per_second> both_ways{};  ///< total of both
  std::optional<seconds> latency{};             ///< of 16 B
  std::optional<double> datasheet_share{};      ///< of one_way
  std::string topology{};                       ///< "nvlink", "pcie_switch", "root_complex"
  std::string problem{};                        ///< "timed out", or nothing

  bool operator==(const probe_peer_row&) const = default;
};

/// How long a message of a sweep took.
struct probe_collective_row {
  bytes message{};
  measured_time time{};

  bool operator==(const probe_collective_row&) const = default;
};

/// A fitted curve of a collective.
struct probe_collective_fit {
  seconds latency{};             ///< t0
  seconds fill{};                ///< f of pipelined_time; 0 for a straight line
  bytes_per_second bandwidth{};  ///< B
  std::array<bytes, 2> valid{};  ///< least and most message it was fitted to
  double median_error = 0;       ///< relative

  [[nodiscard]] constexpr pipelined_link link() const { return {latency, fill, bandwidth}; }
  bool operator==(const probe_collective_fit&) const = default;
};

/// A sweep of one collective over messages.
struct probe_collective {
  collective what = collective::all_reduce;
  int ranks = 0;
  int nodes = 1;
  std::string software{};  ///< "nccl 2.27.7"
  std::map<std::string, std::string> environment{};
  std::vector<probe_collective_row> rows{};
  std::optional<probe_collective_fit> fit{};

  bool operator==(const probe_collective&) const = default;
};

/// Whether every section that was asked for gave what it should.
enum class probe_status { ok, partial };

/// A section that gave less than it should.
struct probe_problem {
  std::string section{};
  std::optional<int> device{};
  std::string reason{};

  bool operator==(const probe_problem&) const = default;
};

/// The whole report.
struct probe_report {
  std::string tool_version{};
  std::string time_utc{};
  probe_host host{};
  probe_software software{};
  probe_status status = probe_status::ok;
  std::vector<std::string> warnings{};
  std::vector<probe_problem> problems{};
  std::vector<probe_device> devices{};
  std::vector<probe_peer_row> p2p{};
  std::vector<probe_collective> collectives{};

  bool operator==(const probe_report&) const = default;
};

}  // namespace gpuplan
