#pragma once
/// \file
/// The rates of every accelerator of the catalogue: fitted, or derived from one that was.

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/hardware/catalog.hpp>

#include "operators/derive.hpp"
#include "operators/fit.hpp"

namespace gpuplan::operators {

/// One entry of the catalogue.
struct device_rates {
  std::string name;
  fitted_gpu fit{};
  std::string derived_from{};  ///< empty: measured
};

/// Devices whose operators the files hold, all but what only a training framework shows.
inline std::vector<std::string_view> measured_devices(const measured_operators& all) {
  std::vector<std::string_view> names;
  for (const known_gpu& gpu : known_gpus) {
    const bool has_products = std::any_of(
        all.products.begin(), all.products.end(),
        [&](const product_row& row) { return row.gpu == gpu.catalog_name && !row.in_framework; });
    if (has_products && std::find(names.begin(), names.end(), gpu.catalog_name) == names.end())
      names.push_back(gpu.catalog_name);
  }
  return names;
}

namespace detail {

inline const accelerator& described(std::string_view name) {
  const catalog::accelerator_entry* entry = catalog::find_accelerator(name);
  if (entry == nullptr) throw std::runtime_error{"not in the catalogue: " + std::string(name)};
  return *entry->gpu;
}

inline std::string_view relative_of(std::string_view device) {
  for (const relative& known : relatives)
    if (known.device == device) return known.measured;
  return {};
}

/// What was measured on few devices keeps the mean ratio to the forward rate of 128 on the others.
inline void share_attention(std::map<std::string, fitted_gpu, std::less<>>& fits,
                            const std::string& name, flop_per_second attention_rates::*rate) {
  const std::string field = "operators.attention." + name;
  double sum = 0;
  int count = 0;
  for (const auto& [device, fit] : fits) {
    if (!fit.basis.contains(field)) continue;
    const attention_rates& core = fit.gpu.operators.attention;
    sum += std::log(core.*rate / core.forward_128);
    ++count;
  }
  if (count == 0) return;
  for (auto& [device, fit] : fits)
    if (!fit.basis.contains(field))
      fit.gpu.operators.attention.*rate =
          std::exp(sum / count) * fit.gpu.operators.attention.forward_128;
}

/// What nobody measured on a measured device: the median share of the others.
inline void fill_from_others(accelerator& gpu, const std::vector<accelerator>& measured) {
  const accelerator usual = with_usual_shares(gpu, measured);
  std::map<std::string, double, std::less<>> values;
  each_rate(usual.operators, [&](std::string_view field, const auto& value) {
    values.emplace(field, in_base(value));
  });
  each_rate(gpu.operators, [&](std::string_view field, auto& value) {
    using value_type = std::remove_cvref_t<decltype(value)>;
    if (!(in_base(value) > 0)) value = value_type{values.find(field)->second};
  });
}

}  // namespace detail

/// Fits what is measured, derives the rest.
inline std::vector<device_rates> rates_of_all(const measured_operators& all,
                                              const row_filter& seen) {
  std::map<std::string, fitted_gpu, std::less<>> fits;
  std::vector<accelerator> measured;
  for (const std::string_view name : measured_devices(all))
    fits.emplace(name, fit_gpu(all, name, detail::described(name), seen));
  const std::string card = "A100-PCIe-80GB";
  const auto whole = fits.find("A100-SXM4-80GB");
  if (whole != fits.end() && whole->second.gpu.sustained.bf16 > flop_per_second{0}) {
    fitted_gpu derived{.gpu = with_shares_of(detail::described(card), whole->second.gpu)};
    detail::fit_framework_rows(derived, all, card, seen);
    fits.emplace(card, derived);
  }
  detail::share_attention(fits, "backward_128", &attention_rates::backward_128);
  detail::share_attention(fits, "backward_192", &attention_rates::backward_192);
  detail::share_attention(fits, "forward_64", &attention_rates::forward_64);
  detail::share_attention(fits, "forward_512", &attention_rates::forward_512);
  for (const auto& [name, fit] : fits)
    if (name != card) measured.push_back(fit.gpu);
  for (auto& [name, fit] : fits) detail::fill_from_others(fit.gpu, measured);

  std::vector<device_rates> result;
  for (const catalog::accelerator_entry& entry : catalog::accelerators) {
    device_rates one{.name = std::string(entry.name)};
    const std::string_view like = detail::relative_of(entry.name);
    if (const auto found = fits.find(entry.name); found != fits.end()) {
      one.fit = found->second;
      if (entry.name == card) one.derived_from = like;
    } else if (const auto relative = fits.find(like); relative != fits.end()) {
      one.fit.gpu = with_shares_of(*entry.gpu, relative->second.gpu);
      one.derived_from = like;
    } else {
      one.fit.gpu = with_usual_shares_of_products(*entry.gpu, measured);
      one.fit.gpu.achieved = {};
      one.fit.gpu.sustained = {};
      one.derived_from = "the medians of measured GPUs";
    }
    result.push_back(std::move(one));
  }
  return result;
}

}  // namespace gpuplan::operators
