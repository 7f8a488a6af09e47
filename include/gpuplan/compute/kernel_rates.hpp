#pragma once
/// \file
/// The rates that kernels reach on a device, by number format and generation of software.

#include <gpuplan/compute/gemm.hpp>
#include <gpuplan/compute/quantization_time.hpp>
#include <gpuplan/compute/roofline.hpp>
#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/hardware/operator_rates.hpp>
#include <gpuplan/hardware/sustained_rate.hpp>
#include <gpuplan/hardware/usual_rates.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/model/precision.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>

namespace gpuplan {

/// Shares of the 16-bit peak that attention kernels reach on a device nobody measured: those of
/// H100, the lowest measured.  Their ratios tell how much slower than fused kernels older ones are.
inline constexpr attention_shares usual_attention{.triton = 0.170, .flash_2 = 0.33, .fused = 0.478};

/// Multiprocessors of a GPU that publishes no count: those of H100.
inline constexpr int usual_multiprocessors = 132;

/// A device with fewer has a few large matrix units, not waves of tiles: TPUs, for one.
inline constexpr int fewest_for_waves = 16;

/// Rates resolved for one job, so that no formula looks them up again.
template <class T>
struct basic_kernel_rates {
  basic_matrix_unit<T> product{};              ///< layers
  basic_matrix_unit<T> product_16{};           ///< the head, and scores that are written to memory
  basic_attention_rates<T> attention{};        ///< flash kernels
  basic_bytes_per_second<T> elementwise{};     ///< of the bytes counted: bandwidth over traffic
  basic_bytes_per_second<T> permutation{};     ///< of tokens brought into the order of experts
  basic_bytes_per_second<T> memory{};          ///< streaming
  basic_bytes_per_second<T> expert_weights{};  ///< at which grouped products read weights
  basic_bytes_per_second<T> casts{};           ///< of bytes that casts read and write
  basic_dispatcher_rates<T> dispatchers{};     ///< of tokens to experts
  basic_seconds<T> exchange_start{};           ///< of an all-to-all that stays in a node, no other
  product_formats formats{};                   ///< of layers
  product_formats formats_16{};
  bytes cast_value{};         ///< read and written for each value; 0: nothing is cast
  bytes weight_gradient{4};   ///< a result added to, read and written
  bytes gradient_addition{};  ///< moved for each weight and micro-batch; 0: the products add
  bytes value{2};             ///< one activation
  bool eager = false;         ///< as in basic_framework_profile
};

/// Whether a recipe limits a device to less than its thermal design power.
template <class T>
constexpr bool is_power_limited(const basic_accelerator<T>& gpu, const recipe& how) {
  const watts usual{static_cast<double>(gpu.thermal_design_power.in_base_units())};
  return usual > how.power_limit;
}

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

/// How a recipe casts the operands of its products.
constexpr quantization scheme_of(const recipe& how) {
  if (formats_of(how.precision).product == number_format::fp4) return quantization::nvfp4;
  switch (how.fp8_recipe) {
    case fp8_recipe::tensorwise: return quantization::tensorwise;
    case fp8_recipe::blockwise: return quantization::blockwise;
    case fp8_recipe::mxfp8: return quantization::mxfp8;
  }
  return quantization::tensorwise;
}

/// The clock that a power limit leaves of the usual one: power grows with its cube, as voltage
/// follows it.  In no fit; coarse_capped_clock says where real clocks are lower.
///
/// Source: T. Mudge, "Power: A First-Class Architectural Design Constraint", Computer 34 (2001)
/// 52-58.
template <class T>
constexpr T clock_share(const basic_accelerator<T>& gpu, const recipe& how) {
  const double usual = static_cast<double>(gpu.thermal_design_power.in_base_units());
  const double limit = how.power_limit.in_base_units();
  if (!is_power_limited(gpu, how)) [[likely]]
    return T(1);
  double root = 1;  // Newton's method, from above, for the cube root of a number below 1
  for (int i = 0; i < 40; ++i) root -= (root - limit / usual / (root * root)) / 3;
  return T(root);
}

/// What cores of attention reach of the measured rates: at that clock, with the software's kernels,
/// and slower where the format's peak is below that of 16 bits.
template <class T>
constexpr T core_share(const basic_accelerator<T>& gpu, const T& clock, flash_kernel kernel,
                       number_format wide) {
  const T slower =
      attention_share(gpu.attention, kernel) / attention_share(gpu.attention, flash_kernel::fused);
  const T share = slower < 1 ? clock * slower : clock;
  const basic_flop_per_second<T> half =
      gpu.peak.bf16 > flop_per_second{0} ? gpu.peak.bf16 : gpu.peak.fp16;
  if (half > flop_per_second{0} && gpu.peak[wide] < half) return share * (gpu.peak[wide] / half);
  return share;
}

/// Cores of attention at a share of their rates.
template <class T>
constexpr basic_attention_rates<T> slowed(const basic_attention_rates<T>& core, const T& share) {
  return {.forward_64 = share * core.forward_64,
          .forward_128 = share * core.forward_128,
          .forward_256 = share * core.forward_256,
          .forward_512 = share * core.forward_512,
          .backward_128 = share * core.backward_128,
          .backward_192 = share * core.backward_192,
          .half_length = core.half_length,
          .start = core.start};
}

/// Bytes of a value that casts read and write: written by rows for one pass, by columns for the
/// other.
constexpr bytes cast_value_of(const recipe& how) {
  const quantized_value value = quantized_value_of(scheme_of(how));
  return value.read + 2 * value.written;
}

}  // namespace detail

/// What the kernels of a job reach.
///
///     products      sustained_rate in the format of products, and in 16 bits for head and scores,
///                   at the clock that the power limit leaves; in 4 bits times what a training
///                   framework's kernels reach of it
///     attention     operator_rates_of the device, times how much slower the software's kernels are
///     elementwise   its share of the memory's bandwidth, over the software's traffic
///     memory        streaming_bandwidth
///
///     gradient_addition  x + 2 g where products that could add do not: what they wrote is read,
///                        the gradient read and written
///
///     x, g  bytes of an activation and of a gradient
///
/// Source: benchmarks/operators, for the rates of devices; J. Shah et al., "FlashAttention-3",
/// NeurIPS (2024), arXiv:2407.08608, for what older kernels of attention reach; NVIDIA,
/// "Megatron-LM", megatron/core/distributed/distributed_data_parallel.py (2026), for the addition.
///
/// \throws invalid_input if the device has no units for the format, or an enumeration no such value
template <class T>
constexpr basic_kernel_rates<T> kernel_rates_of(const basic_accelerator<T>& gpu, const recipe& how,
                                                const basic_framework_profile<T>& software) {
  const precision_formats formats = formats_of(how.precision);
  const bool narrow = limits_of(formats.product).storage < limits_of(formats.activation).storage;
  const number_format wide = narrow ? formats.activation : formats.product;

  const basic_operator_rates<T> device = operator_rates_of(gpu);
  const T clock = detail::clock_share(gpu, how);
  const auto rate_of = [&](number_format format) {  // what keeps products steady is of 16 bits
    const bool half = limits_of(format).storage == bytes{2};
    const T share = half                           ? device.product_steady
                    : format == number_format::fp4 ? software.four_bit_products
                                                   : T(1);
    return clock * share * sustained_rate(gpu, format);
  };
  const int published = gpu.streaming_multiprocessors;
  const int units = published > 0 ? published : usual_multiprocessors;
  const basic_matrix_unit<T> product{
      .rate = rate_of(formats.product),
      .bandwidth = device.product_memory * gpu.memory_bandwidth,
      .streaming_multiprocessors = units >= fewest_for_waves ? units : 1,
      .start = device.product_start};
  const basic_flop_per_second<T> rate_16 = narrow ? rate_of(wide) : product.rate;
  require(product.rate > flop_per_second{0} && rate_16 > flop_per_second{0},
          "kernel_rates_of: accelerator.peak must be > 0 FLOP/s in the format of products");
  const basic_bytes_per_second<T> moved = device.elementwise_memory * gpu.memory_bandwidth;
  const bytes value = limits_of(formats.activation).storage;
  const bool fused = how.gradient_accumulation_fusion == software_choice::on ||
                     (how.gradient_accumulation_fusion == software_choice::by_framework &&
                      software.accumulates_in_product);
  const bool added_apart = how.gradient_accumulation_fusion == software_choice::off &&
                           software.accumulates_in_product && !how.adapts();
  // Every member is named: g++ 12 fills the whole with zeros first where one is not.
  return {.product = product,
          .product_16 = {.rate = rate_16,
                         .bandwidth = product.bandwidth,
                         .streaming_multiprocessors = product.streaming_multiprocessors,
                         .start = product.start},
          .attention = detail::slowed(device.attention,
                                      detail::core_share(gpu, clock, software.flash, wide)),
          .elementwise = moved / software.elementwise,
          .permutation = device.permutation_memory * gpu.memory_bandwidth,
          .memory = streaming_bandwidth(gpu),
          .expert_weights = device.grouped_memory * gpu.memory_bandwidth,
          .casts = narrow ? moved : basic_bytes_per_second<T>{},
          .dispatchers = device.dispatchers,
          .exchange_start = device.collectives.exchange_simple_base,
          .formats = {.operand = limits_of(formats.product).storage, .result = value},
          .formats_16 = {.operand = limits_of(wide).storage, .result = value},
          .cast_value = narrow ? detail::cast_value_of(how) : bytes{0},
          .weight_gradient = (fused ? 2 : 1) * 4 * units::byte,
          .gradient_addition =
              added_apart ? value + 2 * limits_of(gradient_storage(how)).storage : bytes{0},
          .value = value,
          .eager = software.eager};
}

/// The same for a model: rotary positions need no bias on scores, so that FlashAttention-2 computes
/// them where software has a Triton kernel for those that do.
///
/// Source: MosaicML, "LLM Foundry", llmfoundry/models/layers/attention.py (2023): attn_impl triton
/// for ALiBi; Hugging Face, "Transformers", attn_implementation (2024).
///
/// \throws invalid_input as above
template <class T>
constexpr basic_kernel_rates<T> kernel_rates_of(const basic_accelerator<T>& gpu,
                                                const transformer& m, const recipe& how,
                                                const basic_framework_profile<T>& software) {
  if (software.flash != flash_kernel::triton || m.positions != position_encoding::rotary)
    return kernel_rates_of(gpu, how, software);
  basic_framework_profile<T> other = software;
  other.flash = flash_kernel::flash_2;
  return kernel_rates_of(gpu, how, other);
}

}  // namespace gpuplan
