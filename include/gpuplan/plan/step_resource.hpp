#pragma once
/// \file
/// The resources of a cluster that a step depends on, such as compute or memory bandwidth.

#include <array>
#include <concepts>
#include <cstddef>
#include <limits>
#include <string_view>
#include <type_traits>

#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/hardware/usual_rates.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/layout_fault.hpp>
#include <gpuplan/plan/node_software.hpp>
#include <gpuplan/plan/reject.hpp>
#include <gpuplan/plan/step_time.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What the time of a step depends on, memory apart: that decides what fits, not how fast it is.
enum class step_resource {
  compute,           ///< all rates of the GPU's arithmetic, of the datasheet and measured
  memory_bandwidth,  ///< of the GPU, of the datasheet and measured
  scale_up,          ///< bandwidth between GPUs of a node
  fabric,            ///< bandwidth out of the node
  scale_up_latency,  ///< less of it is better
  fabric_latency
};

inline constexpr std::array step_resources{
    step_resource::compute, step_resource::memory_bandwidth, step_resource::scale_up,
    step_resource::fabric,  step_resource::scale_up_latency, step_resource::fabric_latency};

/// \throws invalid_input if what is none of step_resources
constexpr std::string_view name_of(step_resource what) {
  switch (what) {
    case step_resource::compute: return "compute";
    case step_resource::memory_bandwidth: return "memory bandwidth";
    case step_resource::scale_up: return "bandwidth in the node";
    case step_resource::fabric: return "bandwidth of the fabric";
    case step_resource::scale_up_latency: return "latency in the node";
    case step_resource::fabric_latency: return "latency of the fabric";
  }
  require(false, "name_of: resource must be one of step_resources");
  return {};
}

namespace detail {

/// What a time may be computed in: double, or an autodiff number.
template <class T>
concept smooth_scalar = std::convertible_to<double, T> && !std::integral<T>;

template <dimension D, class T>
constexpr quantity<D, T> scaled(const T& factor, const quantity<D>& amount) {
  return factor * quantity<D, T>(amount);
}

template <class T>
constexpr basic_peak<T> scaled(const T& factor, const basic_peak<double>& rates) {
  return {.fp64 = scaled(factor, rates.fp64),
          .fp32 = scaled(factor, rates.fp32),
          .tf32 = scaled(factor, rates.tf32),
          .fp16 = scaled(factor, rates.fp16),
          .bf16 = scaled(factor, rates.bf16),
          .fp8_e4m3 = scaled(factor, rates.fp8_e4m3),
          .fp8_e5m2 = scaled(factor, rates.fp8_e5m2),
          .fp4 = scaled(factor, rates.fp4),
          .int8 = scaled(factor, rates.int8)};
}

/// Rates of arithmetic and of links so many times themselves; shares and starts as they are.
template <class T>
constexpr basic_operator_rates<T> scaled_operators(const operator_rates& known, const T& arithmetic,
                                                   const T& links) {
  constexpr std::size_t most = 64;
  std::array<double, most> values{};
  std::size_t count = 0;
  each_rate(known, [&](const char*, const auto& value) {
    if constexpr (requires { value.in_base_units(); })
      values[count++] = value.in_base_units();
    else
      values[count++] = value;
  });
  basic_operator_rates<T> scaled;
  count = 0;
  each_rate(scaled, [&](const char*, auto& value) {
    using member = std::remove_cvref_t<decltype(value)>;
    const double x = values[count++];
    if constexpr (std::same_as<member, basic_flop_per_second<T>>)
      value = arithmetic * member(T(x));
    else if constexpr (std::same_as<member, basic_bytes_per_second<T>>)
      value = links * member(T(x));
    else
      value = member(T(x));
  });
  scaled.collectives.own_copy = basic_bytes_per_second<T>(known.collectives.own_copy);
  return scaled;
}

}  // namespace detail

/// A cluster of which one resource is `factor` times as good: a rate is so many times itself, a
/// latency so many times less.  All else is as it was; what joins GPUs beyond the node's own
/// scale_up and fabric is left out.
///
/// \throws invalid_input if factor <= 0, or what is none of step_resources
template <detail::smooth_scalar T>
constexpr basic_cluster<T> improved(const cluster& pool, step_resource what, const T& factor) {
  using detail::scaled;
  require(factor > 0, "improved: factor must be > 0");
  require(!name_of(what).empty(), "improved: resource must be one of step_resources");
  const auto more = [&](step_resource asked) { return asked == what ? factor : T(1); };
  const auto less = [&](step_resource asked) { return T(1) / more(asked); };
  const accelerator& gpu = pool.gpu();
  const T arithmetic = more(step_resource::compute);
  const T memory = more(step_resource::memory_bandwidth);
  const interconnect& inside = pool.node.scale_up;
  const interconnect& outside = pool.node.fabric;
  const auto rate = [](const link_rate& known) {
    return per_direction(basic_bytes_per_second<T>(known.per_direction()));
  };

  basic_cluster<T> better{
      .nodes = pool.nodes, .missing_gpus = pool.missing_gpus, .slowest = T(pool.slowest)};
  better.node.gpus = pool.node.gpus;
  better.node.host_memory = pool.node.host_memory;
  better.node.host_update = pool.node.host_update;
  better.node.layer_host = T(pool.node.layer_host);
  better.node.step_host = T(pool.node.step_host);
  better.node.feed = pool.node.feed;
  better.node.gpu = {.memory = gpu.memory,
                     .memory_from = gpu.memory_from,
                     .label_memory = gpu.label_memory,
                     .memory_bandwidth = scaled(memory, gpu.memory_bandwidth),
                     .achieved_memory_bandwidth = scaled(memory, gpu.achieved_memory_bandwidth),
                     .peak = scaled(arithmetic, gpu.peak),
                     .achieved = scaled(arithmetic, gpu.achieved),
                     .sustained = scaled(arithmetic, gpu.sustained),
                     .attention = {.triton = T(gpu.attention.triton),
                                   .flash_2 = T(gpu.attention.flash_2),
                                   .fused = T(gpu.attention.fused)},
                     .operators = detail::scaled_operators(operator_rates_of(gpu), arithmetic,
                                                           more(step_resource::scale_up)),
                     .streaming_multiprocessors = gpu.streaming_multiprocessors,
                     .l2 = gpu.l2,
                     .thermal_design_power = gpu.thermal_design_power,
                     .host = {.latency = gpu.host.latency,
                              .advertised = rate(gpu.host.advertised),
                              .achievable = rate(gpu.host.achievable)}};
  better.node.scale_up = {.latency = scaled(less(step_resource::scale_up_latency), inside.latency),
                          .bandwidth = scaled(more(step_resource::scale_up), inside.bandwidth)};
  better.node.fabric = {.latency = scaled(less(step_resource::fabric_latency), outside.latency),
                        .bandwidth = scaled(more(step_resource::fabric), outside.bandwidth)};
  return better;
}

/// The time of a step on such a cluster.
///
/// Source: G. Amdahl, "Validity of the single processor approach to achieving large scale computing
/// capabilities", AFIPS (1967) 483-485.
///
/// \throws invalid_input if a description is invalid, a rule of layout_fault is broken, or factor
///         <= 0
template <detail::smooth_scalar T>
constexpr basic_seconds<T> improved_step_time(const transformer& m, const cluster& pool,
                                              const recipe& how, const parallelism& cut,
                                              step_resource what, const T& factor) {
  require_valid(m);
  require_valid(pool);
  require_valid(how);
  require_valid(cut);
  require(!layout_fault(m, pool.gpus(), how, cut),
          "improved_step_time: the layout must keep the rules of layout_fault");
  const basic_cluster<T> better = improved(pool, what, factor);
  return step_time_of<T>(m, better, how, cut, profile_on(better.node, how.framework)).total();
}

/// A better resource, and what comes of it.
struct improvement {
  step_resource resource{};
  double factor = 1;  ///< how many times as good; infinite where nothing would do
  seconds before{};
  seconds after{};

  /// Steps done in the time of one.
  [[nodiscard]] constexpr double speedup() const { return before / after; }
};

/// The resource that makes a step fastest when it alone is `factor` times as good; of equals the
/// first.
///
/// \throws invalid_input as improved_step_time does
constexpr improvement best_improvement(const transformer& m, const cluster& pool, const recipe& how,
                                       const parallelism& cut, double factor = 2) {
  improvement best{.factor = factor};
  best.before = improved_step_time(m, pool, how, cut, best.resource, 1.0);
  best.after = best.before;
  for (const step_resource what : step_resources) {
    const seconds after = improved_step_time(m, pool, how, cut, what, factor);
    if (after < best.after) {
      best.resource = what;
      best.after = after;
    }
  }
  return best;
}

/// The least that one resource alone must be better for a step to be `speedup` times as fast; an
/// infinite factor where none would do.
///
/// The factor is right to one part in 10^6, and never too small.  A resource that is 2^20 times as
/// good counts as one that will not do.
///
/// \throws invalid_input as improved_step_time does, or if speedup < 1
constexpr improvement least_improvement(const transformer& m, const cluster& pool,
                                        const recipe& how, const parallelism& cut, double speedup) {
  require(speedup >= 1, "least_improvement: speedup must be >= 1");
  improvement least{.factor = std::numeric_limits<double>::infinity()};
  least.before = improved_step_time(m, pool, how, cut, least.resource, 1.0);
  least.after = least.before;
  const seconds wanted = least.before / speedup;
  constexpr double most_tried = 1 << 20;
  for (const step_resource what : step_resources) {
    const auto time = [&](double factor) {
      return improved_step_time(m, pool, how, cut, what, factor);
    };
    double low = 1;
    double high = least.factor < most_tried ? least.factor : most_tried;
    if (!(time(high) <= wanted)) continue;
    while (high > low * (1 + 1e-6)) {
      const double middle = low + (high - low) / 2;
      (time(middle) <= wanted ? high : low) = middle;
    }
    least = {what, high, least.before, time(high)};
  }
  return least;
}

}  // namespace gpuplan
