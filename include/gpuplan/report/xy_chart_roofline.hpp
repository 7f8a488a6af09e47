#pragma once
/// \file
/// The roofline of a GPU with the kernels of a model's layers under it.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/compute/gemm.hpp>
#include <gpuplan/compute/kernel_rates.hpp>
#include <gpuplan/compute/layer_flop.hpp>
#include <gpuplan/compute/layer_products.hpp>
#include <gpuplan/compute/layer_time.hpp>
#include <gpuplan/compute/roofline.hpp>
#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/model/attention_shape.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/precision.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/report/xy_chart.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// A kernel that a roofline shows.
struct roofline_kernel {
  std::string name;
  std::string shape;  ///< "4096 x 6144 x 4096"
  flop work{};        ///< > 0
  bytes moved{};      ///< > 0
  seconds time{};     ///< > 0

  [[nodiscard]] flop_per_byte intensity() const { return work / moved; }
  [[nodiscard]] flop_per_second rate() const { return work / time; }
};

namespace detail {

/// Names of the products of a layer, in the order of visit_products.
inline std::vector<std::string> product_names(const transformer& m, layer_kind kind,
                                              std::size_t count) {
  std::vector<std::string> names;
  const auto attention = [&](const std::string& whose) {
    visit_attention_maps(
        m, 1, 1, [&](const attention_map& map) { names.push_back(whose + std::string(map.name)); });
  };
  attention("");
  if (kind == layer_kind::dense) {
    if (m.ffn_size > 0) {
      names.emplace_back("feed-forward up");
      names.emplace_back("feed-forward down");
    }
  } else {
    names.emplace_back("router");
    if (m.moe.latent_size > 0) names.emplace_back("to the state of experts");
    names.emplace_back("experts up");
    names.emplace_back("experts down");
    if (m.moe.latent_size > 0) names.emplace_back("from the state of experts");
    if (m.moe.shared_ffn_size > 0) {
      names.emplace_back("shared expert up");
      names.emplace_back("shared expert down");
    }
  }
  require(names.size() == count, "roofline_kernels: there must be a name for each product");
  return names;
}

/// The core of attention: masked scores left out of the work.  Flash attention reads queries, keys
/// and values once and writes its result; other kernels move 11 bytes for each 16-bit score, as
/// unfused_attention_time counts them.  Flash attention is timed by its products alone, so that
/// with sequences of some hundred tokens its point lies above the roof of memory.
inline roofline_kernel attention_kernel_of(const transformer& m, layer_kind kind, const recipe& how,
                                           const parallelism& cut, double rows,
                                           const basic_kernel_rates<double>& rates) {
  const double length = how.sequence_length;
  const double heads = largest_share(m.attention_heads, cut.tensor);
  const int pairs = expanded_key_heads(m);
  const double windowed = static_cast<double>(m.windowed_layers()) / m.layers;
  const auto span = [&](double window) {
    return mean_attention_span(length, window, m.mask, masked_scores::skipped);
  };
  const double keys = (1 - windowed) * span(0) + windowed * span(m.sliding_window);
  const double widths = m.query_head_dim() + m.value_head_dim();
  const double of_queries = rows * heads * widths;
  const double of_keys = length * cut.micro_batch_size * largest_share(pairs, cut.tensor) * widths;
  const bool flash = how.attention == attention_kernel::flash;
  const double scores = flash ? 0 : 5.5 * rows * length * heads;
  const layer_tokens own{.sequence_length = how.sequence_length, .mask = m.mask};
  return {
      "attention core", fmt::format("{:.0f} queries, {:.0f} keys, {:.0f} heads", rows, keys, heads),
      rows * heads / m.attention_heads * units::token * forward_flop(m, kind, keys).attention_core,
      (of_queries + of_keys + scores) * rates.value,
      layer_time(m, kind, how, cut, own, rates).attention.forward};
}

}  // namespace detail

/// The matrix products of a layer's forward pass, its attention, and the head, on one rank with one
/// micro-batch: operations, bytes when each operand and result moves once, and time by the formulas
/// of compute/.
///
/// \throws invalid_input as kernel_rates_of and products_of_layer do
inline std::vector<roofline_kernel> roofline_kernels(const transformer& m, layer_kind kind,
                                                     const accelerator& gpu, const recipe& how,
                                                     const parallelism& cut) {
  const auto rates = kernel_rates_of(gpu, how, profile_of(how.framework));
  const double rows = static_cast<double>(how.sequence_length) * cut.micro_batch_size / cut.context;
  const layer_products products = products_of_layer(m, kind, cut, rows, 0, how.expert_load(),
                                                    latent_shares_of(how, cut));
  const std::vector<std::string> names = detail::product_names(m, kind, products.size);
  std::vector<roofline_kernel> kernels;
  const auto add = [&](const std::string& name, const matrix_product& p,
                       const basic_matrix_unit<double>& unit, const product_formats& in) {
    std::string shape = fmt::format("{:.0f} x {:.0f} x {:.0f}", p.rows, p.columns, p.depth);
    if (p.count != 1) shape += fmt::format(", {:.0f} times", p.count);
    kernels.push_back(
        {name, shape, product_flop(p), product_bytes(p, in), product_time(p, unit, in)});
  };
  std::size_t i = 0;
  for (const matrix_product& p : products) add(names[i++], p, rates.product, rates.formats);
  kernels.push_back(detail::attention_kernel_of(m, kind, how, cut, rows, rates));
  const double words = ceiling(m.vocabulary_size / static_cast<double>(cut.tensor));
  add("head", {rows, words, static_cast<double>(m.embedding_width())}, rates.product_16,
      rates.formats_16);
  return kernels;
}

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
                     share_cell(one.rate() / peak), one.time});
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
