#pragma once
/// \file
/// A node: several GPUs, and the links inside and to the fabric.

#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/hardware/node_feed.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Bytes a second of its memory that a host gets through while it updates parameters by Adam, two
/// processors together: 28 B for each of 10^9 parameters in 0.24 to 0.26 s, of 256 GB/s.
///
/// Source: J. Ren et al., "ZeRO-Offload: Democratizing Billion-Scale Model Training", USENIX ATC
/// (2021), table 4 (CPU-Adam on two Xeon Platinum 8168), arXiv:2101.06840, as recalled.
inline constexpr bytes_per_second usual_host_update{110e9};

/// What joins the GPUs of a node, and what leaves it.
template <class T>
struct basic_node_links {
  int gpus = 8;                      ///< >= 1
  basic_interconnect<T> scale_up{};  ///< between GPUs of the node, for each GPU
  basic_interconnect<T> fabric{};    ///< out of the node, for each GPU
};

using node_links = basic_node_links<double>;

/// A node of equal GPUs.
template <class T>
struct basic_node {
  basic_accelerator<T> gpu{};
  int gpus = 8;                      ///< >= 1
  basic_interconnect<T> scale_up{};  ///< between GPUs of the node, for each GPU
  basic_interconnect<T> fabric{};    ///< out of the node, for each GPU
  basic_bytes<T> host_memory{};      ///< of the whole node; 0: not known, and not looked at
  basic_bytes_per_second<T> host_update{usual_host_update};  ///< of the whole node; > 0
  T layer_host{1};   ///< its host's time for a layer, over that of framework_profile; > 0
  T step_host{1};    ///< likewise for what a step does once; > 0
  node_feed feed{};  ///< what brings samples into the whole node

  [[nodiscard]] constexpr basic_node_links<T> links() const {
    return {.gpus = gpus, .scale_up = scale_up, .fabric = fabric};
  }
};

using node = basic_node<double>;

/// A node of `gpus` GPUs, joined as interconnect_between says, on a fabric.
///
/// \throws invalid_input if gpus < 1, or no rate is known for the links of the GPU
template <class T>
constexpr basic_node<T> node_of(const basic_accelerator<T>& gpu, int gpus,
                                const basic_interconnect<T>& fabric) {
  return {.gpu = gpu, .gpus = gpus, .scale_up = interconnect_between(gpu, gpus), .fabric = fabric};
}

/// \throws invalid_input naming the first field that is out of its range
template <class T>
constexpr void require_valid(const basic_node<T>& box) {
  require_valid(box.gpu);
  require(box.gpus >= 1, "node.gpus must be >= 1");
  require_valid(box.scale_up);
  require_valid(box.fabric);
  require(box.host_memory >= bytes{0}, "node.host_memory must be >= 0 B");
  require(box.host_update > bytes_per_second{0}, "node.host_update must be > 0 B/s");
  require(box.layer_host > 0, "node.layer_host must be > 0");
  require(box.step_host > 0, "node.step_host must be > 0");
  require_valid(box.feed);
}

}  // namespace gpuplan
