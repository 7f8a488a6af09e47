#pragma once
/// \file
/// What ranks do once a step: gradients reduced, weights brought back, the update.

#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/memory/stage_parameters.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/precision.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/plan/busy_time_messages.hpp>
#include <gpuplan/plan/rank_links.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Bytes that an update moves for each parameter: three passes over the gradient (its norm, its
/// scaling, the update), states and master copy read and written, the working weight written.
///
///     3 g + 2 (k + o) + w        without a master copy 3 g + 2 (w + o)
///
///     w, g, k, o  per.weight, per.gradient, per.master, per.optimizer   B, >= 0
///
/// 38 B for Adam beside BF16 weights and FP32 gradients.  Holds for fused kernels; optimizers that
/// also multiply matrices (Muon) take longer.
///
/// Source: NVIDIA, "Apex", csrc/multi_tensor_adam.cu and multi_tensor_l2norm_kernel.cu (2024), by
/// counting.
constexpr bytes bytes_per_update(const parameter_bytes& per) {
  const bytes kept = per.master > bytes{0} ? per.master : per.weight;
  const bytes copy = per.master > bytes{0} ? per.weight : bytes{0};
  return 3 * per.gradient + 2 * (kept + per.optimizer) + copy;
}

namespace detail {

/// What is left of traffic that runs beside a pass: with v chunks the last has one micro-batch's
/// pass to hide behind, the others p of them.
template <class T>
constexpr basic_seconds<T> unhidden(const basic_seconds<T>& traffic, const basic_seconds<T>& pass,
                                    const T& exposed, const parallelism& cut) {
  const double v = cut.interleave;
  const basic_seconds<T> left = (traffic - pass) / v;
  const basic_seconds<T> more = traffic - double(cut.pipeline) * pass;
  const basic_seconds<T> others = more > seconds{0} ? (v - 1) / v * more : basic_seconds<T>{};
  return later<T>(exposed * traffic, left + others);
}

/// Seconds of reducing gradients and of bringing the weights back, over all groups of a rank.
template <class T>
struct data_traffic {
  basic_seconds<T> gradients{};
  basic_seconds<T> weights{};
};

template <class T>
constexpr void add_traffic(data_traffic<T>& sum, const basic_interconnect<T>& ring, double n,
                           double parameters, bytes gradient, bytes weight) {
  if (n <= 1 || parameters == 0) return;
  const double share = parameters * (n - 1) / n;
  sum.gradients += share * gradient / ring.bandwidth;
  sum.weights += share * weight / ring.bandwidth;
}

template <class T>
constexpr data_traffic<T> data_traffic_of(const rank_parameters& held, const recipe& how,
                                          const parallelism& cut, const basic_rank_links<T>& links,
                                          const basic_framework_profile<T>& software) {
  const bytes weight = limits_of(formats_of(how.precision).weight).storage;
  const bytes gradient = how.gradient == gradient_format::by_precision
                             ? software.gradient_on_wire
                             : limits_of(gradient_storage(how.gradient, how.precision)).storage;
  const bytes back = how.zero == zero_stage::none ? gradient : weight;
  const double replicas = static_cast<double>(cut.replicas());
  const double shards =
      static_cast<double>(how.zero == zero_stage::none ? cut.replicas() : cut.shards());
  data_traffic<T> sum;
  if (how.zero != zero_stage::parameters)
    add_traffic(sum, links.data, shards, held.dense(), gradient, back);
  if (shards < replicas)  // across shard groups each piece is reduced whole
    add_traffic(sum, links.replicas, replicas / shards, held.dense() / shards, 2 * gradient,
                bytes{0});
  add_traffic(sum, links.expert_data, static_cast<double>(cut.expert_replicas()), held.experts,
              gradient, back);
  return sum;
}

}  // namespace detail

}  // namespace gpuplan
