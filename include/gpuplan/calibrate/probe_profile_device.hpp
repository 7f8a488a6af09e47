#pragma once
/// \file
/// The constants of one device, fitted to what a probe measured of it.

#include <array>
#include <map>
#include <optional>
#include <vector>

#include <gpuplan/calibrate/collective_fit.hpp>
#include <gpuplan/calibrate/gemm_fit.hpp>
#include <gpuplan/calibrate/plateau_fit.hpp>
#include <gpuplan/calibrate/probe_report.hpp>
#include <gpuplan/calibrate/transfer_curve.hpp>
#include <gpuplan/ceiling.hpp>
#include <gpuplan/compute/gemm.hpp>
#include <gpuplan/units/number_format.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What a stream of one kind comes to beyond the caches.
struct memory_fit {
  memory_operation operation = memory_operation::copy;
  plateau_fit plateau{};
};

/// What the products of one format reach.
struct product_rates {
  /// A fit is trusted that is off by no more in the median, and says a rate no more above the best
  /// that was measured: full waves are little faster than large products.
  static constexpr double trusted = 0.1;

  gemm_fit fit{};
  flop_per_second best{};  ///< of the products measured

  [[nodiscard]] constexpr bool fits() const {
    return fit.quality.median <= trusted && fit.rate <= (1 + trusted) * best;
  }
  /// Of full waves by the fit where it is trusted, else the best that was measured.
  [[nodiscard]] constexpr flop_per_second rate() const { return fits() ? fit.rate : best; }
};

/// Fits of what was measured; what was not is empty.
struct device_fit {
  std::optional<memory_fit> memory{};  ///< the faster of copy and triad, else of the others
  std::map<number_format, product_rates> products{};
  std::optional<collective_fit> to_device{};  ///< pinned, one way: start and rate
  std::optional<collective_fit> to_host{};
  std::optional<plateau_fit> to_device_beside{};  ///< pinned, while as much goes the other way
  std::optional<plateau_fit> to_host_beside{};
};

namespace detail {

/// Buffers of one kind of stream; of several methods for a size the fastest.
inline std::vector<transfer_sample> memory_samples(const probe_device& gpu,
                                                   memory_operation operation) {
  std::map<bytes, bytes_per_second> best;
  for (const probe_hbm_row& row : gpu.hbm) {
    if (row.operation != operation || !(row.rate > bytes_per_second{0})) continue;
    bytes_per_second& rate = best[row.buffer];
    rate = larger(rate, row.rate);
  }
  std::vector<transfer_sample> samples;
  for (const auto& [buffer, rate] : best)
    if (buffer > bytes{0}) samples.push_back({buffer, buffer / rate});
  return samples;
}

inline std::optional<memory_fit> fit_memory(const probe_device& gpu) {
  std::optional<memory_fit> best;
  for (const auto& kinds : {std::array{memory_operation::copy, memory_operation::triad},
                            std::array{memory_operation::read, memory_operation::write}}) {
    for (const memory_operation operation : kinds) {
      const std::vector<transfer_sample> samples = memory_samples(gpu, operation);
      if (samples.empty()) continue;
      const plateau_fit plateau = fit_plateau(samples, beyond_cache * gpu.l2);
      if (plateau.least < beyond_cache * gpu.l2) continue;  // none is beyond the cache
      if (!best || plateau.rate > best->plateau.rate) best = memory_fit{operation, plateau};
    }
    if (best) break;
  }
  return best;
}

/// Bytes of operands and result of products in a format: results narrower than 16 bits are kept in
/// 16, those of integers in 32.
inline product_formats formats_of_products(number_format format) {
  const bytes operand = limits_of(format).storage;
  if (format == number_format::int8) return {operand, 4 * units::byte};
  return {operand, larger(operand, 2 * units::byte)};
}

/// Whether product_time knows the kernel of a product: a wave of its tiles or more, or so thin that
/// memory binds it. What lies between is cut into smaller tiles, and faster.
inline bool is_of_tiles(const matrix_product& p, int multiprocessors) {
  const double narrow = p.rows < p.columns ? p.rows : p.columns;
  return narrow < product_tile ||
         ceiling(p.rows / product_tile) * ceiling(p.columns / product_tile) >= multiprocessors;
}

inline std::map<number_format, product_rates> fit_products(const probe_device& gpu) {
  std::map<number_format, std::vector<product_sample>> by_format;
  for (const probe_gemm_row& row : gpu.gemm)
    if (row.rows > 0 && row.columns > 0 && row.depth > 0 && row.time.median > seconds{0})
      by_format[row.format].push_back(
          {.product = {static_cast<double>(row.rows), static_cast<double>(row.columns),
                       static_cast<double>(row.depth)},
           .in = formats_of_products(row.format),
           .time = row.time.median});
  std::map<number_format, product_rates> fits;
  if (gpu.multiprocessors < 1) return fits;
  for (const auto& [format, samples] : by_format) {
    std::vector<product_sample> of_tiles;
    product_rates& rates = fits[format];
    for (const product_sample& sample : samples) {
      rates.best = larger(rates.best, product_flop(sample.product) / sample.time);
      if (is_of_tiles(sample.product, gpu.multiprocessors)) of_tiles.push_back(sample);
    }
    rates.fit = fit_gemm(of_tiles.size() < 3 ? samples : of_tiles, gpu.multiprocessors);
  }
  return fits;
}

enum class copy_ways { one_way, both_ways };

inline std::vector<transfer_sample> host_samples(const probe_device& gpu, host_direction direction,
                                                 copy_ways traffic) {
  std::vector<transfer_sample> samples;
  for (const probe_host_copy& row : gpu.host_copy)
    if (row.direction == direction && row.pinned &&
        row.duplex == (traffic == copy_ways::both_ways) && row.size > bytes{0} &&
        row.time.median > seconds{0})
      samples.push_back({row.size, row.time.median});
  return samples;
}

inline std::optional<collective_fit> fit_host(const std::vector<transfer_sample>& samples) {
  if (sizes_of(samples) < 2) return {};
  return fit_collective(samples, collective_form::alpha_beta);
}

/// Of copies that are long enough for their start to be forgotten.
inline std::optional<plateau_fit> fit_host_beside(const std::vector<transfer_sample>& samples) {
  constexpr bytes long_copy = 16 * units::MiB;  // 0.3 ms at 55 GB/s, against starts of 10 us
  if (samples.empty()) return {};
  return fit_plateau(samples, long_copy);
}

}  // namespace detail

/// Fits every constant that the rows of a device tell: the rate of its memory beyond beyond_cache
/// times its last cache, its products by format, its copies to and from the host. Of products those
/// count that product_time knows the kernels of, if there are three or more: a wave of tiles, or
/// thin ones. Rows without a time or a rate are passed over, as are the probe's own fits.
inline device_fit fit_device(const probe_device& gpu) {
  using detail::copy_ways;
  const auto copies = [&](host_direction direction, copy_ways traffic) {
    return detail::host_samples(gpu, direction, traffic);
  };
  return {.memory = detail::fit_memory(gpu),
          .products = detail::fit_products(gpu),
          .to_device = detail::fit_host(copies(host_direction::to_device, copy_ways::one_way)),
          .to_host = detail::fit_host(copies(host_direction::to_host, copy_ways::one_way)),
          .to_device_beside =
              detail::fit_host_beside(copies(host_direction::to_device, copy_ways::both_ways)),
          .to_host_beside =
              detail::fit_host_beside(copies(host_direction::to_host, copy_ways::both_ways))};
}

}  // namespace gpuplan
