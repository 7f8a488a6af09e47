#pragma once
/// \file
/// How surely a command of a script is the launch.

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/launch/shell_word_kinds.hpp>

namespace gpuplan {

namespace detail {

/// How surely a command is the launch.
enum class launch_likelihood { none, script, model_script, launcher, model_launcher, pretraining };

/// Whether a launcher at this place starts a script: none but its options stand between them.  A
/// variable may be the script.
inline bool starts_script(std::span<const std::string> words, std::size_t at) {
  if (words[at].ends_with("accelerate") && (++at == words.size() || words[at] != "launch"))
    return false;
  for (++at; at < words.size(); ++at) {
    if (words[at].starts_with('$') || words[at] == "-m" || words[at] == "--module") return true;
    if (starts_program(words[at])) return is_script(words[at]);
  }
  return false;
}

/// The launcher that a command starts, without its folder; empty: it starts none.  deepspeed and
/// accelerate are names of packages and of environments, too, so that they count before a script.
inline std::string_view launcher_of(std::span<const std::string> words) {
  bool script = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view file = file_of(words[i]);
    if (is_torch_launcher(file)) return file;
    if (!script && is_launcher(file) && starts_script(words, i)) return file;
    script = script || is_script(file);
  }
  return {};
}

/// Whether a command is none of those that launch: it copies, prints, installs and the like.
inline bool only_prepares(std::span<const std::string> words) {
  constexpr auto others = std::to_array<std::string_view>(
      {"cat", "cd",     "chmod", "cp",  "echo", "eval",  "exit",   "git",   "grep",
       "ls",  "mkdir",  "mv",    "pip", "pip3", "pkill", "printf", "rm",    "sed",
       "uv",  "source", "tail",  "tee", "test", "wget",  "which",  "conda", "["});
  const bool runs = words.size() > 1 && words[1] == "run";  // uv run, conda run
  if (std::find(others.begin(), others.end(), words.front()) != others.end()) return !runs;
  for (std::size_t i = 1; i < words.size() && !is_script(words[i]); ++i)
    if (words[i] == "pip" && words[i - 1] == "-m") return true;
  return false;
}

/// A script of pretraining is one, else a launcher, else a script with arguments; those
/// of a model go before others.
inline launch_likelihood likelihood_of(const std::vector<std::string>& words) {
  constexpr auto of_model = std::to_array<std::string_view>(
      {"--hidden-size", "--num-attention-heads", "--hybrid-layer-pattern", "--micro-batch-size"});
  if (only_prepares(words)) return launch_likelihood::none;
  const bool launches = !launcher_of(words).empty();
  bool pretrains = false, script = false, model = false, arguments = false;
  for (const std::string& word : words) {
    const std::string_view file = file_of(word);
    script = script || is_script(file);
    pretrains = pretrains || (file.starts_with("pretrain_") && is_script(file));
    arguments = arguments || is_argument(word) || is_override(word);
    model = model || is_override(word) ||
            std::find(of_model.begin(), of_model.end(), argument_name(word)) != of_model.end();
  }
  if (!arguments || !(launches || script)) return launch_likelihood::none;
  if (pretrains) return launch_likelihood::pretraining;
  if (launches) return model ? launch_likelihood::model_launcher : launch_likelihood::launcher;
  return model ? launch_likelihood::model_script : launch_likelihood::script;
}

}  // namespace detail

}  // namespace gpuplan
