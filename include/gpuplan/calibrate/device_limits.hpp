#pragma once
/// \file
/// What numbers of a profile a device can have, by its datasheet.

#include <array>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/calibrate/detail/peak_fields.hpp>
#include <gpuplan/calibrate/profile.hpp>
#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/model/recipe_names.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/number_format.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A number of a profile that the device cannot have.
struct device_excess {
  std::string name{};       ///< "memory_bandwidth", "memory", "products_bf16"
  std::string field{};      ///< in the file of a profile: "products_flop_per_s.bf16"
  double measured = 0;      ///< in `unit`
  double datasheet = 0;     ///< likewise; of memory as the driver shows it
  double least_share = 0;   ///< of the datasheet's that the device can have
  double most_share = 0;    ///< likewise
  std::string_view unit{};  ///< "GB/s"

  [[nodiscard]] bool is_above() const { return measured > most_share * datasheet; }
};

namespace detail {

/// Four digits, without trailing zeros, whatever the locale.
inline std::string four_digits(double value) {
  std::array<char, 32> text{};
  const std::to_chars_result written =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 4);
  return std::string(text.data(), written.ptr);
}

}  // namespace detail

/// The numbers of a profile that are not from least_of_datasheet, of products above 0, to
/// most_over_datasheet times the datasheet's, of memory to most_over_memory times what a driver
/// shows. What was not measured is none of them.
inline std::vector<device_excess> beyond_device(const accelerator& gpu,
                                                const cluster_profile& measured) {
  std::vector<device_excess> beyond;
  const auto check = [&](device_excess one) {
    const bool is_possible =
        one.measured > 0 && one.measured >= one.least_share * one.datasheet && !one.is_above();
    if (one.measured != 0 && !is_possible) beyond.push_back(std::move(one));
  };
  constexpr bytes_per_second GB_per_s = units::GB / units::second;
  constexpr flop_per_second TFLOP_per_s = units::TFLOP / units::second;
  check({.name = "memory_bandwidth",
         .field = "memory_bandwidth_bytes_per_s",
         .measured = measured.memory_bandwidth / GB_per_s,
         .datasheet = gpu.memory_bandwidth / GB_per_s,
         .least_share = detail::least_of_datasheet,
         .most_share = detail::most_over_datasheet,
         .unit = "GB/s"});
  for (std::size_t i = 0; i < number_formats.size(); ++i) {
    const std::string format{spelled(number_format_names, number_formats[i])};
    check({.name = "products_" + format,
           .field = "products_flop_per_s." + format,
           .measured = measured.products.*detail::peak_fields[i] / TFLOP_per_s,
           .datasheet = gpu.peak.*detail::peak_fields[i] / TFLOP_per_s,
           .most_share = detail::most_over_datasheet,
           .unit = "TFLOP/s"});
  }
  check({.name = "memory",
         .field = "memory_bytes",
         .measured = measured.memory / units::GiB,
         .datasheet = gpu.memory / units::GiB,
         .least_share = detail::least_of_datasheet,
         .most_share = detail::most_over_memory,
         .unit = "GiB"});
  return beyond;
}

/// "memory_bytes is 9.31e+05 GiB; allowed on H100-SXM5-80GB: 0.7911 to 87.02 GiB, 0.01 to 1.1 times
/// its datasheet's".
inline std::string in_words(const device_excess& one, std::string_view gpu) {
  using detail::four_digits;
  const std::string unit = " " + std::string(one.unit);
  const std::string allowed = "; allowed on " + std::string(gpu) + ": ";
  const std::string what = one.field + " is " + four_digits(one.measured) + unit + allowed;
  if (one.datasheet == 0) return what + "none, as its datasheet has no such products";
  const bool has_least = one.least_share > 0;
  const std::string least =
      has_least ? four_digits(one.least_share * one.datasheet) + " to " : "> 0 and <= ";
  return what + least + four_digits(one.most_share * one.datasheet) + unit + ", " +
         (has_least ? four_digits(one.least_share) + " to " : "") + four_digits(one.most_share) +
         " times its datasheet's";
}

/// Refuses a profile with a number that the device cannot have.
///
/// \throws invalid_input naming the file, the number and what is allowed
inline void require_possible_device(const accelerator& gpu, std::string_view gpu_name,
                                    const cluster_profile& profile, const std::string& file) {
  for (const device_excess& one : beyond_device(gpu, profile))
    refuse((file + ": " + in_words(one, gpu_name)).c_str());
}

}  // namespace gpuplan
