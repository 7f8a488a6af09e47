#pragma once
/// \file
/// Batch, micro-batch and replicas that DeepSpeed's JSON says.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/launch/arguments.hpp>
#include <gpuplan/launch/launch_job.hpp>

namespace gpuplan {

namespace detail {

inline constexpr std::string_view deepspeed_batch_name = "train_batch_size";
inline constexpr std::string_view deepspeed_micro_batch_name = "train_micro_batch_size_per_gpu";
inline constexpr std::string_view deepspeed_steps_name = "gradient_accumulation_steps";

/// Where without_auto keeps the names that a file leaves to the script.
inline constexpr std::string_view left_to_script = "_auto";

/// Whether a file says "auto" for a name.
inline bool is_left_to_script(const launch_arguments& args, std::string_view name) {
  const std::vector<std::string> left = args.words(left_to_script);
  return std::find(left.begin(), left.end(), name) != left.end();
}

/// Replicas of the job: its GPUs, unless options cut each replica; 0: nobody says how many.
inline int replicas_around(const launch_surroundings& around) {
  if (around.replicas > 0) return around.replicas;
  int replicas = around.gpus;
  for (const char* cut :
       {"tensor-model-parallel-size", "pipeline-model-parallel-size", "context-parallel-size"})
    if (const auto degree = around.given.find(cut);
        degree != around.given.end() && degree->second > 0 && replicas % degree->second == 0)
      replicas /= degree->second;
  return replicas;
}

/// "8 GPUs"; "2 replicas" where GPUs do not say them.
inline std::string replicas_in_words(const launch_surroundings& around) {
  const int replicas = replicas_around(around);
  const std::string word = replicas == around.gpus ? " GPU" : " replica";
  return std::to_string(replicas) + word + (replicas == 1 ? "" : "s");
}

/// Whether neither the file nor an option decides the micro-batch: the batch and the GPUs do, where
/// the file says the steps of accumulation, or leaves nothing to its script.
inline bool is_micro_batch_open(const launch_arguments& args, const launch_surroundings& around) {
  if (args.has(deepspeed_micro_batch_name) || around.micro_batch_size > 0) return false;
  const bool follows =
      args.has(deepspeed_steps_name) || !is_left_to_script(args, deepspeed_micro_batch_name);
  return !follows || !args.has(deepspeed_batch_name) || replicas_around(around) == 0;
}

/// "train_micro_batch_size_per_gpu 4 x gradient_accumulation_steps 8", of what is given.
inline std::string deepspeed_product(std::optional<int> micro_batch, std::optional<int> steps) {
  std::string product;
  if (micro_batch)
    product = std::string(deepspeed_micro_batch_name) + " " + std::to_string(*micro_batch);
  if (steps)
    product += (product.empty() ? "" : " x ") + std::string(deepspeed_steps_name) + " " +
               std::to_string(*steps);
  return product;
}

/// \throws invalid_input if a batch is not what its three factors make
inline void require_deepspeed_batch(const launch_arguments& args, const launch_surroundings& around,
                                    int batch, int micro_batch, int steps) {
  const std::int64_t of_replica = std::int64_t{micro_batch} * steps;
  const int replicas = replicas_around(around);
  const double product = static_cast<double>(of_replica) * replicas;
  if (product == batch) return;
  std::string cure = "; leave one of the three out";
  if (batch % of_replica == 0)
    cure += std::string(", or give ") + (replicas == around.gpus ? "--gpus " : "--data ") +
            std::to_string(batch / of_replica);
  const std::string allowed =
      product < 1e18 ? "must be " + std::to_string(static_cast<std::int64_t>(product)) + ": "
                     : "contradicts ";
  args.refuse(deepspeed_batch_name, "is " + std::to_string(batch) + ", but " + allowed +
                                        deepspeed_product(micro_batch, steps) + " x " +
                                        replicas_in_words(around) + cure);
}

/// How many replicas a batch is for, where nobody says how many GPUs there are.
/// \throws invalid_input if the factors that are given do not divide it
inline int replicas_of_batch(const launch_arguments& args, int batch,
                             std::optional<int> micro_batch, std::optional<int> steps) {
  const std::int64_t of_replica = std::int64_t{micro_batch.value_or(1)} * steps.value_or(1);
  if (batch % of_replica != 0)
    args.refuse(deepspeed_batch_name,
                "is " + std::to_string(batch) + ", but must be a multiple of " +
                    deepspeed_product(micro_batch, steps) +
                    (micro_batch && steps ? " = " + std::to_string(of_replica) : ""));
  return static_cast<int>(batch / of_replica);
}

/// What the batch leaves to each micro-batch of the replicas.
/// \throws invalid_input if these do not divide it
inline int micro_batch_of_batch(const launch_arguments& args, const launch_surroundings& around,
                                int batch, std::optional<int> steps) {
  const std::int64_t parts = std::int64_t{steps.value_or(1)} * replicas_around(around);
  if (batch % parts != 0)
    args.refuse(deepspeed_batch_name, "is " + std::to_string(batch) +
                                          ", but must be a multiple of " +
                                          (steps ? deepspeed_product({}, steps) + " x " : "") +
                                          replicas_in_words(around));
  return static_cast<int>(batch / parts);
}

}  // namespace detail

/// Reads the batch, the micro-batch and the replicas.  DeepSpeed makes each that a file leaves out
/// from the others, and stops where all are given and disagree:
///
///     train_batch_size = train_micro_batch_size_per_gpu x gradient_accumulation_steps x GPUs
///
/// Options go before what the file says: with another batch or micro-batch the steps follow.
///
/// Source: Microsoft, DeepSpeed, deepspeed/runtime/config.py, _set_batch_related_parameters and
/// _batch_assertion (2025).
///
/// \throws invalid_input naming the field
inline void read_deepspeed_batch(const launch_arguments& args, const launch_surroundings& around,
                                 launch_job& said) {
  parallelism& cut = said.parallelism;
  const auto batch = args.whole(detail::deepspeed_batch_name, 1);
  const auto micro_batch = args.whole(detail::deepspeed_micro_batch_name, 1);
  const auto steps = args.whole(detail::deepspeed_steps_name, 1);
  const int replicas = detail::replicas_around(around);
  const auto other = around.given.find("global-batch-size");
  const bool is_another = around.micro_batch_size > 0 || other != around.given.end();

  if (batch && micro_batch && steps && replicas > 0 && !is_another)
    detail::require_deepspeed_batch(args, around, *batch, *micro_batch, *steps);
  const bool follows = !micro_batch && batch && around.micro_batch_size == 0 &&
                       !detail::is_micro_batch_open(args, around);
  const int shared = other != around.given.end() ? other->second : batch.value_or(1);
  cut.micro_batch_size = follows ? detail::micro_batch_of_batch(args, around, shared, steps)
                                 : micro_batch.value_or(std::max(1, around.micro_batch_size));
  cut.data = std::max(1, replicas);
  said.one_replica = replicas == 0 && !batch;
  if (replicas == 0 && batch) {
    const auto each = micro_batch || around.micro_batch_size > 0
                          ? std::optional{cut.micro_batch_size}
                          : std::nullopt;
    cut.data = detail::replicas_of_batch(args, *batch, each, steps);
    if (!micro_batch || !steps)
      said.assumed.push_back(std::to_string(cut.data) + " GPUs, each with " +
                             std::to_string(steps.value_or(1)) + " x " +
                             std::to_string(cut.micro_batch_size) + " of the batch of " +
                             std::to_string(*batch) + "; --gpus says how many there are");
  }
  said.recipe.global_batch_size = batch.value_or(static_cast<int>(std::min<double>(
      launch_arguments::largest, double(steps.value_or(1)) * cut.micro_batch_size * cut.data)));
}

}  // namespace gpuplan
