#pragma once
/// \file
/// A cluster as it is asked for, by names and counts, and what it becomes.

#include <string>
#include <string_view>

#include <gpuplan/api/catalog_name.hpp>
#include <gpuplan/calibrate/device_limits.hpp>
#include <gpuplan/calibrate/profile.hpp>
#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/hardware/fabric.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/hardware/node.hpp>
#include <gpuplan/plan/job_defaults.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::api {

/// The GPU of a cluster that names none.
inline constexpr std::string_view default_gpu = "H100-SXM5-80GB";

/// What was measured of a cluster, and the file that says so; empty: nothing.
struct measured_cluster {
  std::string file{};
  cluster_profile profile{};
};

/// A cluster as it is asked for.
struct cluster_request {
  std::string gpu{default_gpu};
  int gpus = 0;           ///< 0: as many as the layout uses
  int gpus_per_node = 0;  ///< of a host; 0: default_gpus_per_node
  int nvlink_domain = 0;  ///< that links join; 0: default_nvlink_domain
  std::string fabric{};   ///< a name; empty: `link` says what it is, or default_fabric
  interconnect link{};
  bytes memory{};                  ///< of a GPU, where the catalogue's is not meant
  double slowest = 1;              ///< cluster.slowest
  bytes host_memory{};             ///< of a node; 0: not known
  bytes_per_second host_update{};  ///< of a node; 0: usual_host_update
  bytes stored_sample{};           ///< node_feed; 0: feeding is not looked at
  bytes_per_second storage{};      ///< of a host
  seconds preprocessing{};         ///< node_feed
  int loader_workers = 0;          ///< of a host; 0: usual_loader_workers of each GPU
  measured_cluster measured{};     ///< in the place of what datasheets say, where it says more
};

namespace detail {

/// What feeds a node of so many hosts.
/// \throws invalid_input if a part of it has no effect, or lacks another
inline node_feed feed_of(const cluster_request& asked, double hosts) {
  if ((asked.stored_sample > bytes{0}) != (asked.storage > bytes_per_second{0}))
    throw invalid_input{
        "cluster: stored_sample_bytes and storage_bytes_per_s (--sample-size, --storage) need each "
        "other"};
  if (asked.loader_workers > 0 && asked.preprocessing == seconds{0})
    throw invalid_input{
        "cluster: loader_workers (--loader-workers) has no effect without preprocessing_s "
        "(--preprocessing)"};
  const double workers = asked.loader_workers > 0
                             ? asked.loader_workers
                             : static_cast<double>(usual_loader_workers) * asked.gpus_per_node;
  return {.stored_sample = asked.stored_sample,
          .storage = hosts * asked.storage,
          .preprocessing = asked.preprocessing,
          .workers = hosts * workers};
}

/// The network between nodes, its name as the catalogue writes it.
/// \throws invalid_input
inline interconnect link_of(cluster_request& asked, const accelerator& gpu) {
  if (asked.fabric.empty() && asked.link.bandwidth == bytes_per_second{0})
    asked.fabric = default_fabric(gpu);
  if (asked.fabric.empty()) return asked.link;
  const catalog::fabric_entry& fabric = find_fabric(asked.fabric, "cluster: fabric");
  asked.fabric = fabric.name;
  if (!(planned_rate(fabric.net->port).per_direction() > bytes_per_second{0}))
    throw invalid_input{"cluster: fabric " + asked.fabric + " has no rate of its own; name a link"};
  return interconnect_of(*fabric.net);
}

/// A cluster by what was measured of it, where something was.
/// \throws invalid_input if that is of another GPU
inline cluster measured_of(const cluster& pool, const cluster_request& asked) {
  if (asked.measured.file.empty()) return pool;
  cluster_profile measured = asked.measured.profile;
  if (!measured.gpu.empty() && measured.gpu != asked.gpu)
    throw invalid_input{"--profile is of " + measured.gpu + ", not of " + asked.gpu};
  if (asked.memory > bytes{0}) measured.memory = {};
  require_possible_device(pool.gpu(), asked.gpu, measured, asked.measured.file);
  return calibrated(pool, measured);
}

}  // namespace detail

/// The cluster, every name found, and what is absent as usual.  On return `asked` has the names as
/// the catalogue writes them, and the GPUs of a node.
/// \throws invalid_input of an unknown name, of fields that need each other, or of a profile of
///         another GPU
inline cluster cluster_of(cluster_request& asked) {
  const catalog::accelerator_entry& entry = find_gpu(asked.gpu, "cluster: gpu");
  asked.gpu = entry.name;
  accelerator gpu = *entry.gpu;
  if (asked.memory > bytes{0}) gpu = with_memory(gpu, asked.memory);
  const interconnect link = detail::link_of(asked, gpu);
  if (asked.gpus_per_node == 0) asked.gpus_per_node = default_gpus_per_node(gpu);
  const int joined = asked.nvlink_domain > 0
                         ? asked.nvlink_domain
                         : default_nvlink_domain(gpu, asked.gpus, asked.gpus_per_node);
  node box = node_of(gpu, joined, link);
  const double hosts = static_cast<double>(joined) / asked.gpus_per_node;
  box.host_memory = hosts * asked.host_memory;
  box.host_update =
      hosts * (asked.host_update > bytes_per_second{0} ? asked.host_update : usual_host_update);
  box.feed = detail::feed_of(asked, hosts);
  cluster pool = gpuplan::cluster_of(box, asked.gpus);
  pool.slowest = asked.slowest;
  return detail::measured_of(pool, asked);
}

}  // namespace gpuplan::api
