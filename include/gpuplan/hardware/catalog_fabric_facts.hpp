#pragma once
/// \file
/// The provenance of catalog_fabrics.hpp, entry by entry and field by field.
/// Written by tools/make_hardware_catalog.py from tests/data/fabrics.json.

#include <array>
#include <string_view>

#include <gpuplan/hardware/fact.hpp>

namespace gpuplan::catalog {

namespace fabric_sources {

inline constexpr std::string_view bekman_network =
    "S. Bekman, \"Machine Learning Engineering Open Book\", network/README.md, "
    "github.com/stas00/ml-engineering, commit 744d01e";
inline constexpr std::string_view nccl_topo =
    "NVIDIA, \"NCCL 2.30.7, src/graph/topo.h\", github.com/NVIDIA/nccl, commit 5067397";
inline constexpr std::string_view nccl_tuning =
    "NVIDIA, \"NCCL 2.30.7, src/graph/tuning.cc\", github.com/NVIDIA/nccl, commit 5067397";
inline constexpr std::string_view nccl_search =
    "NVIDIA, \"NCCL 2.30.7, src/graph/search.cc\", github.com/NVIDIA/nccl, commit 5067397";
inline constexpr std::string_view simai_calbusbw =
    "Alibaba, \"SimAI, astra-sim/system/calbusbw.h\", github.com/aliyun/SimAI, commit cef83f9";
inline constexpr std::string_view superbench_copy =
    "Microsoft, \"SuperBench, tests/data/gpu_copy_bw_performance.log\", "
    "github.com/microsoft/superbenchmark, commit 700d650";
inline constexpr std::string_view superbench_nccl =
    "Microsoft, \"SuperBench, tests/data/nccl_*.log of 8 A100\", "
    "github.com/microsoft/superbenchmark, commit 700d650";
inline constexpr std::string_view nvbandwidth_issue_24 =
    "NVIDIA, \"nvbandwidth, issue 24\", github.com/NVIDIA/nvbandwidth/issues/24";
inline constexpr std::string_view nvbandwidth_issue_50 =
    "NVIDIA, \"nvbandwidth, issue 50\", github.com/NVIDIA/nvbandwidth/issues/50";
inline constexpr std::string_view nccl_tests_issue_290 =
    "NVIDIA, \"nccl-tests, issue 290\", github.com/NVIDIA/nccl-tests/issues/290";
inline constexpr std::string_view pmc_7842203 =
    "PubMed Central, article PMC7842203, table 2, "
    "pmc.ncbi.nlm.nih.gov/articles/PMC7842203/table/table2";
inline constexpr std::string_view coreweave_gb200 =
    "CoreWeave, \"nccl-tests, README.md: 72 GB200 of one NVL72\", github.com/coreweave/nccl-tests, "
    "commit cb86553";
inline constexpr std::string_view osu_log =
    "an OSU all-reduce log of two MPI ranks found on the web: 20.5 us at the smallest message";
inline constexpr std::string_view nvidia_smi_v100 =
    "nvidia-smi nvlink --status on V100-SXM2: 25.781 GB/s a link, as several public logs show it";
inline constexpr std::string_view nvidia_smi_h100 =
    "nvidia-smi nvlink --status on H100, H200 and H800: 26.562 GB/s a link, as several public logs "
    "show it";
inline constexpr std::string_view nvidia_smi_b200 =
    "nvidia-smi nvlink --status on B200 and B300: 53.125 GB/s a link, as several public logs show "
    "it";
inline constexpr std::string_view infiniband_jp =
    "infiniband.jp, \"InfiniBand generations (in Japanese, 2022)\", infiniband.jp/2022/06/01";
inline constexpr std::string_view recalled_pci_sig =
    "recalled from PCI-SIG's published figures; not looked up";
inline constexpr std::string_view recalled_amd =
    "recalled from AMD's published figures; not looked up";
inline constexpr std::string_view recalled_nvidia =
    "recalled from NVIDIA's published figures; not looked up";
inline constexpr std::string_view recalled_infiniband_trade_association =
    "recalled from InfiniBand Trade Association's published figures; not looked up";
inline constexpr std::string_view recalled_ieee_802_3 =
    "recalled from IEEE 802.3's published figures; not looked up";

}  // namespace fabric_sources

inline constexpr std::array nvlink1_facts{
    fact{"port.latency", 3.4e-06, fabric_sources::nccl_tuning, fact_status::verified,
         "NCCL's Simple protocol, a hop of a ring in the node"},
    fact{"port.signalling", 80000000000, fabric_sources::bekman_network, fact_status::verified,
         "8 lanes of 20 Gbit/s a link"},
    fact{"port.advertised", 80000000000, fabric_sources::bekman_network, fact_status::verified},
    fact{"port.achievable", 72000000000, fabric_sources::nccl_topo, fact_status::derived,
         "4 links of 18.0 GB/s, which NCCL plans with"},
    fact{"small_message_hop", 6e-07, fabric_sources::nccl_tuning, fact_status::verified,
         "LL, a hop of a ring or a tree"},
    fact{"medium_message_hop", 1.9e-06, fabric_sources::nccl_tuning, fact_status::verified,
         "LL128, a hop of a ring"}};

inline constexpr std::array nvlink2_facts{
    fact{"port.latency", 3.4e-06, fabric_sources::nccl_tuning, fact_status::verified,
         "NCCL's Simple protocol, a hop of a ring in the node"},
    fact{"port.signalling", 154687500000, fabric_sources::nvidia_smi_v100, fact_status::derived,
         "6 links of 8 lanes of 25.78125 Gbit/s"},
    fact{"port.advertised", 150000000000, fabric_sources::bekman_network, fact_status::verified},
    fact{"port.achievable", 120000000000, fabric_sources::nccl_topo, fact_status::derived,
         "6 links of 20.0 GB/s, which NCCL plans with"},
    fact{"small_message_hop", 6e-07, fabric_sources::nccl_tuning, fact_status::verified,
         "LL, a hop of a ring or a tree"},
    fact{"medium_message_hop", 1.9e-06, fabric_sources::nccl_tuning, fact_status::verified,
         "LL128, a hop of a ring"}};

inline constexpr std::array nvlink3_facts{
    fact{"port.latency", 3.4e-06, fabric_sources::nccl_tuning, fact_status::verified,
         "NCCL's Simple protocol, a hop of a ring in the node"},
    fact{"port.signalling", 300000000000, fabric_sources::bekman_network, fact_status::verified,
         "4 lanes of 50 Gbit/s a link"},
    fact{"port.advertised", 300000000000, fabric_sources::bekman_network, fact_status::verified},
    fact{"port.achievable", 235300000000, fabric_sources::superbench_nccl, fact_status::verified,
         "bus bandwidth of a ring all-reduce of 8 GiB on 8 GPUs; NCCL plans with 240 GB/s; a small "
         "all-reduce takes 34 us in one process, launches included"},
    fact{"small_message_hop", 6e-07, fabric_sources::nccl_tuning, fact_status::verified,
         "LL, a hop of a ring or a tree"},
    fact{"medium_message_hop", 1.9e-06, fabric_sources::nccl_tuning, fact_status::verified,
         "LL128, a hop of a ring"}};

inline constexpr std::array nvlink4_facts{
    fact{"port.latency", 3.4e-06, fabric_sources::nccl_tuning, fact_status::verified,
         "NCCL's Simple protocol, a hop of a ring in the node"},
    fact{"port.signalling", 478125000000, fabric_sources::nvidia_smi_h100, fact_status::derived,
         "18 links of 2 lanes of 106.25 Gbit/s"},
    fact{"port.advertised", 450000000000, fabric_sources::bekman_network, fact_status::verified},
    fact{"port.achievable", 367200000000, fabric_sources::bekman_network, fact_status::verified,
         "bus bandwidth of a ring all-reduce of 16 GiB on 8 GPUs, no reduction in the switch; NCCL "
         "plans with 370.8 GB/s; a small all-reduce takes 12.9 us on AWS p5"},
    fact{"small_message_hop", 6e-07, fabric_sources::nccl_tuning, fact_status::verified,
         "LL, a hop of a ring or a tree"},
    fact{"medium_message_hop", 1.9e-06, fabric_sources::nccl_tuning, fact_status::verified,
         "LL128, a hop of a ring"}};

inline constexpr std::array nvlink5_facts{
    fact{"port.latency", 3.4e-06, fabric_sources::nccl_tuning, fact_status::verified,
         "NCCL's Simple protocol, a hop of a ring in the node"},
    fact{"port.signalling", 956250000000, fabric_sources::nvidia_smi_b200, fact_status::derived,
         "18 links of 2 lanes of 212.5 Gbit/s"},
    fact{"port.advertised", 900000000000, fabric_sources::bekman_network, fact_status::verified},
    fact{"port.achievable", 682200000000, fabric_sources::bekman_network, fact_status::verified,
         "bus bandwidth of a ring all-reduce on 8 GPUs, no reduction in the switch; NCCL plans "
         "with 721.8 GB/s"},
    fact{"small_message_hop", 6e-07, fabric_sources::nccl_tuning, fact_status::verified,
         "LL, a hop of a ring or a tree"},
    fact{"medium_message_hop", 1.9e-06, fabric_sources::nccl_tuning, fact_status::verified,
         "LL128, a hop of a ring"}};

inline constexpr std::array nvswitch_facts{
    fact{"port.latency", 2.5e-05, fabric_sources::nccl_tuning, fact_status::verified,
         "NCCL's constant for an all-reduce inside the switches of one node; a source gives 1 us "
         "an endpoint and 200 to 400 ns a switch (spicemonkey.github.io)"}};

inline constexpr std::array pcie3_x16_facts{
    fact{"port.latency", 5.7e-06, fabric_sources::nccl_tuning, fact_status::verified,
         "NCCL's Simple protocol"},
    fact{"port.signalling", 16000000000, fabric_sources::recalled_pci_sig, fact_status::recalled,
         "16 lanes of 8 GT/s"},
    fact{"port.advertised", 15750000000, fabric_sources::recalled_pci_sig, fact_status::recalled,
         "after 128b/130b coding"},
    fact{"port.achievable", 12000000000, fabric_sources::nccl_topo, fact_status::verified,
         "what NCCL plans with"},
    fact{"small_message_hop", 1e-06, fabric_sources::nccl_tuning, fact_status::verified, "LL"},
    fact{"medium_message_hop", 2.5e-06, fabric_sources::nccl_tuning, fact_status::verified,
         "LL128"}};

inline constexpr std::array pcie4_x16_facts{
    fact{"port.latency", 5.7e-06, fabric_sources::nccl_tuning, fact_status::verified,
         "NCCL's Simple protocol"},
    fact{"port.signalling", 32000000000, fabric_sources::recalled_pci_sig, fact_status::recalled,
         "16 lanes of 16 GT/s"},
    fact{"port.advertised", 31500000000, fabric_sources::bekman_network, fact_status::verified,
         "printed as 31, after 128b/130b coding"},
    fact{"port.achievable", 26240000000, fabric_sources::superbench_copy, fact_status::verified,
         "host to device, pinned; both ways at once to the device falls to 12 to 13 GB/s "
         "(nvbandwidth issue 11)"},
    fact{"small_message_hop", 1e-06, fabric_sources::nccl_tuning, fact_status::verified, "LL"},
    fact{"medium_message_hop", 2.5e-06, fabric_sources::nccl_tuning, fact_status::verified,
         "LL128"}};

inline constexpr std::array pcie5_x16_facts{
    fact{"port.latency", 5.7e-06, fabric_sources::nccl_tuning, fact_status::verified,
         "NCCL's Simple protocol"},
    fact{"port.signalling", 64000000000, fabric_sources::recalled_pci_sig, fact_status::recalled,
         "16 lanes of 32 GT/s"},
    fact{"port.advertised", 63000000000, fabric_sources::bekman_network, fact_status::verified},
    fact{"port.achievable", 55430000000, fabric_sources::bekman_network, fact_status::verified,
         "host to device"},
    fact{"small_message_hop", 1e-06, fabric_sources::nccl_tuning, fact_status::verified, "LL"},
    fact{"medium_message_hop", 2.5e-06, fabric_sources::nccl_tuning, fact_status::verified,
         "LL128"}};

inline constexpr std::array pcie6_x16_facts{
    fact{"port.latency", 5.7e-06, fabric_sources::nccl_tuning, fact_status::derived,
         "NCCL has one constant for every generation"},
    fact{"port.signalling", 128000000000, fabric_sources::recalled_pci_sig, fact_status::recalled,
         "16 lanes of 64 GT/s"},
    fact{"port.advertised", 121000000000, fabric_sources::bekman_network, fact_status::verified},
    fact{"small_message_hop", 1e-06, fabric_sources::nccl_tuning, fact_status::derived,
         "NCCL has one constant for every generation"},
    fact{"medium_message_hop", 2.5e-06, fabric_sources::nccl_tuning, fact_status::derived,
         "NCCL has one constant for every generation"}};

inline constexpr std::array nvlink_c2c_facts{
    fact{"port.latency", 5.7e-06, fabric_sources::nccl_tuning, fact_status::derived,
         "nothing found; taken as PCIe's, which it does not exceed"},
    fact{"port.advertised", 450000000000, fabric_sources::bekman_network, fact_status::verified},
    fact{"port.achievable", 359000000000, fabric_sources::bekman_network, fact_status::verified,
         "one way, the slower of 359 and 377; both ways at once 0.38 of the rate, held back by "
         "LPDDR5X"}};

inline constexpr std::array xgmi_mi300x_facts{
    fact{"port.latency", 3.4e-06, fabric_sources::nccl_tuning, fact_status::derived,
         "nothing found; taken as NVLink's in NCCL's tuning"},
    fact{"port.signalling", 448000000000, fabric_sources::recalled_amd, fact_status::recalled,
         "7 links of 16 lanes of 32 GT/s"},
    fact{"port.advertised", 448000000000, fabric_sources::bekman_network, fact_status::verified,
         "all 7 links; a pair has one of them, 64 GB/s"},
    fact{"port.achievable", 312900000000, fabric_sources::bekman_network, fact_status::verified,
         "bus bandwidth of an all-reduce of 4 GB on 8 GPUs"}};

inline constexpr std::array xgmi_mi355x_facts{
    fact{"port.latency", 3.4e-06, fabric_sources::nccl_tuning, fact_status::derived,
         "nothing found; taken as NVLink's in NCCL's tuning"},
    fact{"port.signalling", 537600000000, fabric_sources::recalled_amd, fact_status::recalled,
         "7 links of 16 lanes of 38.4 GT/s"},
    fact{"port.advertised", 535500000000, fabric_sources::bekman_network, fact_status::verified,
         "all 7 links; a pair has one of them, 76.5 GB/s"}};

inline constexpr std::array infiniband_edr_facts{
    fact{"port.latency", 1.4e-05, fabric_sources::nccl_tuning, fact_status::verified,
         "NCCL's Simple protocol, a hop between nodes"},
    fact{"port.signalling", 12890625000, fabric_sources::infiniband_jp, fact_status::verified,
         "4 lanes of 25.78125 Gbit/s"},
    fact{"port.advertised", 12500000000, fabric_sources::bekman_network, fact_status::verified,
         "100 Gbit/s"},
    fact{"port.achievable", 12000000000, fabric_sources::nccl_topo, fact_status::verified,
         "what NCCL plans with for 100 Gbit/s"},
    fact{"small_message_hop", 2.7e-06, fabric_sources::nccl_tuning, fact_status::verified,
         "LL, a hop between nodes"},
    fact{"medium_message_hop", 4e-06, fabric_sources::nccl_tuning, fact_status::verified,
         "LL128, a hop between nodes"},
    fact{"adapter_latency", 5e-07, fabric_sources::bekman_network, fact_status::verified,
         "the adapter's figure; ib_send_lat of 32 B one way took 0.82 us on an adapter not named "
         "(D. Potter)"}};

inline constexpr std::array infiniband_hdr_facts{
    fact{"port.latency", 1.4e-05, fabric_sources::nccl_tuning, fact_status::verified,
         "NCCL's Simple protocol, a hop between nodes"},
    fact{"port.signalling", 26562500000, fabric_sources::infiniband_jp, fact_status::verified,
         "4 lanes of 53.125 Gbit/s"},
    fact{"port.advertised", 25000000000, fabric_sources::bekman_network, fact_status::verified,
         "200 Gbit/s"},
    fact{"port.achievable", 23500000000, fabric_sources::simai_calbusbw, fact_status::verified,
         "ConnectX-6"},
    fact{"small_message_hop", 2.7e-06, fabric_sources::nccl_tuning, fact_status::verified,
         "LL, a hop between nodes"},
    fact{"medium_message_hop", 4e-06, fabric_sources::nccl_tuning, fact_status::verified,
         "LL128, a hop between nodes"},
    fact{"adapter_latency", 6e-07, fabric_sources::bekman_network, fact_status::verified}};

inline constexpr std::array infiniband_ndr_facts{
    fact{"port.latency", 1.4e-05, fabric_sources::nccl_tuning, fact_status::verified,
         "NCCL's Simple protocol, a hop between nodes"},
    fact{"port.signalling", 53125000000, fabric_sources::infiniband_jp, fact_status::verified,
         "4 lanes of 106.25 Gbit/s"},
    fact{"port.advertised", 50000000000, fabric_sources::bekman_network, fact_status::verified,
         "400 Gbit/s"},
    fact{"port.achievable", 48500000000, fabric_sources::simai_calbusbw, fact_status::verified,
         "ConnectX-7; maintainers of NCCL expect 46 to 48 (nccl-tests issue 290)"},
    fact{"small_message_hop", 2.7e-06, fabric_sources::nccl_tuning, fact_status::verified,
         "LL, a hop between nodes"},
    fact{"medium_message_hop", 4e-06, fabric_sources::nccl_tuning, fact_status::verified,
         "LL128, a hop between nodes"},
    fact{"adapter_latency", 6e-07, fabric_sources::recalled_nvidia, fact_status::recalled,
         "the vendor no longer publishes one"}};

inline constexpr std::array infiniband_xdr_facts{
    fact{"port.latency", 1.4e-05, fabric_sources::nccl_tuning, fact_status::derived,
         "NCCL has one constant for every generation"},
    fact{"port.signalling", 106250000000, fabric_sources::recalled_infiniband_trade_association,
         fact_status::recalled, "4 lanes of 212.5 Gbit/s"},
    fact{"port.advertised", 100000000000, fabric_sources::bekman_network, fact_status::verified,
         "800 Gbit/s"},
    fact{"port.achievable", 96000000000, fabric_sources::nccl_search, fact_status::verified,
         "first entry of the search between nodes for Blackwell"},
    fact{"small_message_hop", 2.7e-06, fabric_sources::nccl_tuning, fact_status::derived,
         "NCCL has one constant for every generation"},
    fact{"medium_message_hop", 4e-06, fabric_sources::nccl_tuning, fact_status::derived,
         "NCCL has one constant for every generation"}};

inline constexpr std::array rocev2_100gbe_facts{
    fact{"port.latency", 1.4e-05, fabric_sources::nccl_tuning, fact_status::verified,
         "NCCL's Simple protocol, a hop between nodes"},
    fact{"port.signalling", 12890625000, fabric_sources::recalled_ieee_802_3, fact_status::recalled,
         "4 lanes of 25.78125 Gbit/s"},
    fact{"port.advertised", 12500000000, fabric_sources::recalled_ieee_802_3, fact_status::recalled,
         "100 Gbit/s"},
    fact{"port.achievable", 12187500000, fabric_sources::pmc_7842203, fact_status::verified,
         "97.5 Gbit/s of payload at an MTU of 4 KiB"},
    fact{"small_message_hop", 2.7e-06, fabric_sources::nccl_tuning, fact_status::verified,
         "LL, a hop between nodes"},
    fact{"medium_message_hop", 4e-06, fabric_sources::nccl_tuning, fact_status::verified,
         "LL128, a hop between nodes"},
    fact{"adapter_latency", 2e-06, fabric_sources::recalled_nvidia, fact_status::recalled,
         "one switch between; 1.5 to 3 us"}};

inline constexpr std::array rocev2_200gbe_facts{
    fact{"port.latency", 1.4e-05, fabric_sources::nccl_tuning, fact_status::verified,
         "NCCL's Simple protocol, a hop between nodes"},
    fact{"port.signalling", 26562500000, fabric_sources::recalled_ieee_802_3, fact_status::recalled,
         "4 lanes of 53.125 Gbit/s"},
    fact{"port.advertised", 25000000000, fabric_sources::recalled_ieee_802_3, fact_status::recalled,
         "200 Gbit/s"},
    fact{"port.achievable", 23500000000, fabric_sources::simai_calbusbw, fact_status::verified,
         "ConnectX-6"},
    fact{"small_message_hop", 2.7e-06, fabric_sources::nccl_tuning, fact_status::verified,
         "LL, a hop between nodes"},
    fact{"medium_message_hop", 4e-06, fabric_sources::nccl_tuning, fact_status::verified,
         "LL128, a hop between nodes"},
    fact{"adapter_latency", 2e-06, fabric_sources::recalled_nvidia, fact_status::recalled}};

inline constexpr std::array rocev2_400gbe_facts{
    fact{"port.latency", 1.4e-05, fabric_sources::nccl_tuning, fact_status::verified,
         "NCCL's Simple protocol, a hop between nodes"},
    fact{"port.signalling", 53125000000, fabric_sources::recalled_ieee_802_3, fact_status::recalled,
         "8 lanes of 53.125 Gbit/s"},
    fact{"port.advertised", 50000000000, fabric_sources::recalled_ieee_802_3, fact_status::recalled,
         "400 Gbit/s"},
    fact{"port.achievable", 48500000000, fabric_sources::simai_calbusbw, fact_status::verified,
         "BlueField-3 or ConnectX-7; needs flow control tuned, and flows that hash to one path can "
         "halve"},
    fact{"small_message_hop", 2.7e-06, fabric_sources::nccl_tuning, fact_status::verified,
         "LL, a hop between nodes"},
    fact{"medium_message_hop", 4e-06, fabric_sources::nccl_tuning, fact_status::verified,
         "LL128, a hop between nodes"},
    fact{"adapter_latency", 2e-06, fabric_sources::recalled_nvidia, fact_status::recalled}};

inline constexpr std::array efa_v2_p5_facts{
    fact{"port.latency", 1.4e-05, fabric_sources::nccl_tuning, fact_status::derived,
         "NCCL's constant for a network; a whole all-reduce of 8 B on 16 ranks took 69 us (AWS)"},
    fact{"port.signalling", 412500000000, fabric_sources::recalled_ieee_802_3,
         fact_status::recalled, "32 ports of 4 lanes of 25.78125 Gbit/s, of a node"},
    fact{"port.advertised", 400000000000, fabric_sources::bekman_network, fact_status::verified,
         "of a node"},
    fact{"port.achievable", 387440000000, fabric_sources::bekman_network, fact_status::derived,
         "of a node: ib_write_bw reached 193.72 of 200 Gbit/s on an EFA v3 adapter"},
    fact{"accelerators", 8, fabric_sources::bekman_network, fact_status::verified,
         "GPUs of a p5 node"},
    fact{"small_message_hop", 2.7e-06, fabric_sources::nccl_tuning, fact_status::derived,
         "NCCL's constant for a network; a whole all-reduce of 8 B on 16 ranks took 69 us (AWS)"},
    fact{"medium_message_hop", 4e-06, fabric_sources::nccl_tuning, fact_status::derived,
         "NCCL's constant for a network; a whole all-reduce of 8 B on 16 ranks took 69 us (AWS)"}};

inline constexpr std::array tcp_10gbe_facts{
    fact{"port.latency", 2e-05, fabric_sources::osu_log, fact_status::verified},
    fact{"port.signalling", 1289062500, fabric_sources::recalled_ieee_802_3, fact_status::recalled,
         "10.3125 Gbit/s"},
    fact{"port.advertised", 1250000000, fabric_sources::recalled_ieee_802_3, fact_status::recalled,
         "10 Gbit/s"},
    fact{"port.achievable", 1100000000, fabric_sources::recalled_ieee_802_3, fact_status::recalled,
         "0.88 of the rate after headers and kernel"}};

/// The facts of every entry, in the order of catalog::fabrics.
inline constexpr std::array fabric_facts{
    entry_facts{"NVLink1 (P100, 4 links)", nvlink1_facts, ""},
    entry_facts{"NVLink2 (V100, 6 links)", nvlink2_facts, ""},
    entry_facts{"NVLink3 (A100, 12 links)", nvlink3_facts, ""},
    entry_facts{"NVLink4 (H100/H200, 18 links)", nvlink4_facts, ""},
    entry_facts{"NVLink5 (B200, 18 links)", nvlink5_facts, ""},
    entry_facts{"NVSwitch", nvswitch_facts, ""},
    entry_facts{"PCIe3 x16", pcie3_x16_facts, ""},
    entry_facts{"PCIe4 x16", pcie4_x16_facts, ""},
    entry_facts{"PCIe5 x16", pcie5_x16_facts, ""},
    entry_facts{"PCIe6 x16", pcie6_x16_facts, ""},
    entry_facts{"NVLink-C2C (GH200/GB200)", nvlink_c2c_facts, ""},
    entry_facts{"xGMI MI300X (7x64)", xgmi_mi300x_facts, ""},
    entry_facts{"xGMI MI355X (7x76.5)", xgmi_mi355x_facts, ""},
    entry_facts{"InfiniBand EDR 4x", infiniband_edr_facts, ""},
    entry_facts{"InfiniBand HDR 4x", infiniband_hdr_facts, ""},
    entry_facts{"InfiniBand NDR 4x", infiniband_ndr_facts, ""},
    entry_facts{"InfiniBand XDR 4x", infiniband_xdr_facts, ""},
    entry_facts{"RoCEv2 100GbE", rocev2_100gbe_facts, ""},
    entry_facts{"RoCEv2 200GbE", rocev2_200gbe_facts, ""},
    entry_facts{"RoCEv2 400GbE", rocev2_400gbe_facts, ""},
    entry_facts{"AWS EFA v2 (p5, 32x100G)", efa_v2_p5_facts, ""},
    entry_facts{"TCP 10GbE", tcp_10gbe_facts, ""}};

/// What was measured, beside the one figure that each field holds.
inline constexpr std::array fabric_measurements{
    measurement{"NVLink1 (P100, 4 links)", "what NCCL plans with, 72 GB/s (18.0 GB/s x4)", 0.9,
                fabric_sources::nccl_topo, fact_status::derived},
    measurement{"NVLink2 (V100, 6 links)", "what NCCL plans with, 120 GB/s (20.0 GB/s x6)", 0.8,
                fabric_sources::nccl_topo, fact_status::derived},
    measurement{"NVLink3 (A100, 12 links)", "copy engine writes to a peer: 279.3 GB/s", 0.93,
                fabric_sources::superbench_copy, fact_status::verified},
    measurement{"NVLink3 (A100, 12 links)", "kernel writes to a peer: 258.4 GB/s", 0.86,
                fabric_sources::superbench_copy, fact_status::verified},
    measurement{"NVLink3 (A100, 12 links)", "bus bandwidth of a ring all-reduce: 235 GB/s", 0.783,
                fabric_sources::bekman_network, fact_status::verified},
    measurement{"NVLink3 (A100, 12 links)", "bus bandwidth of an all-reduce of 8 GiB: 235.3 GB/s",
                0.785, fabric_sources::superbench_nccl, fact_status::verified},
    measurement{"NVLink3 (A100, 12 links)",
                "bus bandwidth of a reduce-scatter of 8 GiB: 231.5 GB/s", 0.77,
                fabric_sources::superbench_nccl, fact_status::verified},
    measurement{"NVLink3 (A100, 12 links)",
                "bus bandwidth of an all-gather out of place: 223.4 GB/s", 0.745,
                fabric_sources::superbench_nccl, fact_status::verified},
    measurement{"NVLink3 (A100, 12 links)", "bus bandwidth of an all-to-all: 224.3 GB/s", 0.748,
                fabric_sources::superbench_nccl, fact_status::verified},
    measurement{"NVLink3 (A100, 12 links)", "what NCCL plans with, 240 GB/s (20.0 GB/s x12)", 0.8,
                fabric_sources::nccl_topo, fact_status::derived},
    measurement{"NVLink4 (H100/H200, 18 links)", "copy engine between two H200: 396.4 GB/s", 0.88,
                fabric_sources::bekman_network, fact_status::verified},
    measurement{"NVLink4 (H100/H200, 18 links)", "both ways at once: 783.7 of 900 GB/s", 0.87,
                fabric_sources::bekman_network, fact_status::verified},
    measurement{"NVLink4 (H100/H200, 18 links)",
                "bus bandwidth of a ring all-reduce of 16 GiB: 367.2 GB/s", 0.816,
                fabric_sources::bekman_network, fact_status::verified},
    measurement{"NVLink4 (H100/H200, 18 links)", "bus bandwidth of an all-gather: 361.4 GB/s",
                0.803, fabric_sources::bekman_network, fact_status::verified},
    measurement{"NVLink4 (H100/H200, 18 links)", "bus bandwidth of a reduce-scatter: 362.9 GB/s",
                0.806, fabric_sources::bekman_network, fact_status::verified},
    measurement{"NVLink4 (H100/H200, 18 links)",
                "all-reduce summed in the switch: 480 GB/s, no rate of a wire", 1.067,
                fabric_sources::bekman_network, fact_status::verified},
    measurement{"NVLink4 (H100/H200, 18 links)", "what NCCL plans with, 370.8 GB/s (20.6 GB/s x18)",
                0.824, fabric_sources::nccl_topo, fact_status::derived},
    measurement{"NVLink5 (B200, 18 links)", "bus bandwidth of a ring on 8 GPUs: 682.2 GB/s", 0.758,
                fabric_sources::bekman_network, fact_status::verified},
    measurement{"NVLink5 (B200, 18 links)",
                "all-reduce summed in the switch: 838.0 GB/s, no rate of a wire", 0.931,
                fabric_sources::bekman_network, fact_status::verified},
    measurement{"NVLink5 (B200, 18 links)",
                "72 GPUs, all-reduce of 8 GiB summed in the switch: 834.6 GB/s", 0.93,
                fabric_sources::coreweave_gb200, fact_status::derived},
    measurement{"NVLink5 (B200, 18 links)", "what NCCL plans with, 721.8 GB/s (40.1 GB/s x18)",
                0.802, fabric_sources::nccl_topo, fact_status::derived},
    measurement{"NVSwitch", "NCCL's efficiency of sums in the switch, Hopper", 0.85,
                fabric_sources::nccl_tuning, fact_status::verified},
    measurement{"NVSwitch", "NCCL's efficiency of sums in the switch, Blackwell", 0.74,
                fabric_sources::nccl_tuning, fact_status::verified},
    measurement{"PCIe3 x16", "what NCCL plans with: 12.0 GB/s", 0.76, fabric_sources::nccl_topo,
                fact_status::derived},
    measurement{"PCIe4 x16", "host to device, pinned: 26.24 GB/s", 0.83,
                fabric_sources::superbench_copy, fact_status::verified},
    measurement{"PCIe4 x16", "device to host: 25.85 GB/s", 0.82, fabric_sources::superbench_copy,
                fact_status::verified},
    measurement{"PCIe4 x16",
                "peers behind one switch: 26.3 GB/s; across the root complex 21.8 to 22.6", 0.84,
                fabric_sources::nvbandwidth_issue_50, fact_status::verified},
    measurement{"PCIe5 x16", "host to device: 55.43 GB/s", 0.88, fabric_sources::bekman_network,
                fact_status::verified},
    measurement{"PCIe5 x16", "device to host: 55.06 GB/s", 0.874, fabric_sources::bekman_network,
                fact_status::verified},
    measurement{"PCIe5 x16", "host to device by a kernel on H100: 35.2 GB/s", 0.56,
                fabric_sources::nvbandwidth_issue_24, fact_status::verified},
    measurement{"NVLink-C2C (GH200/GB200)", "one way: 359 to 377 GB/s", 0.82,
                fabric_sources::bekman_network, fact_status::verified},
    measurement{"NVLink-C2C (GH200/GB200)", "both ways at once, held back by LPDDR5X", 0.38,
                fabric_sources::bekman_network, fact_status::verified},
    measurement{"xGMI MI300X (7x64)", "all-reduce of 2 GPUs: 47.7 GB/s of one link of 64", 0.745,
                fabric_sources::bekman_network, fact_status::verified},
    measurement{"xGMI MI300X (7x64)", "all-reduce of 8 GPUs: 312.9 GB/s", 0.7,
                fabric_sources::bekman_network, fact_status::verified},
    measurement{"InfiniBand EDR 4x", "what NCCL plans with: 12.0 GB/s", 0.96,
                fabric_sources::nccl_topo, fact_status::derived},
    measurement{"InfiniBand HDR 4x", "ConnectX-6: 23.5 GB/s", 0.94, fabric_sources::simai_calbusbw,
                fact_status::verified},
    measurement{"InfiniBand NDR 4x", "ConnectX-7: 48.5 GB/s", 0.97, fabric_sources::simai_calbusbw,
                fact_status::verified},
    measurement{"InfiniBand NDR 4x", "an adapter, as maintainers of NCCL expect: 46 to 48 GB/s",
                0.94, fabric_sources::nccl_tests_issue_290, fact_status::verified},
    measurement{"InfiniBand XDR 4x", "share of the advertised rate", 0.96,
                fabric_sources::recalled_nvidia, fact_status::recalled},
    measurement{"InfiniBand XDR 4x", "what NCCL plans with, 96 GB/s", 0.96,
                fabric_sources::nccl_search, fact_status::verified},
    measurement{"RoCEv2 100GbE", "97.5 Gbit/s of payload at an MTU of 4 KiB", 0.975,
                fabric_sources::pmc_7842203, fact_status::verified},
    measurement{"RoCEv2 200GbE", "ConnectX-6", 0.94, fabric_sources::simai_calbusbw,
                fact_status::verified},
    measurement{"RoCEv2 400GbE", "BlueField-3 or ConnectX-7: 48.5 GB/s", 0.97,
                fabric_sources::simai_calbusbw, fact_status::verified},
    measurement{"AWS EFA v2 (p5, 32x100G)", "ib_write_bw: 193.72 of 200 Gbit/s, EFA v3 adapter",
                0.969, fabric_sources::bekman_network, fact_status::verified},
    measurement{"TCP 10GbE", "share of the advertised rate", 0.88,
                fabric_sources::recalled_ieee_802_3, fact_status::recalled}};

}  // namespace gpuplan::catalog
