#pragma once
/// \file
/// The kinds of parallelism, as people abbreviate them.

#include <array>
#include <string_view>

#include <gpuplan/model/parallelism.hpp>

namespace gpuplan::cli {

/// A member of a layout, and what it is called.
struct parallel_axis {
  std::string_view title;  ///< "TP"
  std::string_view name;   ///< "tensor"
  int parallelism::*ranks;
};

/// In the order in which a layout is written.
inline constexpr std::array parallel_axes{
    parallel_axis{"DP", "data", &parallelism::data},
    parallel_axis{"TP", "tensor", &parallelism::tensor},
    parallel_axis{"PP", "pipeline", &parallelism::pipeline},
    parallel_axis{"VPP", "virtual pipeline", &parallelism::interleave},
    parallel_axis{"CP", "context", &parallelism::context},
    parallel_axis{"EP", "expert", &parallelism::expert}};

/// Whether an axis divides the GPUs: data, tensor, pipeline and context do, while the virtual
/// pipeline cuts a stage, and experts lie over ranks of the others.
constexpr bool divides_gpus(const parallel_axis& axis) {
  return axis.ranks != &parallelism::interleave && axis.ranks != &parallelism::expert;
}

}  // namespace gpuplan::cli
