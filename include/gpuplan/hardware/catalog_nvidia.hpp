#pragma once
/// \file
/// Accelerators of NVIDIA: dense peaks; fp64 is that of the vector units.
/// Written by tools/make_hardware_catalog.py from tests/data/hardware.json.

#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/hardware/scale_up.hpp>
#include <gpuplan/units/link_rate.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::catalog {

/// NVIDIA P100-SXM2-16GB (2016).  No tensor cores.
inline constexpr accelerator p100_sxm2_16gb{
    .memory = 16 * units::GiB,
    .memory_bandwidth = 732 * units::GB / units::second,
    .peak = {.fp64 = 5.3 * units::TFLOP / units::second,
             .fp32 = 10.6 * units::TFLOP / units::second,
             .fp16 = 21.2 * units::TFLOP / units::second},
    .streaming_multiprocessors = 56,
    .l2 = 4 * units::MiB,
    .thermal_design_power = 300 * units::watt,
    .scale_up = {.joined = wiring::board, .links = 4, .all_peers = nvlink1.port},
    .host = pcie3_x16.port};

/// NVIDIA P100-PCIe-16GB (2016).
inline constexpr accelerator p100_pcie_16gb{.memory = 16 * units::GiB,
                                            .memory_bandwidth = 732 * units::GB / units::second,
                                            .peak = {.fp64 = 4.7 * units::TFLOP / units::second,
                                                     .fp32 = 9.3 * units::TFLOP / units::second,
                                                     .fp16 = 18.7 * units::TFLOP / units::second},
                                            .streaming_multiprocessors = 56,
                                            .l2 = 4 * units::MiB,
                                            .thermal_design_power = 250 * units::watt,
                                            .host = pcie3_x16.port};

/// NVIDIA V100-SXM2-16GB (2017).
inline constexpr accelerator v100_sxm2_16gb{
    .memory = 16 * units::GiB,
    .memory_bandwidth = 900 * units::GB / units::second,
    .peak = {.fp64 = 7.8 * units::TFLOP / units::second,
             .fp32 = 15.7 * units::TFLOP / units::second,
             .fp16 = 125 * units::TFLOP / units::second,
             .int8 = 62.8 * units::TFLOP / units::second},
    .streaming_multiprocessors = 80,
    .l2 = 6 * units::MiB,
    .thermal_design_power = 300 * units::watt,
    .scale_up = {.joined = wiring::board, .links = 6, .all_peers = nvlink2.port},
    .host = pcie3_x16.port};

/// NVIDIA V100-SXM2-32GB (2018).
inline constexpr accelerator v100_sxm2_32gb{
    .memory = 32 * units::GiB,
    .memory_bandwidth = 900 * units::GB / units::second,
    .peak = {.fp64 = 7.8 * units::TFLOP / units::second,
             .fp32 = 15.7 * units::TFLOP / units::second,
             .fp16 = 125 * units::TFLOP / units::second,
             .int8 = 62.8 * units::TFLOP / units::second},
    .streaming_multiprocessors = 80,
    .l2 = 6 * units::MiB,
    .thermal_design_power = 300 * units::watt,
    .scale_up = {.joined = wiring::board, .links = 6, .all_peers = nvlink2.port},
    .host = pcie3_x16.port};

/// NVIDIA V100-PCIe-16GB (2017).
inline constexpr accelerator v100_pcie_16gb{.memory = 16 * units::GiB,
                                            .memory_bandwidth = 900 * units::GB / units::second,
                                            .peak = {.fp64 = 7 * units::TFLOP / units::second,
                                                     .fp32 = 14 * units::TFLOP / units::second,
                                                     .fp16 = 112 * units::TFLOP / units::second},
                                            .streaming_multiprocessors = 80,
                                            .l2 = 6 * units::MiB,
                                            .thermal_design_power = 250 * units::watt,
                                            .host = pcie3_x16.port};

/// NVIDIA V100-PCIe-32GB (2018).
inline constexpr accelerator v100_pcie_32gb{.memory = 32 * units::GiB,
                                            .memory_bandwidth = 900 * units::GB / units::second,
                                            .peak = {.fp64 = 7 * units::TFLOP / units::second,
                                                     .fp32 = 14 * units::TFLOP / units::second,
                                                     .fp16 = 112 * units::TFLOP / units::second},
                                            .streaming_multiprocessors = 80,
                                            .l2 = 6 * units::MiB,
                                            .thermal_design_power = 250 * units::watt,
                                            .host = pcie3_x16.port};

/// NVIDIA T4 (2018).
inline constexpr accelerator t4{.memory = 16 * units::GiB,
                                .memory_bandwidth = 320 * units::GB / units::second,
                                .peak = {.fp64 = 254.4 * units::GFLOP / units::second,
                                         .fp32 = 8.1 * units::TFLOP / units::second,
                                         .fp16 = 65 * units::TFLOP / units::second,
                                         .int8 = 130 * units::TFLOP / units::second},
                                .streaming_multiprocessors = 40,
                                .l2 = 4 * units::MiB,
                                .thermal_design_power = 70 * units::watt,
                                .host = pcie3_x16.port};

/// NVIDIA A10 (2021).
inline constexpr accelerator a10{.memory = 24 * units::GiB,
                                 .memory_bandwidth = 600 * units::GB / units::second,
                                 .peak = {.fp64 = 976 * units::GFLOP / units::second,
                                          .fp32 = 31.2 * units::TFLOP / units::second,
                                          .tf32 = 62.5 * units::TFLOP / units::second,
                                          .fp16 = 125 * units::TFLOP / units::second,
                                          .bf16 = 125 * units::TFLOP / units::second,
                                          .int8 = 250 * units::TFLOP / units::second},
                                 .streaming_multiprocessors = 72,
                                 .l2 = 6 * units::MiB,
                                 .thermal_design_power = 150 * units::watt,
                                 .host = pcie4_x16.port};

/// NVIDIA A30 (2021).
inline constexpr accelerator a30{
    .memory = 24 * units::GiB,
    .memory_bandwidth = 933 * units::GB / units::second,
    .peak = {.fp64 = 5.2 * units::TFLOP / units::second,
             .fp32 = 10.3 * units::TFLOP / units::second,
             .tf32 = 82 * units::TFLOP / units::second,
             .fp16 = 165 * units::TFLOP / units::second,
             .bf16 = 165 * units::TFLOP / units::second,
             .int8 = 330 * units::TFLOP / units::second},
    .streaming_multiprocessors = 56,
    .l2 = 24 * units::MiB,
    .thermal_design_power = 165 * units::watt,
    .scale_up = {.joined = wiring::pair,
                 .links = 4,
                 .all_peers = {.latency = 3.4 * units::us,
                               .advertised = per_direction(100 * units::GB / units::second),
                               .achievable = per_direction(80 * units::GB / units::second)}},
    .host = pcie4_x16.port};

/// NVIDIA A40 (2020).
inline constexpr accelerator a40{
    .memory = 48 * units::GiB,
    .memory_bandwidth = 695.8 * units::GB / units::second,
    .peak = {.fp64 = 590 * units::GFLOP / units::second,
             .fp32 = 37.4 * units::TFLOP / units::second,
             .tf32 = 74.8 * units::TFLOP / units::second,
             .fp16 = 149.7 * units::TFLOP / units::second,
             .bf16 = 149.7 * units::TFLOP / units::second,
             .int8 = 299.3 * units::TFLOP / units::second},
    .streaming_multiprocessors = 84,
    .l2 = 6 * units::MiB,
    .thermal_design_power = 300 * units::watt,
    .scale_up = {.joined = wiring::pair,
                 .links = 4,
                 .all_peers = {.latency = 3.4 * units::us,
                               .advertised = per_direction(56.25 * units::GB / units::second),
                               .achievable = per_direction(48 * units::GB / units::second)}},
    .host = pcie4_x16.port};

/// NVIDIA A100-SXM4-40GB (2020).
inline constexpr accelerator a100_sxm4_40gb{
    .memory = 40 * units::GiB,
    .memory_bandwidth = 1555 * units::GB / units::second,
    .peak = {.fp64 = 9.7 * units::TFLOP / units::second,
             .fp32 = 19.5 * units::TFLOP / units::second,
             .tf32 = 156 * units::TFLOP / units::second,
             .fp16 = 312 * units::TFLOP / units::second,
             .bf16 = 312 * units::TFLOP / units::second,
             .int8 = 624 * units::TFLOP / units::second},
    .achieved = {.fp16 = 271.2 * units::TFLOP / units::second,
                 .bf16 = 271.2 * units::TFLOP / units::second},
    .sustained = {.fp16 = 247728 * units::GFLOP / units::second,
                  .bf16 = 247728 * units::GFLOP / units::second},
    .attention = {.triton = 0.328, .flash_2 = 0.6, .fused = 0.6},
    .streaming_multiprocessors = 108,
    .l2 = 40 * units::MiB,
    .thermal_design_power = 400 * units::watt,
    .scale_up = {.joined = wiring::switched, .links = 12, .all_peers = nvlink3.port},
    .host = pcie4_x16.port};

/// NVIDIA A100-SXM4-80GB (2020).
inline constexpr accelerator a100_sxm4_80gb{
    .memory = 80 * units::GiB,
    .memory_bandwidth = 2039 * units::GB / units::second,
    .peak = {.fp64 = 9.7 * units::TFLOP / units::second,
             .fp32 = 19.5 * units::TFLOP / units::second,
             .tf32 = 156 * units::TFLOP / units::second,
             .fp16 = 312 * units::TFLOP / units::second,
             .bf16 = 312 * units::TFLOP / units::second,
             .int8 = 624 * units::TFLOP / units::second},
    .achieved = {.fp16 = 271.2 * units::TFLOP / units::second,
                 .bf16 = 271.2 * units::TFLOP / units::second},
    .sustained = {.fp16 = 247728 * units::GFLOP / units::second,
                  .bf16 = 247728 * units::GFLOP / units::second},
    .attention = {.triton = 0.328, .flash_2 = 0.6, .fused = 0.6},
    .streaming_multiprocessors = 108,
    .l2 = 40 * units::MiB,
    .thermal_design_power = 400 * units::watt,
    .scale_up = {.joined = wiring::switched, .links = 12, .all_peers = nvlink3.port},
    .host = pcie4_x16.port};

/// NVIDIA A100-PCIe-40GB (2020).
inline constexpr accelerator a100_pcie_40gb{
    .memory = 40 * units::GiB,
    .memory_bandwidth = 1555 * units::GB / units::second,
    .peak = {.fp64 = 9.7 * units::TFLOP / units::second,
             .fp32 = 19.5 * units::TFLOP / units::second,
             .tf32 = 156 * units::TFLOP / units::second,
             .fp16 = 312 * units::TFLOP / units::second,
             .bf16 = 312 * units::TFLOP / units::second,
             .int8 = 624 * units::TFLOP / units::second},
    .achieved = {.fp16 = 252.9 * units::TFLOP / units::second,
                 .bf16 = 252.9 * units::TFLOP / units::second},
    .streaming_multiprocessors = 108,
    .l2 = 40 * units::MiB,
    .thermal_design_power = 250 * units::watt,
    .scale_up = {.joined = wiring::pair,
                 .links = 12,
                 .all_peers = {.latency = 3.4 * units::us,
                               .advertised = per_direction(300 * units::GB / units::second),
                               .achievable = per_direction(240 * units::GB / units::second)}},
    .host = pcie4_x16.port};

/// NVIDIA A100-PCIe-80GB (2021).
inline constexpr accelerator a100_pcie_80gb{
    .memory = 80 * units::GiB,
    .memory_bandwidth = 1935 * units::GB / units::second,
    .peak = {.fp64 = 9.7 * units::TFLOP / units::second,
             .fp32 = 19.5 * units::TFLOP / units::second,
             .tf32 = 156 * units::TFLOP / units::second,
             .fp16 = 312 * units::TFLOP / units::second,
             .bf16 = 312 * units::TFLOP / units::second,
             .int8 = 624 * units::TFLOP / units::second},
    .achieved = {.fp16 = 252.9 * units::TFLOP / units::second,
                 .bf16 = 252.9 * units::TFLOP / units::second},
    .streaming_multiprocessors = 108,
    .l2 = 40 * units::MiB,
    .thermal_design_power = 300 * units::watt,
    .scale_up = {.joined = wiring::pair,
                 .links = 12,
                 .all_peers = {.latency = 3.4 * units::us,
                               .advertised = per_direction(300 * units::GB / units::second),
                               .achievable = per_direction(240 * units::GB / units::second)}},
    .host = pcie4_x16.port};

/// NVIDIA L4 (2023).
inline constexpr accelerator l4{.memory = 24 * units::GiB,
                                .memory_bandwidth = 300 * units::GB / units::second,
                                .peak = {.fp64 = 473 * units::GFLOP / units::second,
                                         .fp32 = 30.3 * units::TFLOP / units::second,
                                         .tf32 = 60 * units::TFLOP / units::second,
                                         .fp16 = 121 * units::TFLOP / units::second,
                                         .bf16 = 121 * units::TFLOP / units::second,
                                         .fp8_e4m3 = 242.5 * units::TFLOP / units::second,
                                         .fp8_e5m2 = 242.5 * units::TFLOP / units::second,
                                         .int8 = 242.5 * units::TFLOP / units::second},
                                .streaming_multiprocessors = 58,
                                .l2 = 48 * units::MiB,
                                .thermal_design_power = 72 * units::watt,
                                .host = pcie4_x16.port};

/// NVIDIA L40S (2023).
inline constexpr accelerator l40s{.memory = 48 * units::GiB,
                                  .memory_bandwidth = 864 * units::GB / units::second,
                                  .peak = {.fp64 = 1.43 * units::TFLOP / units::second,
                                           .fp32 = 91.6 * units::TFLOP / units::second,
                                           .tf32 = 183 * units::TFLOP / units::second,
                                           .fp16 = 362 * units::TFLOP / units::second,
                                           .bf16 = 362 * units::TFLOP / units::second,
                                           .fp8_e4m3 = 733 * units::TFLOP / units::second,
                                           .fp8_e5m2 = 733 * units::TFLOP / units::second,
                                           .int8 = 733 * units::TFLOP / units::second},
                                  .streaming_multiprocessors = 142,
                                  .l2 = 96 * units::MiB,
                                  .thermal_design_power = 350 * units::watt,
                                  .host = pcie4_x16.port};

/// NVIDIA RTX3090 (2020).
inline constexpr accelerator rtx3090{
    .memory = 24 * units::GiB,
    .memory_bandwidth = 936 * units::GB / units::second,
    .peak = {.fp64 = 556 * units::GFLOP / units::second,
             .fp32 = 35.58 * units::TFLOP / units::second,
             .tf32 = 35.6 * units::TFLOP / units::second,
             .fp16 = 71 * units::TFLOP / units::second,
             .bf16 = 71 * units::TFLOP / units::second,
             .int8 = 284 * units::TFLOP / units::second},
    .streaming_multiprocessors = 82,
    .l2 = 6 * units::MiB,
    .thermal_design_power = 350 * units::watt,
    .scale_up = {.joined = wiring::pair,
                 .links = 4,
                 .all_peers = {.latency = 3.4 * units::us,
                               .advertised = per_direction(56.25 * units::GB / units::second),
                               .achievable = per_direction(48 * units::GB / units::second)}},
    .host = pcie4_x16.port};

/// NVIDIA RTX4090 (2022).
inline constexpr accelerator rtx4090{.memory = 24 * units::GiB,
                                     .memory_bandwidth = 1008 * units::GB / units::second,
                                     .peak = {.fp64 = 1.29 * units::TFLOP / units::second,
                                              .fp32 = 82.58 * units::TFLOP / units::second,
                                              .tf32 = 82.6 * units::TFLOP / units::second,
                                              .fp16 = 165 * units::TFLOP / units::second,
                                              .bf16 = 165 * units::TFLOP / units::second,
                                              .fp8_e4m3 = 330 * units::TFLOP / units::second,
                                              .fp8_e5m2 = 330 * units::TFLOP / units::second,
                                              .int8 = 660 * units::TFLOP / units::second},
                                     .streaming_multiprocessors = 128,
                                     .l2 = 72 * units::MiB,
                                     .thermal_design_power = 450 * units::watt,
                                     .host = pcie4_x16.port};

/// NVIDIA RTX5090 (2025).
inline constexpr accelerator rtx5090{.memory = 32 * units::GiB,
                                     .memory_bandwidth = 1792 * units::GB / units::second,
                                     .peak = {.fp64 = 1637 * units::GFLOP / units::second,
                                              .fp32 = 104.8 * units::TFLOP / units::second,
                                              .tf32 = 104.8 * units::TFLOP / units::second,
                                              .fp16 = 209.5 * units::TFLOP / units::second,
                                              .bf16 = 209.5 * units::TFLOP / units::second,
                                              .fp8_e4m3 = 419 * units::TFLOP / units::second,
                                              .fp8_e5m2 = 419 * units::TFLOP / units::second,
                                              .fp4 = 1676 * units::TFLOP / units::second,
                                              .int8 = 838 * units::TFLOP / units::second},
                                     .streaming_multiprocessors = 170,
                                     .l2 = 96 * units::MiB,
                                     .thermal_design_power = 575 * units::watt,
                                     .host = pcie5_x16.port};

/// NVIDIA H100-SXM5-80GB (2022).  The bf16 peak is at 1830 MHz.
inline constexpr accelerator h100_sxm5_80gb{
    .memory = 80 * units::GiB,
    .memory_bandwidth = 3350 * units::GB / units::second,
    .peak = {.fp64 = 33.5 * units::TFLOP / units::second,
             .fp32 = 66.9 * units::TFLOP / units::second,
             .tf32 = 494.7 * units::TFLOP / units::second,
             .fp16 = 989.4 * units::TFLOP / units::second,
             .bf16 = 989.4 * units::TFLOP / units::second,
             .fp8_e4m3 = 1978.9 * units::TFLOP / units::second,
             .fp8_e5m2 = 1978.9 * units::TFLOP / units::second,
             .int8 = 1978.9 * units::TFLOP / units::second},
    .achieved = {.fp16 = 794.5 * units::TFLOP / units::second,
                 .bf16 = 794.5 * units::TFLOP / units::second,
                 .fp8_e4m3 = 1402.6 * units::TFLOP / units::second,
                 .fp8_e5m2 = 1402.6 * units::TFLOP / units::second},
    .sustained = {.fp16 = 737103 * units::GFLOP / units::second,
                  .bf16 = 737103 * units::GFLOP / units::second,
                  .fp8_e4m3 = 1393.1456 * units::TFLOP / units::second,
                  .fp8_e5m2 = 1393.1456 * units::TFLOP / units::second},
    .attention = {.triton = 0.17, .flash_2 = 0.33, .fused = 0.478},
    .streaming_multiprocessors = 132,
    .l2 = 50 * units::MiB,
    .thermal_design_power = 700 * units::watt,
    .scale_up = {.joined = wiring::switched, .links = 18, .all_peers = nvlink4.port},
    .host = pcie5_x16.port};

/// NVIDIA H800-SXM5-80GB (2023).  An H100 for export: fewer links, hardly any FP64.
inline constexpr accelerator h800_sxm5_80gb{
    .memory = 80 * units::GiB,
    .memory_bandwidth = 3350 * units::GB / units::second,
    .peak = {.fp64 = 1 * units::TFLOP / units::second,
             .fp32 = 66.9 * units::TFLOP / units::second,
             .tf32 = 494.7 * units::TFLOP / units::second,
             .fp16 = 989.4 * units::TFLOP / units::second,
             .bf16 = 989.4 * units::TFLOP / units::second,
             .fp8_e4m3 = 1978.9 * units::TFLOP / units::second,
             .fp8_e5m2 = 1978.9 * units::TFLOP / units::second,
             .int8 = 1978.9 * units::TFLOP / units::second},
    .achieved = {.fp16 = 794.5 * units::TFLOP / units::second,
                 .bf16 = 794.5 * units::TFLOP / units::second,
                 .fp8_e4m3 = 1402.6 * units::TFLOP / units::second,
                 .fp8_e5m2 = 1402.6 * units::TFLOP / units::second},
    .sustained = {.fp16 = 737103 * units::GFLOP / units::second,
                  .bf16 = 737103 * units::GFLOP / units::second,
                  .fp8_e4m3 = 1393.1456 * units::TFLOP / units::second,
                  .fp8_e5m2 = 1393.1456 * units::TFLOP / units::second},
    .attention = {.triton = 0.17, .flash_2 = 0.33, .fused = 0.478},
    .streaming_multiprocessors = 132,
    .l2 = 50 * units::MiB,
    .thermal_design_power = 700 * units::watt,
    .scale_up = {.joined = wiring::switched,
                 .links = 8,
                 .all_peers = {.latency = 3.4 * units::us,
                               .signalling = per_direction(212.5 * units::GB / units::second),
                               .advertised = per_direction(200 * units::GB / units::second),
                               .achievable = per_direction(160 * units::GB / units::second)}},
    .host = pcie5_x16.port};

/// NVIDIA H100-PCIe-80GB (2022).
inline constexpr accelerator h100_pcie_80gb{
    .memory = 80 * units::GiB,
    .memory_bandwidth = 2000 * units::GB / units::second,
    .peak = {.fp64 = 25.6 * units::TFLOP / units::second,
             .fp32 = 51 * units::TFLOP / units::second,
             .tf32 = 378 * units::TFLOP / units::second,
             .fp16 = 756 * units::TFLOP / units::second,
             .bf16 = 756 * units::TFLOP / units::second,
             .fp8_e4m3 = 1513 * units::TFLOP / units::second,
             .fp8_e5m2 = 1513 * units::TFLOP / units::second,
             .int8 = 1513 * units::TFLOP / units::second},
    .streaming_multiprocessors = 114,
    .l2 = 50 * units::MiB,
    .thermal_design_power = 350 * units::watt,
    .scale_up = {.joined = wiring::pair,
                 .links = 12,
                 .all_peers = {.latency = 3.4 * units::us,
                               .advertised = per_direction(300 * units::GB / units::second),
                               .achievable = per_direction(247.2 * units::GB / units::second)}},
    .host = pcie5_x16.port};

/// NVIDIA H100-NVL-94GB (2023).  One card of the pair; early sheets print the sum of both.  350 to
/// 400 W.
inline constexpr accelerator h100_nvl_94gb{
    .memory = 94 * units::GiB,
    .memory_bandwidth = 3900 * units::GB / units::second,
    .peak = {.fp64 = 30 * units::TFLOP / units::second,
             .fp32 = 60 * units::TFLOP / units::second,
             .tf32 = 417.5 * units::TFLOP / units::second,
             .fp16 = 835.5 * units::TFLOP / units::second,
             .bf16 = 835.5 * units::TFLOP / units::second,
             .fp8_e4m3 = 1671 * units::TFLOP / units::second,
             .fp8_e5m2 = 1671 * units::TFLOP / units::second,
             .int8 = 1671 * units::TFLOP / units::second},
    .streaming_multiprocessors = 132,
    .l2 = 50 * units::MiB,
    .thermal_design_power = 400 * units::watt,
    .scale_up = {.joined = wiring::pair,
                 .links = 12,
                 .all_peers = {.latency = 3.4 * units::us,
                               .advertised = per_direction(300 * units::GB / units::second),
                               .achievable = per_direction(247.2 * units::GB / units::second)}},
    .host = pcie5_x16.port};

/// NVIDIA H200-SXM-141GB (2024).
inline constexpr accelerator h200_sxm_141gb{
    .memory = 141 * units::GiB,
    .memory_bandwidth = 4800 * units::GB / units::second,
    .peak = {.fp64 = 33.5 * units::TFLOP / units::second,
             .fp32 = 66.9 * units::TFLOP / units::second,
             .tf32 = 494.7 * units::TFLOP / units::second,
             .fp16 = 989.4 * units::TFLOP / units::second,
             .bf16 = 989.4 * units::TFLOP / units::second,
             .fp8_e4m3 = 1978.9 * units::TFLOP / units::second,
             .fp8_e5m2 = 1978.9 * units::TFLOP / units::second,
             .int8 = 1978.9 * units::TFLOP / units::second},
    .achieved = {.fp16 = 794.5 * units::TFLOP / units::second,
                 .bf16 = 794.5 * units::TFLOP / units::second,
                 .fp8_e4m3 = 1453.4 * units::TFLOP / units::second,
                 .fp8_e5m2 = 1453.4 * units::TFLOP / units::second},
    .sustained = {.fp16 = 737103 * units::GFLOP / units::second,
                  .bf16 = 737103 * units::GFLOP / units::second,
                  .fp8_e4m3 = 1393.1456 * units::TFLOP / units::second,
                  .fp8_e5m2 = 1393.1456 * units::TFLOP / units::second},
    .attention = {.triton = 0.17, .flash_2 = 0.33, .fused = 0.478},
    .streaming_multiprocessors = 132,
    .l2 = 60 * units::MiB,
    .thermal_design_power = 700 * units::watt,
    .scale_up = {.joined = wiring::switched, .links = 18, .all_peers = nvlink4.port},
    .host = pcie5_x16.port};

/// NVIDIA GH200-96GB (2023).  The power is that of the module with its Grace, 450 to 1000 W.
inline constexpr accelerator gh200_96gb{
    .memory = 96 * units::GiB,
    .memory_bandwidth = 4000 * units::GB / units::second,
    .peak = {.fp64 = 33.5 * units::TFLOP / units::second,
             .fp32 = 66.9 * units::TFLOP / units::second,
             .tf32 = 494.7 * units::TFLOP / units::second,
             .fp16 = 989.4 * units::TFLOP / units::second,
             .bf16 = 989.4 * units::TFLOP / units::second,
             .fp8_e4m3 = 1978.9 * units::TFLOP / units::second,
             .fp8_e5m2 = 1978.9 * units::TFLOP / units::second,
             .int8 = 1978.9 * units::TFLOP / units::second},
    .achieved = {.fp16 = 828.6 * units::TFLOP / units::second,
                 .bf16 = 828.6 * units::TFLOP / units::second},
    .sustained = {.fp16 = 737103 * units::GFLOP / units::second,
                  .bf16 = 737103 * units::GFLOP / units::second,
                  .fp8_e4m3 = 1393.1456 * units::TFLOP / units::second,
                  .fp8_e5m2 = 1393.1456 * units::TFLOP / units::second},
    .attention = {.triton = 0.17, .flash_2 = 0.33, .fused = 0.478},
    .streaming_multiprocessors = 132,
    .l2 = 50 * units::MiB,
    .thermal_design_power = 1000 * units::watt,
    .scale_up = {.joined = wiring::board, .links = 18, .all_peers = nvlink4.port},
    .host = nvlink_c2c.port};

/// NVIDIA GH200-144GB (2024).  The power is that of the module with its Grace, 450 to 1000 W.
inline constexpr accelerator gh200_144gb{
    .memory = 144 * units::GiB,
    .memory_bandwidth = 4800 * units::GB / units::second,
    .peak = {.fp64 = 33.5 * units::TFLOP / units::second,
             .fp32 = 66.9 * units::TFLOP / units::second,
             .tf32 = 494.7 * units::TFLOP / units::second,
             .fp16 = 989.4 * units::TFLOP / units::second,
             .bf16 = 989.4 * units::TFLOP / units::second,
             .fp8_e4m3 = 1978.9 * units::TFLOP / units::second,
             .fp8_e5m2 = 1978.9 * units::TFLOP / units::second,
             .int8 = 1978.9 * units::TFLOP / units::second},
    .achieved = {.fp16 = 828.6 * units::TFLOP / units::second,
                 .bf16 = 828.6 * units::TFLOP / units::second},
    .sustained = {.fp16 = 737103 * units::GFLOP / units::second,
                  .bf16 = 737103 * units::GFLOP / units::second,
                  .fp8_e4m3 = 1393.1456 * units::TFLOP / units::second,
                  .fp8_e5m2 = 1393.1456 * units::TFLOP / units::second},
    .attention = {.triton = 0.17, .flash_2 = 0.33, .fused = 0.478},
    .streaming_multiprocessors = 132,
    .l2 = 50 * units::MiB,
    .thermal_design_power = 1000 * units::watt,
    .scale_up = {.joined = wiring::board, .links = 18, .all_peers = nvlink4.port},
    .host = nvlink_c2c.port};

/// NVIDIA B100 (2024).  It barely shipped; treat as a preview.
inline constexpr accelerator b100{
    .memory = 192 * units::GiB,
    .memory_bandwidth = 8000 * units::GB / units::second,
    .peak = {.fp64 = 30 * units::TFLOP / units::second,
             .fp32 = 60 * units::TFLOP / units::second,
             .tf32 = 900 * units::TFLOP / units::second,
             .fp16 = 1800 * units::TFLOP / units::second,
             .bf16 = 1800 * units::TFLOP / units::second,
             .fp8_e4m3 = 3500 * units::TFLOP / units::second,
             .fp8_e5m2 = 3500 * units::TFLOP / units::second,
             .fp4 = 7000 * units::TFLOP / units::second,
             .int8 = 3500 * units::TFLOP / units::second},
    .l2 = 126 * units::MiB,
    .thermal_design_power = 700 * units::watt,
    .scale_up = {.joined = wiring::switched, .links = 18, .all_peers = nvlink5.port},
    .host = pcie5_x16.port};

/// NVIDIA B200-SXM (2024).
inline constexpr accelerator b200_sxm{
    .memory = 180 * units::GiB,
    .memory_bandwidth = 8000 * units::GB / units::second,
    .peak = {.fp64 = 37 * units::TFLOP / units::second,
             .fp32 = 80 * units::TFLOP / units::second,
             .tf32 = 1125 * units::TFLOP / units::second,
             .fp16 = 2250 * units::TFLOP / units::second,
             .bf16 = 2250 * units::TFLOP / units::second,
             .fp8_e4m3 = 4500 * units::TFLOP / units::second,
             .fp8_e5m2 = 4500 * units::TFLOP / units::second,
             .fp4 = 9000 * units::TFLOP / units::second,
             .int8 = 4500 * units::TFLOP / units::second},
    .achieved = {.fp16 = 1745 * units::TFLOP / units::second,
                 .bf16 = 1745 * units::TFLOP / units::second,
                 .fp8_e4m3 = 3432.5 * units::TFLOP / units::second,
                 .fp8_e5m2 = 3432.5 * units::TFLOP / units::second},
    .sustained = {.fp8_e4m3 = 3429 * units::TFLOP / units::second,
                  .fp8_e5m2 = 3429 * units::TFLOP / units::second},
    .streaming_multiprocessors = 148,
    .l2 = 126 * units::MiB,
    .thermal_design_power = 1000 * units::watt,
    .scale_up = {.joined = wiring::switched, .links = 18, .all_peers = nvlink5.port},
    .host = pcie5_x16.port};

/// NVIDIA GB200 (per GPU) (2025).  One of the two GPUs of a superchip.
inline constexpr accelerator gb200{
    .memory = 186 * units::GiB,
    .memory_bandwidth = 8000 * units::GB / units::second,
    .achieved_memory_bandwidth = 7414.01 * units::GB / units::second,
    .peak = {.fp64 = 40 * units::TFLOP / units::second,
             .fp32 = 80 * units::TFLOP / units::second,
             .tf32 = 1250 * units::TFLOP / units::second,
             .fp16 = 2500 * units::TFLOP / units::second,
             .bf16 = 2500 * units::TFLOP / units::second,
             .fp8_e4m3 = 5000 * units::TFLOP / units::second,
             .fp8_e5m2 = 5000 * units::TFLOP / units::second,
             .fp4 = 10000 * units::TFLOP / units::second,
             .int8 = 5000 * units::TFLOP / units::second},
    .achieved = {.fp16 = 1822 * units::TFLOP / units::second,
                 .bf16 = 1822 * units::TFLOP / units::second},
    .sustained = {.fp8_e4m3 = 3810 * units::TFLOP / units::second,
                  .fp8_e5m2 = 3810 * units::TFLOP / units::second},
    .streaming_multiprocessors = 152,
    .l2 = 126 * units::MiB,
    .thermal_design_power = 1200 * units::watt,
    .scale_up = {.joined = wiring::switched, .links = 18, .domain = 72, .all_peers = nvlink5.port},
    .host = nvlink_c2c.port};

/// NVIDIA B300-SXM (2025).
inline constexpr accelerator b300_sxm{
    .memory = 275040 * units::MiB,
    .memory_bandwidth = 8000 * units::GB / units::second,
    .peak = {.fp64 = 1.25 * units::TFLOP / units::second,
             .fp32 = 75 * units::TFLOP / units::second,
             .tf32 = 1125 * units::TFLOP / units::second,
             .fp16 = 2250 * units::TFLOP / units::second,
             .bf16 = 2250 * units::TFLOP / units::second,
             .fp8_e4m3 = 4500 * units::TFLOP / units::second,
             .fp8_e5m2 = 4500 * units::TFLOP / units::second,
             .fp4 = 13125 * units::TFLOP / units::second,
             .int8 = 150 * units::TFLOP / units::second},
    .achieved = {.fp16 = 1769 * units::TFLOP / units::second,
                 .bf16 = 1769 * units::TFLOP / units::second},
    .streaming_multiprocessors = 148,
    .l2 = 126 * units::MiB,
    .thermal_design_power = 1100 * units::watt,
    .scale_up = {.joined = wiring::switched, .links = 18, .all_peers = nvlink5.port},
    .host = pcie6_x16.port};

/// NVIDIA GB300 (per GPU) (2025).  One of the two GPUs of a superchip.
inline constexpr accelerator gb300{
    .memory = 284208 * units::MiB,
    .memory_bandwidth = 8000 * units::GB / units::second,
    .peak = {.fp64 = 1.25 * units::TFLOP / units::second,
             .fp32 = 80 * units::TFLOP / units::second,
             .tf32 = 1250 * units::TFLOP / units::second,
             .fp16 = 2500 * units::TFLOP / units::second,
             .bf16 = 2500 * units::TFLOP / units::second,
             .fp8_e4m3 = 5000 * units::TFLOP / units::second,
             .fp8_e5m2 = 5000 * units::TFLOP / units::second,
             .fp4 = 15000 * units::TFLOP / units::second,
             .int8 = 165 * units::TFLOP / units::second},
    .streaming_multiprocessors = 152,
    .l2 = 126 * units::MiB,
    .thermal_design_power = 1400 * units::watt,
    .scale_up = {.joined = wiring::switched, .links = 18, .domain = 72, .all_peers = nvlink5.port},
    .host = nvlink_c2c.port};

}  // namespace gpuplan::catalog
