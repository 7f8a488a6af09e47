#pragma once
/// \file
/// What nodes have and jobs ask for, in four kinds: arithmetic, GPU memory, processor cores,
/// network.

#include <algorithm>
#include <cstdint>

#include <gpuplan/comm/traffic.hpp>
#include <gpuplan/compute/training_flop.hpp>
#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/parameters.hpp>
#include <gpuplan/model/precision.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// An amount of each kind of resource: what a node has, or what a job asks of one node.
struct resources {
  flop_per_second compute{};   ///< of its GPUs, >= 0
  bytes memory{};              ///< of its GPUs, >= 0
  double cores = 0;            ///< of its processors, >= 0
  bytes_per_second network{};  ///< out of the node, one direction, >= 0

  friend constexpr bool operator==(const resources&, const resources&) = default;
  friend constexpr resources operator+(const resources& a, const resources& b) {
    return {.compute = a.compute + b.compute,
            .memory = a.memory + b.memory,
            .cores = a.cores + b.cores,
            .network = a.network + b.network};
  }
  friend constexpr resources operator-(const resources& a, const resources& b) {
    return {.compute = a.compute - b.compute,
            .memory = a.memory - b.memory,
            .cores = a.cores - b.cores,
            .network = a.network - b.network};
  }
  friend constexpr resources operator*(double factor, const resources& a) {
    return {.compute = factor * a.compute,
            .memory = factor * a.memory,
            .cores = factor * a.cores,
            .network = factor * a.network};
  }
};

/// \throws invalid_input if an amount is not >= 0 and finite
constexpr void require_valid(const resources& amount) {
  require(amount.compute >= flop_per_second{0} && amount.compute < flop_per_second{1e300},
          "resources: compute must be >= 0 FLOP/s and finite");
  require(amount.memory >= bytes{0} && amount.memory < bytes{1e300},
          "resources: memory must be >= 0 B and finite");
  require(amount.cores >= 0 && amount.cores < 1e300, "resources: cores must be >= 0 and finite");
  require(amount.network >= bytes_per_second{0} && amount.network < bytes_per_second{1e300},
          "resources: network must be >= 0 B/s and finite");
}

/// The kinds, in the order of the columns of a utilisation matrix.
enum class resource_kind : std::uint8_t { compute, memory, cores, network };
inline constexpr int resource_kinds = 4;

/// "compute", "memory", "cores", "network".
constexpr const char* name_of(resource_kind kind) {
  switch (kind) {
    case resource_kind::compute: return "compute";
    case resource_kind::memory: return "memory";
    case resource_kind::cores: return "cores";
    case resource_kind::network: return "network";
  }
  return "";
}

/// Parts of a whole, kind by kind: 0 where the whole has nothing and nothing is asked of it.
struct resource_shares {
  double compute = 0;
  double memory = 0;
  double cores = 0;
  double network = 0;

  [[nodiscard]] constexpr double of(resource_kind kind) const {
    switch (kind) {
      case resource_kind::compute: return compute;
      case resource_kind::memory: return memory;
      case resource_kind::cores: return cores;
      case resource_kind::network: return network;
    }
    return 0;
  }
  /// The kind of which the largest part is taken; of equal ones the first.
  [[nodiscard]] constexpr resource_kind dominant() const {
    resource_kind most = resource_kind::compute;
    for (const resource_kind kind :
         {resource_kind::memory, resource_kind::cores, resource_kind::network})
      if (of(kind) > of(most)) most = kind;
    return most;
  }
  [[nodiscard]] constexpr double largest() const { return of(dominant()); }
};

/// What part of the whole an amount is.
///
///     u_k = amount_k / whole_k
///
/// Source: definition.
///
/// \throws invalid_input if an amount is out of range, or asked of a kind that the whole lacks
constexpr resource_shares shares_of(const resources& amount, const resources& whole) {
  require_valid(amount);
  require_valid(whole);
  require((whole.compute > flop_per_second{0} || amount.compute == flop_per_second{0}) &&
              (whole.memory > bytes{0} || amount.memory == bytes{0}) &&
              (whole.cores > 0 || amount.cores == 0) &&
              (whole.network > bytes_per_second{0} || amount.network == bytes_per_second{0}),
          "shares_of: whole must be > 0 in every kind that is asked for");
  const auto part = [](auto some, auto all, auto none) { return all > none ? some / all : 0.0; };
  return {.compute = part(amount.compute, whole.compute, flop_per_second{0}),
          .memory = part(amount.memory, whole.memory, bytes{0}),
          .cores = part(amount.cores, whole.cores, 0.0),
          .network = part(amount.network, whole.network, bytes_per_second{0})};
}

/// How much of what a job does in a step must be done in its time, by each of its GPUs.
struct step_demand {
  flop work{};             ///< of one GPU in a step, >= 0: training_step_flop over the GPUs
  bytes memory{};          ///< of one GPU, >= 0: the worst stage of its footprint
  bytes sent{};            ///< out of the node by one GPU in a step, >= 0
  double cores_per_gpu{};  ///< that feed one GPU, >= 0
};

/// What a job asks of a node on which it has some GPUs, if a step is to take no longer than so.
///
///     D_GPU = k F / t     D_MEM = k M     D_CPU = k c     D_BW = k m / t
///
///     k  GPUs on the node        count, >= 1
///     F  work of one in a step   FLOP
///     M  memory of one           B: states and activations, see memory/footprint.hpp
///     c  cores for one           count
///     m  sent by one in a step   B
///     t  step time               s, > 0
///
/// Source: definition.
///
/// \throws invalid_input if gpus < 1, the step is not > 0 s, or an amount is not >= 0
constexpr resources resource_demand(const step_demand& each, int gpus, seconds step) {
  require(gpus >= 1, "resource_demand: gpus must be >= 1");
  require(step > seconds{0}, "resource_demand: step must be > 0 s");
  const resources demand{.compute = gpus * (each.work / step),
                         .memory = gpus * each.memory,
                         .cores = gpus * each.cores_per_gpu,
                         .network = gpus * (each.sent / step)};
  require_valid(demand);
  return demand;
}

/// Whether what is free holds what is asked, in every kind.
constexpr bool holds(const resources& free, const resources& asked) {
  return asked.compute <= free.compute && asked.memory <= free.memory &&
         asked.cores <= free.cores && asked.network <= free.network;
}

/// What one GPU of the job does in a step.
///
///     work    F / n
///     memory  of the fullest stage
///     sent    to keep replicas equal, where they do not all lie on one node, as
///             data_parallel_traffic says; and each way between stages, where these do not:
///             2 m b s h w / (t c)
///
///     F  training_step_flop        FLOP      m, b  micro-batches, their size   count
///     n  GPUs                      count     s, h  sequence, hidden size       count
///     w  bytes of an activation    B         t, c  tensor and context ranks    count
///
/// The layout is laid out in the usual order: tensor innermost, then context, data, pipeline.
/// Coarse in two things: experts count as cut like the rest, and tensor and context ranks that
/// leave the node are not charged.
///
/// Source: the functions named; D. Narayanan et al., "Efficient Large-Scale Language Model Training
/// on GPU Clusters Using Megatron-LM", SC21 (2021), section 3, for what stages send.
///
/// \throws invalid_input if a description is invalid, or a number is out of its range
constexpr step_demand step_demand_of(const transformer& m, const recipe& how,
                                     const parallelism& cut, int gpus_per_node,
                                     double cores_per_gpu) {
  require(gpus_per_node >= 1, "step_demand_of: gpus_per_node must be >= 1");
  require(cores_per_gpu >= 0 && cores_per_gpu < 1e300,
          "step_demand_of: cores_per_gpu must be >= 0 and finite");
  const bytes fullest = memory_footprint(m, how, cut).worst_stage().total();
  const precision_formats formats = formats_of(how.precision);
  const double parameters = parameters_of(m).total() / (1.0 * cut.tensor * cut.pipeline);
  const double micro_batches = how.global_batch_size / (1.0 * cut.data * cut.micro_batch_size);
  const std::int64_t replicas = cut.replicas();
  const std::int64_t stage = cut.tensor * replicas;

  bytes sent{};
  if (stage > gpus_per_node && replicas > 1) {
    const data_parallel_traffic sync{.ranks = static_cast<int>(replicas),
                                     .gradients = parameters * limits_of(formats.gradient).storage,
                                     .weights = parameters * limits_of(formats.weight).storage,
                                     .micro_batches = static_cast<int>(micro_batches)};
    sent += sync.sent(how.zero);
  }
  if (cut.pipeline > 1 && stage * cut.pipeline > gpus_per_node) {
    const double activations = 1.0 * cut.micro_batch_size * how.sequence_length * m.hidden_size /
                               (1.0 * cut.tensor * cut.context);
    sent += 2 * micro_batches * activations * limits_of(formats.activation).storage;
  }
  return {.work = training_step_flop(m, how) / static_cast<double>(cut.gpus()),
          .memory = fullest,
          .sent = sent,
          .cores_per_gpu = cores_per_gpu};
}

}  // namespace gpuplan
