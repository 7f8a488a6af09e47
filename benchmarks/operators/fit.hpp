#pragma once
/// \file
/// Fits the rates of one accelerator to its measured operators.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/hardware/usual_rates.hpp>
#include <gpuplan/units/number_format.hpp>
#include <gpuplan/units/units.hpp>

#include "operators/descent.hpp"
#include "operators/measured_rows.hpp"
#include "operators/predicted.hpp"

namespace gpuplan::operators {

/// What a group of constants rests on.
struct fit_basis {
  std::size_t rows = 0;
  double median = 0;  ///< of |predicted / measured - 1|, in the sample
};

/// An accelerator with the constants that were fitted, by field: "operators.product_start".
struct fitted_gpu {
  accelerator gpu{};
  std::map<std::string, fit_basis> basis{};
};

/// Which rows a fit may see.
using row_filter = std::function<bool(const measured_row&)>;

/// Whether the rates of a device may be fitted to a row: others show kernels that no training run
/// takes.
///
///     - 8-bit products by kernels that are not the vendor's library
///     - experts by kernels that were not tuned for the device
///     - latent attention by kernels made for decoding
inline bool is_of_tuned_kernel(const product_row& row) {
  return !(row.software == "sglang" && row.cast == quantization::tensorwise);
}
inline bool is_of_tuned_kernel(const attention_row& row) {
  return !(row.software == "sglang, latent");
}
inline bool is_of_tuned_kernel(const expert_row& row) {
  return row.software == "trtllm" && row.cast != quantization::blockwise;
}

namespace detail {

/// Above this a row says that another kernel ran, not how fast the device is.
inline constexpr double most_loss = 0.5;

template <class Row>
std::vector<Row> some(const std::vector<Row>& rows, const std::function<bool(const Row&)>& wanted) {
  std::vector<Row> kept;
  for (const Row& row : rows)
    if (wanted(row)) kept.push_back(row);
  return kept;
}

template <class Row>
double loss_of(const std::vector<Row>& rows, const accelerator& gpu) {
  double sum = 0;
  for (const Row& row : rows)
    sum += (std::min)(most_loss, std::abs(std::log(predicted(row, gpu) / row.time)));
  return sum / static_cast<double>(rows.size());
}

/// Fits some constants of an accelerator to some rows; leaves them zero where there are too few.
template <class Row>
void fit_to(fitted_gpu& fit, const std::vector<Row>& rows, const std::vector<std::string>& fields,
            std::vector<free_constant> constants, const std::function<void()>& follow = nullptr) {
  constexpr std::size_t least_rows = 5;
  if (rows.size() < least_rows) return;
  descend(constants, [&] {
    if (follow) follow();
    return loss_of(rows, fit.gpu);
  });
  if (follow) follow();
  std::vector<double> errors;
  for (const Row& row : rows) errors.push_back(std::abs(predicted(row, fit.gpu) / row.time - 1));
  std::sort(errors.begin(), errors.end());
  for (const std::string& field : fields)
    fit.basis[field] = {rows.size(), errors[errors.size() / 2]};
}

/// A constant that is a quantity or a number of this accelerator.
template <class X>
free_constant of(X& field, double start) {
  return {start, [&field](double value) { field = X{value}; }};
}

/// A time: at least a picosecond, since zero says that nobody measured it.
inline free_constant of(seconds& field, double start) {
  return {start, [&field](double value) { field = seconds{(std::max)(value, 1e-12)}; }};
}

/// A share of a rate: at most 1.
inline free_constant share(double& field, double start) {
  return {start, [&field](double value) { field = (std::min)(value, 1.0); }};
}

inline void fit_products(fitted_gpu& fit, const std::vector<product_row>& rows) {
  accelerator& gpu = fit.gpu;
  const double peak = gpu.peak.bf16.in_base_units();
  const auto wide = some<product_row>(rows, [](const product_row& row) {
    return !row.in_framework && row.format == number_format::bf16;
  });
  const auto same_16 = [&] {
    gpu.achieved.fp16 = gpu.achieved.bf16 = larger(gpu.achieved.bf16, gpu.sustained.bf16);
    gpu.sustained.fp16 = gpu.sustained.bf16;
  };
  fit_to<product_row>(
      fit, wide,
      {"achieved.bf16", "achieved.fp16", "sustained.bf16", "sustained.fp16",
       "operators.product_start", "operators.product_memory"},
      {of(gpu.sustained.bf16, 0.65 * peak), of(gpu.achieved.bf16, 0.75 * peak),
       of(gpu.operators.product_start, 3e-6), share(gpu.operators.product_memory, 0.65)},
      same_16);

  const auto narrow = some<product_row>(rows, [](const product_row& row) {
    return row.format == number_format::fp8_e4m3 && is_of_tuned_kernel(row);
  });
  const auto same_8 = [&] {
    gpu.achieved.fp8_e4m3 = gpu.achieved.fp8_e5m2 =
        larger(gpu.achieved.fp8_e4m3, gpu.sustained.fp8_e4m3);
    gpu.sustained.fp8_e5m2 = gpu.sustained.fp8_e4m3;
  };
  const double peak_8 = gpu.peak.fp8_e4m3.in_base_units();
  fit_to<product_row>(
      fit, narrow,
      {"achieved.fp8_e4m3", "achieved.fp8_e5m2", "sustained.fp8_e4m3", "sustained.fp8_e5m2",
       "operators.quantization_start", "operators.elementwise_memory"},
      {of(gpu.sustained.fp8_e4m3, 0.6 * peak_8), of(gpu.achieved.fp8_e4m3, 0.7 * peak_8),
       of(gpu.operators.quantization_start, 4e-6), share(gpu.operators.elementwise_memory, 0.6)},
      same_8);

  const auto quarter = some<product_row>(
      rows, [](const product_row& row) { return row.format == number_format::fp4; });
  const double peak_4 = gpu.peak.fp4.in_base_units();
  fit_to<product_row>(fit, quarter, {"achieved.fp4", "sustained.fp4"},
                      {of(gpu.sustained.fp4, 0.4 * peak_4), of(gpu.achieved.fp4, 0.45 * peak_4)},
                      [&] { gpu.achieved.fp4 = larger(gpu.achieved.fp4, gpu.sustained.fp4); });
}

/// What a training framework adds: the clock of a long loop, and groups launched one by one.
inline void fit_framework(fitted_gpu& fit, const std::vector<product_row>& rows) {
  accelerator& gpu = fit.gpu;
  const auto alone = some<product_row>(
      rows, [](const product_row& row) { return row.in_framework && !row.grouped; });
  fit_to<product_row>(fit, alone, {"operators.product_steady"},
                      {share(gpu.operators.product_steady, 0.9)});
  const auto grouped = some<product_row>(rows, [](const product_row& row) { return row.grouped; });
  if (!(gpu.operators.grouped_memory > 0)) gpu.operators.grouped_memory = 0.9;
  fit_to<product_row>(fit, grouped, {"operators.group_start"},
                      {of(gpu.operators.group_start, 2e-6)});
}

inline void fit_backward(fitted_gpu& fit, const std::vector<attention_row>& rows) {
  attention_rates& core = fit.gpu.operators.attention;
  const auto backward =
      some<attention_row>(rows, [](const attention_row& row) { return row.backward; });
  const double start = 0.8 * core.forward_128.in_base_units();
  fit_to<attention_row>(fit, backward,
                        {"operators.attention.backward_128", "operators.attention.backward_192"},
                        {of(core.backward_128, start), of(core.backward_192, 0.8 * start)});
}

inline void fit_attention(fitted_gpu& fit, const std::vector<attention_row>& rows) {
  attention_rates& core = fit.gpu.operators.attention;
  const double peak = fit.gpu.peak.bf16.in_base_units();
  const auto forward = some<attention_row>(rows, [](const attention_row& row) {
    return !row.backward && row.software != "training framework";
  });
  const auto wide = [&](int width) {
    return std::any_of(forward.begin(), forward.end(),
                       [&](const attention_row& row) { return row.core.query_head_dim == width; });
  };
  core = {.forward_64 = flop_per_second{usual_shares{}.attention_64 * peak},
          .forward_128 = flop_per_second{usual_shares{}.attention_128 * peak},
          .forward_256 = flop_per_second{usual_shares{}.attention_256 * peak},
          .forward_512 = flop_per_second{usual_shares{}.attention_512 * peak},
          .backward_128 = flop_per_second{usual_shares{}.attention_backward_128 * peak},
          .backward_192 = flop_per_second{usual_shares{}.attention_backward_192 * peak},
          .half_length = 700,
          .start = 20 * units::us};
  std::vector<std::string> fields{"operators.attention.forward_128",
                                  "operators.attention.half_length", "operators.attention.start"};
  std::vector<free_constant> constants{of(core.forward_128, 0.5 * peak), of(core.half_length, 700),
                                       of(core.start, 20e-6)};
  const auto also = [&](int width, flop_per_second& rate, const char* field, double start) {
    if (!wide(width)) return;
    constants.push_back(of(rate, start * peak));
    fields.push_back(std::string("operators.attention.") + field);
  };
  // Rotation of queries alone says too little of elementwise kernels to be kept.
  double& moved = fit.gpu.operators.elementwise_memory;
  const bool borrowed = !(moved > 0);
  if (borrowed) constants.push_back(share(moved, 0.6));
  also(64, core.forward_64, "forward_64", 0.4);
  also(192, core.forward_256, "forward_256", 0.6);
  also(512, core.forward_512, "forward_512", 0.4);
  fit_to<attention_row>(fit, forward, fields, constants);
  if (borrowed) moved = 0;
  fit_backward(fit, rows);
}

inline void fit_experts(fitted_gpu& fit, const std::vector<expert_row>& rows) {
  operator_rates& rates = fit.gpu.operators;
  fit_to<expert_row>(
      fit, rows,
      {"operators.grouped_start", "operators.permutation_memory", "operators.grouped_memory"},
      {of(rates.grouped_start, 30e-6), share(rates.permutation_memory, 0.4),
       share(rates.grouped_memory, 0.9)});
}

/// What only a training framework showed of a device.
inline void fit_framework_rows(fitted_gpu& fit, const measured_operators& all,
                               std::string_view name, const row_filter& seen) {
  const auto wanted = [&](const auto& row) { return row.gpu == name && seen(row); };
  fit_framework(fit, some<product_row>(all.products, wanted));
  fit_backward(fit, some<attention_row>(all.cores, wanted));
}

inline void fit_collectives(fitted_gpu& fit, const std::vector<collective_row>& rows) {
  collective_rates& in = fit.gpu.operators.collectives;
  const double link = fit.gpu.scale_up.all_peers.advertised.per_direction().in_base_units();
  if (!(link > 0)) return;
  const std::vector<std::string> names{"gather",
                                       "all_reduce",
                                       "all_to_all",
                                       "small_share",
                                       "base",
                                       "hop",
                                       "simple_base",
                                       "simple_hop",
                                       "exchange_small_share",
                                       "exchange_base",
                                       "exchange_simple_base",
                                       "own_copy"};
  std::vector<std::string> fields;
  for (const std::string& name : names) fields.push_back("operators.collectives." + name);
  fit_to<collective_row>(
      fit, rows, fields,
      {of(in.gather, 0.75 * link), of(in.all_reduce, 0.75 * link), of(in.all_to_all, 0.7 * link),
       share(in.small_share, 0.4), of(in.base, 8e-6), of(in.hop, 1e-6), of(in.simple_base, 20e-6),
       of(in.simple_hop, 1.5e-6), share(in.exchange_small_share, 0.15), of(in.exchange_base, 9e-6),
       of(in.exchange_simple_base, 15e-6), of(in.own_copy, 1e12)});
}

inline void fit_dispatchers(fitted_gpu& fit, const std::vector<dispatch_row>& rows) {
  dispatcher_rates& to = fit.gpu.operators.dispatchers;
  const auto inside = some<dispatch_row>(rows, [](const dispatch_row& row) {
    return row.kind == dispatcher_kind::deep_ep && !(row.sent.nodes > 0);
  });
  const std::string field = "operators.dispatchers.";
  fit_to<dispatch_row>(fit, inside,
                       {field + "deep_ep_dispatch", field + "deep_ep_combine",
                        field + "deep_ep_start", field + "deep_ep_token"},
                       {of(to.deep_ep_dispatch, 350e9), of(to.deep_ep_combine, 350e9),
                        of(to.deep_ep_start, 45e-6), of(to.deep_ep_token, 25e-9)});
  const auto between =
      some<dispatch_row>(rows, [](const dispatch_row& row) { return row.sent.nodes > 0; });
  if (!inside.empty())
    fit_to<dispatch_row>(fit, between, {field + "port_share"}, {share(to.port_share, 0.9)});
  const auto domain = some<dispatch_row>(
      rows, [](const dispatch_row& row) { return row.kind == dispatcher_kind::domain; });
  fit_to<dispatch_row>(fit, domain,
                       {field + "hybrid_dispatch", field + "hybrid_combine", field + "hybrid_start"},
                       {of(to.hybrid_dispatch, 550e9), of(to.hybrid_combine, 550e9),
                        of(to.hybrid_start, 30e-6)});
}

}  // namespace detail

/// The constants of an accelerator, from those of its rows that the filter lets through.
inline fitted_gpu fit_gpu(const measured_operators& all, std::string_view name,
                          const accelerator& described, const row_filter& seen) {
  fitted_gpu fit{.gpu = described};
  fit.gpu.achieved = {};
  fit.gpu.sustained = {};
  fit.gpu.operators = {};
  const auto wanted = [&](const auto& row) { return row.gpu == name && seen(row); };
  detail::fit_products(fit, detail::some<product_row>(all.products, wanted));
  detail::fit_attention(fit, detail::some<attention_row>(all.cores, [&](const attention_row& row) {
                          return wanted(row) && is_of_tuned_kernel(row);
                        }));
  detail::fit_experts(fit, detail::some<expert_row>(all.experts, [&](const expert_row& row) {
                        return wanted(row) && is_of_tuned_kernel(row);
                      }));
  detail::fit_framework(fit, detail::some<product_row>(all.products, wanted));
  detail::fit_collectives(fit, detail::some<collective_row>(all.collectives, wanted));
  detail::fit_dispatchers(fit, detail::some<dispatch_row>(all.dispatches, wanted));
  return fit;
}

}  // namespace gpuplan::operators
