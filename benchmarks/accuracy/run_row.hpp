#pragma once
/// \file
/// A row of measured_runs.json, kind step_time, as a run: what its own fields ask for, and no
/// choice made for the score.

#include <algorithm>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/model/frozen_weights.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/units/units.hpp>

#include <gpuplan/launch/megatron_layers.hpp>
#include "accuracy/fields.hpp"
#include "accuracy/flop_convention.hpp"
#include "accuracy/job.hpp"
#include "accuracy/published_flags.hpp"
#include "accuracy/run_model.hpp"
#include "accuracy/speed_run.hpp"

namespace gpuplan::accuracy {

namespace detail {

inline std::string repository_of(const nlohmann::json& row) {
  const nlohmann::json& source = field(row, "source");
  for (const char* name : {"repo", "address", "title"})
    if (const std::string text = text_of(source, name); !text.empty()) return text;
  return "unknown";
}

/// Software that shares a training loop.
enum class run_software { megatron, fsdp2, internevo, hugging_face };

inline run_software software_of(const nlohmann::json& row) {
  const std::string from = repository_of(row);
  const std::string zero = text_of(row, "zero");
  if (matches(zero, "^megatron fsdp$") ||
      matches(from, "mlcommons|Megatron|Primus|dgxc|awsome|xtuner"))
    return run_software::megatron;
  if (says(from, "ms-swift"))
    return says(zero, "distributed optimizer") ? run_software::megatron
                                               : run_software::hugging_face;
  if (matches(from, "torchtitan|pytorch/ao|Kempner|pith-train")) return run_software::fsdp2;
  return says(from, "InternEvo") ? run_software::internevo : run_software::hugging_face;
}

inline void set_run_precision(const nlohmann::json& row, recipe& how) {
  const std::string words = text_of(row, "precision");
  const bool all_parts = says(words, "linears + grouped");
  if (matches(words, "^nvfp4")) {
    how.precision = precision::mixed_nvfp4;
  } else if (says(words, "linears") || says(words, "grouped gemm")) {
    if (!all_parts) throw unmapped{"FP8 in a part of the products has no option"};
    how.precision = precision::mixed_fp8;
  } else if (matches(words, "^(mx)?fp8")) {
    how.precision = precision::mixed_fp8;
    how.fp8_recipe = matches(words, "mx")          ? fp8_recipe::mxfp8
                     : matches(words, "block|row") ? fp8_recipe::blockwise
                                                   : fp8_recipe::tensorwise;
  } else if (says(words, "full parameters in bf16") || says(repository_of(row), "Kempner") ||
             (words.starts_with("bfloat16") && text_of(row, "trainable") == "full")) {
    how.precision = precision::bf16;
  } else if (!says(words, "bf16") && !words.starts_with("bfloat16")) {
    throw unmapped{"precision " + words + " is unknown"};
  }
}

/// What a recipe's line says, in the words that other rows print.
inline std::string recompute_words(const nlohmann::json& row) {
  std::string words = text_of(row, "recompute");
  if (words.starts_with("cfg.")) {
    const bool selective = says(words, "\"selective\"");
    const bool full = says(words, "\"full\"") && !selective;
    std::string named;
    if (const auto at = words.find("recompute_modules"); selective && at != std::string::npos) {
      const std::regex quoted{"\"([a-z_]+)\""};
      const std::string rest = words.substr(at);
      for (std::sregex_iterator i{rest.begin(), rest.end(), quoted}, end; i != end; ++i)
        named += " " + (*i)[1].str();
      words = named.empty() ? "none" : "selective:" + named;
    } else {
      words = full ? "full" : selective ? "selective" : "none";
    }
  }
  const std::string notes = text_of(row, "notes");
  if (const auto at = notes.find("recompute column:"); at != std::string::npos)
    words = "selective: " + notes.substr(at + 17);
  return words;
}

inline void set_run_recompute(const nlohmann::json& row, run_software software, recipe& how) {
  const std::string words = recompute_words(row);
  if (words.starts_with("full")) {
    how.recompute = recompute::full;
    return;
  }
  if (matches(words, "^(not printed|none)")) return;
  if (!words.starts_with("selective")) throw unmapped{"recompute " + words + " is unknown"};
  if (software == run_software::fsdp2) {
    how.recompute = recompute::alternate_products;
    return;
  }
  const auto colon = words.find(':');
  const std::string named =
      colon == std::string::npos
          ? "core_attn"
          : std::regex_replace(words.substr(colon + 1), std::regex{"\\([^)]*\\)"}, "");
  const std::regex one{"[a-z_]+"};
  for (std::sregex_iterator i{named.begin(), named.end(), one}, end; i != end; ++i)
    how.recompute_modules.bits |= module_named(i->str());
}

/// Lines of a recipe that hold whatever its arguments are.
inline bool recipe_says(const nlohmann::json& overlap, const char* pattern, std::smatch& found,
                        std::string& line) {
  for (const nlohmann::json& one : field(overlap, "recipe_lines")) {
    line = one.get<std::string>();
    if (matches(line, "^ *(#|if |The )")) continue;
    if (std::regex_search(line, found, std::regex{pattern})) return true;
  }
  return false;
}

inline void set_run_experts(const nlohmann::json& row, recipe& how) {
  const nlohmann::json& overlap = field(row, "overlap");
  std::string name = text_of(row, "dispatcher");
  std::smatch found;
  std::string line;
  if (name.empty() || says(name, "not printed"))
    if (const std::string other = text_of(field(overlap, "features"), "moe_dispatcher");
        !other.empty())
      name = other;
  if (name.empty() && recipe_says(overlap, "flex_dispatcher_backend = \"([a-z]+)\"", found, line))
    name = found[1];
  if (matches(name, "deepep|hybridep")) how.dispatcher = dispatcher_of(name);
  for (const char* key : {"ep_1f1b_overlap", "ep_overlap", "a2a_overlap"})
    if (choice_of(overlap, key) == software_choice::on) how.overlap.expert = software_choice::on;
  if (recipe_says(overlap, "overlap_moe_expert_parallel_comm *= *True", found, line))
    how.overlap.expert = software_choice::on;
  if (const auto factor = number(row, "capacity_factor")) how.expert_capacity_factor = *factor;
}

inline void set_run_adapters(const nlohmann::json& row, recipe& how) {
  if (text_of(row, "trainable").starts_with("full")) return;
  const nlohmann::json& lora = field(row, "lora");
  if (!lora.is_object()) throw unmapped{"LoRA: rank and targets are not given"};
  const std::string base = text_of(lora, "base");
  if (matches(base, "^int4")) how.adapters.base = base_weights::int4;
  if (matches(base, "^int8")) how.adapters.base = base_weights::int8;
  how.adapters.rank = whole_of(lora, "rank");
  std::string targets = text_of(lora, "targets");
  if (targets.empty()) targets = field(lora, "target_modules").dump();
  how.adapters.place = matches(targets, "all|w1|up_proj") ? adapter_place::attention_and_ffn
                                                          : adapter_place::attention;
}

/// Ends that count as a layer where the row says so, or as equal as can be, the ends first to have
/// fewer.
inline std::vector<int> run_split(const nlohmann::json& row, int layers, const parallelism& cut) {
  const nlohmann::json& overlap = field(row, "overlap");
  const auto said = [&](const char* key) {
    return flag(overlap, key) && text_of(overlap, key, "True") == "True";
  };
  const bool ends = said("asym_pp_embed") && said("asym_pp_loss");
  const int p = cut.pipeline;
  if (p == 1 || layers % (p * cut.interleave) == 0 || (cut.interleave == 1 && !ends)) return {};
  if ((layers + 2) % p == 0) return balanced_ends(layers, p, true, true);
  const int most = (layers + p - 1) / p;
  std::vector<int> split(static_cast<std::size_t>(p), most);
  int few = p * most - layers;
  if (few > 0) --split.front(), --few;
  for (std::size_t i = split.size() - 1; few > 0; --i, --few) --split[i];
  return split;
}

inline zero_stage run_zero(const std::string& words) {
  const bool fsdp = matches(words, "fsdp") && !matches(words, "distributed optimizer");
  if (fsdp || matches(words, "zero-3")) return zero_stage::parameters;
  if (matches(words, "zero-2")) return zero_stage::gradients;
  if (matches(words, "zero-1|distributed")) return zero_stage::optimizer;
  return zero_stage::none;
}

inline parallelism run_layout(const nlohmann::json& row) {
  const auto ranks = [&](const char* key) { return (std::max)(whole(row, key).value_or(1), 1); };
  parallelism cut{.data = whole_of(row, "dp"),
                  .tensor = ranks("tp"),
                  .pipeline = ranks("pp"),
                  .context = ranks("cp"),
                  .expert = ranks("ep"),
                  .interleave = ranks("vp"),
                  .micro_batch_size = whole_of(row, "micro_batch_size"),
                  .expert_tensor = whole(row, "etp").value_or(0)};
  std::smatch found;
  const std::string zero = text_of(row, "zero");
  if (std::regex_search(zero, found, std::regex{"within ([0-9]+)"}))
    cut.shard_group = (std::min)(std::stoi(found[1]), cut.data);
  return cut;
}

/// What PyTorch alone does, and Hugging Face's and InternEvo's loops on it.
inline void set_pytorch(const nlohmann::json& row, run_software software, recipe& how) {
  const bool eager =
      software == run_software::fsdp2 && choice_of(row, "compile") == software_choice::off;
  how.framework = software == run_software::fsdp2 && !eager ? framework::fsdp2 : framework::fsdp;
  if (software == run_software::fsdp2 && how.zero == zero_stage::parameters &&
      how.precision != precision::bf16)
    how.weights = weight_storage::fp32;
  if (software == run_software::internevo)
    how.gradient = gradient_format::bf16;
  else
    how.gradients_live = gradient_lifetime::backward;
}

inline recipe run_recipe(const nlohmann::json& row, const parallelism& cut) {
  const run_software software = software_of(row);
  recipe how{.global_batch_size = whole_of(row, "global_batch_size"),
             .sequence_length = whole_of(row, "sequence_length"),
             .zero = run_zero(text_of(row, "zero"))};
  set_run_precision(row, how);
  set_run_recompute(row, software, how);
  set_run_adapters(row, how);
  if (flag(row, "moe")) set_run_experts(row, how);
  const std::string sequence = field(row, "sequence_parallel").dump();
  const bool known = sequence != "null";
  const bool tensor_software =
      software == run_software::megatron || software == run_software::fsdp2;
  how.sequence_parallel =
      cut.tensor > 1 && (known ? matches(sequence, "^\"?(true|1)\"?$") : tensor_software);
  if (text_of(row, "attention") == "eager") how.attention = attention_kernel::unfused;
  if (says(repository_of(row), "mlcommons") && !how.adapts()) how.gradient = gradient_format::bf16;
  if (software != run_software::megatron) set_pytorch(row, software, how);
  const nlohmann::json& overlap = field(row, "overlap");
  const nlohmann::json& graph = field(overlap, "cuda_graph");
  if (!graph.is_null() && !matches(graph.dump(), "^\"?(false|none|0)\"?$"))
    how.cuda_graphs = cuda_graphs::fixed_shapes;
  how.overlap.data = choice_of(overlap, "grad_reduce");
  how.overlap.tensor = choice_of(overlap, "tp_comm_overlap");
  if (const auto mean = number(field(row, "derived"), "mean_tokens_per_step"))
    how.sequence_length =
        (std::max)(1, static_cast<int>(std::lround(*mean / how.global_batch_size)));
  return how;
}

/// The seconds of a step: printed, derived, or from tokens or operations a second.
inline seconds run_seconds(const nlohmann::json& row, const transformer& m) {
  const nlohmann::json& measured = field(row, "measured");
  if (const auto time = number(measured, "step_time_s")) return *time * units::second;
  if (const auto time = number(field(row, "derived"), "step_time_s")) return *time * units::second;
  const recipe how{.global_batch_size = whole_of(row, "global_batch_size"),
                   .sequence_length = whole_of(row, "sequence_length")};
  const double gpus = number_of(row, "gpus");
  if (const auto rate = number(measured, "tokens_per_s_total"))
    return step_seconds("tokens_per_s", *rate, how, gpus, {});
  for (const char* quantity : {"tokens_per_s_per_gpu", "tflops_per_gpu"})
    if (const auto rate = number(measured, quantity))
      return step_seconds(quantity, *rate, how, gpus,
                          training_step_flop(m, how, masked_scores::skipped));
  throw unmapped{"no time is printed"};
}

}  // namespace detail

/// The run of a row.
/// \throws unmapped saying what the descriptions cannot say, or the row does not
inline speed_run run_of(const nlohmann::json& row) {
  const bool experts = flag(row, "moe");
  const std::string from = detail::repository_of(row);
  const std::string name = from.substr(from.rfind('/') + 1);
  const std::string tier = text_of(row, "tier");
  speed_run one{
      .id = text_of(row, "id"),
      .section = experts ? speed_section::runs_experts : speed_section::runs_dense,
      .family = name + (experts ? ", experts" : "") + (tier == "B" ? ", tier B" : ""),
      .publisher = name,
      .source = from,
      .gpu = std::string(detail::run_gpu(text_of(row, "gpu")).name),
      .asked = {.model = detail::run_transformer(row), .parallelism = detail::run_layout(row)},
      .pool = detail::run_cluster(row),
      .twins = text_of(row, "twin_group"),
      .fitted = tier != "B"};
  job& asked = one.asked;
  asked.recipe = detail::run_recipe(row, asked.parallelism);
  if (const auto split = detail::run_split(row, asked.model.layers, asked.parallelism);
      !split.empty())
    asked.recipe.split = layer_split{split};
  one.measured = detail::run_seconds(row, asked.model);
  require_askable(one);
  return one;
}

}  // namespace gpuplan::accuracy
