#pragma once
/// \file
/// One profile of several measurements.

#include <type_traits>

#include <gpuplan/calibrate/profile.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// What `more` measured in the place of what `known` has, and the sources of both.
///
/// \throws invalid_input if both name a GPU, and not the same
inline cluster_profile merged(cluster_profile known, const cluster_profile& more) {
  require(known.gpu.empty() || more.gpu.empty() || known.gpu == more.gpu,
          "merged: cluster_profile.gpu must be the same in both");
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
  known.sources.insert(known.sources.end(), more.sources.begin(), more.sources.end());
  return known;
}

}  // namespace gpuplan
