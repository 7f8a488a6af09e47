#pragma once
/// \file
/// Some GPUs in one box, and what joins them.

#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// A node of equal GPUs.
template <class T>
struct basic_node {
  basic_accelerator<T> gpu{};
  int gpus = 8;                      ///< >= 1
  basic_interconnect<T> scale_up{};  ///< between GPUs of the node, for each GPU
  basic_interconnect<T> fabric{};    ///< out of the node, for each GPU
};

using node = basic_node<double>;

template <class T>
constexpr void require_valid(const basic_node<T>& box) {
  require_valid(box.gpu);
  require(box.gpus >= 1, "node.gpus must be >= 1");
  require_valid(box.scale_up);
  require_valid(box.fabric);
}

}  // namespace gpuplan
