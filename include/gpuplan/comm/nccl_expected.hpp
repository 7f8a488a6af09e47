#pragma once
/// \file
/// What a collective of NCCL takes, as far as closed forms can say: its own latencies and rates for
/// rings and trees, and for sums in the node's switch what that switch has to carry.

#include <cstddef>
#include <optional>

#include <gpuplan/comm/collective.hpp>
#include <gpuplan/comm/collective_time.hpp>
#include <gpuplan/comm/nccl.hpp>
#include <gpuplan/comm/nccl_group.hpp>
#include <gpuplan/comm/nccl_tables.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// An all-reduce that sums in the switches of nodes, and by a tree between them.
///
///     m max((g + 1)/(g e W), t / P)
///
///     g       ranks of a node
///     W, e    a rank's links into the switch, and what NCCL reckons can be had of them: 0.85 on
///             Hopper, 0.74 on Blackwell
///     P       all ports of a node
///     t       what they carry of m each way: 0 on one node, 1 on two, else 2
///
/// with the latency of nccl_estimate.
///
/// \throws invalid_input if message < 0 B or the group is invalid
constexpr std::optional<nccl_time> nvls_expected(const nccl_group& group, nccl_algorithm algorithm,
                                                 const bytes& message) {
  auto time =
      nccl_estimate(group, collective::all_reduce, algorithm, nccl_protocol::simple, message);
  if (!time || group.ranks == 1) return time;

  const double efficiency =
      nccl_constants_of(group.version).nvls_efficiency[static_cast<std::size_t>(group.generation)];
  const double channels = group.nvls.channels;
  const interconnect inside{.bandwidth = efficiency * channels * group.nvls.inside};
  if (!(inside.bandwidth > bytes_per_second{0})) return time;
  const int local = group.ranks / group.nodes;
  time->transfer = time_of({0, (local + 1.0) / local, 0}, inside, message).transfer;
  if (group.nodes > 1) {
    const double carried = group.nodes == 2 ? 1 : 2;
    time->transfer = larger(time->transfer, carried * message / (channels * group.nvls.between));
  }
  return time;
}

/// The quickest that NCCL may choose.
///
/// Within 17% in the median of 400 measured times of six collectives on 2 to 1440 GPUs, with
/// catalogue rates and the longer of this and the host's launches (32% were they free); small
/// messages on networks of the cloud take up to several times as long.
/// benchmarks/accuracy_collectives prints the table.
///
/// Holds for a collective on its own, when launches by the host do not hold it up.
///
/// \throws invalid_input if message < 0 B or the group is invalid
constexpr std::optional<nccl_time> nccl_expected(const nccl_group& group, collective what,
                                                 const bytes& message,
                                                 const nccl_allowed& allowed = {}) {
  std::optional<nccl_time> best;
  for (const nccl_algorithm algorithm : allowed.algorithms)
    for (const nccl_protocol protocol : allowed.protocols) {
      const bool in_switch =
          algorithm == nccl_algorithm::nvls || algorithm == nccl_algorithm::nvls_tree;
      if (in_switch && protocol != nccl_protocol::simple) continue;
      const auto candidate = in_switch && what == collective::all_reduce
                                 ? nvls_expected(group, algorithm, message)
                                 : nccl_estimate(group, what, algorithm, protocol, message);
      if (candidate && (!best || candidate->total() < best->total())) best = candidate;
    }
  return best;
}

}  // namespace gpuplan
