#pragma once
/// \file
/// The rates that kernels reach on a device, by number format and generation of software.

#include <gpuplan/compute/gemm.hpp>
#include <gpuplan/compute/roofline.hpp>
#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/hardware/sustained_rate.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/model/precision.hpp>
#include <gpuplan/model/recipe.hpp>

namespace gpuplan {

/// Time from one kernel to the next that a host launches without waiting, which bounds small layers
/// from below: 3.8 us for kernels of 2.9 us.
///
/// Source: A. Gray, "Getting Started with CUDA Graphs", NVIDIA Technical Blog (2019), as recalled.
inline constexpr seconds kernel_launch = 4 * units::us;

/// Shares of the 16-bit peak that attention kernels reach on a device nobody measured: those of
/// H100, the lowest measured.
inline constexpr attention_shares usual_attention{.triton = 0.170, .flash_2 = 0.33, .fused = 0.478};

/// Multiprocessors of a GPU that publishes no count: those of H100.
inline constexpr int usual_multiprocessors = 132;

/// A device with fewer has a few large matrix units, not waves of tiles: TPUs, for one.
inline constexpr int fewest_for_waves = 16;

/// Rates resolved for one job, so that no formula looks them up again.
template <class T>
struct basic_kernel_rates {
  basic_matrix_unit<T> product{};           ///< layers
  basic_matrix_unit<T> product_16{};        ///< the head, and scores that are written to memory
  basic_flop_per_second<T> attention{};     ///< flash kernels
  basic_bytes_per_second<T> elementwise{};  ///< of the bytes counted: bandwidth over traffic
  basic_bytes_per_second<T> memory{};       ///< streaming
  product_formats formats{};                ///< of layers
  product_formats formats_16{};
  bytes weight_gradient{4};  ///< a result added to, read and written
  bytes value{2};            ///< one activation
};

namespace detail {

/// The share of a device's peak that a kernel reaches: the measured one, else the usual.
template <class T>
constexpr T attention_share(const basic_attention_shares<T>& measured, flash_kernel kernel) {
  const auto known = [](const T& share, double usual) { return share > 0 ? share : T(usual); };
  switch (kernel) {
    case flash_kernel::triton: return known(measured.triton, usual_attention.triton);
    case flash_kernel::flash_2: return known(measured.flash_2, usual_attention.flash_2);
    case flash_kernel::fused: return known(measured.fused, usual_attention.fused);
  }
  require(false, "kernel_rates_of: framework_profile.flash must be one of flash_kernel");
  return T(0);
}

}  // namespace detail

/// What the kernels of a job reach.
///
///     products      sustained_rate in the format of products, and in 16 bits for head and scores
///     attention     the share of the 16-bit peak that the software's kernels reach
///     memory        streaming_bandwidth; elementwise kernels that over the software's traffic
///
/// Source: J. Shah et al., "FlashAttention-3", NeurIPS (2024), arXiv:2407.08608, for shares that
/// kernels reach.
///
/// \throws invalid_input if the device has no units for the format, or an enumeration no such value
template <class T>
constexpr basic_kernel_rates<T> kernel_rates_of(const basic_accelerator<T>& gpu, const recipe& how,
                                                const basic_framework_profile<T>& software) {
  const precision_formats formats = formats_of(how.precision);
  const bool narrow = limits_of(formats.product).storage < limits_of(formats.activation).storage;
  const number_format wide = narrow ? formats.activation : formats.product;

  basic_kernel_rates<T> rates;
  rates.memory = streaming_bandwidth(gpu);
  rates.elementwise = rates.memory / software.elementwise;
  const int published = gpu.streaming_multiprocessors;
  const int units = published > 0 ? published : usual_multiprocessors;
  const bool waves = units >= fewest_for_waves;
  rates.product = {.rate = sustained_rate(gpu, formats.product),
                   .bandwidth = rates.memory,
                   .streaming_multiprocessors = waves ? units : 1,
                   .turnover = waves ? software.turnover : basic_seconds<T>{}};
  rates.product_16 = rates.product;
  if (narrow) rates.product_16.rate = sustained_rate(gpu, wide);
  require(rates.product.rate > flop_per_second{0} && rates.product_16.rate > flop_per_second{0},
          "kernel_rates_of: accelerator.peak must be > 0 FLOP/s in the format of products");
  rates.attention = detail::attention_share(gpu.attention, software.flash) * gpu.peak[wide];
  rates.value = limits_of(formats.activation).storage;
  rates.formats = {.operand = limits_of(formats.product).storage, .result = rates.value};
  rates.formats_16 = {.operand = limits_of(wide).storage, .result = rates.value};
  rates.weight_gradient = (software.accumulates_in_product ? 2 : 1) * 4 * units::byte;
  return rates;
}

}  // namespace gpuplan
