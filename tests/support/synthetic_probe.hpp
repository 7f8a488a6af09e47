#pragma once
/// \file
/// Reports of a probe that nobody ran: times computed from constants that are known.

#include <string>
#include <vector>

#include <gpuplan/calibrate/probe_report.hpp>
#include <gpuplan/compute/gemm.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::testing {

/// What the times are made from.
struct probe_constants {
  bytes_per_second memory_bandwidth = 2.8 * units::TB / units::second;
  bytes l2 = 50 * units::MiB;
  basic_matrix_unit<double> product{.rate = 700 * units::TFLOP / units::second,
                                    .bandwidth = 2.7 * units::TB / units::second,
                                    .streaming_multiprocessors = 132,
                                    .start = 3 * units::us};
  interconnect host{.latency = 8 * units::us, .bandwidth = 52 * units::GB / units::second};
  interconnect link{.latency = 1.5 * units::us, .bandwidth = 360 * units::GB / units::second};
  bytes memory = 81000 * units::MiB;
  bytes cuda_context = 480 * units::MB;
  bytes communicator = 700 * units::MB;
};

/// A report of devices with these constants; `noise` changes each time.
template <class Noise>
probe_report synthetic_probe(const probe_constants& of, int devices, Noise noise) {
  using namespace units;
  const auto timed = [&](seconds exact) {
    const seconds median = noise(exact);
    return measured_time{.median = median,
                         .min = 0.99 * median,
                         .p95 = 1.02 * median,
                         .relative_mad = 0.005,
                         .samples = 11};
  };
  probe_report report{
      .tool_version = "0", .time_utc = "2026-01-01T00:00:00Z", .software = {.driver = "synthetic"}};
  report.warnings.push_back("synthetic: computed from constants, not measured");
  for (int index = 0; index < devices; ++index) {
    probe_device gpu{.index = index,
                     .name = "NVIDIA H100 80GB HBM3",
                     .multiprocessors = of.product.streaming_multiprocessors,
                     .l2 = of.l2,
                     .memory_size = of.memory};
    gpu.memory = {.context = of.cuda_context,
                  .nccl = devices > 1 ? std::optional{of.communicator} : std::nullopt};
    for (const memory_operation operation : {memory_operation::copy, memory_operation::triad})
      for (bytes size = 64 * KiB; size <= 4 * GiB; size *= 4) {
        const double arrays = operation == memory_operation::copy ? 2 : 3;
        // Twice as fast from the cache.
        const bytes_per_second rate = (size < of.l2 ? 2 : 1) * of.memory_bandwidth;
        probe_hbm_row row{
            .operation = operation, .buffer = size, .time = timed(arrays * size / rate)};
        row.rate = arrays * size / row.time.median;
        gpu.hbm.push_back(row);
      }
    const auto product = [&](double m, double n, double k) {
      gpu.gemm.push_back({.rows = static_cast<int>(m),
                          .columns = static_cast<int>(n),
                          .depth = static_cast<int>(k),
                          .time = timed(product_time({m, n, k}, of.product))});
    };
    for (double n = 256; n <= 16384; n *= 2) product(n, n, n);
    for (double k = 128; k <= 16384; k *= 2) product(4096, 4096, k);
    for (const double m : {1.0, 8.0, 64.0, 512.0}) product(m, 8192, 8192);
    for (const double h : {4096.0, 5120.0}) product(8192, 4 * h, h);
    for (const host_direction direction : {host_direction::to_device, host_direction::to_host})
      for (const bool duplex : {false, true})
        for (bytes size = 4 * byte; size <= 256 * MiB; size *= 4)
          gpu.host_copy.push_back(
              {.direction = direction,
               .duplex = duplex,
               .size = size,
               .time = timed((duplex ? 0 : 1) * of.host.latency + size / of.host.bandwidth)});
    report.devices.push_back(gpu);
  }
  if (devices < 2) return report;
  probe_collective sweep{.ranks = devices, .software = "synthetic"};
  const double steps = 2.0 * (devices - 1);
  for (bytes message = 8 * byte; message <= 1 * GiB; message *= 2)
    sweep.rows.push_back(
        {message, timed(steps * of.link.latency + steps / devices * message / of.link.bandwidth)});
  report.collectives.push_back(sweep);
  return report;
}

}  // namespace gpuplan::testing
