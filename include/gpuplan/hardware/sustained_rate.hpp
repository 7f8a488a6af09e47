#pragma once
/// \file
/// The rates of a device that a training run sustains.

#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/number_format.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What large products keep up, of the best product that a search of shapes found, on a device for
/// which nobody fitted it: the mean of the devices in the first fit to runs.  Rates in 16 bits that
/// benchmarks/operators has fitted since are 0.83 to 1.0 of it.
inline constexpr double sustained_share = 0.95;

/// What the best product reaches of the datasheet's peak where nobody measured the device: near the
/// mean of the GPUs of one vendor that were.
///
/// Source: S. Bekman, "Machine Learning Engineering Open Book", compute/accelerator/README.md,
/// github.com/stas00/ml-engineering (2025): 0.73 to 0.87.
inline constexpr double best_product_share = 0.75;

namespace detail {

/// The share of the datasheet's peak that the best product reaches in a format that nobody measured
/// on a device: of 8 bits and less what it reaches there in 16 bits, else best_product_share.
template <class T>
constexpr T best_share_of(const basic_accelerator<T>& gpu, number_format format) {
  if (limits_of(format).storage >= limits_of(number_format::fp16).storage)
    return T(best_product_share);
  for (const number_format half : {number_format::bf16, number_format::fp16})
    if (gpu.achieved[half] > flop_per_second{0} && gpu.peak[half] > flop_per_second{0})
      return gpu.achieved[half] / gpu.peak[half];
  return T(best_product_share);
}

}  // namespace detail

/// The rate that large matrix products keep up in a run: as fitted to measured products, else
/// sustained_share of the best measured, else of best_product_share of the datasheet's peak, or in
/// 8 bits and less of the share that the best reaches in 16.  Zero if the device has no units for
/// the format.
///
/// Source: the best products of S. Bekman, "Machine Learning Engineering Open Book",
/// compute/accelerator/README.md, github.com/stas00/ml-engineering (2025); the 0.95 is this
/// library's, of the first fit to runs.
template <class T>
constexpr basic_flop_per_second<T> sustained_rate(const basic_accelerator<T>& gpu,
                                                  number_format format) {
  if (gpu.sustained[format] > flop_per_second{0}) return gpu.sustained[format];
  if (gpu.achieved[format] > flop_per_second{0}) return T(sustained_share) * gpu.achieved[format];
  return T(sustained_share) * detail::best_share_of(gpu, format) * gpu.peak[format];
}

}  // namespace gpuplan
