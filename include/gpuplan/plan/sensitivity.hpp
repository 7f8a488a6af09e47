#pragma once
/// \file
/// The sensitivity of the step time to each resource, by automatic differentiation.

#include <array>
#include <cstddef>

#include <boost/math/differentiation/autodiff.hpp>

#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/precision.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/node_software.hpp>
#include <gpuplan/plan/step_resource.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Seconds of a step for each unit more of a rate.
using seconds_per_flop_rate = decltype(seconds{} / flop_per_second{});
using seconds_per_byte_rate = decltype(seconds{} / bytes_per_second{});

/// d(step time) / d(resource): rates make it less, latencies more.
struct step_slopes {
  seconds_per_flop_rate peak{};  ///< in the format of products, other rates as much better
  seconds_per_byte_rate memory_bandwidth{};
  seconds_per_byte_rate scale_up{};
  seconds_per_byte_rate fabric{};
  double scale_up_latency = 0;  ///< hops that a step waits for, one after the other
  double fabric_latency = 0;
};

/// How the time of a step answers to its resources.
struct step_sensitivity {
  seconds step{};
  std::array<double, step_resources.size()> elasticities{};  ///< in the order of step_resources
  step_slopes slopes{};

  /// Percent of the step's time for each percent that a resource is better: -1 to 0.
  ///
  /// \throws invalid_input if what is none of step_resources
  [[nodiscard]] constexpr double operator[](step_resource what) const {
    for (std::size_t i = 0; i < step_resources.size(); ++i)
      if (step_resources[i] == what) return elasticities[i];
    require(false, "step_sensitivity: resource must be one of step_resources");
    return 0;
  }
  /// The resource that a small improvement helps most; of equals the first.
  [[nodiscard]] constexpr step_resource strongest() const {
    step_resource most = step_resources[0];
    for (const step_resource what : step_resources)
      if ((*this)[what] < (*this)[most]) most = what;
    return most;
  }
};

namespace detail {

/// The derivative of the time of a step by a resource, in seconds for each unit of it in base
/// units: by the factor of a rate, by a latency itself, which may be zero.
inline double step_slope(const transformer& m, const cluster& pool, const recipe& how,
                         const parallelism& cut, step_resource what) {
  namespace differentiation = boost::math::differentiation;
  using dual = differentiation::autodiff_fvar<double, 1>;
  const auto variable = [](double at) { return differentiation::make_fvar<double, 1>(at); };
  const bool by_latency =
      what == step_resource::scale_up_latency || what == step_resource::fabric_latency;
  const dual factor = by_latency ? dual(1) : variable(1);
  basic_cluster<dual> moved = improved(pool, what, factor);
  if (by_latency) {
    auto& link = what == step_resource::fabric_latency ? moved.node.fabric : moved.node.scale_up;
    const double now = static_cast<double>(link.latency.in_base_units());
    link.latency = basic_seconds<dual>{variable(now)};
  }
  return step_time_of<dual>(m, moved, how, cut, profile_on(moved.node, how.framework))
      .total()
      .in_base_units()
      .derivative(1);
}

}  // namespace detail

/// The sensitivity of the time of a step.
///
///     e = d ln t / d ln f        slope = dt / dx
///
///     t  step_time_of a layout
///     f  how many times as good a resource is: rates f x, latencies x / f
///     x  a rate or a latency, in base units
///
/// Elasticities are -1 to 0, and add up to at least -1: what they lack is time that no resource
/// shortens, such as launching kernels.  Where two times are equal and the longer one counts, the
/// slope is that of one of them.
///
/// Source: J. Revels, M. Lubin and T. Papamarkou, "Forward-Mode Automatic Differentiation in Julia"
/// (2016), arXiv:1607.07892, for the method; Boost.Math, autodiff.
///
/// \throws invalid_input if a description is invalid, or a rule of layout_fault is broken
inline step_sensitivity sensitivity_of(const transformer& m, const cluster& pool, const recipe& how,
                                       const parallelism& cut) {
  step_sensitivity answer{.step = improved_step_time(m, pool, how, cut, step_resources[0], 1.0)};
  const double time = answer.step.in_base_units();
  const auto slope = [&](step_resource what) {
    return detail::step_slope(m, pool, how, cut, what);
  };

  const seconds compute{slope(step_resource::compute)};
  const seconds memory{slope(step_resource::memory_bandwidth)};
  const seconds inside{slope(step_resource::scale_up)};
  const seconds outside{slope(step_resource::fabric)};
  const node& box = pool.node;
  answer.slopes = {.peak = compute / box.gpu.peak[formats_of(how.precision).product],
                   .memory_bandwidth = memory / box.gpu.memory_bandwidth,
                   .scale_up = inside / box.scale_up.bandwidth,
                   .fabric = outside / box.fabric.bandwidth,
                   .scale_up_latency = slope(step_resource::scale_up_latency),
                   .fabric_latency = slope(step_resource::fabric_latency)};
  answer.elasticities = {compute.in_base_units() / time,
                         memory.in_base_units() / time,
                         inside.in_base_units() / time,
                         outside.in_base_units() / time,
                         -answer.slopes.scale_up_latency * (box.scale_up.latency / answer.step),
                         -answer.slopes.fabric_latency * (box.fabric.latency / answer.step)};
  return answer;
}

}  // namespace gpuplan
