#pragma once
/// \file
/// What software keeps of each parameter tensor: weight, gradient, master copy, optimizer states.

#include <cstdint>

#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/memory/weight_formats.hpp>
#include <gpuplan/model/adapter_choice.hpp>
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

/// Bytes of a weight that products read in FP8, of which there is no other: its values, a copy that
/// lies the other way where products or scales along one side need it, and the scales of MXFP8.
inline bytes fp8_weight_size(const walked_job& job) {
  const value_sizes size = sizes_of(job);
  switch (job.recipe.fp8_recipe) {
    case fp8_recipe::tensorwise: return (job.workspace.kernels.fp8_transposed ? 2 : 1) * size.flag;
    case fp8_recipe::blockwise: return 2 * size.flag;
    case fp8_recipe::mxfp8: return 2 * (1 + 1 / mxfp8_block) * size.flag;
  }
  return {};
}

/// Bytes of a frozen weight of a linear map, where it is quantised: 4 bits and the scales of its
/// blocks, which are FP32, or 8 bits with an FP32 scale for each 256 of them.
inline bytes quantised_size(const walked_job& job) {
  const value_sizes size = sizes_of(job);
  const adapters& beside = job.recipe.adapters;
  if (beside.base != base_weights::int4 && beside.base != base_weights::nf4) return size.flag;
  const bytes scale = beside.blocks.double_quantization ? size.flag + size.full / 256 : size.full;
  return size.flag / 2 + scale / beside.blocks.size;
}

inline bool is_linear_map(parameter_role role) {
  return role == parameter_role::matrix || role == parameter_role::expert;
}

/// As the recipe says; of adapters PyTorch alone trains FP32 values.
inline state_sizes state_sizes_of(const walked_job& job, const parameter_tensor& of) {
  recipe how = job.recipe;
  const bool plain = plain_pytorch(job) && how.adapters.rank > 0;
  if (plain && of.adapter) {
    how.weights = weight_storage::fp32;
    how.gradient = gradient_format::fp32;
  } else if (plain && of.trained && sizes_of(job).activation < sizes_of(job).full &&
             how.weights == weight_storage::by_precision) {
    how.precision = precision::bf16;  // a copy of a table, 16 bits in all
    how.gradient = gradient_format::bf16;
  }
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
  const optimizer_rule& rule = rule_of(how.optimizer);
  const bool two = (is_linear_map(of.role) ? rule.matrix_states : rule.other_states) == 2;
  if (rule.states == state_storage::blocks_of_8_bit)
    size.state = (1 + 4 / adam_8bit_block) * units::byte;
  else if (two && how.moments != moment_format::by_precision)
    size.state = bytes_of_moment(how.moments);
  const bool fp8_alone = how.precision == precision::mixed_fp8 &&
                         how.framework == framework::transformer_engine &&
                         how.weights == weight_storage::by_precision;
  if (is_linear_map(of.role) && fp8_alone) size.weight = fp8_weight_size(job);
  if (is_linear_map(of.role) && how.adapters.rank > 0 && !of.adapter &&
      how.adapters.base != base_weights::by_precision)
    size.weight = quantised_size(job);
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
  bytes gradient_copies{};  ///< FP32, of 16-bit gradients beside master weights
  double updated = 0;       ///< trained values that this rank updates
};

inline double state_count(const optimizer_rule& rule, parameter_role role) {
  return is_linear_map(role) ? rule.matrix_states : rule.other_states;
}

inline held_states held_of(const walked_job& job, const parameter_list& list) {
  const zero_stage zero = job.recipe.zero;
  const optimizer_rule& rule = rule_of(job.recipe.optimizer);
  held_states held;
  for (const parameter_tensor& one : list) {
    const state_sizes size = state_sizes_of(job, one);
    const double values = one.values();
    const double piece = values / shards_of(job, one.role);
    held.weights += (shards_weights(job.recipe) ? piece : values) * size.weight;
    if (!one.trained) continue;
    if (!gradients_on_host(job))
      held.gradients +=
          (divides_gradients(job) ? piece : values) * (size.gradient + size.working_gradient);
    const double updated = zero >= zero_stage::optimizer ? piece : values;
    held.updated += updated;
    held.masters += updated * size.master;
    if (size.master > bytes{0} && size.gradient < sizes_of(job).full)
      held.gradient_copies += updated * sizes_of(job).full;
    held.optimizer += state_count(rule, one.role) * updated * size.state;
    if (rule.states != state_storage::rows_and_columns) continue;
    const double kept =
        one.role == parameter_role::vector ? values : one.count * (one.rows + one.columns);
    held.optimizer += updated / values * kept * (4 * units::byte);
  }
  return held;
}

/// Weights of a second, frozen model, as the layers compute with them; none beside adapters, whose
/// base it is.
inline bytes reference_size(const walked_job& job, const parameter_list& list) {
  if (job.recipe.reference == reference_model::none || job.recipe.adapters.rank > 0) return {};
  const bytes each = limits_of(formats_of(job.recipe.precision).weight).storage;
  double values = 0;
  for (const parameter_tensor& one : list)
    values += job.recipe.zero == zero_stage::parameters ? one.values() / shards_of(job, one.role)
                                                        : one.values();
  return values * each;
}

}  // namespace gpuplan::testing
