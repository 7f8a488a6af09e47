#pragma once
/// \file
/// Accelerators of Intel: dense peaks; fp64 is that of the vector units.
/// Written by tools/make_hardware_catalog.py from tests/data/hardware.json.

#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/hardware/scale_up.hpp>
#include <gpuplan/units/link_rate.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::catalog {

/// Intel Gaudi2 (2022).
inline constexpr accelerator gaudi2{
    .memory = 96 * units::GiB,
    .memory_bandwidth = 2460 * units::GB / units::second,
    .peak = {.bf16 = 432 * units::TFLOP / units::second,
             .fp8_e4m3 = 865 * units::TFLOP / units::second,
             .fp8_e5m2 = 865 * units::TFLOP / units::second},
    .achieved = {.bf16 = 418.7 * units::TFLOP / units::second},
    .streaming_multiprocessors = 24,
    .l2 = 48 * units::MiB,
    .thermal_design_power = 600 * units::watt,
    .scale_up = {.joined = wiring::direct,
                 .links = 24,
                 .all_peers = {.latency = 14 * units::us,
                               .signalling = per_direction(309375 * units::MB / units::second),
                               .advertised = per_direction(300 * units::GB / units::second)},
                 .one_peer = {.latency = 14 * units::us,
                              .signalling = per_direction(38.671875 * units::GB / units::second),
                              .advertised = per_direction(37.5 * units::GB / units::second)}},
    .host = pcie4_x16.port};

/// Intel Gaudi3 (2024).
inline constexpr accelerator gaudi3{
    .memory = 128 * units::GiB,
    .memory_bandwidth = 3700 * units::GB / units::second,
    .peak = {.fp32 = 229 * units::TFLOP / units::second,
             .tf32 = 459 * units::TFLOP / units::second,
             .fp16 = 459 * units::TFLOP / units::second,
             .bf16 = 1677 * units::TFLOP / units::second,
             .fp8_e4m3 = 1677 * units::TFLOP / units::second,
             .fp8_e5m2 = 1677 * units::TFLOP / units::second},
    .achieved = {.bf16 = 1243 * units::TFLOP / units::second},
    .streaming_multiprocessors = 64,
    .l2 = 96 * units::MiB,
    .thermal_design_power = 900 * units::watt,
    .scale_up = {.joined = wiring::direct,
                 .links = 24,
                 .all_peers = {.latency = 14 * units::us,
                               .signalling = per_direction(637.5 * units::GB / units::second),
                               .advertised = per_direction(600 * units::GB / units::second)},
                 .one_peer = {.latency = 14 * units::us,
                              .signalling = per_direction(79.6875 * units::GB / units::second),
                              .advertised = per_direction(75 * units::GB / units::second)}},
    .host = pcie5_x16.port};

}  // namespace gpuplan::catalog
