#pragma once
/// \file
/// What the laws of the library say of a measured row.

#include <gpuplan/comm/node_collective.hpp>
#include <gpuplan/compute/attention_time.hpp>
#include <gpuplan/compute/gemm.hpp>
#include <gpuplan/compute/grouped_gemm.hpp>
#include <gpuplan/compute/quantization_time.hpp>
#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/units/number_format.hpp>

#include "operators/measured_rows.hpp"

namespace gpuplan::operators {

/// The clock comes down while a device is busy: a run of some replays is in between.
///
///     R = R_c + (R_h - R_c) t / (t + T)
///
///     R_c, R_h  accelerator.achieved, sustained     t  time of one product at R_h
///
/// One for all devices, fitted; it says how the benchmark was run, not how a step runs.
inline constexpr seconds brief_run = 5 * units::ms;

inline flop_per_second rate_in_run(const accelerator& gpu, number_format format, product_run run,
                                   seconds at_sustained) {
  const flop_per_second cool = gpu.achieved[format];
  const flop_per_second hot = gpu.sustained[format];
  if (run == product_run::long_ || !(cool > hot)) return hot;
  return cool - at_sustained / (at_sustained + brief_run) * (cool - hot);
}

inline product_formats formats_of_row(number_format format) {
  if (format == number_format::fp4)
    return {.operand = quantized_value_of(quantization::nvfp4).written, .result = bytes{2}};
  return {.operand = limits_of(format).storage, .result = bytes{2}};
}

inline basic_matrix_unit<double> matrix_unit_of(const accelerator& gpu, number_format format) {
  return {.rate = gpu.sustained[format],
          .bandwidth = gpu.operators.product_memory * gpu.memory_bandwidth,
          .streaming_multiprocessors = gpu.streaming_multiprocessors,
          .start = gpu.operators.product_start};
}

/// Kernels that software launches to cast, where it is not what quantized_value_of says: scales
/// that are known beforehand, or made and laid out by kernels of their own.  Counted from the time
/// of the smallest products, one number for all devices.
inline int cast_kernels(const std::string& software, quantization scheme) {
  if (scheme == quantization::nvfp4) return 1;
  if (software == "sglang") return scheme == quantization::tensorwise ? 1 : 2;
  return quantized_value_of(scheme).kernels;
}

inline seconds cast_time(const product_row& row, const accelerator& gpu) {
  const basic_cast_unit<double> unit{.bandwidth =
                                         gpu.operators.elementwise_memory * gpu.memory_bandwidth};
  return cast_kernels(row.software, *row.cast) * gpu.operators.quantization_start +
         quantization_time(row.product.rows * row.product.depth, *row.cast, 1, unit);
}

inline basic_grouped_unit<double> grouped_unit_of(const accelerator& gpu, number_format format) {
  return {.product = matrix_unit_of(gpu, format),
          .weights = gpu.operators.grouped_memory * gpu.memory_bandwidth,
          .group_start = gpu.operators.group_start};
}

inline seconds predicted(const product_row& row, const accelerator& gpu) {
  const product_formats in = formats_of_row(row.format);
  basic_matrix_unit<double> unit = matrix_unit_of(gpu, row.format);
  if (row.grouped) {
    basic_grouped_unit<double> grouped = grouped_unit_of(gpu, row.format);
    grouped.product.rate *= gpu.operators.product_steady;
    const seconds product =
        grouped_product_time(row.product, grouped, in, grouped_launch::one_by_one);
    const double results = row.product.rows * row.product.columns * row.product.count;
    return product + results * row.accumulated / (2.0 * grouped.product.bandwidth);
  }
  if (row.in_framework) {
    unit.rate *= gpu.operators.product_steady;
    return row.accumulated > bytes{0}
               ? weight_gradient_time(row.product, unit, in.operand, row.accumulated)
               : product_time(row.product, unit, in);
  }
  unit.rate = rate_in_run(gpu, row.format, row.run, product_flop(row.product) / unit.rate);
  seconds time = product_time(row.product, unit, in);
  if (row.cast) time += cast_time(row, gpu);
  return time;
}

inline seconds predicted(const attention_row& row, const accelerator& gpu) {
  const basic_attention_unit<double> unit =
      attention_unit_of(gpu.operators.attention, row.core.query_head_dim, row.core.value_head_dim,
                        gpu.streaming_multiprocessors);
  const auto core = flash_attention_time(row.core, unit);
  const bytes rotated = row.rotated * 4 * units::byte;
  return (row.backward ? core.backward : core.forward) +
         rotated / (gpu.operators.elementwise_memory * gpu.memory_bandwidth);
}

/// Products of weights that were never set draw less power than those of a model, and run at a
/// clock above the best of a fit, up to the peak.  One for all devices, fitted.
inline constexpr double unset_rate = 1.25;

inline seconds predicted(const expert_row& row, const accelerator& gpu) {
  const product_formats in = formats_of_row(row.format);
  basic_grouped_unit<double> unit = grouped_unit_of(gpu, row.format);
  unit.product.start = seconds{0};
  unit.product.rate = row.unset_weights
                          ? smaller(unset_rate * gpu.achieved[row.format], gpu.peak[row.format])
                          : gpu.achieved[row.format];
  const double rows = row.up.rows * row.up.count;
  const bytes_per_second moved = gpu.operators.permutation_memory * gpu.memory_bandwidth;
  seconds time =
      gpu.operators.grouped_start + grouped_product_time(row.up, unit, in, grouped_launch::fused) +
      grouped_product_time(row.down, unit, in, grouped_launch::fused) +
      permutation_time(expert_values{.rows = rows, .hidden = row.up.depth, .width = row.down.depth},
                       in, moved);
  if (row.cast && *row.cast != quantization::tensorwise)
    time += quantization_time(rows * (row.up.depth + row.down.depth), *row.cast, 1,
                              basic_cast_unit<double>{.bandwidth = moved});
  return time;
}

/// The port beside each GPU of the machines whose DeepEP runs the files hold: 400 Gbit/s.
inline constexpr bytes_per_second measured_port = 50 * units::GB / units::second;

inline seconds predicted(const dispatch_row& row, const accelerator& gpu) {
  const dispatcher_rates& rates = gpu.operators.dispatchers;
  if (row.kind == dispatcher_kind::domain)
    return token_exchange_time(
        row.sent, basic_exchange_unit<double>{
                      .start = rates.hybrid_start,
                      .rate = row.combine ? rates.hybrid_combine : rates.hybrid_dispatch});
  return token_exchange_time(
      row.sent, basic_exchange_unit<double>{
                    .start = rates.deep_ep_start,
                    .a_token = rates.deep_ep_token,
                    .rate = row.combine ? rates.deep_ep_combine : rates.deep_ep_dispatch,
                    .network = rates.port_share * measured_port});
}

inline seconds predicted(const collective_row& row, const accelerator& gpu) {
  return node_collective_time(gpu.operators.collectives, row.what, row.ranks, row.message,
                              own_piece::copied)
      .total();
}

}  // namespace gpuplan::operators
