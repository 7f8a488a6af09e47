#pragma once
/// \file
/// What software keeps of each parameter tensor: weight, gradient, master copy, optimizer states.

#include <cstdint>

#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/model/optimizer.hpp>

#include "memory/walk/job.hpp"
#include "memory/walk/parameters.hpp"

namespace gpuplan::testing {

/// Bytes of one value of each kind.
struct state_sizes {
  bytes weight{};
  bytes gradient{};
  bytes working_gradient{};  ///< in the weights' format, beside a wider accumulated one
  bytes master{};
  bytes state{};  ///< of one optimizer state
};

inline state_sizes state_sizes_of(const walked_job& job) {
  const recipe& how = job.recipe;
  const precision_formats formats = formats_of(how.precision);
  const bytes full = limits_of(number_format::fp32).storage;
  state_sizes size{.weight = limits_of(formats.weight).storage,
                   .gradient = limits_of(gradient_storage(how)).storage,
                   .master = formats.master_copy ? full : bytes{0},
                   .state = limits_of(formats.state).storage};
  if (how.weights == weight_storage::fp32) {
    size.weight = full;
    size.master = bytes{0};
  }
  if (rule_of(how.optimizer).states == state_storage::blocks_of_8_bit)
    size.state = (1 + 4 / adam_8bit_block) * units::byte;
  if (job.workspace.kernels.working_gradients && size.weight < size.gradient)
    size.working_gradient = size.weight;
  return size;
}

/// Ranks among which ZeRO divides a tensor.
inline double shards_of(const walked_job& job, parameter_role role) {
  const parallelism& cut = job.parallelism;
  const double group =
      cut.shard_group > 0 ? cut.shard_group : static_cast<double>(cut.data) * cut.context;
  if (role != parameter_role::expert) return group;
  const double pieces = static_cast<double>(cut.expert) * cut.expert_tensor_ranks();
  return (std::max)(1.0, group * cut.tensor / pieces);
}

/// What one rank holds of a list of tensors, divided where the recipe's ZeRO says so.
struct held_states {
  bytes weights{};
  bytes gradients{};
  bytes masters{};
  bytes optimizer{};
  double updated = 0;  ///< trained values that this rank updates
};

inline double state_count(const optimizer_rule& rule, parameter_role role) {
  const bool hidden = role == parameter_role::matrix || role == parameter_role::expert;
  return hidden ? rule.matrix_states : rule.other_states;
}

inline held_states held_of(const walked_job& job, const parameter_list& list) {
  const state_sizes size = state_sizes_of(job);
  const zero_stage zero = job.recipe.zero;
  const optimizer_rule& rule = rule_of(job.recipe.optimizer);
  held_states held;
  for (const parameter_tensor& one : list) {
    const double values = one.values();
    const double piece = values / shards_of(job, one.role);
    held.weights += (zero >= zero_stage::parameters ? piece : values) * size.weight;
    if (!one.trained) continue;
    held.gradients +=
        (zero >= zero_stage::gradients ? piece : values) * (size.gradient + size.working_gradient);
    const double updated = zero >= zero_stage::optimizer ? piece : values;
    held.updated += updated;
    held.masters += updated * size.master;
    held.optimizer += state_count(rule, one.role) * updated * size.state;
    if (rule.states != state_storage::rows_and_columns) continue;
    const double kept =
        one.role == parameter_role::vector ? values : one.count * (one.rows + one.columns);
    held.optimizer += updated / values * kept * (4 * units::byte);
  }
  return held;
}

}  // namespace gpuplan::testing
