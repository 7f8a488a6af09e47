#pragma once
/// \file
/// A cluster: equal nodes on one fabric.

#include <cstdint>

#include <gpuplan/hardware/node.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// A cluster.  Every node is full but the last, which may lack some GPUs.
template <class T>
struct basic_cluster {
  basic_node<T> node{};
  int nodes = 1;         ///< >= 1
  int missing_gpus = 0;  ///< of the last node; 0 to node.gpus - 1
  T slowest{1};          ///< time of the slowest GPU's kernels over that of the others; >= 1

  [[nodiscard]] constexpr const basic_accelerator<T>& gpu() const { return node.gpu; }
  [[nodiscard]] constexpr std::int64_t gpus() const {
    return std::int64_t{nodes} * node.gpus - missing_gpus;
  }
};

using cluster = basic_cluster<double>;

/// \throws invalid_input naming the first field that is out of its range
template <class T>
constexpr void require_valid(const basic_cluster<T>& pool) {
  require_valid(pool.node);
  require(pool.nodes >= 1, "cluster.nodes must be >= 1");
  require(pool.missing_gpus >= 0 && pool.missing_gpus < pool.node.gpus,
          "cluster.missing_gpus must be 0 to node.gpus - 1");
  require(pool.slowest >= 1, "cluster.slowest must be >= 1");
}

/// `gpus` GPUs in nodes like `box`, the last node smaller where they do not divide.
///
/// \throws invalid_input if gpus < 1
template <class T>
constexpr basic_cluster<T> cluster_of(const basic_node<T>& box, int gpus) {
  require(gpus >= 1, "cluster_of: gpus must be >= 1");
  require(box.gpus >= 1, "cluster_of: node.gpus must be >= 1");
  const int nodes = gpus / box.gpus + (gpus % box.gpus != 0);
  return {.node = box,
          .nodes = nodes,
          .missing_gpus = static_cast<int>(std::int64_t{nodes} * box.gpus - gpus)};
}

}  // namespace gpuplan
