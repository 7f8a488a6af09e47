#pragma once
/// \file
/// Buses and networks that join accelerators.  catalog_fabric_facts.hpp says where each
/// number comes from.  Written by tools/make_hardware_catalog.py from tests/data/fabrics.json.

#include <array>
#include <string_view>

#include <gpuplan/hardware/fabric.hpp>
#include <gpuplan/text/lookup.hpp>
#include <gpuplan/units/link_rate.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::catalog {

/// NVLink1 (P100, 4 links).
inline constexpr network_fabric nvlink1{
    .port = {.latency = 3.4 * units::us,
             .signalling = per_direction(80 * units::GB / units::second),
             .advertised = per_direction(80 * units::GB / units::second),
             .achievable = per_direction(72 * units::GB / units::second)},
    .small_message_hop = 600 * units::ns,
    .medium_message_hop = 1.9 * units::us};

/// NVLink2 (V100, 6 links).
inline constexpr network_fabric nvlink2{
    .port = {.latency = 3.4 * units::us,
             .signalling = per_direction(154.6875 * units::GB / units::second),
             .advertised = per_direction(150 * units::GB / units::second),
             .achievable = per_direction(120 * units::GB / units::second)},
    .small_message_hop = 600 * units::ns,
    .medium_message_hop = 1.9 * units::us};

/// NVLink3 (A100, 12 links).
inline constexpr network_fabric nvlink3{
    .port = {.latency = 3.4 * units::us,
             .signalling = per_direction(300 * units::GB / units::second),
             .advertised = per_direction(300 * units::GB / units::second),
             .achievable = per_direction(235.3 * units::GB / units::second)},
    .small_message_hop = 600 * units::ns,
    .medium_message_hop = 1.9 * units::us};

/// NVLink4 (H100/H200, 18 links).
inline constexpr network_fabric nvlink4{
    .port = {.latency = 3.4 * units::us,
             .signalling = per_direction(478125 * units::MB / units::second),
             .advertised = per_direction(450 * units::GB / units::second),
             .achievable = per_direction(367.2 * units::GB / units::second)},
    .small_message_hop = 600 * units::ns,
    .medium_message_hop = 1.9 * units::us};

/// NVLink5 (B200, 18 links).
inline constexpr network_fabric nvlink5{
    .port = {.latency = 3.4 * units::us,
             .signalling = per_direction(956.25 * units::GB / units::second),
             .advertised = per_direction(900 * units::GB / units::second),
             .achievable = per_direction(682.2 * units::GB / units::second)},
    .small_message_hop = 600 * units::ns,
    .medium_message_hop = 1.9 * units::us};

/// NVSwitch.
inline constexpr network_fabric nvswitch{.port = {.latency = 25 * units::us}};

/// PCIe3 x16.
inline constexpr network_fabric pcie3_x16{
    .port = {.latency = 5.7 * units::us,
             .signalling = per_direction(16 * units::GB / units::second),
             .advertised = per_direction(15.75 * units::GB / units::second),
             .achievable = per_direction(12 * units::GB / units::second)},
    .small_message_hop = 1 * units::us,
    .medium_message_hop = 2.5 * units::us};

/// PCIe4 x16.
inline constexpr network_fabric pcie4_x16{
    .port = {.latency = 5.7 * units::us,
             .signalling = per_direction(32 * units::GB / units::second),
             .advertised = per_direction(31.5 * units::GB / units::second),
             .achievable = per_direction(26.24 * units::GB / units::second)},
    .small_message_hop = 1 * units::us,
    .medium_message_hop = 2.5 * units::us};

/// PCIe5 x16.
inline constexpr network_fabric pcie5_x16{
    .port = {.latency = 5.7 * units::us,
             .signalling = per_direction(64 * units::GB / units::second),
             .advertised = per_direction(63 * units::GB / units::second),
             .achievable = per_direction(55.43 * units::GB / units::second)},
    .small_message_hop = 1 * units::us,
    .medium_message_hop = 2.5 * units::us};

/// PCIe6 x16.
inline constexpr network_fabric pcie6_x16{
    .port = {.latency = 5.7 * units::us,
             .signalling = per_direction(128 * units::GB / units::second),
             .advertised = per_direction(121 * units::GB / units::second)},
    .small_message_hop = 1 * units::us,
    .medium_message_hop = 2.5 * units::us};

/// NVLink-C2C (GH200/GB200).
inline constexpr network_fabric nvlink_c2c{
    .port = {.latency = 5.7 * units::us,
             .advertised = per_direction(450 * units::GB / units::second),
             .achievable = per_direction(359 * units::GB / units::second)}};

/// xGMI MI300X (7x64).
inline constexpr network_fabric xgmi_mi300x{
    .port = {.latency = 3.4 * units::us,
             .signalling = per_direction(448 * units::GB / units::second),
             .advertised = per_direction(448 * units::GB / units::second),
             .achievable = per_direction(312.9 * units::GB / units::second)}};

/// xGMI MI355X (7x76.5).
inline constexpr network_fabric xgmi_mi355x{
    .port = {.latency = 3.4 * units::us,
             .signalling = per_direction(537.6 * units::GB / units::second),
             .advertised = per_direction(535.5 * units::GB / units::second)}};

/// InfiniBand EDR 4x.
inline constexpr network_fabric infiniband_edr{
    .port = {.latency = 14 * units::us,
             .signalling = per_direction(12.890625 * units::GB / units::second),
             .advertised = per_direction(12.5 * units::GB / units::second),
             .achievable = per_direction(12 * units::GB / units::second)},
    .small_message_hop = 2.7 * units::us,
    .medium_message_hop = 4 * units::us,
    .adapter_latency = 500 * units::ns};

/// InfiniBand HDR 4x.
inline constexpr network_fabric infiniband_hdr{
    .port = {.latency = 14 * units::us,
             .signalling = per_direction(26.5625 * units::GB / units::second),
             .advertised = per_direction(25 * units::GB / units::second),
             .achievable = per_direction(23.5 * units::GB / units::second)},
    .small_message_hop = 2.7 * units::us,
    .medium_message_hop = 4 * units::us,
    .adapter_latency = 600 * units::ns};

/// InfiniBand NDR 4x.
inline constexpr network_fabric infiniband_ndr{
    .port = {.latency = 14 * units::us,
             .signalling = per_direction(53125 * units::MB / units::second),
             .advertised = per_direction(50 * units::GB / units::second),
             .achievable = per_direction(48.5 * units::GB / units::second)},
    .small_message_hop = 2.7 * units::us,
    .medium_message_hop = 4 * units::us,
    .adapter_latency = 600 * units::ns};

/// InfiniBand XDR 4x.
inline constexpr network_fabric infiniband_xdr{
    .port = {.latency = 14 * units::us,
             .signalling = per_direction(106.25 * units::GB / units::second),
             .advertised = per_direction(100 * units::GB / units::second),
             .achievable = per_direction(96 * units::GB / units::second)},
    .small_message_hop = 2.7 * units::us,
    .medium_message_hop = 4 * units::us};

/// RoCEv2 100GbE.
inline constexpr network_fabric rocev2_100gbe{
    .port = {.latency = 14 * units::us,
             .signalling = per_direction(12.890625 * units::GB / units::second),
             .advertised = per_direction(12.5 * units::GB / units::second),
             .achievable = per_direction(12.1875 * units::GB / units::second)},
    .small_message_hop = 2.7 * units::us,
    .medium_message_hop = 4 * units::us,
    .adapter_latency = 2 * units::us};

/// RoCEv2 200GbE.
inline constexpr network_fabric rocev2_200gbe{
    .port = {.latency = 14 * units::us,
             .signalling = per_direction(26.5625 * units::GB / units::second),
             .advertised = per_direction(25 * units::GB / units::second),
             .achievable = per_direction(23.5 * units::GB / units::second)},
    .small_message_hop = 2.7 * units::us,
    .medium_message_hop = 4 * units::us,
    .adapter_latency = 2 * units::us};

/// RoCEv2 400GbE.
inline constexpr network_fabric rocev2_400gbe{
    .port = {.latency = 14 * units::us,
             .signalling = per_direction(53125 * units::MB / units::second),
             .advertised = per_direction(50 * units::GB / units::second),
             .achievable = per_direction(48.5 * units::GB / units::second)},
    .small_message_hop = 2.7 * units::us,
    .medium_message_hop = 4 * units::us,
    .adapter_latency = 2 * units::us};

/// AWS EFA v2 (p5, 32x100G).
inline constexpr network_fabric efa_v2_p5{
    .port = {.latency = 14 * units::us,
             .signalling = per_direction(412.5 * units::GB / units::second),
             .advertised = per_direction(400 * units::GB / units::second),
             .achievable = per_direction(387.44 * units::GB / units::second)},
    .accelerators = 8,
    .small_message_hop = 2.7 * units::us,
    .medium_message_hop = 4 * units::us};

/// TCP 10GbE.
inline constexpr network_fabric tcp_10gbe{
    .port = {.latency = 20 * units::us,
             .signalling = per_direction(1.2890625 * units::GB / units::second),
             .advertised = per_direction(1.25 * units::GB / units::second),
             .achievable = per_direction(1.1 * units::GB / units::second)}};

/// A fabric by the name people write.
struct fabric_entry {
  std::string_view name;
  const network_fabric* net;
};

/// Every fabric of the catalog.
inline constexpr std::array fabrics{fabric_entry{"NVLink1 (P100, 4 links)", &nvlink1},
                                    fabric_entry{"NVLink2 (V100, 6 links)", &nvlink2},
                                    fabric_entry{"NVLink3 (A100, 12 links)", &nvlink3},
                                    fabric_entry{"NVLink4 (H100/H200, 18 links)", &nvlink4},
                                    fabric_entry{"NVLink5 (B200, 18 links)", &nvlink5},
                                    fabric_entry{"NVSwitch", &nvswitch},
                                    fabric_entry{"PCIe3 x16", &pcie3_x16},
                                    fabric_entry{"PCIe4 x16", &pcie4_x16},
                                    fabric_entry{"PCIe5 x16", &pcie5_x16},
                                    fabric_entry{"PCIe6 x16", &pcie6_x16},
                                    fabric_entry{"NVLink-C2C (GH200/GB200)", &nvlink_c2c},
                                    fabric_entry{"xGMI MI300X (7x64)", &xgmi_mi300x},
                                    fabric_entry{"xGMI MI355X (7x76.5)", &xgmi_mi355x},
                                    fabric_entry{"InfiniBand EDR 4x", &infiniband_edr},
                                    fabric_entry{"InfiniBand HDR 4x", &infiniband_hdr},
                                    fabric_entry{"InfiniBand NDR 4x", &infiniband_ndr},
                                    fabric_entry{"InfiniBand XDR 4x", &infiniband_xdr},
                                    fabric_entry{"RoCEv2 100GbE", &rocev2_100gbe},
                                    fabric_entry{"RoCEv2 200GbE", &rocev2_200gbe},
                                    fabric_entry{"RoCEv2 400GbE", &rocev2_400gbe},
                                    fabric_entry{"AWS EFA v2 (p5, 32x100G)", &efa_v2_p5},
                                    fabric_entry{"TCP 10GbE", &tcp_10gbe}};

/// Short names, each of one fabric.
inline constexpr std::array fabric_aliases{alias{"nvlink1", "NVLink1 (P100, 4 links)"},
                                           alias{"nvlink2", "NVLink2 (V100, 6 links)"},
                                           alias{"nvlink3", "NVLink3 (A100, 12 links)"},
                                           alias{"nvlink4", "NVLink4 (H100/H200, 18 links)"},
                                           alias{"nvlink5", "NVLink5 (B200, 18 links)"},
                                           alias{"pcie3", "PCIe3 x16"},
                                           alias{"pcie gen3", "PCIe3 x16"},
                                           alias{"pcie 3.0 x16", "PCIe3 x16"},
                                           alias{"pcie4", "PCIe4 x16"},
                                           alias{"pcie gen4", "PCIe4 x16"},
                                           alias{"pcie 4.0 x16", "PCIe4 x16"},
                                           alias{"pcie5", "PCIe5 x16"},
                                           alias{"pcie gen5", "PCIe5 x16"},
                                           alias{"pcie 5.0 x16", "PCIe5 x16"},
                                           alias{"pcie6", "PCIe6 x16"},
                                           alias{"pcie gen6", "PCIe6 x16"},
                                           alias{"pcie 6.0 x16", "PCIe6 x16"},
                                           alias{"nvlink c2c", "NVLink-C2C (GH200/GB200)"},
                                           alias{"c2c", "NVLink-C2C (GH200/GB200)"},
                                           alias{"xgmi mi300x", "xGMI MI300X (7x64)"},
                                           alias{"xgmi mi355x", "xGMI MI355X (7x76.5)"},
                                           alias{"infiniband edr", "InfiniBand EDR 4x"},
                                           alias{"ib edr", "InfiniBand EDR 4x"},
                                           alias{"edr", "InfiniBand EDR 4x"},
                                           alias{"infiniband hdr", "InfiniBand HDR 4x"},
                                           alias{"ib hdr", "InfiniBand HDR 4x"},
                                           alias{"hdr", "InfiniBand HDR 4x"},
                                           alias{"infiniband ndr", "InfiniBand NDR 4x"},
                                           alias{"ib ndr", "InfiniBand NDR 4x"},
                                           alias{"ndr", "InfiniBand NDR 4x"},
                                           alias{"infiniband xdr", "InfiniBand XDR 4x"},
                                           alias{"ib xdr", "InfiniBand XDR 4x"},
                                           alias{"xdr", "InfiniBand XDR 4x"},
                                           alias{"roce 100gbe", "RoCEv2 100GbE"},
                                           alias{"roce 100", "RoCEv2 100GbE"},
                                           alias{"rocev2 100", "RoCEv2 100GbE"},
                                           alias{"roce 200gbe", "RoCEv2 200GbE"},
                                           alias{"roce 200", "RoCEv2 200GbE"},
                                           alias{"rocev2 200", "RoCEv2 200GbE"},
                                           alias{"roce 400gbe", "RoCEv2 400GbE"},
                                           alias{"roce 400", "RoCEv2 400GbE"},
                                           alias{"rocev2 400", "RoCEv2 400GbE"},
                                           alias{"efa", "AWS EFA v2 (p5, 32x100G)"},
                                           alias{"efa v2", "AWS EFA v2 (p5, 32x100G)"},
                                           alias{"aws efa", "AWS EFA v2 (p5, 32x100G)"},
                                           alias{"10gbe", "TCP 10GbE"},
                                           alias{"ethernet 10gbe", "TCP 10GbE"}};

/// The fabric of that name or alias, or nullptr.  closest_names(typed, catalog::fabrics) says what
/// may have been meant.
constexpr const fabric_entry* find_fabric(std::string_view typed) {
  return find_named(typed, fabrics, fabric_aliases);
}

}  // namespace gpuplan::catalog
