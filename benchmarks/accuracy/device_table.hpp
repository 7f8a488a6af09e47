#pragma once
/// \file
/// The error table of measure.py: memory, time and largest batch of training jobs on one GPU, the
/// constants of time fitted to four of them, the others predicted.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/compute/kernel_rates.hpp>
#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/hardware/sustained_rate.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/plan/step_time.hpp>
#include <gpuplan/units/number_format.hpp>
#include <gpuplan/units/units.hpp>

#include "accuracy/device_row.hpp"
#include "accuracy/least_squares.hpp"
#include "accuracy/measured_table.hpp"
#include "accuracy/statistics.hpp"

namespace gpuplan::accuracy {

/// One file of measure.py.
struct device_table {
  std::string title;  ///< device, date, driver and software
  std::vector<device_run> runs{};
  std::vector<device_run> largest{};  ///< jobs of which the largest batch was found
  std::vector<refusal> unmapped{};    ///< rows that the descriptions cannot say
  std::vector<refusal> left_out{};    ///< jobs that did not run, and why
};

/// \throws unmapped if the file is of another schema
inline device_table read_device_table(const nlohmann::json& file) {
  if (text_of(file, "schema") != "gpuplan-measured/1")
    throw unmapped{"schema is not gpuplan-measured/1"};
  const measured_device gpu{text_of(file, "gpu"), bytes{number(file, "device_bytes").value_or(0)}};
  device_table all{.title = gpu.name + ", " + text_of(file, "date") + ", driver " +
                            text_of(file, "driver", "unknown") + ", PyTorch " +
                            text_of(file, "torch", "unknown")};
  const auto read = [&](const char* list, const auto& take) {
    for (const nlohmann::json& row : field(file, list)) try {
        take(row);
      } catch (const std::exception& fault) {  // unmapped, invalid_input, or no such JSON
        all.unmapped.push_back({text_of(row, "name"), fault.what()});
      }
  };
  read("rows", [&](const nlohmann::json& row) {
    device_run one = device_run_of(row, gpu);
    one.states = bytes{number_of(row, "states_bytes")};
    one.peak = bytes{number_of(row, "peak_bytes")};
    one.time = seconds{number_of(row, "median_step_s")};
    if (!(one.states > bytes{0} && one.peak > bytes{0} && one.time > seconds{0}))
      throw unmapped{"states_bytes, peak_bytes and median_step_s must be > 0"};
    all.runs.push_back(std::move(one));
  });
  read("largest", [&](const nlohmann::json& row) {
    device_run one = device_run_of(row, gpu);
    one.largest_batch = whole_of(row, "largest_batch");
    all.largest.push_back(std::move(one));
  });
  for (const nlohmann::json& row : field(file, "left_out"))
    all.left_out.push_back({text_of(row, "name"), text_of(row, "reason")});
  return all;
}

/// What is fitted: shares of what the library has for a device, and the traffic of eager kernels.
struct device_setting {
  double products = 1;     ///< of the rate of large products; not beyond the peak
  double attention = 1;    ///< of the rate of attention kernels
  double elementwise = 1;  ///< bytes of elementwise kernels over those counted

  [[nodiscard]] seconds time_of(const device_run& run) const {
    cluster pool = run.pool;
    accelerator& gpu = pool.node.gpu;
    using rates = basic_peak<double>;
    constexpr std::array formats{
        std::pair{number_format::fp32, &rates::fp32}, std::pair{number_format::tf32, &rates::tf32},
        std::pair{number_format::fp16, &rates::fp16}, std::pair{number_format::bf16, &rates::bf16}};
    for (const auto& [format, rate] : formats)
      gpu.sustained.*rate =
          std::min(gpu.peak.*rate, products * sustained_rate(run.pool.gpu(), format));
    const double share = gpuplan::detail::attention_share(gpu.attention, flash_kernel::flash_2);
    gpu.attention.flash_2 = std::min(1.0, attention * share);
    framework_profile software = profile_of(framework::fsdp);
    software.elementwise = elementwise;
    software.buffers = bytes{0};  // nothing is gathered on one GPU
    software.flash = flash_kernel::flash_2;
    return step_time_of(run.asked.model, pool, run.asked.recipe, run.asked.parallelism, software)
        .total();
  }
};

inline constexpr std::size_t fitted_device_rows = 4;

/// The library's constants: what a table is predicted with before it is looked at.
inline device_setting library_device_setting() {
  return {.elementwise = profile_of(framework::fsdp).elementwise};
}

/// Constants fitted to the first four rows that are meant for it; the library's, where there are
/// fewer.
inline device_setting fitted_device_setting(const device_table& table) {
  std::vector<device_run> runs;
  for (const device_run& run : table.runs)
    if (run.fitted && runs.size() < fitted_device_rows) runs.push_back(run);
  if (runs.size() < fitted_device_rows) return library_device_setting();
  const auto setting_of = [](const std::vector<double>& x) {
    return device_setting{x[0], x[1], x[2]};
  };
  const auto residuals = [&](const std::vector<double>& x) {
    std::vector<double> logarithms;
    for (const device_run& run : runs)
      logarithms.push_back(std::log(setting_of(x).time_of(run) / run.time));
    return logarithms;
  };
  const device_setting before = library_device_setting();
  return setting_of(fitted({.priors = {{before.products, 0.15, 0.2, 2},
                                       {before.attention, 0.3, 0.2, 3},
                                       {before.elementwise, 0.5, 0.2, 5}},
                            .weights = std::vector(runs.size(), 4.0),
                            .residuals = residuals}));
}

/// Errors of a table: of all rows with the library's constants, and of those that no constant was
/// fitted to with the fitted ones.
struct device_errors {
  errors states{};        ///< between steps, all rows: nothing of memory is fitted
  errors memory{};        ///< peak, all rows
  errors memory_rest{};   ///< peak, rows beside the four
  errors time{};          ///< all rows, the library's constants
  errors time_rest{};     ///< rows beside the four, fitted constants
  errors batch{};         ///< |predicted / found - 1|
  std::size_t exact = 0;  ///< largest batches predicted to the sample
};

inline device_errors errors_of(const device_table& table, const device_setting& setting) {
  device_errors all;
  std::size_t fitted = 0;
  for (const device_run& run : table.runs) {
    const double memory = relative_error(run.predicted_peak() / run.peak, 1);
    all.states.add(relative_error(run.predicted_states() / run.states, 1));
    all.memory.add(memory);
    all.time.add(relative_error(library_device_setting().time_of(run) / run.time, 1));
    if (run.fitted && fitted++ < fitted_device_rows) continue;
    all.memory_rest.add(memory);
    all.time_rest.add(relative_error(setting.time_of(run) / run.time, 1));
  }
  for (const device_run& run : table.largest) {
    const std::int64_t predicted = run.predicted_batch();
    all.exact += predicted == run.largest_batch;
    all.batch.add(relative_error(static_cast<double>(predicted), (std::max)(1, run.largest_batch)));
  }
  return all;
}

inline constexpr double device_memory_goal = 0.03;  ///< median, rows beside the four
inline constexpr double device_time_goal = 0.06;    ///< likewise

}  // namespace gpuplan::accuracy
