#pragma once
/// \file
/// A row of what benchmarks/measured/measure.py writes: one training job of one GPU in PyTorch.

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/hardware/driver_name.hpp>
#include <gpuplan/memory/max_batch.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/model/recipe_names.hpp>
#include <gpuplan/model/transformer_json.hpp>
#include <gpuplan/units/units.hpp>

#include "accuracy/fields.hpp"
#include "accuracy/job.hpp"

namespace gpuplan::accuracy {

/// What was measured of a job; a job of which the largest batch was looked for has that alone.
struct device_run {
  std::string name;
  bool fitted = false;  ///< constants may be fitted to it
  job asked{};
  cluster pool{};
  bytes states{};  ///< torch.cuda.memory_allocated after a step
  bytes peak{};    ///< torch.cuda.max_memory_allocated
  seconds time{};  ///< the middle one of its steps
  int largest_batch = 0;
  bytes capacity{};  ///< of the device

  [[nodiscard]] bytes predicted_states() const { return asked.memory().stage(0).resident(); }
  [[nodiscard]] bytes predicted_peak() const { return asked.memory().stage(0).allocator_peak(); }
  [[nodiscard]] std::int64_t predicted_batch() const {
    return max_micro_batch(asked.memory(), capacity).samples;
  }
};

namespace detail {

/// Eager PyTorch as measure.py runs it: weights in FP32 under autocast, fused updates, gradients
/// freed after each, the loss of FP32 logits in separate steps.
inline recipe device_recipe(const nlohmann::json& row) {
  recipe how{.global_batch_size = whole_of(row, "micro_batch_size"),
             .sequence_length = whole_of(row, "sequence_length"),
             .precision = named_choice(row, "precision", precision_names),
             .optimizer = named_choice(row, "optimizer", optimizer_names),
             .recompute = named_choice(row, "recompute", recompute_names),
             .attention = named_choice(row, "attention", attention_names),
             .loss = loss_kernel::eager,
             .gradients_live = gradient_lifetime::backward,
             .framework = framework::fsdp};
  if (how.precision == precision::mixed_bf16) how.weights = weight_storage::fp32;
  return how;
}

inline workspace device_workspace(const recipe& how, std::string_view gpu, bytes beside) {
  workspace all{.transformer_engine = bytes{0}, .communicator = bytes{0}};
  const bool hopper = gpu.find("H100") != gpu.npos || gpu.find("H200") != gpu.npos;
  if (!hopper) all.cublas = 8.125 * units::MiB;
  if (beside > bytes{0}) all.cuda_context = beside;
  all.kernels.norms_kept_fp32 = how.precision == precision::mixed_bf16;
  all.kernels.activation_fused = false;
  all.kernels.head_gradient_fused = false;
  return all;
}

}  // namespace detail

/// The device of a file, as the driver names it.
struct measured_device {
  std::string name;
  bytes memory{};  ///< 0: not said
};

/// The job of a row, without what was measured of it.
/// \throws unmapped saying what the row lacks, or what no description fits
inline device_run device_run_of(const nlohmann::json& row, const measured_device& device) {
  const catalog::accelerator_entry* known =
      catalog::find_by_driver_name(device.name, device.memory);
  if (known == nullptr) known = catalog::find_accelerator(device.name);
  if (known == nullptr) throw unmapped{"gpu " + device.name + " is unknown"};
  device_run one{.name = text_of(row, "name"), .fitted = flag(row, "fitted")};
  one.asked.model = read_transformer(field(row, "transformer"), "transformer");
  one.asked.recipe = detail::device_recipe(row);
  one.asked.parallelism = {.micro_batch_size = one.asked.recipe.global_batch_size};
  one.asked.workspace = detail::device_workspace(one.asked.recipe, device.name,
                                                 bytes{number(row, "beside_bytes").value_or(0)});
  one.pool = cluster_of(node_of(*known->gpu, 1, interconnect_of(catalog::infiniband_ndr)), 1);
  one.capacity = device.memory > bytes{0} ? device.memory : known->gpu->memory;
  return one;
}

}  // namespace gpuplan::accuracy
