#pragma once
/// \file
/// What a job asks of a node, from its model, its recipe and its layout.

#include <cstdint>

#include <gpuplan/comm/traffic.hpp>
#include <gpuplan/compute/training_flop.hpp>
#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/parameters.hpp>
#include <gpuplan/model/precision.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/placement/resources.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

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
