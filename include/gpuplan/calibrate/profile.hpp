#pragma once
/// \file
/// What was measured of a cluster, in the place of what datasheets say.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include <gpuplan/calibrate/detail/peak_fields.hpp>
#include <gpuplan/calibrate/framework_memory_fit.hpp>
#include <gpuplan/calibrate/step_belief.hpp>
#include <gpuplan/calibrate/step_factors.hpp>
#include <gpuplan/comm/bandwidth.hpp>
#include <gpuplan/comm/collective.hpp>
#include <gpuplan/comm/pipelined_link.hpp>
#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/link_rate.hpp>
#include <gpuplan/units/number_format.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Where a number of a profile comes from.
struct profile_source {
  std::string file{};
  std::string what{};       ///< "all_reduce of 16 ranks, 32 sizes from 8 B to 16 GiB"
  double median_error = 0;  ///< of the fit, relative
  double p90_error = 0;
  std::string device{};    ///< as the tool names it, with its driver; empty: not told
  std::string time_utc{};  ///< when it was measured; empty: not told
};

/// Measured links, rates and sizes; zero where nothing was measured.
struct cluster_profile {
  /// Of the file: 1 had links and memory bandwidth, 2 no runs, 3 no precision of their classes.
  static constexpr int version = 4;

  std::string gpu{};                    ///< the catalogue's name of the device, or empty: any
  interconnect scale_up{};              ///< between GPUs of a node
  interconnect fabric{};                ///< out of the node, for each GPU
  interconnect host{};                  ///< between a GPU and its host, each direction
  bytes_per_second memory_bandwidth{};  ///< of a GPU, as read or written by a kernel
  basic_peak<double> products{};        ///< of full waves of large matrix products, by format
  bytes memory{};                       ///< of a GPU, as its driver lets programs see it
  bytes cuda_context{};
  bytes communicator{};             ///< of NCCL, of all GPUs of the node
  step_belief steps{};              ///< of runs, beside what is above; without runs: nothing
  framework_memory beside_model{};  ///< of runs, likewise
  /// Of each run that `steps` and `beside_model` rest on, so that none counts twice.
  std::vector<std::string> run_marks{};
  std::vector<profile_source> sources{};
  /// Names of links that were taken though no wires carry them: "fabric".
  std::vector<std::string> forced{};
};

/// The rate of large matrix products that was measured in a format; 0 FLOP/s where none was.
constexpr flop_per_second measured_products(const cluster_profile& of, number_format format) {
  flop_per_second rate{};
  for (std::size_t i = 0; i < number_formats.size(); ++i)
    if (number_formats[i] == format) rate = of.products.*detail::peak_fields[i];
  return rate;
}

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

namespace detail {

inline bool is_measured(const interconnect& link) {
  return link.bandwidth != bytes_per_second{0} || link.latency != seconds{0};
}

/// The measured link; its latency is the listed one where none was measured.
inline interconnect in_place_of(const interconnect& listed, const interconnect& measured) {
  require_valid(measured);
  return {.latency = measured.latency > seconds{0} ? measured.latency : listed.latency,
          .bandwidth = measured.bandwidth};
}

/// A measured rate above its datasheet's by more than this is none of the device: the buffer stayed
/// in a cache, or it is another device. Clocks and timers explain as much.
inline constexpr double most_over_datasheet = 1.02;

/// Memory above what the catalogue says that drivers show by more than this is none of the device,
/// as find_by_driver_name has it. Without ECC, for which GDDR6 keeps a sixteenth, they show up to
/// 1.08 times as much as with it.
inline constexpr double most_over_memory = 1.1;

/// A size or a rate below this share of the datasheet's is in another unit, of which the next is a
/// thousandth. Slices of a GPU have more: the least of MIG an eighth, of vGPU a forty-eighth.
inline constexpr double least_of_datasheet = 0.01;

template <class Rate>
Rate at_most(const Rate& measured, const Rate& datasheet, double least_share, const char* what) {
  require(measured > Rate{0} && measured >= least_share * datasheet &&
              measured <= most_over_datasheet * datasheet,
          what);
  return (std::min)(measured, datasheet);
}

}  // namespace detail

/// The device with what was measured in the place of what its datasheet says. Measured products
/// take the place of those that the catalogue has from runs, too: sustained_rate then follows from
/// them.
/// \throws invalid_input if a measured rate is not > 0 or more than 1.02 times the datasheet's,
///         memory bandwidth less than 0.01 times it, or memory not 0.01 to 1.1 times the
///         accelerator's; beyond_device says which
inline accelerator calibrated(accelerator gpu, const cluster_profile& measured) {
  if (measured.memory_bandwidth != bytes_per_second{0})
    gpu.achieved_memory_bandwidth =
        detail::at_most(measured.memory_bandwidth, gpu.memory_bandwidth, detail::least_of_datasheet,
                        "cluster_profile.memory_bandwidth must be >= 0.01 and <= 1.02 times the "
                        "datasheet's");
  for (const auto format : detail::peak_fields) {
    if (measured.products.*format == flop_per_second{0}) continue;
    gpu.achieved.*format =
        detail::at_most(measured.products.*format, gpu.peak.*format, 0,
                        "cluster_profile.products must be > 0 FLOP/s and <= 1.02 times the "
                        "datasheet's in every format");
    gpu.sustained.*format = flop_per_second{0};
    gpu.operators_from = operator_origin::measured;
  }
  if (measured.memory != bytes{0}) {
    require(measured.memory > bytes{0} &&
                measured.memory >= detail::least_of_datasheet * gpu.memory &&
                measured.memory <= detail::most_over_memory * gpu.memory,
            "cluster_profile.memory must be > 0 B, and 0.01 to 1.1 times the accelerator's");
    gpu = with_memory(gpu, measured.memory);
  }
  if (detail::is_measured(measured.host)) {
    const interconnect host =
        detail::in_place_of({.latency = gpu.host.latency, .bandwidth = {}}, measured.host);
    gpu.host.latency = host.latency;
    gpu.host.achievable = per_direction(host.bandwidth);
  }
  return gpu;
}

/// The cluster with what was measured in the place of what its datasheets say, and with the factors
/// of its runs.
/// \throws invalid_input if a measured rate is not > 0 where there is one, or beyond the
///         datasheet's, or the belief is invalid
inline cluster calibrated(cluster pool, const cluster_profile& measured) {
  const physical_link host = pool.node.gpu.host;
  const bool through_host = planned_rate(host).per_direction() == pool.node.scale_up.bandwidth &&
                            host.latency == pool.node.scale_up.latency;
  pool.node.gpu = calibrated(pool.node.gpu, measured);
  if (detail::is_measured(measured.scale_up)) {
    pool.node.scale_up = detail::in_place_of(pool.node.scale_up, measured.scale_up);
  } else if (through_host && detail::is_measured(measured.host)) {
    pool.node.scale_up = interconnect_of(pool.node.gpu.host);
  }
  if (detail::is_measured(measured.fabric))
    pool.node.fabric = detail::in_place_of(pool.node.fabric, measured.fabric);
  if (measured.steps.runs == 0) return pool;
  require_valid(measured.steps);
  return with_factors(pool, factors_of(measured.steps));
}

/// The memory beside the model with what was measured of it in its place.
/// \throws invalid_input if a measured size is not >= 0 B, or that of runs is invalid
inline workspace calibrated(workspace beside, const cluster_profile& measured) {
  require(measured.cuda_context >= bytes{0}, "cluster_profile.cuda_context must be >= 0 B");
  require(measured.communicator >= bytes{0}, "cluster_profile.communicator must be >= 0 B");
  if (measured.cuda_context > bytes{0}) beside.cuda_context = measured.cuda_context;
  if (measured.communicator > bytes{0}) beside.communicator = measured.communicator;
  if (measured.beside_model.runs == 0) return beside;
  require_valid(measured.beside_model);
  return with_framework_memory(beside, measured.beside_model);
}

/// What `more` measured in the place of what `known` has, and the sources, marks and forced links
/// of both.
///
/// \throws invalid_input if both name a GPU, and not the same
inline cluster_profile merged(cluster_profile known, const cluster_profile& more) {
  if (!known.gpu.empty() && !more.gpu.empty() && known.gpu != more.gpu)
    refuse(("merged: cluster_profile.gpu must be the same in both, not " + known.gpu + " and " +
            more.gpu)
               .c_str());
  const auto take = [](auto& into, const auto& from) {
    if (from != std::remove_cvref_t<decltype(from)>{}) into = from;
  };
  const auto take_link = [](interconnect& into, const interconnect& from) {
    if (detail::is_measured(from)) into = from;
  };
  take(known.gpu, more.gpu);
  take_link(known.scale_up, more.scale_up);
  take_link(known.fabric, more.fabric);
  take_link(known.host, more.host);
  take(known.memory_bandwidth, more.memory_bandwidth);
  for (const auto format : detail::peak_fields) take(known.products.*format, more.products.*format);
  take(known.memory, more.memory);
  take(known.cuda_context, more.cuda_context);
  take(known.communicator, more.communicator);
  if (more.steps.runs > 0) known.steps = more.steps;
  if (more.beside_model.runs > 0) known.beside_model = more.beside_model;
  known.run_marks.insert(known.run_marks.end(), more.run_marks.begin(), more.run_marks.end());
  known.sources.insert(known.sources.end(), more.sources.begin(), more.sources.end());
  for (const std::string& link : more.forced)
    if (std::find(known.forced.begin(), known.forced.end(), link) == known.forced.end())
      known.forced.push_back(link);
  return known;
}

}  // namespace gpuplan
