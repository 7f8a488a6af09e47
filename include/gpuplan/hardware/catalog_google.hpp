#pragma once
/// \file
/// Accelerators of Google: dense peaks; fp64 is that of the vector units.
/// Written by tools/make_hardware_catalog.py from tests/data/hardware.json.

#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/hardware/scale_up.hpp>
#include <gpuplan/units/link_rate.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::catalog {

/// Google TPU-v4 (2021).
inline constexpr accelerator tpu_v4{
    .memory = 32 * units::GiB,
    .memory_bandwidth = 1200 * units::GB / units::second,
    .peak = {.bf16 = 275 * units::TFLOP / units::second,
             .int8 = 275 * units::TFLOP / units::second},
    .streaming_multiprocessors = 2,
    .thermal_design_power = 192 * units::watt,
    .scale_up = {.joined = wiring::torus,
                 .domain = 4096,
                 .all_peers = {.latency = 3.4 * units::us,
                               .advertised = per_direction(300 * units::GB / units::second)}},
    .host = pcie3_x16.port};

/// Google TPU-v5e (2023).
inline constexpr accelerator tpu_v5e{
    .memory = 16 * units::GiB,
    .memory_bandwidth = 819 * units::GB / units::second,
    .peak = {.bf16 = 197 * units::TFLOP / units::second,
             .int8 = 393 * units::TFLOP / units::second},
    .streaming_multiprocessors = 1,
    .scale_up = {.joined = wiring::torus,
                 .domain = 256,
                 .all_peers = {.latency = 3.4 * units::us,
                               .advertised = per_direction(200 * units::GB / units::second)}},
    .host = pcie4_x16.port};

/// Google TPU-v5p (2023).
inline constexpr accelerator tpu_v5p{
    .memory = 95 * units::GiB,
    .memory_bandwidth = 2765 * units::GB / units::second,
    .peak = {.bf16 = 459 * units::TFLOP / units::second,
             .int8 = 918 * units::TFLOP / units::second},
    .streaming_multiprocessors = 2,
    .scale_up = {.joined = wiring::torus,
                 .domain = 8960,
                 .all_peers = {.latency = 3.4 * units::us,
                               .advertised = per_direction(600 * units::GB / units::second)}},
    .host = pcie4_x16.port};

/// Google TPU-v6e (2024).
inline constexpr accelerator tpu_v6e{
    .memory = 32 * units::GiB,
    .memory_bandwidth = 1638 * units::GB / units::second,
    .peak = {.bf16 = 918 * units::TFLOP / units::second,
             .int8 = 1836 * units::TFLOP / units::second},
    .streaming_multiprocessors = 1,
    .scale_up = {.joined = wiring::torus,
                 .domain = 256,
                 .all_peers = {.latency = 3.4 * units::us,
                               .advertised = per_direction(400 * units::GB / units::second)}},
    .host = pcie5_x16.port};

}  // namespace gpuplan::catalog
