#pragma once
/// \file
/// Accelerators of AMD: dense peaks; fp64 is that of the vector units.
/// Written by tools/make_hardware_catalog.py from tests/data/hardware.json.

#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/hardware/scale_up.hpp>
#include <gpuplan/units/link_rate.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::catalog {

/// AMD MI100 (2020).  Four of them make a hive.
inline constexpr accelerator mi100{
    .memory = 32 * units::GiB,
    .memory_bandwidth = 1228.8 * units::GB / units::second,
    .peak = {.fp64 = 11.5 * units::TFLOP / units::second,
             .fp32 = 23.1 * units::TFLOP / units::second,
             .fp16 = 184.6 * units::TFLOP / units::second,
             .bf16 = 92.3 * units::TFLOP / units::second,
             .int8 = 184.6 * units::TFLOP / units::second},
    .streaming_multiprocessors = 120,
    .l2 = 8 * units::MiB,
    .thermal_design_power = 300 * units::watt,
    .scale_up = {.joined = wiring::direct,
                 .links = 3,
                 .all_peers = {.latency = 3.4 * units::us,
                               .signalling = per_direction(138 * units::GB / units::second),
                               .advertised = per_direction(138 * units::GB / units::second)},
                 .one_peer = {.latency = 3.4 * units::us,
                              .signalling = per_direction(46 * units::GB / units::second),
                              .advertised = per_direction(46 * units::GB / units::second)}},
    .host = pcie4_x16.port};

/// AMD MI210 (2022).
inline constexpr accelerator mi210{
    .memory = 64 * units::GiB,
    .memory_bandwidth = 1638.4 * units::GB / units::second,
    .peak = {.fp64 = 22.6 * units::TFLOP / units::second,
             .fp32 = 22.6 * units::TFLOP / units::second,
             .fp16 = 181 * units::TFLOP / units::second,
             .bf16 = 181 * units::TFLOP / units::second,
             .int8 = 181 * units::TFLOP / units::second},
    .streaming_multiprocessors = 104,
    .l2 = 8 * units::MiB,
    .thermal_design_power = 300 * units::watt,
    .scale_up = {.joined = wiring::direct,
                 .links = 3,
                 .all_peers = {.latency = 3.4 * units::us,
                               .signalling = per_direction(150 * units::GB / units::second),
                               .advertised = per_direction(150 * units::GB / units::second)},
                 .one_peer = {.latency = 3.4 * units::us,
                              .signalling = per_direction(50 * units::GB / units::second),
                              .advertised = per_direction(50 * units::GB / units::second)}},
    .host = pcie4_x16.port};

/// AMD MI250X (2021).  Two dies that show as two devices: halve everything for one of them.
inline constexpr accelerator mi250x{
    .memory = 128 * units::GiB,
    .memory_bandwidth = 3280 * units::GB / units::second,
    .peak = {.fp64 = 47.9 * units::TFLOP / units::second,
             .fp32 = 47.9 * units::TFLOP / units::second,
             .fp16 = 383 * units::TFLOP / units::second,
             .bf16 = 383 * units::TFLOP / units::second,
             .int8 = 383 * units::TFLOP / units::second},
    .streaming_multiprocessors = 220,
    .l2 = 16 * units::MiB,
    .thermal_design_power = 560 * units::watt,
    .scale_up = {.joined = wiring::direct,
                 .links = 7,
                 .all_peers = {.latency = 3.4 * units::us,
                               .signalling = per_direction(350 * units::GB / units::second),
                               .advertised = per_direction(350 * units::GB / units::second)},
                 .one_peer = {.latency = 3.4 * units::us,
                              .signalling = per_direction(50 * units::GB / units::second),
                              .advertised = per_direction(50 * units::GB / units::second)}},
    .host = pcie4_x16.port};

/// AMD MI300X (2023).
inline constexpr accelerator mi300x{
    .memory = 192 * units::GiB,
    .memory_bandwidth = 5300 * units::GB / units::second,
    .peak = {.fp64 = 81.7 * units::TFLOP / units::second,
             .fp32 = 163.4 * units::TFLOP / units::second,
             .tf32 = 653.7 * units::TFLOP / units::second,
             .fp16 = 1307.4 * units::TFLOP / units::second,
             .bf16 = 1307.4 * units::TFLOP / units::second,
             .fp8_e4m3 = 2614.9 * units::TFLOP / units::second,
             .fp8_e5m2 = 2614.9 * units::TFLOP / units::second,
             .int8 = 2614.9 * units::TFLOP / units::second},
    .achieved = {.fp16 = 668.4 * units::TFLOP / units::second,
                 .bf16 = 668.4 * units::TFLOP / units::second},
    .streaming_multiprocessors = 304,
    .l2 = 32 * units::MiB,
    .thermal_design_power = 750 * units::watt,
    .scale_up = {.joined = wiring::direct,
                 .links = 7,
                 .all_peers = xgmi_mi300x.port,
                 .one_peer = {.latency = 3.4 * units::us,
                              .signalling = per_direction(64 * units::GB / units::second),
                              .advertised = per_direction(64 * units::GB / units::second),
                              .achievable = per_direction(47.7 * units::GB / units::second)}},
    .host = pcie5_x16.port};

/// AMD MI325X (2024).
inline constexpr accelerator mi325x{
    .memory = 256 * units::GiB,
    .memory_bandwidth = 6000 * units::GB / units::second,
    .peak = {.fp64 = 81.7 * units::TFLOP / units::second,
             .fp32 = 163.4 * units::TFLOP / units::second,
             .tf32 = 653.7 * units::TFLOP / units::second,
             .fp16 = 1307.4 * units::TFLOP / units::second,
             .bf16 = 1307.4 * units::TFLOP / units::second,
             .fp8_e4m3 = 2614.9 * units::TFLOP / units::second,
             .fp8_e5m2 = 2614.9 * units::TFLOP / units::second,
             .int8 = 2614.9 * units::TFLOP / units::second},
    .achieved = {.fp16 = 784.9 * units::TFLOP / units::second,
                 .bf16 = 784.9 * units::TFLOP / units::second},
    .streaming_multiprocessors = 304,
    .l2 = 32 * units::MiB,
    .thermal_design_power = 1000 * units::watt,
    .scale_up = {.joined = wiring::direct,
                 .links = 7,
                 .all_peers = xgmi_mi300x.port,
                 .one_peer = {.latency = 3.4 * units::us,
                              .signalling = per_direction(64 * units::GB / units::second),
                              .advertised = per_direction(64 * units::GB / units::second),
                              .achievable = per_direction(47.7 * units::GB / units::second)}},
    .host = pcie5_x16.port};

/// AMD MI355X (2025).
inline constexpr accelerator mi355x{
    .memory = 288 * units::GiB,
    .memory_bandwidth = 8000 * units::GB / units::second,
    .peak = {.fp64 = 78.6 * units::TFLOP / units::second,
             .fp32 = 157.3 * units::TFLOP / units::second,
             .fp16 = 2500 * units::TFLOP / units::second,
             .bf16 = 2500 * units::TFLOP / units::second,
             .fp8_e4m3 = 5000 * units::TFLOP / units::second,
             .fp8_e5m2 = 5000 * units::TFLOP / units::second,
             .fp4 = 10100 * units::TFLOP / units::second,
             .int8 = 5000 * units::TFLOP / units::second},
    .achieved = {.fp16 = 1565 * units::TFLOP / units::second,
                 .bf16 = 1565 * units::TFLOP / units::second},
    .streaming_multiprocessors = 256,
    .l2 = 32 * units::MiB,
    .thermal_design_power = 1400 * units::watt,
    .scale_up = {.joined = wiring::direct,
                 .links = 7,
                 .all_peers = xgmi_mi355x.port,
                 .one_peer = {.latency = 3.4 * units::us,
                              .signalling = per_direction(76.8 * units::GB / units::second),
                              .advertised = per_direction(76.5 * units::GB / units::second)}},
    .host = pcie5_x16.port};

}  // namespace gpuplan::catalog
