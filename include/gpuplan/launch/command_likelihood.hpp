#pragma once
/// \file
/// How surely a command of a script is the launch.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/launch/shell_word_kinds.hpp>

namespace gpuplan {

namespace detail {

/// Whether a word names an argument: --name, or --name=value.
inline bool is_argument(std::string_view word) {
  return word.size() > 2 && word.starts_with("--");
}

/// How surely a command is the launch.
enum class launch_likelihood { none, script, model_script, launcher, model_launcher, pretraining };

/// Whether a file is PyTorch's launcher.
inline bool is_torch_launcher(std::string_view file) {
  return file == "torchrun" || file.starts_with("torch.distributed");
}

/// Whether a file, before any script, is a launcher.
inline bool is_launcher(std::string_view file) {
  return is_torch_launcher(file) || file == "deepspeed" || file == "accelerate";
}

/// A script of pretraining is one, else a launcher, else a script with arguments; those
/// of a model go before others.
inline launch_likelihood likelihood_of(const std::vector<std::string>& words) {
  constexpr auto others = std::to_array<std::string_view>(
      {"cat",  "cd",     "chmod", "cp",  "echo", "eval",  "exit",   "git",
       "grep", "ls",     "mkdir", "mv",  "pip",  "pkill", "printf", "rm",
       "sed",  "source", "tail",  "tee", "test", "wget",  "which",  "["});
  constexpr auto of_model = std::to_array<std::string_view>(
      {"--hidden-size", "--num-attention-heads", "--hybrid-layer-pattern", "--micro-batch-size"});
  if (std::find(others.begin(), others.end(), words.front()) != others.end())
    return launch_likelihood::none;
  bool launches = false, pretrains = false, script = false, model = false, arguments = false;
  for (const std::string& word : words) {
    const std::string_view file = std::string_view(word).substr(word.rfind('/') + 1);
    launches = launches || (script ? is_torch_launcher(file) : is_launcher(file));
    script = script || file.ends_with(".py");
    pretrains = pretrains || (file.starts_with("pretrain_") && file.ends_with(".py"));
    std::string name = word.substr(0, word.find('='));
    std::replace(name.begin(), name.end(), '_', '-');
    arguments = arguments || is_argument(name) || is_override(word);
    model = model || std::find(of_model.begin(), of_model.end(), name) != of_model.end() ||
            is_override(word);
  }
  if (!arguments || !(launches || script)) return launch_likelihood::none;
  if (pretrains) return launch_likelihood::pretraining;
  if (launches) return model ? launch_likelihood::model_launcher : launch_likelihood::launcher;
  return model ? launch_likelihood::model_script : launch_likelihood::script;
}

}  // namespace detail

}  // namespace gpuplan
