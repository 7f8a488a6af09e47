#pragma once
/// \file
/// The layers of a job with their names resolved, so that they can be walked many times.

#include <algorithm>
#include <string_view>
#include <vector>

#include "memory/walk/layer.hpp"
#include "memory/walk/ledger.hpp"
#include "memory/walk/parameters.hpp"
#include "memory/walk/product_shapes.hpp"
#include "memory/walk/states.hpp"

namespace gpuplan::testing {

/// A tensor of a layer that is walked.
struct planned_tensor {
  ledger::account account{};
  bytes size{};
  bool layer_input = false;
  bool kept = false;        ///< where recomputation is not full: from forward to backward pass
  bool for_weight = false;  ///< stays until the weight gradients
  bool only_kept = false;   ///< not made again, where it is not kept
  bool in_place = false;    ///< a gradient that the formulas count in the place of another tensor
  unsigned part = 0;        ///< recomputed module that makes it again; 0: none
};

struct planned_step {
  std::size_t slot = 0;
  bool makes = false;
  std::vector<std::size_t> frees{};
};

/// A block: its tensors have the slots begin to middle, its gradients middle to end.
struct planned_block {
  std::size_t begin = 0, middle = 0, end = 0;
  std::vector<planned_step> backward{};
};

struct layer_plan {
  std::vector<planned_tensor> slots;
  std::vector<planned_block> blocks;
  bytes gathered{};         ///< parameters that other ranks share, whole
  bytes whole_gradients{};  ///< likewise
  bytes own_gradients{};    ///< of this rank
  bytes stream{};           ///< its residual stream
  bytes core_again{};       ///< what selective recomputation makes again
  bytes dequantised{};      ///< a 16-bit copy of its largest quantised matrix
  bytes formed_waiting{};   ///< what the formulas have waiting for its weight gradients
};

namespace detail {

/// Parameters of a unit that a rank lacks, which it gathers to compute with.
inline double divided_values(const walked_job& job, const parameter_list& list, bool trained) {
  double values = 0;
  const bool alone_too = job.as_formulas.units_all_along;
  for (const parameter_tensor& one : list)
    if ((alone_too || shards_of(job, one.role) > 1) && (one.trained || !trained))
      values += one.values();
  return values;
}

inline bytes divided_gradients(const walked_job& job, const parameter_list& list) {
  bytes size{};
  for (const parameter_tensor& one : list)
    size += divided_values(job, {one}, true) * state_sizes_of(job, one).gradient;
  return size;
}

/// A number for what is computed again together, as the formulas count it: routed and shared
/// experts one after the other.  0: nothing is.
inline unsigned part_of(module_set module, const tensor& one) {
  const bool shared = one.why.modules.has(recomputed_module::shared_experts);
  return module.bits == 0 ? 0U : module.bits * 2 + (shared ? 1U : 0U);
}

inline void plan_block(layer_plan& plan, const block& of, const walked_job& job, ledger& memory,
                       bool trained) {
  const recipe& how = job.recipe;
  const bool frozen = how.adapters.rank > 0;
  const bool formed = job.as_formulas.waiting_as_formed;
  planned_block all{.begin = plan.slots.size()};
  std::vector<std::string_view> names;
  for (const tensor& one : of.forward) {
    const bool waits = !one.why.core && !one.why.mask && !one.why.only_kept;
    const bool of_frozen = one.why.for_adapter || one.why.of_adapter;
    if (frozen ? of_frozen : waits) plan.formed_waiting += one.size();
    if (frozen && one.why.only_for_weight) continue;
    if (one.why.only_kept && !is_kept(one, how, true)) continue;
    plan.slots.push_back({memory.account_of(one.name), one.size(), one.why.layer_input,
                          is_kept(one, how, false), one.why.product_input && !formed,
                          one.why.only_kept, false, part_of(again_with(one, how), one)});
    if (how.recompute == recompute::selective && one.why.core) plan.core_again += one.size();
    names.push_back(one.name);
  }
  all.middle = plan.slots.size();
  for (const gradient_step& step : of.backward) {
    plan.slots.push_back({memory.account_of(step.name), step.size(), false, false,
                          step.of_output && trained && !formed, false, step.in_place});
    names.push_back(step.name);
  }
  all.end = plan.slots.size();
  for (std::size_t i = 0; i < of.backward.size(); ++i) {
    planned_step step{.slot = all.middle + i, .makes = !of.backward[i].name.empty()};
    for (const std::string_view freed : of.backward[i].frees)
      for (std::size_t k = 0; k < names.size(); ++k)
        if (!freed.empty() && names[k] == freed) step.frees.push_back(all.begin + k);
    all.backward.push_back(step);
  }
  plan.blocks.push_back(all);
}

/// Matrices that steps of the framework unpack, which their products keep.
inline void add_unpacked(block& of, const walked_job& job, walked_layer kind) {
  if (job.recipe.adapters.rank == 0 || job.recipe.adapters.base != base_weights::int4) return;
  double values = 0;
  for (const parameter_tensor& one : parameters_of_walked(job, kind))
    if (is_linear_map(one.role)) values += one.values();
  of.add("unpacked matrices", values, sizes_of(job).activation);
}

}  // namespace detail

/// A layer of one kind, of a job.
inline layer_plan plan_of(const walked_job& job, walked_layer kind, ledger& memory) {
  const bool frozen = job.recipe.adapters.rank > 0;
  const bool network_adapted =
      job.recipe.adapters.place == adapter_place::attention_and_ffn && kind == walked_layer::dense;
  layer_plan plan;
  std::vector<block> blocks = blocks_of(job, kind);
  detail::add_unpacked(blocks.back(), job, kind);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const bool is_network = i + 1 == blocks.size();
    detail::plan_block(plan, blocks[i], job, memory, !frozen || !is_network || network_adapted);
  }
  parameter_list list = parameters_of_walked(job, kind);
  const parameter_list adapters = adapters_of_walked(job, kind);
  const value_sizes size = sizes_of(job);
  const auto gather = [&](const parameter_list& some) {
    for (const parameter_tensor& one : some)
      plan.gathered += detail::divided_values(job, {one}, false) *
                       (std::min)(size.activation, state_sizes_of(job, one).weight);
  };
  gather(list);
  if (!job.as_formulas.units_all_along) gather(adapters);
  list.insert(list.end(), adapters.begin(), adapters.end());
  plan.whole_gradients = detail::divided_gradients(job, list);
  plan.dequantised = dequantised_size(job, kind);
  plan.own_gradients = held_of(job, list).gradients;
  const tokens seen = kind == walked_layer::encoder ? encoder_tokens(job) : decoder_tokens(job);
  plan.stream = job.model.hidden_size * seen.own * size.activation;
  return plan;
}

}  // namespace gpuplan::testing
