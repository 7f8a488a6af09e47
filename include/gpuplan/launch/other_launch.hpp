#pragma once
/// \file
/// Commands that launch scripts of other software than Megatron's, and what to give in their place.

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <gpuplan/launch/command_likelihood.hpp>
#include <gpuplan/launch/shell_word_kinds.hpp>
#include <gpuplan/text/json_shown.hpp>

namespace gpuplan {

namespace detail {

inline bool is_named(std::string_view word, std::span<const std::string_view> names) {
  const std::string name = argument_name(word);
  for (const std::string_view one : names)
    if (name == one) return true;
  return false;
}

/// Whether a command describes a model by arguments of Megatron-LM, or by fields of Megatron
/// Bridge.
inline bool describes_model(std::span<const std::string> words) {
  constexpr auto names = std::to_array<std::string_view>(
      {"--num-layers", "--hidden-size", "--num-attention-heads", "--hybrid-layer-pattern",
       "--micro-batch-size", "--use-checkpoint-args", "model.num-layers", "model.hidden-size",
       "model.num-attention-heads"});
  for (const std::string& word : words)
    if (is_named(without_plus(word), names)) return true;
  return false;
}

/// The first value of these arguments that a command has; empty: it has none.
inline std::string value_after(std::span<const std::string> words,
                               std::span<const std::string_view> names) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!is_named(words[i], names)) continue;
    const std::size_t equals = words[i].find('=');
    if (equals != std::string::npos) return words[i].substr(equals + 1);
    if (i + 1 < words.size() && !words[i + 1].starts_with('-')) return words[i + 1];
  }
  return {};
}

inline bool has_argument(std::span<const std::string> words,
                         std::span<const std::string_view> names) {
  for (const std::string& word : words)
    if (is_named(word, names)) return true;
  return false;
}

/// "its configuration in place of it: --from ds3.json, with MODEL and ..."
inline std::string give_file(std::string_view whose, const std::string& file,
                             std::string_view with) {
  const std::string named = file.empty() ? "FILE" : shown_name(file);
  return "; give " + std::string(whose) + " in place of it: --from " + named + ", with " +
         std::string(with);
}

/// Of the Hugging Face Trainer.
inline constexpr auto trainer_arguments = std::to_array<std::string_view>(
    {"--model-name-or-path", "--per-device-train-batch-size", "--gradient-checkpointing", "--fsdp",
     "--fsdp-config", "--num-train-epochs"});

inline constexpr std::string_view without_model = "MODEL, --micro-batch and --sequence";

inline constexpr auto deepspeed_files =
    std::to_array<std::string_view>({"--deepspeed", "--deepspeed-config"});

inline std::string deepspeed_in_words(std::span<const std::string> words) {
  const bool trainer = has_argument(words, trainer_arguments);
  return std::string("launches a script ") +
         (trainer ? "of the Hugging Face Trainer with DeepSpeed" : "with DeepSpeed") +
         give_file("its configuration", value_after(words, deepspeed_files), without_model);
}

inline std::string torchtitan_in_words(std::span<const std::string> words) {
  constexpr auto files = std::to_array<std::string_view>({"--job.config-file"});
  return "launches torchtitan" + give_file("its TOML", value_after(words, files), "MODEL");
}

/// Whether words start torchtitan: -m torchtitan.train, or torchtitan/train.py.
inline bool starts_torchtitan(std::span<const std::string> words) {
  constexpr auto arguments = std::to_array<std::string_view>({"--job.config-file"});
  for (const std::string& word : words)
    if (word.starts_with("torchtitan.") || word.ends_with("torchtitan/train.py")) return true;
  return has_argument(words, arguments);
}

}  // namespace detail

/// What a command launches where that is a script which describes no model by its arguments, and
/// what to give in its place: scripts of DeepSpeed, Accelerate and the Hugging Face Trainer,
/// torchtitan, and recipes of Megatron Bridge.  Empty of any other.
///
///     words  of the command, without those of srun
///
/// Source: Microsoft, "DeepSpeed: Getting Started" (2025); Hugging Face, "Accelerate: the command
/// line" and "Transformers: Trainer" (2025); PyTorch, torchtitan, README.md (2026); NVIDIA,
/// Megatron Bridge, scripts/training/README.md (2026).
inline std::string other_launch(std::span<const std::string> words) {
  constexpr auto accelerate_files = std::to_array<std::string_view>({"--config-file"});
  constexpr auto recipes = std::to_array<std::string_view>({"--recipe"});
  if (detail::describes_model(words)) return {};
  if (detail::starts_torchtitan(words)) return detail::torchtitan_in_words(words);
  const std::string_view launcher = detail::launcher_of(words);
  if (launcher == "accelerate")
    return "launches a script with Accelerate" +
           detail::give_file("its YAML", detail::value_after(words, accelerate_files),
                             detail::without_model);
  if (launcher == "deepspeed" || detail::has_argument(words, detail::deepspeed_files))
    return detail::deepspeed_in_words(words);
  if (const std::string recipe = detail::value_after(words, recipes); !recipe.empty())
    return "launches the recipe " + shown_name(recipe) +
           " of Megatron Bridge, whose model and batch are not in it; give them as overrides: "
           "model.num_layers=32 model.hidden_size=4096 and the like, or the YAML of the recipe's "
           "configuration";
  if (detail::has_argument(words, detail::trainer_arguments))
    return "launches a script of the Hugging Face Trainer, whose arguments are not read; give what "
           "they say as options, without --from: MODEL, --data, --zero, --micro-batch, --sequence "
           "and --framework fsdp";
  return {};
}

}  // namespace gpuplan
