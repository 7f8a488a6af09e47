#pragma once
/// \file
/// The report of gpuplan-probe: rows as they were measured.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/comm/collective.hpp>
#include <gpuplan/units/number_format.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// The version of the report; a reader refuses others.
inline constexpr std::string_view probe_schema = "probe/1";

/// A time measured again and again.  Models take the median.
struct measured_time {
  seconds median{};
  std::optional<seconds> min{};
  std::optional<seconds> p95{};
  std::optional<double> relative_mad{};  ///< median |t - median| / median
  std::optional<int> samples{};

  bool operator==(const measured_time&) const = default;
};

/// What a stream does: triad reads two arrays and writes a third.
enum class memory_operation { read, write, copy, triad };

/// A kernel that streams through device memory.
struct probe_hbm_row {
  memory_operation operation = memory_operation::copy;
  bytes buffer{};  ///< one array of it; copy has two, triad three
  measured_time time{};
  bytes_per_second rate{};  ///< of all bytes read and written, at the median time

  bool operator==(const probe_hbm_row&) const = default;
};

/// A product of an m x k matrix and a k x n one.
struct probe_gemm_row {
  number_format format = number_format::bf16;
  int rows = 0;     ///< m
  int columns = 0;  ///< n
  int depth = 0;    ///< k
  measured_time time{};

  bool operator==(const probe_gemm_row&) const = default;
};

/// The host's time to start work.
struct probe_launch {
  std::optional<measured_time> queued{};        ///< an empty kernel after others
  std::optional<measured_time> synchronized{};  ///< launched, and waited for
  std::optional<measured_time> graph_of_1{};    ///< a graph of one node, likewise
  std::optional<measured_time> graph_of_20{};
  std::optional<measured_time> event{};  ///< recording one

  bool operator==(const probe_launch&) const = default;
};

/// Which way a copy goes.
enum class host_direction { to_device, to_host };

/// A copy between host and device.
struct probe_host_copy {
  host_direction direction = host_direction::to_device;
  bool pinned = true;
  bool duplex = false;  ///< while as much goes the other way
  bytes size{};
  measured_time time{};

  bool operator==(const probe_host_copy&) const = default;
};

/// Device memory that software takes before the first tensor.
struct probe_memory {
  std::optional<bytes> context{};
  std::optional<bytes> nccl{};  ///< a communicator of all devices

  bool operator==(const probe_memory&) const = default;
};

/// One device.
struct probe_device {
  int index = 0;
  std::string name{};  ///< as the driver names it
  int multiprocessors = 0;
  bytes l2{};
  bytes memory_size{};
  std::optional<bool> busy{};  ///< other programs used it: its rates are low
  probe_memory memory{};
  std::vector<probe_hbm_row> hbm{};
  std::vector<probe_gemm_row> gemm{};
  probe_launch launch{};
  std::vector<probe_host_copy> host_copy{};

  bool operator==(const probe_device&) const = default;
};

/// Copies from one device to another.
struct probe_peer_row {
  int source = 0;
  int destination = 0;
  std::optional<bool> access{};    ///< directly, not through the host
  std::optional<bool> verified{};  ///< every byte arrived
  std::optional<bytes_per_second> one_way{};
  std::optional<seconds> latency{};  ///< of 16 B

  bool operator==(const probe_peer_row&) const = default;
};

/// How long a message of a sweep took.
struct probe_collective_row {
  bytes message{};
  measured_time time{};

  bool operator==(const probe_collective_row&) const = default;
};

/// A sweep of one collective over messages.
struct probe_collective {
  collective what = collective::all_reduce;
  int ranks = 0;
  int nodes = 1;
  std::string software{};                            ///< "nccl 2.27.7"
  std::map<std::string, std::string> environment{};  ///< what the user has set for it
  std::vector<probe_collective_row> rows{};

  bool operator==(const probe_collective&) const = default;
};

/// Versions of what the times depend on, as each prints its own; empty: unknown.
struct probe_software {
  std::string driver{};
  std::string cublas{};

  bool operator==(const probe_software&) const = default;
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
