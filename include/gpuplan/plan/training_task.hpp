#pragma once
/// \file
/// What people train for, and what is usual for each: pre-training, further pre-training,
/// supervised fine-tuning with and without adapters, and direct preference optimization.

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <span>
#include <string_view>

#include <gpuplan/model/adapter_choice.hpp>
#include <gpuplan/model/optimizer.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/recipe_fields.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/lookup.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What is trained, and on what.
enum class training_task {
  pretrain,              ///< from random weights
  continue_pretraining,  ///< the same objective from trained weights, on other text
  sft,                   ///< supervised fine-tuning of every weight
  lora,                  ///< the same, of low-rank adapters
  qlora,                 ///< of low-rank adapters beside a base of 4 bits
  dpo                    ///< direct preference optimization, of pairs of chosen and rejected
};

/// Every task, in the order of the enumeration.
inline constexpr std::array training_tasks{
    training_task::pretrain, training_task::continue_pretraining,
    training_task::sft,      training_task::lora,
    training_task::qlora,    training_task::dpo};

/// A field of a recipe that a task sets, and who is known to train so.
struct task_default {
  std::string_view key;     ///< of recipe_fields
  double value = 0;         ///< as field::value sets it
  std::string_view source;  ///< author, title, year; or "convention: " and the reason
};

/// How much a task trains on where that is not said: tokens, or passes over a data set.
struct task_data {
  double tokens_per_parameter = 0;  ///< 0: not counted so
  tokens trained{};                 ///< 0: not counted so
  double samples = 0;               ///< of a data set: sequences, or pairs of them; 0: likewise
  double epochs = 1;                ///< passes over the samples
  std::string_view source;
};

/// A task's name, its defaults and its data.
struct task_rule {
  training_task task{};
  std::string_view name;      ///< as people type it
  std::string_view in_words;  ///< what it is; which weights it trains, a recipe says
  task_data data{};
  std::span<const task_default> defaults{};
};

namespace detail {

constexpr double bits_of(std::initializer_list<adapted_map> maps) {
  unsigned bits = 0;
  for (const adapted_map one : maps) bits |= static_cast<unsigned>(one);
  return bits;
}

inline constexpr std::string_view from_swallow_code =
    "K. Fujii et al., \"Rewriting Pre-Training Data Boosts LLM Performance in Math and Code\" "
    "(2025), "
    "arXiv:2505.02881: Llama 3.1 8B, 50 billion tokens; batch recalled";
inline constexpr std::string_view from_alpaca =
    "R. Taori et al., \"Stanford Alpaca: An Instruction-following LLaMA model\" (2023), README: "
    "52,002 samples, batch 128, 3 epochs";
inline constexpr std::string_view from_trl_length =
    "Hugging Face, \"TRL\", SFTConfig and DPOConfig, max_length (2025); recalled";
inline constexpr std::string_view from_trl_optimizer =
    "Hugging Face, \"Transformers\", TrainingArguments, optim = adamw_torch (2025)";
inline constexpr std::string_view from_trl_rank =
    "Hugging Face, \"TRL\", ModelConfig, lora_r (2025)";
inline constexpr std::string_view from_peft_maps =
    "Hugging Face, \"PEFT\", target modules of llama, q_proj and v_proj (2025); E. Hu et al., "
    "\"LoRA\", ICLR (2022), section 4.2, arXiv:2106.09685";
inline constexpr std::string_view from_qlora =
    "T. Dettmers et al., \"QLoRA: Efficient Finetuning of Quantized LLMs\", NeurIPS (2023), "
    "arXiv:2305.14314; artidoro/qlora, scripts/finetune_guanaco_7b.sh";
inline constexpr std::string_view from_handbook =
    "L. Tunstall et al., \"The Alignment Handbook\" (2025), recipes/zephyr-7b-beta/dpo/"
    "config_full.yaml, on 8 GPUs: 128 pairs, 1 epoch of ultrafeedback_binarized, whose size is "
    "recalled";

inline constexpr std::array continue_defaults{
    task_default{"global_batch_size", 512, from_swallow_code},
    task_default{"sequence_length", 8192, from_swallow_code}};

inline constexpr std::array sft_defaults{
    task_default{"global_batch_size", 128, from_alpaca},
    task_default{"sequence_length", 1024, from_trl_length},
    task_default{"optimizer", static_cast<double>(optimizer::adamw), from_trl_optimizer}};

inline constexpr std::array lora_defaults{
    task_default{"global_batch_size", 128, from_alpaca},
    task_default{"sequence_length", 1024, from_trl_length},
    task_default{"optimizer", static_cast<double>(optimizer::adamw), from_trl_optimizer},
    task_default{"adapter_rank", 16, from_trl_rank},
    task_default{"adapter_maps", bits_of({adapted_map::query, adapted_map::value}),
                 from_peft_maps}};

inline constexpr std::array qlora_defaults{
    task_default{"global_batch_size", 16, from_qlora},
    task_default{"sequence_length", 1024, from_trl_length},
    task_default{"optimizer", static_cast<double>(optimizer::adamw), from_qlora},
    task_default{"adapter_rank", 64, from_qlora},
    task_default{"adapter_maps", static_cast<double>(all_maps), from_qlora},
    task_default{"base_weights", static_cast<double>(base_weights::nf4), from_qlora}};

inline constexpr std::array dpo_defaults{
    task_default{"global_batch_size", 256, from_handbook},
    task_default{"sequence_length", 1024, from_handbook},
    task_default{"optimizer", static_cast<double>(optimizer::adamw), from_handbook},
    task_default{"reference_model", static_cast<double>(reference_model::frozen),
                 "Hugging Face, \"TRL\", DPOConfig, precompute_ref_log_probs = False (2025)"},
    task_default{"sequences_per_sample", 2,
                 "Hugging Face, \"TRL\", DPOTrainer, concatenated forward pass (2025)"}};

}  // namespace detail

/// What is usual for each task, in the order of the enumeration.  Numbers are those of runs that
/// their authors describe, or what the software takes that most people train with; each has its
/// source.  A data set is a stand-in for the user's own.
inline constexpr std::array task_rules{
    task_rule{.task = training_task::pretrain,
              .name = "pretrain",
              .in_words = "pre-training",
              .data = {.tokens_per_parameter = 20,
                       .source = "J. Hoffmann et al., \"Training Compute-Optimal Large Language "
                                 "Models\", NeurIPS (2022), table 3, arXiv:2203.15556"}},
    task_rule{.task = training_task::continue_pretraining,
              .name = "continue",
              .in_words = "further pre-training",
              .data = {.trained = 50e9 * units::token, .source = detail::from_swallow_code},
              .defaults = detail::continue_defaults},
    task_rule{.task = training_task::sft,
              .name = "sft",
              .in_words = "supervised fine-tuning",
              .data = {.samples = 52002, .epochs = 3, .source = detail::from_alpaca},
              .defaults = detail::sft_defaults},
    task_rule{.task = training_task::lora,
              .name = "lora",
              .in_words = "supervised fine-tuning",
              .data = {.samples = 52002, .epochs = 3, .source = detail::from_alpaca},
              .defaults = detail::lora_defaults},
    task_rule{.task = training_task::qlora,
              .name = "qlora",
              .in_words = "supervised fine-tuning",
              .data = {.samples = 52002, .epochs = 3, .source = detail::from_alpaca},
              .defaults = detail::qlora_defaults},
    task_rule{.task = training_task::dpo,
              .name = "dpo",
              .in_words = "direct preference optimization of pairs of chosen and rejected",
              .data = {.samples = 61135, .epochs = 1, .source = detail::from_handbook},
              .defaults = detail::dpo_defaults}};

/// The row of a task.
///
/// \throws invalid_input if task is none of training_tasks
constexpr const task_rule& rule_of(training_task task) {
  const auto place = static_cast<std::size_t>(task);
  require(place < task_rules.size(), "rule_of: task must be one of training_tasks");
  return task_rules[place];
}

/// "pretrain", "continue", ... as people type them.
///
/// \throws invalid_input if task is none of training_tasks
constexpr std::string_view name_of(training_task task) {
  return rule_of(task).name;
}

/// The names of tasks.
inline constexpr auto training_task_names = [] {
  std::array<named<training_task>, task_rules.size()> names{};
  for (std::size_t i = 0; i < names.size(); ++i)
    names[i] = {task_rules[i].name, task_rules[i].task};
  return names;
}();

/// A task that people name and that is not modelled: why, and what can be asked in its place.
struct unmodelled_task {
  std::string_view name;
  std::string_view why;
};

/// Reinforcement learning: most of a step's time is generation, whose lengths, batches and engine
/// are no part of a training recipe.
inline constexpr std::array unmodelled_tasks{
    unmodelled_task{"grpo",
                    "its rollout (generation) is not modelled; its update can be asked as sft or "
                    "lora with a frozen reference model"},
    unmodelled_task{"rloo",
                    "its rollout (generation) is not modelled; its update can be asked as sft or "
                    "lora with a frozen reference model"},
    unmodelled_task{"ppo",
                    "its rollout (generation) and its value model are not modelled; the update of "
                    "its policy can be asked as sft or lora with a frozen reference model"}};

/// A default for one model: a sequence is no longer than a learned table of positions.
constexpr double default_for(const transformer& m, const task_default& one) {
  return one.key == "sequence_length"
             ? (std::min)(one.value, static_cast<double>(m.most_positions()))
             : one.value;
}

/// A recipe with a task's defaults in place of its own.
///
/// \throws invalid_input if task is none of training_tasks
constexpr recipe with_defaults(recipe how, training_task task, const transformer& m) {
  for (const task_default& one : rule_of(task).defaults)
    recipe_fields[place_of_field(recipe_fields, one.key)].value.set(how, default_for(m, one));
  return how;
}

/// Sequences of a step, made a multiple of what the ranks take at once.
///
/// \throws invalid_input if sequences < 1 or at_once < 1
constexpr int rounded_batch(int sequences, int at_once) {
  require(sequences >= 1, "rounded_batch: sequences must be >= 1");
  require(at_once >= 1, "rounded_batch: at_once must be >= 1 sequence");
  const int steps = sequences / at_once + (sequences % at_once > 0 ? 1 : 0);
  require(steps <= (std::numeric_limits<int>::max)() / at_once,
          "rounded_batch: the batch must be an int");
  return steps * at_once;
}

/// Tokens of passes over a data set.
///
///     D = E n q s
///
///     E  epochs                                                count, > 0
///     n  samples                                               count, > 0
///     q  sequences of one sample: 2 of chosen and rejected     count, >= 1
///     s  tokens of a sequence                                  token, >= 1
///
/// Holds where sequences are packed, or padded to s: every one counts whole.
///
/// Source: by definition; R. Rafailov et al., "Direct Preference Optimization: Your Language Model
/// is Secretly a Reward Model", NeurIPS (2023), equation 7, arXiv:2305.18290, whose loss takes two
/// responses a pair.
///
/// \throws invalid_input if an argument is out of its range
constexpr tokens tokens_of_samples(double samples, double epochs, int sequences_per_sample,
                                   int sequence_length) {
  require(samples > 0, "tokens_of_samples: samples must be > 0");
  require(epochs > 0, "tokens_of_samples: epochs must be > 0");
  require(sequences_per_sample >= 1, "tokens_of_samples: sequences_per_sample must be >= 1");
  require(sequence_length >= 1, "tokens_of_samples: sequence_length must be >= 1 token");
  return epochs * samples * sequences_per_sample * sequence_length * units::token;
}

}  // namespace gpuplan
