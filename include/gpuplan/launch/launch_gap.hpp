#pragma once
/// \file
/// What of a job a launch cannot say.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/launch/launch_file.hpp>
#include <gpuplan/launch/launch_framework.hpp>
#include <gpuplan/launch/launch_job.hpp>
#include <gpuplan/model/recipe_fields.hpp>
#include <gpuplan/model/transformer_json.hpp>
#include <gpuplan/plan/estimate.hpp>

namespace gpuplan {

/// A job as it is asked for.
struct launched {
  const transformer& model;
  const cluster& pool;
  const gpuplan::recipe& recipe;
  const gpuplan::parallelism& parallelism;
  const gpuplan::workspace& workspace;
};

namespace detail {

/// What the script says, a model's provider of Megatron Bridge, or what is assumed of a run and no
/// launch decides: taken as it is.
inline void take_undecided(launch_framework with, const launched& asked, launch_job& read) {
  recipe& how = read.recipe;
  how.expert_imbalance = asked.recipe.expert_imbalance;
  how.power_limit = asked.recipe.power_limit;
  if (with == launch_framework::megatron_bridge && read.model)
    read.model->squared_relu = asked.model.squared_relu;
  if (script_trains(with)) {
    how.adapters = asked.recipe.adapters;
    how.reference = asked.recipe.reference;
    how.sequences_per_sample = asked.recipe.sequences_per_sample;
    how.sequence_length = asked.recipe.sequence_length;
  }
  if (with != launch_framework::accelerate) return;
  how.global_batch_size *= asked.parallelism.micro_batch_size;
  read.parallelism.micro_batch_size = asked.parallelism.micro_batch_size;
  if (asked.workspace.zero_buckets > bytes{0} || asked.recipe.zero == zero_stage::none)
    how.recompute = asked.recipe.recompute;
}

/// The same model, with what is written in two ways written in one.
inline transformer in_one_way(const transformer& given) {
  transformer m = with_head_dim(given);
  if (m.latent.kv_rank > 0) m.head_dim = 0;
  m.kv_heads = m.key_value_heads();
  if (m.dense_layers() + m.encoder_layers == 0) {
    m.ffn_size = 0;
    if (m.moe.shared_ffn_size == 0) m.biases.ffn = false;
  }
  m.listed_windowed_layers = m.windowed_layers();
  m.first_full_attention_layers = m.full_attention_interval = 0;
  if (m.listed_windowed_layers == 0) m.sliding_window = 0;
  if (m.moe.dense_layers > 0) m.moe.first_dense_layers = first_dense_layers(drawn_experts(m));
  return m;
}

/// The first field of a model that differs, by its name.
inline std::string different_field(const transformer& asked, const transformer& read) {
  const nlohmann::json one = json_of(in_one_way(asked));
  const nlohmann::json other = json_of(in_one_way(read));
  for (const auto& [name, value] : one.items())
    if (!other.contains(name) || other.at(name) != value) return name;
  return {};
}

/// "core_attn, mlp": each bit by its first name.
inline std::string names_in_set(std::span<const named<int>> names, int bits) {
  std::string all;
  for (const named<int>& one : names)
    if ((bits & one.value) != 0 && one.name == spelled(names, one.value))
      all += (all.empty() ? "" : ", ") + std::string(one.name);
  return all.empty() ? "none" : all;
}

inline std::string shown_value(field_kind kind, std::span<const named<int>> names, double value) {
  const bool is_named = kind == field_kind::choice || kind == field_kind::level;
  if (is_named) return std::string(spelled(names, static_cast<int>(value)));
  if (kind == field_kind::set_of_choices) return names_in_set(names, static_cast<int>(value));
  if (kind == field_kind::flag || kind == field_kind::flag_or_probability)
    return value != 0 ? "on" : "off";
  if (value != std::floor(value)) return nlohmann::json(value).dump();
  return nlohmann::json(static_cast<std::int64_t>(value)).dump();
}

/// Whether a field leaves a choice to the software where nobody makes it.  A launch may say the
/// same choice by another value, so that memory and time tell whether it says it.
template <class Owner>
constexpr bool may_be_left_to_software(const field<Owner>& row) {
  constexpr auto choices = choice_field<software_choice_names, &recipe::expert_fusion>().names;
  return row.value.names.data() == choices.data();
}

/// Fields of a recipe that a search chooses with the layout, or that the layout decides; what a
/// launch cannot say of all others, no other layout makes it say.
inline constexpr auto fields_of_layouts =
    std::to_array<std::string_view>({"zero", "recompute", "recompute_every", "sequence_parallel",
                                     "schedule", "interleave_group", "gradients_live"});

constexpr bool goes_with_layout(std::string_view key) {
  return std::find(fields_of_layouts.begin(), fields_of_layouts.end(), key) !=
         fields_of_layouts.end();
}

/// Fields that are read as others, each as "tensor 8"; empty where there is none.
struct different_fields {
  std::string of_any_layout{};  ///< the first that is not as usual and does not go with the layout
  std::string first{};          ///< the first that is not as usual, as that one was asked for, else
                                ///< the first; replicas, which the other axes leave, come last
};

template <class Rows, class Owner>
different_fields different_rows(const Rows& rows, const Owner& asked, const Owner& read,
                                const Owner& usual, const training_setup& setup) {
  different_fields found;
  std::string as_usual;
  std::string replicas;
  for (const field<Owner>& row : rows) {
    if (row.value.get == nullptr || row.value.stages != nullptr) continue;
    if (may_be_left_to_software(row)) continue;
    if (row.effect.where != nullptr && !row.effect.where(setup)) continue;
    const auto value = row.shown != nullptr ? row.shown : row.value.get;
    if (value(asked) == value(read)) continue;
    std::string said =
        std::string(row.key) + " " + shown_value(row.value.kind, row.value.names, value(asked));
    if (row.key == "data") {
      replicas = std::move(said);
    } else if (value(asked) == value(usual)) {
      if (as_usual.empty()) as_usual = std::move(said);
    } else {
      if (found.first.empty()) found.first = said;
      if (found.of_any_layout.empty() && !goes_with_layout(row.key))
        found.of_any_layout = std::move(said);
    }
  }
  if (found.first.empty()) found.first = as_usual.empty() ? replicas : as_usual;
  return found;
}

}  // namespace detail

/// What of a recipe no launch of a framework says, whatever the layout: "adapters"; empty where
/// there is nothing.
inline std::string launch_lacks(launch_framework with, const recipe& how) {
  if (script_trains(with)) return {};
  if (how.adapts()) return "adapters";
  return how.runs_reference() ? "a reference model" : "";
}

/// What a framework's launch of a job would not say, as "tensor 8": what a reader of that launch
/// takes for another job.  What no other layout makes it say comes first.  Empty: it is read as the
/// same job, with the same memory and time.
inline std::string launch_gap(launch_framework with, const launched& asked) {
  const std::string text =
      write_launch(with, asked.model, asked.recipe, asked.parallelism, asked.workspace);
  const launch_surroundings around{
      .gpu = asked.pool.gpu(),
      .gpus = makes_replicas_alone(with) ? asked.parallelism.data
                                         : static_cast<int>(asked.parallelism.gpus()),
      .model = asked.model,
      .sequences_per_sample = script_trains(with) ? asked.recipe.sequences_per_sample : 1};
  const training_setup setup{asked.model, asked.recipe, asked.parallelism};
  if (std::string lacks = launch_lacks(with, asked.recipe); !lacks.empty()) return lacks;
  launch_job read;
  try {
    read = read_launch(read_launch_text(text, "the launch"), "the launch", around);
  } catch (const invalid_input& refused) {
    return refused.what();
  }
  detail::take_undecided(with, asked, read);
  if (read.model)
    if (std::string shape = detail::different_field(asked.model, *read.model); !shape.empty())
      return "the model's " + shape;
  const detail::different_fields how =
      detail::different_rows(recipe_fields, asked.recipe, read.recipe, usual_recipe(with), setup);
  const std::string cut = detail::different_rows(parallelism_fields, asked.parallelism,
                                                 read.parallelism, parallelism{}, setup)
                              .first;
  for (const std::string& gap : {how.of_any_layout, cut, how.first})
    if (!gap.empty()) return gap;
  read.workspace.cuda_context = asked.workspace.cuda_context;
  read.workspace.communicator = asked.workspace.communicator;
  read.workspace.fragmentation = asked.workspace.fragmentation;
  read.workspace.variable_lengths = asked.workspace.variable_lengths;
  const estimate meant =
      evaluate(asked.model, asked.pool, asked.recipe, asked.parallelism, asked.workspace);
  const estimate found = evaluate(read.model.value_or(asked.model), asked.pool, read.recipe,
                                  read.parallelism, read.workspace);
  if (meant.needed != found.needed) return "what its kernels keep, or the layers of its stages";
  return meant.time.total() == found.time.total()
             ? ""
             : "which messages run beside computing, or which kernels are fused";
}

}  // namespace gpuplan
