#pragma once
/// \file
/// What a recipe of Megatron Bridge or DGX Cloud switches on, as run.flags of published.json has
/// it, as fields of a recipe and of a layout.

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/model/recipe.hpp>

#include <gpuplan/launch/megatron_layers.hpp>
#include "accuracy/fields.hpp"
#include "accuracy/job.hpp"

namespace gpuplan::accuracy {

namespace detail {

inline bool says(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

/// A choice that a row makes; absent and null leave it to the software.
inline software_choice choice_of(const nlohmann::json& row, std::string_view name) {
  const nlohmann::json& value = field(row, name);
  if (!value.is_boolean()) return software_choice::by_framework;
  return value.get<bool>() ? software_choice::on : software_choice::off;
}

/// The whole step is one graph where the implementation or what it covers says so.
inline cuda_graphs graphs_of(const nlohmann::json& flags) {
  const nlohmann::json& graph = field(flags, "cuda_graph");
  if (!graph.is_object()) return cuda_graphs::none;
  const std::string way = text_of(graph, "impl", "none");
  if (says(way, "full_iteration") || says(field(graph, "scope").dump(), "full_iteration"))
    return cuda_graphs::iteration;
  return way == "none" ? cuda_graphs::none : cuda_graphs::fixed_shapes;
}

inline expert_dispatcher dispatcher_of(std::string_view name) {
  std::string small;
  for (const char c : name) small += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (says(small, "hybrid")) return expert_dispatcher::hybrid_ep;
  if (says(small, "deep")) return expert_dispatcher::deep_ep;
  if (says(small, "gather")) return expert_dispatcher::all_gather;
  return expert_dispatcher::all_to_all;
}

/// Megatron Core's names of modules, and short ones of printed tables; unknown ones are none.
inline unsigned module_named(std::string_view name) {
  using enum recomputed_module;
  struct row {
    std::string_view name;
    recomputed_module value;
  };
  constexpr row known[]{{"core_attn", core_attn},
                        {"attn", core_attn},
                        {"layernorm", layernorm},
                        {"norm", layernorm},
                        {"moe_act", moe_act},
                        {"act", moe_act},
                        {"mla_up_proj", mla_up_proj},
                        {"up_proj", mla_up_proj},
                        {"mlp", mlp},
                        {"moe", moe},
                        {"shared_experts", shared_experts}};
  for (const row& one : known)
    if (one.name == name) return static_cast<unsigned>(one.value);
  return 0;
}

inline void set_recomputed(const nlohmann::json& flags, recipe& how) {
  const nlohmann::json& modules = field(flags, "recompute_modules");
  if (!modules.is_array()) return;
  if (says(modules.dump(), "block:"))
    throw unmapped{"recomputation of a part of the layers has no option"};
  if (text_of(flags, "recompute_granularity") == "full") {
    how.recompute = recompute::full;
    return;
  }
  how.recompute = recompute::none;
  for (const nlohmann::json& name : modules)
    how.recompute_modules.bits |= module_named(name.get<std::string>());
}

/// Layers of stages from pieces that ranks are given in turn; empty where they are not p x v.
inline std::vector<int> stages_of_pieces(const std::vector<int>& pieces, int stages, int chunks) {
  if (pieces.size() != static_cast<std::size_t>(stages) * static_cast<std::size_t>(chunks))
    return {};
  std::vector<int> split(static_cast<std::size_t>(stages));
  for (std::size_t i = 0; i < pieces.size(); ++i) split[i % split.size()] += pieces[i];
  return split;
}

/// "first stage 15 layers, last stage 14 (of 61) + MTP, middle 16".
inline std::vector<int> stages_in_words(const std::string& words, int layers, int stages) {
  std::smatch found;
  if (!std::regex_search(words, found,
                         std::regex{"first stage ([0-9]+) layers, last stage ([0-9]+)"}))
    return {};
  return given_ends(layers, stages, std::stoi(found[1]), std::stoi(found[2]));
}

/// The layers of each stage, where a layout is printed or the ends count as layers.
inline void set_split(const nlohmann::json& flags, job& asked) {
  const parallelism& cut = asked.parallelism;
  const int layers = asked.model.layers;
  if (cut.pipeline == 1) return;
  const std::string layout = text_of(flags, "pipeline_layout");
  const nlohmann::json& other = field(flags, "other");
  const bool embedding = flag(other, "account_for_embedding_in_pipeline_split");
  const bool head = flag(other, "account_for_loss_in_pipeline_split");
  std::vector<int> split;
  if (says(layout, "first stage"))
    split = stages_in_words(layout, layers, cut.pipeline);
  else if (!layout.empty())
    split = stages_of_pieces(layers_of_pieces(layout), cut.pipeline, cut.interleave);
  else if (embedding || head)
    split = balanced_ends(layers, cut.pipeline, embedding, head);
  int sum = 0;
  for (const int one : split) sum += one;
  if (sum == layers) asked.recipe.split = layer_split{split};
}

inline void set_expert_options(const nlohmann::json& flags, job& asked) {
  recipe& how = asked.recipe;
  how.dispatcher = dispatcher_of(text_of(flags, "dispatcher"));
  if (flag(flags, "ep_overlap") || flag(flags, "a2a_1f1b"))
    how.overlap.expert = software_choice::on;
  how.shared_expert_overlap = asked.model.moe.shared_ffn_size > 0 &&
                              flag(field(flags, "other"), "moe_shared_expert_overlap");
  const bool fuses = flag(field(flags, "other"), "use_transformer_engine_op_fuser");
  how.expert_fusion = fuses ? software_choice::on : software_choice::off;
  if (const auto factor = number(flags, "capacity_factor")) how.expert_capacity_factor = *factor;
  if (const auto ranks = whole(field(flags, "other"), "expert_tensor_parallel_size"))
    asked.parallelism.expert_tensor = *ranks;
  if (const auto heads = whole(flags, "mtp_layers"))
    asked.model.multi_token_prediction_layers = *heads;
}

}  // namespace detail

/// Sets what the flags of a run say; what they leave open stays.
inline void set_flags(const nlohmann::json& run, job& asked) {
  if (text_of(run, "dtype") == "mxfp8") asked.recipe.fp8_recipe = fp8_recipe::mxfp8;
  const nlohmann::json& flags = field(run, "flags");
  if (!flags.is_object()) return;
  recipe& how = asked.recipe;
  how.cuda_graphs = detail::graphs_of(flags);
  how.overlap.data = detail::choice_of(flags, "overlap_grad_reduce");
  how.overlap.tensor = detail::choice_of(flags, "tp_comm_overlap");
  if (const std::string reduced = text_of(flags, "grad_reduce_dtype"); reduced == "bf16")
    how.gradient = gradient_format::bf16;
  else if (reduced == "fp32")
    how.gradient = gradient_format::fp32;
  how.latent_rotary_fusion = detail::choice_of(field(flags, "other"), "apply_rope_fusion");
  detail::set_recomputed(flags, how);
  if (asked.parallelism.tensor > 1) how.sequence_parallel = true;  // as all these recipes have it
  if (asked.model.moe.experts > 0) detail::set_expert_options(flags, asked);
  if (const auto chunks = whole(flags, "vp");
      chunks && asked.parallelism.pipeline > 1 && asked.parallelism.interleave == 1)
    asked.parallelism.interleave = (std::max)(*chunks, 1);
  if (!flag(run, "flags_layout_conflict")) detail::set_split(flags, asked);
  const nlohmann::json& offload = field(flags, "cpu_offload");
  if (offload.is_object())
    how.offloaded_activations = (std::min)(1.0, number_of(offload, "layers") / asked.model.layers);
}

}  // namespace gpuplan::accuracy
