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

/// A node of `gpus` GPUs, joined as interconnect_between says, on a fabric.
///
/// \throws invalid_input if gpus < 1, or no rate is known for the links of the GPU
template <class T>
constexpr basic_node<T> node_of(const basic_accelerator<T>& gpu, int gpus,
                                const basic_interconnect<T>& fabric) {
  return {.gpu = gpu,
          .gpus = gpus,
          .scale_up = interconnect_between(gpu, gpus),
          .fabric = fabric};
}

template <class T>
constexpr void require_valid(const basic_node<T>& box) {
  require_valid(box.gpu);
  require(box.gpus >= 1, "node.gpus must be >= 1");
  require_valid(box.scale_up);
  require_valid(box.fabric);
}

}  // namespace gpuplan
