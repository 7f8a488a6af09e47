#pragma once
/// \file
/// Factors by which the parts of a step take longer on a cluster than the model says.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include <gpuplan/calibrate/detail/peak_fields.hpp>
#include <gpuplan/compute/roofline.hpp>
#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/hardware/sustained_rate.hpp>
#include <gpuplan/hardware/usual_rates.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/number_format.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What of a step a factor multiplies the time of.
enum class step_factor {
  products,         ///< matrix products, of experts too
  attention,        ///< cores of flash attention
  memory,           ///< elementwise kernels, weights that are read, the update
  node_messages,    ///< between GPUs of a node or NVLink domain
  fabric_messages,  ///< between nodes
  layer_host,       ///< of the host for a layer and micro-batch
  step_host         ///< of the host once in a step
};

/// A factor: how it is called, and how far it lies from 1 on a cluster that nobody measured.
struct step_factor_row {
  step_factor value;
  std::string_view name;
  double prior_deviation;  ///< of its logarithm, > 0
  std::string_view help;
};

/// A row for each step_factor, in its order.  The deviations are this library's: of devices whose
/// runs benchmarks/accuracy reads, in round numbers, and chosen so that three steps of B200 tell
/// most of the others, and those of a machine a fifth slower, too.  Cores of attention are the
/// widest: a run may have other kernels than those that were measured alone.
inline constexpr std::array step_factor_table{
    step_factor_row{step_factor::products, "products", 0.10, "matrix products"},
    step_factor_row{step_factor::attention, "attention", 0.85, "cores of flash attention"},
    step_factor_row{step_factor::memory, "memory", 0.15, "kernels that stream through memory"},
    step_factor_row{step_factor::node_messages, "node_messages", 0.3, "messages inside a node"},
    step_factor_row{step_factor::fabric_messages, "fabric_messages", 0.3, "messages between nodes"},
    step_factor_row{step_factor::layer_host, "layer_host", 0.15, "host's time for a layer"},
    step_factor_row{step_factor::step_host, "step_host", 0.5, "host's time once in a step"}};

inline constexpr std::size_t step_factor_count = step_factor_table.size();

/// A number for each factor, in the order of step_factor_table.
using factor_values = std::array<double, step_factor_count>;

/// Times over those of the model: 1 where the model is right.
inline constexpr factor_values unit_factors = [] {
  factor_values all{};
  for (double& one : all) one = 1;
  return all;
}();

/// A factor farther from 1 than this is none of a cluster: the times are in another unit.
inline constexpr double most_step_factor = 1e3;

/// \throws invalid_input if a factor is not > 0, or beyond most_step_factor or 1 over it
constexpr void require_valid(const factor_values& times) {
  for (const double one : times)
    require(one >= 1 / most_step_factor && one <= most_step_factor,
            "factor_values must be 1 / 1000 to 1000, each");
}

namespace detail {

constexpr double factor_of(const factor_values& times, step_factor what) {
  return times[static_cast<std::size_t>(what)];
}

inline attention_rates slower(const attention_rates& core, double times) {
  return {.forward_64 = core.forward_64 / times,
          .forward_128 = core.forward_128 / times,
          .forward_256 = core.forward_256 / times,
          .forward_512 = core.forward_512 / times,
          .backward_128 = core.backward_128 / times,
          .backward_192 = core.backward_192 / times,
          .half_length = core.half_length,
          .start = core.start};
}

inline dispatcher_rates slower(dispatcher_rates experts, double times) {
  experts.deep_ep_dispatch = experts.deep_ep_dispatch / times;
  experts.deep_ep_combine = experts.deep_ep_combine / times;
  experts.hybrid_dispatch = experts.hybrid_dispatch / times;
  experts.hybrid_combine = experts.hybrid_combine / times;
  return experts;
}

inline interconnect slower(const interconnect& link, double times) {
  return {.latency = times * link.latency, .bandwidth = link.bandwidth / times};
}

/// Shares and rates of device memory, each at most all of its bandwidth.
inline accelerator with_slower_memory(accelerator gpu, double times) {
  const operator_rates known = operator_rates_of(gpu);
  const auto share = [&](double of) { return (std::min)(1.0, of / times); };
  gpu.operators.product_memory = share(known.product_memory);
  gpu.operators.elementwise_memory = share(known.elementwise_memory);
  gpu.operators.permutation_memory = share(known.permutation_memory);
  gpu.operators.grouped_memory = share(known.grouped_memory);
  gpu.achieved_memory_bandwidth =
      (std::min)(gpu.memory_bandwidth, streaming_bandwidth(gpu) / times);
  return gpu;
}

/// Products of every format, each at most at its peak.
inline accelerator with_slower_products(accelerator gpu, double times) {
  const accelerator known = gpu;
  for (std::size_t i = 0; i < number_formats.size(); ++i) {
    const flop_per_second rate = sustained_rate(known, number_formats[i]) / times;
    gpu.sustained.*peak_fields[i] = (std::min)(known.peak.*peak_fields[i], rate);
  }
  return gpu;
}

}  // namespace detail

/// The cluster with the rates, links and hosts that such factors mean.  No rate exceeds its peak,
/// so that a factor below 1 may have less effect than it says; a factor of 1 changes nothing.
///
/// \throws invalid_input if a factor is not > 0, or beyond most_step_factor or 1 over it
inline cluster with_factors(cluster pool, const factor_values& times) {
  require_valid(times);
  const auto of = [&](step_factor what) { return detail::factor_of(times, what); };
  accelerator& gpu = pool.node.gpu;
  if (const double f = of(step_factor::products); f != 1)
    gpu = detail::with_slower_products(gpu, f);
  if (const double f = of(step_factor::attention); f != 1)
    gpu.operators.attention = detail::slower(operator_rates_of(gpu).attention, f);
  if (const double f = of(step_factor::memory); f != 1) gpu = detail::with_slower_memory(gpu, f);
  if (const double f = of(step_factor::node_messages); f != 1) {
    gpu.operators.dispatchers = detail::slower(operator_rates_of(gpu).dispatchers, f);
    pool.node.scale_up = detail::slower(pool.node.scale_up, f);
  }
  if (const double f = of(step_factor::fabric_messages); f != 1)
    pool.node.fabric = detail::slower(pool.node.fabric, f);
  pool.node.layer_host *= of(step_factor::layer_host);
  pool.node.step_host *= of(step_factor::step_host);
  return pool;
}

}  // namespace gpuplan
