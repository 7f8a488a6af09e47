#pragma once
/// \file
/// What a probe measures of one device: its memory, products, launches and copies to the host.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gpuplan/units/number_format.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

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
  std::string method{};     ///< "sm_v16_b256"
  std::optional<double> datasheet_share{};

  bool operator==(const probe_hbm_row&) const = default;
};

/// A product of an m x k matrix and a k x n one.
struct probe_gemm_row {
  number_format format = number_format::bf16;
  std::string accumulator{};  ///< "f32"
  std::string shape{};        ///< why it was measured: "square", "depth", "skinny", "model"
  int rows = 0;               ///< m
  int columns = 0;            ///< n
  int depth = 0;              ///< k
  measured_time time{};
  flop_per_second rate{};  ///< 2 m n k over the median time
  std::optional<per_second> clock{};
  std::optional<watts> power{};
  std::optional<double> datasheet_share{};

  bool operator==(const probe_gemm_row&) const = default;
};

/// What the host needs to start work.
struct probe_launch {
  std::optional<measured_time> queued{};        ///< an empty kernel after others
  std::optional<measured_time> synchronized{};  ///< launched, and waited for
  std::optional<measured_time> graph_of_1{};    ///< a graph of one node
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
  std::optional<int> numa_node{};
  std::optional<double> datasheet_share{};

  bool operator==(const probe_host_copy&) const = default;
};

/// Device memory that software takes before the first tensor.
struct probe_memory {
  std::optional<bytes> free_before_context{};
  std::optional<bytes> context{};
  std::optional<bytes> cublas{};  ///< a handle and its workspace
  std::optional<bytes> nccl{};    ///< a communicator of all devices
  std::optional<bytes> granularity{};
  std::optional<bytes> largest_allocation{};

  bool operator==(const probe_memory&) const = default;
};

/// Power while one kind of work ran for a second or more.
struct probe_power_block {
  std::string work{};  ///< "idle", "hbm", "gemm"
  std::optional<watts> mean{};
  std::optional<joules> energy{};
  std::optional<seconds> duration{};
  std::optional<per_second> clock{};
  std::vector<std::string> throttle{};  ///< reasons that were seen

  bool operator==(const probe_power_block&) const = default;
};

/// What the device draws, at rest and at work.
struct probe_power {
  std::optional<watts> idle{};
  std::optional<watts> hbm{};
  std::optional<watts> gemm{};
  std::vector<std::string> throttle{};
  std::vector<probe_power_block> blocks{};

  bool operator==(const probe_power&) const = default;
};

/// Two kinds of work at once, and each of them alone.
struct probe_contention {
  std::string first{};   ///< "gemm"
  std::string second{};  ///< "hbm_copy", "h2d", "all_reduce"
  measured_time first_alone{};
  measured_time second_alone{};
  measured_time first_beside{};
  measured_time second_beside{};

  bool operator==(const probe_contention&) const = default;
};

/// A start and a rate: t0 + m / B.
struct probe_line_fit {
  seconds latency{};
  bytes_per_second bandwidth{};
  double largest_error = 0;  ///< relative

  bool operator==(const probe_line_fit&) const = default;
};

/// What large products reach of one format.
struct probe_gemm_fit {
  std::optional<flop_per_second> rate{};    ///< of full waves of tiles
  std::optional<double> datasheet_share{};  ///< of that rate
  std::optional<flop> half_size{};          ///< product that reaches half of the rate
  std::optional<double> median_error{};

  bool operator==(const probe_gemm_fit&) const = default;
};

/// What the probe itself makes of its rows; whoever reads them may fit better.
struct probe_fit {
  std::optional<bytes_per_second> hbm_sustained{};
  std::map<std::string, probe_gemm_fit> gemm{};  ///< by name of number_format_names
  std::optional<probe_line_fit> to_device{};     ///< pinned, alone
  std::optional<probe_line_fit> to_host{};

  bool operator==(const probe_fit&) const = default;
};

}  // namespace gpuplan
