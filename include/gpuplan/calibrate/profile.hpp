#pragma once
/// \file
/// What was measured of a cluster, in the place of what datasheets say.

#include <algorithm>
#include <string>
#include <vector>

#include <gpuplan/comm/bandwidth.hpp>
#include <gpuplan/comm/collective.hpp>
#include <gpuplan/comm/pipelined_link.hpp>
#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Where a number of a profile comes from.
struct profile_source {
  std::string file{};
  std::string what{};       ///< "all_reduce of 16 ranks, 32 sizes from 8 B to 16 GiB"
  double median_error = 0;  ///< of the fit, relative
  double p90_error = 0;
};

/// Measured links and rates; zero where nothing was measured.
struct cluster_profile {
  static constexpr int version = 1;

  std::string gpu{};                    ///< the catalogue's name of the device, or empty: any
  interconnect scale_up{};              ///< between GPUs of a node
  interconnect fabric{};                ///< out of the node, for each GPU
  bytes_per_second memory_bandwidth{};  ///< of a GPU, as read or written by a kernel
  std::vector<profile_source> sources{};
};

/// The link that a ring's steps see, from the fitted curve of a collective of so many ranks.
///
///     alpha = t0 / steps          W = bus factor B / ports
///
///     t0, B  start and rate of the fit                            s, B/s
///     steps  2 (p - 1) of an all-reduce, p - 1 of the others      count
///     ports  of a node that its rings share: 1 inside a node; its GPUs where each has a port of
///            the fabric                                           count, >= 1
///
/// Coarse: as if every message went round a ring, whatever algorithm it took.
///
/// Source: P. Patarasuk and X. Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
/// workstations", J. Parallel Distrib. Comput. 69 (2009) 117-124, solved for the link.
///
/// \throws invalid_input if ranks < 2, ports < 1, or the fit is invalid
constexpr interconnect link_of_collective(const pipelined_link& fit, collective what, int ranks,
                                          int ports = 1) {
  require(ranks >= 2, "link_of_collective: ranks must be >= 2");
  require(ports >= 1, "link_of_collective: ports must be >= 1");
  require_valid(fit);
  const double steps = (what == collective::all_reduce ? 2.0 : 1.0) * (ranks - 1);
  return {.latency = fit.latency / steps,
          .bandwidth = bus_factor(what, ranks) / ports * fit.bandwidth};
}

/// The cluster with what was measured in the place of what its datasheets say.
/// \throws invalid_input if a measured rate is not > 0 where there is one
inline cluster calibrated(cluster pool, const cluster_profile& measured) {
  const auto given = [](const interconnect& link) {
    return link.bandwidth != bytes_per_second{0} || link.latency != seconds{0};
  };
  if (given(measured.scale_up)) {
    require_valid(measured.scale_up);
    pool.node.scale_up = measured.scale_up;
  }
  if (given(measured.fabric)) {
    require_valid(measured.fabric);
    pool.node.fabric = measured.fabric;
  }
  if (measured.memory_bandwidth != bytes_per_second{0}) {
    require(measured.memory_bandwidth > bytes_per_second{0},
            "cluster_profile.memory_bandwidth must be > 0 B/s");
    pool.node.gpu.achieved_memory_bandwidth =
        std::min(measured.memory_bandwidth, pool.node.gpu.memory_bandwidth);
  }
  return pool;
}

}  // namespace gpuplan
