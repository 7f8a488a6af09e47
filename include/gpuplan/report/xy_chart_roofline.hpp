#pragma once
/// \file
/// The roofline of a GPU with the kernels of a model's layers under it.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/compute/kernel_rates.hpp>
#include <gpuplan/compute/roofline.hpp>
#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/model/precision.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/report/xy_chart.hpp>
#include <gpuplan/report/xy_chart_kernels.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// The kernels under two roofs: that of the datasheet, and that of the rates a plan counts on.
///
/// \throws invalid_input if the device has no units for the recipe's format, or a kernel is empty
inline xy_chart roofline_chart(const std::vector<roofline_kernel>& kernels, const accelerator& gpu,
                               const recipe& how) {
  const auto rates = kernel_rates_of(gpu, how, profile_of(how.framework));
  const flop_per_second peak = gpu.peak[formats_of(how.precision).product];
  xy_chart chart{
      .words = {.title = "Roofline of a layer",
                .description =
                    "Kernels of a forward pass with one micro-batch on one GPU: left of "
                    "the bend memory binds, right of it arithmetic.  A product below the roof "
                    "loses time to tiles and waves that are not full."},
      .x = {"Operations for each byte moved", axis_scale::logarithmic},
      .y = {"Rate", axis_scale::logarithmic},
      .series = {},
      .table = {{{"Kernel"},
                 {"Shape"},
                 {"Intensity", column_side::right},
                 {"Rate", column_side::right},
                 {"Of the peak", column_side::right},
                 {"Time", column_side::right}}}};
  flop_per_byte least = ridge(peak, gpu.memory_bandwidth) / 8;
  flop_per_byte most = ridge(peak, gpu.memory_bandwidth) * 8;
  xy_series points{"kernels", series_kind::points, {}};
  for (const roofline_kernel& one : kernels) {
    require(one.work > flop{0} && one.moved > bytes{0} && one.time > seconds{0},
            "roofline_chart: work, moved and time of a kernel must be > 0");
    least = (std::min)(least, one.intensity());
    most = (std::max)(most, one.intensity());
    points.points.push_back(
        {one.intensity(), one.rate(), one.name, fmt::format("{}, {}", one.name, one.shape)});
    chart.table.row({one.name, one.shape, one.intensity(), one.rate(),
                     figure_cell{one.rate() / peak, value_reading::percent}, one.time});
  }
  most = 2.0 * most;
  const auto roof = [&](std::string_view name, flop_per_second top, bytes_per_second bandwidth) {
    xy_series line{
        fmt::format("{}: {}, {}", name, text_of(top), text_of(bandwidth)), series_kind::guide, {}};
    for (const flop_per_byte at : {least, ridge(top, bandwidth), most})
      line.points.push_back({at, roofline(top, bandwidth, at), {}, {}});
    chart.series.push_back(std::move(line));
  };
  roof("datasheet", peak, gpu.memory_bandwidth);
  roof("planned with", rates.product.rate, rates.memory);
  chart.series.push_back(std::move(points));
  return chart;
}

}  // namespace gpuplan
