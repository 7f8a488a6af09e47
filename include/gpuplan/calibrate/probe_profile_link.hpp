#pragma once
/// \file
/// The link of a profile, from the measured times of a collective by message size.

#include <span>

#include <gpuplan/calibrate/collective_fit.hpp>
#include <gpuplan/calibrate/fit_quality.hpp>
#include <gpuplan/calibrate/profile.hpp>
#include <gpuplan/calibrate/transfer_curve.hpp>
#include <gpuplan/comm/collective.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Who took part in a sweep.
struct sweep_group {
  collective what = collective::all_reduce;
  int ranks = 0;  ///< >= 2
  int nodes = 1;  ///< >= 1, of as many ranks each
};

/// A link, and the fit that it comes from.
struct link_fit {
  interconnect link{};
  collective_fit curve{};  ///< of the collective
  fit_interval<seconds> latency_bounds{};
  fit_interval<bytes_per_second> bandwidth_bounds{};
};

/// The link of link_of_collective from measured times: start and rate by fit_collective. In one
/// node a ring has a link of its own; between nodes the ranks of a node share theirs.
///
/// \throws invalid_input if there are fewer than two different messages, one is not > 0 and finite,
///         ranks < 2, or ranks are not as many on each node
inline link_fit fit_link(const sweep_group& group, std::span<const transfer_sample> samples) {
  require(group.nodes >= 1, "sweep_group.nodes must be >= 1");
  require(group.ranks >= 2 && group.ranks % group.nodes == 0,
          "sweep_group.ranks must be >= 2, and as many on each node");
  const int ports = group.nodes == 1 ? 1 : group.ranks / group.nodes;
  const auto link_of = [&](seconds latency, bytes_per_second bandwidth) {
    return link_of_collective({.latency = latency, .fill = {}, .bandwidth = bandwidth}, group.what,
                              group.ranks, ports);
  };
  link_fit fit{.curve = fit_collective(samples, collective_form::alpha_beta)};
  const pipelined_link& at = fit.curve.link;
  fit.link = link_of(at.latency, at.bandwidth);
  const fit_interval<seconds>& starts = fit.curve.latency_bounds;
  const fit_interval<bytes_per_second>& rates = fit.curve.bandwidth_bounds;
  fit.latency_bounds = {link_of(starts.low, at.bandwidth).latency,
                        link_of(starts.high, at.bandwidth).latency};
  const double share = fit.link.bandwidth / at.bandwidth;
  fit.bandwidth_bounds = {share * rates.low, share * rates.high};
  return fit;
}

}  // namespace gpuplan
