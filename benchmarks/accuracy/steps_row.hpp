#pragma once
/// \file
/// Rows of measured_steps_a100.json, measured_steps_b200.json, and of measured_memory.json where it
/// has times, as runs.

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/model/recipe_names.hpp>
#include <gpuplan/model/transformer_json.hpp>
#include <gpuplan/units/units.hpp>

#include "accuracy/fields.hpp"
#include "accuracy/job.hpp"
#include "accuracy/megatron_row.hpp"
#include "accuracy/speed_row.hpp"
#include "accuracy/speed_run.hpp"

namespace gpuplan::accuracy {

namespace detail {

/// GPT as Megatron-LM of 2022 trained it, FP16, all computed again, as the file's meta has it.
inline job vtrain_job(const nlohmann::json& row) {
  const int hidden = whole_of(row, "hidden_size");
  const int sequence = whole_of(row, "sequence_length");
  transformer m{.layers = whole_of(row, "layers"),
                .hidden_size = hidden,
                .attention_heads = whole_of(row, "attention_heads"),
                .ffn_size = 4 * hidden,
                .vocabulary_size = 50257,
                .biases = {.query_key_value = true, .attention_output = true, .ffn = true}};
  m.positions = position_encoding::learned;
  m.position_rows = sequence;
  m.norm = normalization::layer_norm;
  return {.model = m,
          .recipe = {.global_batch_size = whole_of(row, "global_batch_size"),
                     .sequence_length = sequence,
                     .precision = precision::mixed_fp16,
                     .recompute = recompute::full,
                     .attention = attention_kernel::unfused,
                     .framework = framework::megatron_2021},
          .parallelism = {.data = whole_of(row, "data"),
                          .tensor = whole_of(row, "tensor"),
                          .pipeline = whole_of(row, "pipeline"),
                          .micro_batch_size = whole_of(row, "micro_batch_size")}};
}

inline transformer simumax_transformer(const nlohmann::json& row) {
  transformer m{.layers = whole_of(row, "layers"),
                .hidden_size = whole_of(row, "hidden_size"),
                .attention_heads = whole_of(row, "attention_heads"),
                .kv_heads = whole(row, "kv_heads").value_or(0),
                .head_dim = whole(row, "head_dim").value_or(0),
                .ffn_size = whole_of(row, "ffn_size"),
                .vocabulary_size = whole_of(row, "vocabulary_size"),
                .gated_ffn = flag(row, "gated_ffn"),
                .tied_embeddings = flag(row, "tied_embeddings")};
  if (whole(row, "experts").value_or(0) == 0) return m;
  const int first = whole(row, "first_dense_layers").value_or(0);
  m.moe = {.experts = whole_of(row, "experts"),
           .experts_per_token = whole_of(row, "experts_per_token"),
           .ffn_size = whole_of(row, "expert_ffn_size"),
           .shared_ffn_size = whole(row, "shared_ffn_size").value_or(0),
           .first_dense_layers = first,
           .dense_layers = first};
  if (whole(row, "kv_rank").value_or(0) == 0) return m;
  m.latent = {.query_rank = whole_of(row, "query_rank"),
              .kv_rank = whole_of(row, "kv_rank"),
              .rope_head_dim = whole_of(row, "rope_head_dim"),
              .content_head_dim = whole_of(row, "content_head_dim"),
              .value_head_dim = whole_of(row, "value_head_dim")};
  m.kv_heads = 0;
  return m;
}

/// Megatron Core with every overlap off.
inline job simumax_job(const nlohmann::json& row) {
  using enum software_choice;
  job asked{.model = simumax_transformer(row),
            .recipe = {.global_batch_size = whole_of(row, "global_batch_size"),
                       .sequence_length = whole_of(row, "sequence_length"),
                       .precision = named_choice(row, "precision", precision_names),
                       .gradient = named_choice(row, "gradient_dtype", gradient_names),
                       .zero = static_cast<zero_stage>(whole_of(row, "zero")),
                       .recompute = named_choice(row, "recompute", recompute_names),
                       .attention = named_choice(row, "attention", attention_names),
                       .schedule = named_choice(row, "schedule", schedule_names),
                       .sequence_parallel = flag(row, "sequence_parallel"),
                       .dropout = flag(row, "dropout"),
                       .overlap = {.data = off, .tensor = off, .pipeline = off, .expert = off}},
            .parallelism = {.data = whole_of(row, "data"),
                            .tensor = whole_of(row, "tensor"),
                            .pipeline = whole_of(row, "pipeline"),
                            .context = whole_of(row, "context"),
                            .expert = whole_of(row, "expert"),
                            .interleave = whole_of(row, "interleave"),
                            .micro_batch_size = whole_of(row, "micro_batch_size"),
                            .expert_tensor = whole(row, "expert_tensor").value_or(0)}};
  // Experiments are switched on and rotations fused, as the file's meta has it.
  if (asked.model.latent.kv_rank > 0) asked.recipe.latent_rotary_fusion = on;
  if (says(text_of(row, "context_exchange"), "a"))
    asked.parallelism.exchange = context_exchange::all_to_all;
  return asked;
}

}  // namespace detail

inline speed_run run_of_a100(const nlohmann::json& row) {
  const std::string id = text_of(row, "id");
  const int gpus = whole_of(row, "gpus");
  const bool many = detail::says(id, "multi");
  const interconnect port{.latency = catalog::infiniband_hdr.port.latency,
                          .bandwidth = detail::port_payload * 12.5 * units::GB / units::second};
  speed_run one{
      .id = id,
      .section = speed_section::steps_a100,
      .family = many ? "many nodes" : "one node, tensor " + std::to_string(whole_of(row, "tensor")),
      .publisher = many ? "vTrain, many nodes" : "vTrain, one node",
      .source = "J. Bang et al., vTrain, MICRO (2024)",
      .gpu = "A100-SXM4-80GB",
      .asked = detail::vtrain_job(row),
      .pool = cluster_of(node_of(catalog::a100_sxm4_80gb, (std::min)(8, gpus), port), gpus),
      .measured = number_of(row, "step_time_s") * units::second};
  require_askable(one);
  return one;
}

inline speed_run run_of_b200(const nlohmann::json& row) {
  const int gpus = whole_of(row, "gpus");
  const bool experts = whole(row, "experts").value_or(0) > 0;
  speed_run one{.id = text_of(row, "id"),
                .section = speed_section::steps_b200,
                .family = experts ? "mixtures of experts" : "dense",
                .publisher = "SimuMax",
                .source = "MooreThreads/SimuMax, B200, release 1.2",
                .gpu = "B200-SXM",
                .asked = detail::simumax_job(row),
                .pool = cluster_of(
                    node_of(catalog::b200_sxm, 8, interconnect_of(catalog::infiniband_ndr)), gpus),
                .measured = number_of(row, "step_time_s") * units::second};
  require_askable(one);
  return one;
}

/// A functional test of Megatron-LM: no constant is fitted to it.
inline speed_run run_of_test(const nlohmann::json& row) {
  const accelerator& gpu = detail::accelerator_of(row);
  job asked = job_of_megatron(row);
  const auto ranks = static_cast<int>(asked.parallelism.gpus());
  const int gpus = whole(row, "world_size").value_or(ranks);
  if (gpus != ranks) throw unmapped{"world size and layout differ"};
  const std::string name = text_of(row, "gpu");
  speed_run one{
      .id = text_of(row, "id"),
      .section = speed_section::tiny,
      .family = name + ", " + text_of(row, "family"),
      .publisher = "Megatron-LM, functional tests",
      .source = "NVIDIA/Megatron-LM, tests/functional_tests",
      .gpu = name,
      .asked = asked,
      .pool = cluster_of(
          node_of(gpu, (std::min)(8, gpus), interconnect_of(catalog::infiniband_ndr)), gpus),
      .measured = number_of(row, "iteration_time_s_median") * units::second,
      .twins = text_of(row, "arg_set") + name,
      .fitted = false};
  require_askable(one);
  return one;
}

}  // namespace gpuplan::accuracy
