#pragma once
/// \file
/// What the report says of its own rows: rates and starts that a plan would take.

#include <exception>
#include <optional>
#include <string>
#include <vector>

#include <gpuplan/calibrate/collective_fit.hpp>
#include <gpuplan/calibrate/gemm_fit.hpp>
#include <gpuplan/calibrate/plateau_fit.hpp>
#include <gpuplan/calibrate/probe_report.hpp>
#include <gpuplan/calibrate/transfer_curve.hpp>
#include <gpuplan/units/number_format.hpp>

namespace gpuplan::probe {

/// What `fit` gives; where it refuses the rows, as noise may make it do, nothing, and a warning.
template <class Fit>
auto fitted(std::vector<std::string>& warnings, const std::string& name, const Fit& fit)
    -> decltype(fit()) {
  try {
    return fit();
  } catch (const std::exception& failure) {
    warnings.push_back(name + ": no fit: " + failure.what());
    return std::nullopt;
  }
}

/// Copies between host and device, alone and of pinned memory, as t0 + m / B; nullopt where fewer
/// than three sizes were measured.
inline std::optional<probe_line_fit> line_of(const std::vector<probe_host_copy>& rows,
                                             host_direction direction) {
  std::vector<transfer_sample> samples;
  for (const probe_host_copy& row : rows)
    if (row.direction == direction && row.pinned && !row.duplex)
      samples.push_back({.message = row.size, .time = row.time.median});
  if (samples.size() < 3) return std::nullopt;
  const collective_fit fit = fit_collective(samples, collective_form::alpha_beta);
  return probe_line_fit{.latency = fit.link.latency,
                        .bandwidth = fit.link.bandwidth,
                        .largest_error = fit.quality.worst};
}

/// A sweep as t0 + 2 sqrt(f m / B) + m / B; nullopt where fewer than four sizes were measured.
inline std::optional<probe_collective_fit> curve_of(const probe_collective& sweep) {
  std::vector<transfer_sample> samples;
  for (const probe_collective_row& row : sweep.rows)
    samples.push_back({.message = row.message, .time = row.time.median});
  if (samples.size() < 4) return std::nullopt;
  const collective_fit fit = fit_collective(samples, collective_form::pipelined);
  return probe_collective_fit{.latency = fit.link.latency,
                              .fill = fit.link.fill,
                              .bandwidth = fit.link.bandwidth,
                              .valid = {fit.least, fit.most},
                              .median_error = fit.quality.median};
}

/// The rate of memory where caches are of no use: of all operations whose arrays are at least eight
/// times the last cache, those faster than `most` left out; nullopt where there are none.
inline std::optional<bytes_per_second> sustained_rate_of(const std::vector<probe_hbm_row>& rows,
                                                         bytes cache, bytes_per_second most) {
  std::vector<transfer_sample> samples;
  for (const probe_hbm_row& row : rows)
    if (row.buffer >= beyond_cache * cache && row.rate <= most)
      samples.push_back({.message = row.rate * row.time.median, .time = row.time.median});
  if (samples.empty()) return std::nullopt;
  return fit_plateau(samples, bytes{0}).rate;
}

/// Bytes of a number of the result: 8-bit inputs are added up in wider ones.
constexpr bytes result_of(number_format format) {
  if (format == number_format::fp8_e4m3) return limits_of(number_format::bf16).storage;
  if (format == number_format::int8) return 4 * units::byte;
  return limits_of(format).storage;
}

/// What products of a format reach; nullopt where fewer than four shapes were measured.
inline std::optional<probe_gemm_fit> products_of(const std::vector<probe_gemm_row>& rows,
                                                 number_format format, int multiprocessors,
                                                 flop_per_second peak) {
  std::vector<product_sample> samples;
  const auto size = [](int count) { return static_cast<double>(count); };
  for (const probe_gemm_row& row : rows)
    if (row.format == format)
      samples.push_back({.product = {.rows = size(row.rows),
                                     .columns = size(row.columns),
                                     .depth = size(row.depth)},
                         .in = {.operand = limits_of(format).storage, .result = result_of(format)},
                         .time = row.time.median});
  if (samples.size() < 4) return std::nullopt;
  const gemm_fit fit = fit_gemm(samples, multiprocessors);
  probe_gemm_fit said{
      .rate = fit.rate, .half_size = fit.half_size(), .median_error = fit.quality.median};
  if (peak > flop_per_second{0}) said.datasheet_share = fit.rate / peak;
  return said;
}

}  // namespace gpuplan::probe
