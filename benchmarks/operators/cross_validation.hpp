#pragma once
/// \file
/// Errors on rows that no constant has seen: shapes held back, and whole kinds of GPU.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/hardware/usual_rates.hpp>

#include "operators/all_devices.hpp"
#include "operators/error_table.hpp"

namespace gpuplan::operators {

namespace detail {

inline std::map<std::string, accelerator, std::less<>> by_name(
    const std::vector<device_rates>& devices) {
  std::map<std::string, accelerator, std::less<>> rates;
  for (const device_rates& one : devices) rates.emplace(one.name, one.fit.gpu);
  return rates;
}

inline void append(std::vector<judged_row>& all, std::vector<judged_row> more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// The other device of a measured one's generation, for a fit that must not see it.
struct sibling {
  std::string_view device;
  std::string_view other;
};

inline constexpr std::array siblings{
    sibling{"H100-SXM5-80GB", "H200-SXM-141GB"}, sibling{"H200-SXM-141GB", "H100-SXM5-80GB"},
    sibling{"B200-SXM", "GB200 (per GPU)"}, sibling{"GB200 (per GPU)", "B200-SXM"},
    sibling{"GB300 (per GPU)", "GB200 (per GPU)"}};

}  // namespace detail

/// A third of the shapes at a time, by constants from the other two thirds.
inline std::vector<judged_row> cross_validated(const measured_operators& all) {
  constexpr std::uint32_t folds = 3;
  std::vector<judged_row> judged;
  for (std::uint32_t fold = 0; fold < folds; ++fold) {
    const auto rates = detail::by_name(
        rates_of_all(all, [&](const measured_row& row) { return row.part(folds) != fold; }));
    detail::append(judged, judge(all, [&](const measured_row& row) -> const accelerator* {
                     const auto found = rates.find(row.gpu);
                     return row.part(folds) == fold && found != rates.end() ? &found->second
                                                                            : nullptr;
                   }));
  }
  return judged;
}

/// Each GPU by the shares of its sibling, or by the medians of the others where it has none, as if
/// nobody had measured it.  The rows of training frameworks are left out: one device has most.
inline std::vector<judged_row> left_out_gpus(const measured_operators& all) {
  std::vector<judged_row> judged;
  for (const std::string_view name : measured_devices(all)) {
    const accelerator& gpu = detail::described(name);
    std::vector<accelerator> others;
    std::optional<accelerator> derived;
    for (const device_rates& one :
         rates_of_all(all, [&](const measured_row& row) { return row.gpu != name; })) {
      if (!one.derived_from.empty() || one.name == name) continue;
      others.push_back(one.fit.gpu);
      for (const detail::sibling& pair : detail::siblings)
        if (pair.device == name && pair.other == one.name)
          derived = with_shares_of(gpu, one.fit.gpu);
    }
    if (!derived) derived = with_all_usual_shares(gpu, others);
    derived->operators = operator_rates_of(*derived);
    detail::append(judged, judge(all, [&](const measured_row& row) -> const accelerator* {
                     const bool known = row.gpu == name && row.software != "training framework";
                     return known ? &*derived : nullptr;
                   }));
  }
  return judged;
}

}  // namespace gpuplan::operators
