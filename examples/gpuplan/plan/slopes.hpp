#pragma once
/// \file
/// How the time of a step answers to each resource.  Two sources define it: one by automatic
/// differentiation, where Boost is there to build with, the other by differences.

#include <array>
#include <string_view>

#include <gpuplan/plan/search_space.hpp>
#include <gpuplan/plan/step_resource.hpp>

#include "request.hpp"

namespace gpuplan::cli {

/// Percent of the step's time for each percent that a resource is better: -1 to 0.
struct elasticities {
  std::array<double, step_resources.size()> of{};  ///< in the order of step_resources
  std::string_view method;
};

/// The elasticities of a plan that was costed.
elasticities elasticities_of(const plan& chosen, const job& asked);

}  // namespace gpuplan::cli
