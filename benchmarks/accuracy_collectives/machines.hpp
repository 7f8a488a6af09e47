#pragma once
/// \file
/// The machines on which collectives were measured, by fabrics of the catalogue.  A machine is
/// known by a part of the text with which a measurement names its hardware; nothing here is fitted.

#include <array>
#include <string_view>

#include <gpuplan/comm/nccl.hpp>
#include <gpuplan/comm/nccl_fabric.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>

namespace gpuplan::accuracy {

/// A kind of nodes, and how NCCL was run on them.
struct measured_machine {
  std::string_view hardware;  ///< found in the text of the measurement
  nccl_machine node{};
  int node_gpus = 8;
  int process_gpus = 1;  ///< that one process launches kernels on, one after another
  nccl_allowed allowed{};
};

inline constexpr std::array only_ring{nccl_algorithm::ring};
inline constexpr std::array only_simple{nccl_protocol::simple};

/// The first that fits is taken.
inline constexpr std::array measured_machines{
    measured_machine{.hardware = "8x NVIDIA A100-SXM4-40GB",
                     .node = {.generation = nccl_generation::ampere, .inside = catalog::nvlink3},
                     .process_gpus = 8},
    measured_machine{.hardware = "p5",
                     .node = {.generation = nccl_generation::hopper,
                              .inside = catalog::nvlink4,
                              .between = catalog::efa_v2_p5,
                              .ports_of_node = 1,
                              .network_latency = efa_beyond_nccl,
                              .sums_in_node = true}},
    // A rack is a node to NCCL.
    measured_machine{.hardware = "GB200",
                     .node = {.generation = nccl_generation::blackwell,
                              .host = nccl_host::other,
                              .inside = catalog::nvlink5,
                              .between = catalog::infiniband_ndr,
                              .ports_of_node = 72,
                              .sums_in_node = true},
                     .node_gpus = 72},
    // Sixteen ports of 100 Gb/s.
    measured_machine{.hardware = "BM.GPU.B4.8",
                     .node = {.generation = nccl_generation::ampere,
                              .inside = catalog::nvlink3,
                              .between = catalog::rocev2_100gbe,
                              .ports_of_node = 16}},
    measured_machine{.hardware = "H200 (NVLink4), NCCL_NVLS_ENABLE=0",
                     .node = {.generation = nccl_generation::hopper, .inside = catalog::nvlink4}},
    measured_machine{.hardware = "H200 (NVLink4), default",
                     .node = {.generation = nccl_generation::hopper,
                              .inside = catalog::nvlink4,
                              .sums_in_node = true}},
    measured_machine{
        .hardware = "B200 (NVLink5, AWS p6-b200), NVLS off",
        .node = {.generation = nccl_generation::blackwell, .inside = catalog::nvlink5}},
    measured_machine{.hardware = "B200 (NVLink5, AWS p6-b200), default",
                     .node = {.generation = nccl_generation::blackwell,
                              .inside = catalog::nvlink5,
                              .sums_in_node = true}},
    // Eight ports of 400 Gb/s: as many bytes as those of a p5.
    measured_machine{.hardware = "P6-B200",
                     .node = {.generation = nccl_generation::blackwell,
                              .inside = catalog::nvlink5,
                              .between = catalog::efa_v2_p5,
                              .ports_of_node = 1,
                              .network_latency = efa_beyond_nccl,
                              .sums_in_node = true}},
    measured_machine{.hardware = "RTX 6000D (PCIe5",
                     .node = {.generation = nccl_generation::blackwell,
                              .wire = nccl_wire::pci,
                              .inside = catalog::pcie5_x16,
                              .between = catalog::infiniband_xdr,
                              .ports_of_node = 8}},
    measured_machine{.hardware = "consumer GPUs over PCIe P2P",
                     .node = {.generation = nccl_generation::ampere,
                              .wire = nccl_wire::pci,
                              .inside = catalog::pcie4_x16}},
    measured_machine{.hardware = "DGX A100",
                     .node = {.generation = nccl_generation::ampere,
                              .host = nccl_host::amd,
                              .inside = catalog::nvlink3,
                              .between = catalog::infiniband_hdr,
                              .ports_of_node = 8},
                     .allowed = {.algorithms = only_ring}},
    measured_machine{.hardware = "H100, 4x400 Gb/s RoCE, Ring",
                     .node = {.generation = nccl_generation::hopper,
                              .inside = catalog::nvlink4,
                              .between = catalog::rocev2_400gbe,
                              .ports_of_node = 4},
                     .allowed = {.algorithms = only_ring}},
    // The network is not named; so few bytes do not ask for its rate.
    measured_machine{.hardware = "1 NVIDIA A40",
                     .node = {.generation = nccl_generation::ampere,
                              .wire = nccl_wire::pci,
                              .inside = catalog::pcie4_x16,
                              .between = catalog::rocev2_100gbe,
                              .ports_of_node = 1},
                     .node_gpus = 1},
    measured_machine{.hardware = "DGX Spark",
                     .node = {.generation = nccl_generation::blackwell,
                              .host = nccl_host::other,
                              .wire = nccl_wire::pci,
                              .inside = catalog::pcie5_x16,
                              .between = catalog::rocev2_200gbe,
                              .ports_of_node = 1},
                     .node_gpus = 1},
    // EFA of that time did not keep the order of bytes: AWS's guide asked for NCCL_ALGO=ring and
    // NCCL_PROTO=simple (aws-ofi-nccl, issue 76, 2021).
    measured_machine{.hardware = "p3dn",
                     .node = {.generation = nccl_generation::volta,
                              .inside = catalog::nvlink2,
                              .between = catalog::rocev2_100gbe,
                              .ports_of_node = 1},
                     .allowed = {.algorithms = only_ring, .protocols = only_simple}}};

/// Measurements that no closed form with catalogue constants speaks of, and why.
struct left_out_machine {
  std::string_view hardware;
  std::string_view reason;
};
inline constexpr std::array left_out_machines{
    left_out_machine{"GPUDirect-TCPX", "its network is not in the catalogue"},
    left_out_machine{"MPI ranks", "memory shared by processes is not in the catalogue"}};

}  // namespace gpuplan::accuracy
