#pragma once
/// \file
/// A published run of a mixture of experts, and what step_time_of says of it.  Few sources print
/// how tokens are sent to experts, so each is predicted twice.

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/plan/step_time.hpp>
#include <gpuplan/units/units.hpp>

#include "accuracy/fields.hpp"
#include "accuracy/published_row.hpp"
#include "accuracy/speed_row.hpp"

namespace gpuplan::accuracy {

/// One run, what it took, and what it is predicted to take.
struct expert_run {
  speed_run run{};
  std::string model;     ///< its name in the catalog
  seconds plain{};       ///< with the recipe's defaults: nothing hides messages to experts
  seconds overlapped{};  ///< with messages overlapped, and one copy of a token for each node
};

namespace detail {

/// MXFP8 multiplies as fast as FP8; its scales, a byte for 32 values, are not counted.
inline precision expert_precision(const std::string& dtype) {
  return published_precision(dtype == "mxfp8" ? "fp8" : dtype);
}

/// The first name of a model of the catalog that people write in more ways.
inline std::string catalog_name(const std::string& name) {
  for (const catalog::named_model& row : catalog::models)
    if (same_name(row.name, name)) return std::string(row.name);
  throw unmapped{"model " + name + " is unknown"};
}

/// What the printed fields say; what they leave open is as Megatron Core's recipes have it.
inline job expert_job(const nlohmann::json& entry) {
  const nlohmann::json& model = field(entry, "model");
  const int tensor = whole_of(entry, "tp");
  job asked{.model = *catalog::find_model(catalog_name(text_of(model, "name"))),
            .recipe = {.global_batch_size = whole_of(entry, "global_batch"),
                       .sequence_length = whole_of(model, "seq"),
                       .precision = expert_precision(text_of(field(entry, "run"), "dtype")),
                       .zero = zero_stage::optimizer,
                       .sequence_parallel = tensor > 1},
            .parallelism = {.data = whole_of(entry, "dp"),
                            .tensor = tensor,
                            .pipeline = whole_of(entry, "pp"),
                            .context = whole(entry, "cp").value_or(1),
                            .expert = whole_of(entry, "ep"),
                            .interleave = (std::max)(whole(entry, "vp").value_or(1), 1),
                            .micro_batch_size = whole_of(entry, "micro_batch"),
                            .expert_tensor = 1}};
  // Layouts that software pads with layers of nothing are taken as if they had no chunks.
  const reject no =
      layout_fault(asked.model, asked.parallelism.gpus(), asked.recipe, asked.parallelism);
  if (no.reason == reject_reason::layers) asked.parallelism.interleave = 1;
  return asked;
}

/// The seconds of a step: printed, or from the tokens of a GPU and second.
inline seconds expert_seconds(const nlohmann::json& entry, const recipe& how) {
  const nlohmann::json& measured = field(entry, "measured");
  for (const char* quantity : {"iteration_s", "tokens_per_s_per_gpu"})
    if (const auto value = number(measured, quantity))
      return step_seconds(quantity, *value, how, number_of(entry, "gpus"), {});
  throw unmapped{"no time and no throughput is printed"};
}

inline seconds step_of(const speed_run& run) {
  return step_time_of(run.asked.model, run.pool, run.asked.recipe, run.asked.parallelism,
                      profile_of(run.asked.recipe.framework))
      .total();
}

inline expert_run expert_run_of(const nlohmann::json& entry) {
  const nlohmann::json& printed = field(entry, "run");
  if (!has(printed, "gpu")) throw unmapped{"gpu is not given"};
  const auto* gpu = catalog::find_accelerator(text_of(printed, "gpu"));
  if (gpu == nullptr) throw unmapped{"gpu " + text_of(printed, "gpu") + " is unknown"};
  const node box = node_of(*gpu->gpu, whole(printed, "nvlink_domain").value_or(8),
                           interconnect_of(catalog::infiniband_ndr));
  expert_run one{.run = {.id = text_of(entry, "id"),
                         .family = text_of(printed, "family"),
                         .source = text_of(entry, "source"),
                         .gpu = text_of(printed, "gpu"),
                         .asked = expert_job(entry),
                         .pool = cluster_of(box, whole_of(entry, "gpus"))},
                 .model = detail::catalog_name(text_of(field(entry, "model"), "name"))};
  job& asked = one.run.asked;
  const reject no = layout_fault(asked.model, one.run.pool.gpus(), asked.recipe, asked.parallelism);
  if (no) throw unmapped{std::string(describe(no.reason))};
  if (!(gpu->gpu->peak[formats_of(asked.recipe.precision).product] > flop_per_second{0}))
    throw unmapped{std::string(describe(reject_reason::format))};
  one.run.measured = expert_seconds(entry, asked.recipe);
  one.plain = step_of(one.run);
  speed_run other = one.run;
  other.asked.recipe.messages = expert_messages::overlapped;
  other.asked.recipe.dispatch = expert_dispatch::to_each_node;
  one.overlapped = step_of(other);
  return one;
}

}  // namespace detail

}  // namespace gpuplan::accuracy
