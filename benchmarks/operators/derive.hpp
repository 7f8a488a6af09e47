#pragma once
/// \file
/// The rates of a device that nobody measured, from a measured relative or from all.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/hardware/operator_rates.hpp>
#include <gpuplan/hardware/usual_rates.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::operators {

/// A device and the measured one of its generation that is built most like it.
struct relative {
  std::string_view device;
  std::string_view measured;
};

inline constexpr std::array relatives{relative{"A10", "A100-SXM4-80GB"},
                                      relative{"A30", "A100-SXM4-80GB"},
                                      relative{"A40", "A100-SXM4-80GB"},
                                      relative{"RTX3090", "A100-SXM4-80GB"},
                                      relative{"RTX A6000", "A100-SXM4-80GB"},
                                      relative{"A100-SXM4-40GB", "A100-SXM4-80GB"},
                                      relative{"A100-PCIe-40GB", "A100-SXM4-80GB"},
                                      relative{"A100-PCIe-80GB", "A100-SXM4-80GB"},
                                      relative{"A800-SXM4-80GB", "A100-SXM4-80GB"},
                                      relative{"L4", "L40S"},
                                      relative{"RTX4090", "L40S"},
                                      relative{"RTX 6000 Ada", "L40S"},
                                      relative{"H800-SXM5-80GB", "H100-SXM5-80GB"},
                                      relative{"H100-PCIe-80GB", "H100-SXM5-80GB"},
                                      relative{"H100-NVL-94GB", "H100-SXM5-80GB"},
                                      relative{"GH200-96GB", "H100-SXM5-80GB"},
                                      relative{"GH200-144GB", "H200-SXM-141GB"},
                                      relative{"H20-SXM-96GB", "H200-SXM-141GB"},
                                      relative{"B100", "B200-SXM"},
                                      relative{"RTX5090", "B200-SXM"},
                                      relative{"B300-SXM", "GB300 (per GPU)"}};

namespace detail {

/// What a rate is a share of, on a device; 1 for shares and times.
template <class X>
double scale_of(const accelerator& gpu, std::string_view field, const X&) {
  if constexpr (std::is_same_v<X, flop_per_second>) {
    const basic_peak<double>& peak = gpu.peak;
    const flop_per_second half = peak.bf16 > flop_per_second{0} ? peak.bf16 : peak.fp16;
    return (half > flop_per_second{0} ? half : peak.fp32).in_base_units();
  } else if constexpr (std::is_same_v<X, bytes_per_second>) {
    if (field == "collectives.own_copy") return gpu.memory_bandwidth.in_base_units();
    return gpu.scale_up.all_peers.advertised.per_direction().in_base_units();
  } else {
    return 1;
  }
}

template <class X>
double in_base(const X& value) {
  if constexpr (requires { value.in_base_units(); })
    return value.in_base_units();
  else
    return value;
}

/// Whether a field says what links do: a device without links has none of it.
inline bool is_of_links(std::string_view field) {
  return field.starts_with("collectives.") || field.starts_with("dispatchers.");
}

}  // namespace detail

/// The shares of a relative, of the peak, the bandwidth and the links of a device.  Rates of
/// products: in each format that both have.
inline accelerator with_shares_of(accelerator gpu, const accelerator& measured) {
  gpu.operators = measured.operators;
  gpu.operators.product_steady = 0;  // of one machine, not of a kind
  const bool linked = detail::scale_of(gpu, "", bytes_per_second{}) > 0 &&
                      detail::scale_of(measured, "", bytes_per_second{}) > 0;
  each_rate(gpu.operators, [&](std::string_view field, auto& value) {
    using value_type = std::remove_cvref_t<decltype(value)>;
    if (detail::is_of_links(field) && !linked) {
      value = value_type{};
    } else if (detail::in_base(value) > 0) {
      value *= detail::scale_of(gpu, field, value) / detail::scale_of(measured, field, value);
    }
  });
  const auto share = [&](auto member) {
    const double peak = (gpu.peak.*member).in_base_units();
    const double base = (measured.peak.*member).in_base_units();
    for (auto rates : {&accelerator::achieved, &accelerator::sustained})
      gpu.*rates.*member = base > 0 ? peak / base * (measured.*rates.*member) : flop_per_second{0};
  };
  using peaks = basic_peak<double>;
  for (auto member : {&peaks::fp16, &peaks::bf16, &peaks::fp8_e4m3, &peaks::fp8_e5m2, &peaks::fp4})
    share(member);
  return gpu;
}

namespace detail {

/// The middle value, or the geometric mean of the two in the middle.
inline double middle_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return std::sqrt(values[(n - 1) / 2] * values[n / 2]);
}

}  // namespace detail

/// The medians of the shares of several devices, for one of none of their kinds.
inline accelerator with_usual_shares(const accelerator& gpu,
                                     const std::vector<accelerator>& measured) {
  accelerator usual = gpu;
  usual.operators = {};
  std::map<std::string, std::vector<double>, std::less<>> values;
  for (const accelerator& one : measured) {
    const accelerator scaled = with_shares_of(gpu, one);
    each_rate(scaled.operators, [&](std::string_view field, const auto& value) {
      if (detail::in_base(value) > 0) values[std::string(field)].push_back(detail::in_base(value));
    });
  }
  each_rate(usual.operators, [&](std::string_view field, auto& value) {
    const auto found = values.find(field);
    if (found != values.end())
      value = std::remove_cvref_t<decltype(value)>{detail::middle_of(found->second)};
  });
  return usual;
}

/// The same, with cores of attention slower where the device's best product is further below its
/// peak than what measured ones keep up: what holds the one back (power, clock, software) holds
/// the other.
inline accelerator with_usual_shares_of_products(const accelerator& gpu,
                                                 const std::vector<accelerator>& measured) {
  accelerator usual = with_usual_shares(gpu, measured);
  const double slower = product_share_of_usual(gpu);
  each_rate(usual.operators, [&](std::string_view field, auto& value) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, flop_per_second>)
      if (field.starts_with("attention.")) value *= slower;
  });
  return usual;
}

/// with_usual_shares, with the rates of products too.
inline accelerator with_all_usual_shares(const accelerator& gpu,
                                         const std::vector<accelerator>& measured) {
  accelerator usual = with_usual_shares(gpu, measured);
  using peaks = basic_peak<double>;
  for (auto rates : {&accelerator::achieved, &accelerator::sustained}) {
    for (auto member :
         {&peaks::fp16, &peaks::bf16, &peaks::fp8_e4m3, &peaks::fp8_e5m2, &peaks::fp4}) {
      std::vector<double> values;
      for (const accelerator& one : measured) {
        const double rate = (with_shares_of(gpu, one).*rates.*member).in_base_units();
        if (rate > 0) values.push_back(rate);
      }
      usual.*rates.*member = flop_per_second{values.empty() ? 0 : detail::middle_of(values)};
    }
  }
  return usual;
}

}  // namespace gpuplan::operators
