#pragma once
/// \file
/// A generation of training software on the nodes of a cluster.

#include <gpuplan/hardware/node.hpp>
#include <gpuplan/model/framework.hpp>

namespace gpuplan {

/// The profile of a generation, with the times of a node's own host: its layers take
/// node.layer_host, and what a step does once node.step_host, of what profile_of says.
///
/// \throws invalid_input if generation is none of frameworks
template <class T>
constexpr basic_framework_profile<T> profile_on(const basic_node<T>& box, framework generation) {
  basic_framework_profile<T> software = profile_as<T>(generation);
  software.dense_host *= box.layer_host;
  software.expert_host *= box.layer_host;
  software.step_host *= box.step_host;
  return software;
}

}  // namespace gpuplan
