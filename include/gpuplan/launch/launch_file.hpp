#pragma once
/// \file
/// Reads the launch of any framework, told by its text, and writes one.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/launch/accelerate.hpp>
#include <gpuplan/launch/command_line.hpp>
#include <gpuplan/launch/deepspeed.hpp>
#include <gpuplan/launch/dotted_names.hpp>
#include <gpuplan/launch/launch_framework.hpp>
#include <gpuplan/launch/launch_job.hpp>
#include <gpuplan/launch/launch_ranks.hpp>
#include <gpuplan/launch/megatron_reader.hpp>
#include <gpuplan/launch/megatron_writer.hpp>
#include <gpuplan/launch/torchtitan.hpp>
#include <gpuplan/text/json_text.hpp>
#include <gpuplan/text/json_toml.hpp>
#include <gpuplan/text/json_yaml.hpp>

namespace gpuplan {

/// A launch as its text names it: whose it is, and its values.
struct launch_text {
  launch_framework framework{};
  nlohmann::json values{};
  argument_names names{};              ///< of Megatron Bridge: what the file calls its values
  std::vector<std::string> assumed{};  ///< of a script: which branches were taken, in words
};

namespace detail {

/// The width of a head that Megatron Core takes without kv_channels: rounded down, where
/// Megatron-LM's arguments must divide.
inline void add_head_dim(nlohmann::json& args) {
  if (args.contains("kv-channels") || !args.contains("hidden-size") ||
      !args.contains("num-attention-heads"))
    return;
  const nlohmann::json& hidden = args["hidden-size"];
  const nlohmann::json& heads = args["num-attention-heads"];
  if (!hidden.is_number_integer() || !heads.is_number_integer()) return;
  const auto width = hidden.get<std::int64_t>();
  const auto parts = heads.get<std::int64_t>();
  if (parts > 0 && width > parts && width % parts != 0) args["kv-channels"] = width / parts;
}

/// The arguments of Megatron-LM, or what Megatron Bridge says for them.  DeepSpeed's launcher calls
/// nodes and processes by names of its own.  Bridge makes no mask of
/// attention in its loader unless it is told to.
inline launch_text megatron_text(const nlohmann::json& values, std::string_view name,
                                 bool is_bridge) {
  named_arguments read = named_megatron_arguments(values, name);
  nlohmann::json& args = read.values;
  for (const auto& [launcher, argument] :
       {std::pair{"num-gpus", "nproc-per-node"}, std::pair{"num-nodes", "nnodes"}})
    if (args.contains(launcher) && !args.contains(argument)) {
      args[argument] = args[launcher];
      args.erase(launcher);
    }
  if (!is_bridge) return {launch_framework::megatron, std::move(args), {}, {}};
  add_head_dim(args);
  if (!args.contains("no-create-attention-mask-in-dataloader"))
    args["no-create-attention-mask-in-dataloader"] = true;
  read.names.merge(bridge_names());
  return {launch_framework::megatron_bridge, std::move(args), std::move(read.names), {}};
}

inline std::string_view trimmed_lines(std::string_view text) {
  const std::size_t last = text.find_last_not_of("\n ");
  return last == text.npos ? std::string_view{} : text.substr(0, last + 1);
}

/// The same values, where words have no ends of lines behind them: a block of text ends with one.
inline nlohmann::json without_last_lines(nlohmann::json value) {
  if (value.is_structured())
    for (auto& part : value) part = without_last_lines(std::move(part));
  if (value.is_string()) value = std::string(trimmed_lines(value.get_ref<const std::string&>()));
  return value;
}

inline launch_text launch_of_yaml(const nlohmann::json& values, std::string_view name) {
  if (!values.is_object()) throw invalid_input{std::string(name) + ": holds no names with values"};
  if (values.contains("MODEL_ARGS")) {
    if (!values["MODEL_ARGS"].is_object())
      throw invalid_input{std::string(name) + ": MODEL_ARGS holds no names with values"};
    return megatron_text(values["MODEL_ARGS"], name, false);
  }
  for (const char* field : {"distributed_type", "fsdp_config", "deepspeed_config"})
    if (values.contains(field)) return {launch_framework::accelerate, dotted(values), {}, {}};
  for (const char* section : {"model", "train", "ddp"})
    if (values.contains(section) && values[section].is_object())
      return megatron_text(values, name, true);
  return megatron_text(values, name, false);
}

inline bool is_toml(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = trimmed(text.substr(0, text.find('\n')));
    if (line.starts_with('[') && line.find(']') != line.npos) return true;
    if (!line.empty() && line.front() != '#') return false;
    text.remove_prefix(std::min(text.size(), text.substr(0, text.find('\n')).size() + 1));
  }
  return false;
}

/// \throws invalid_input if a file of DeepSpeed holds no object
inline nlohmann::json names_of_json(const nlohmann::json& values, std::string_view name) {
  if (!values.is_object()) throw invalid_input{std::string(name) + ": holds no names with values"};
  return without_auto(dotted(values));
}

/// Whether the first line that says something is a name with a colon, as YAML has it.
inline bool is_yaml(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = trimmed(text.substr(0, text.find('\n')));
    if (!line.empty() && line.front() != '#' && line != "---") {
      const std::size_t colon = line.find(':');
      return colon != line.npos && line.substr(0, colon).find(' ') == line.npos &&
             (colon + 1 == line.size() || line[colon + 1] == ' ');
    }
    text.remove_prefix(std::min(text.size(), text.substr(0, text.find('\n')).size() + 1));
  }
  return false;
}

/// That of UTF-8, which some editors put before a text.
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

inline launch_text launch_of_words(std::string_view text, std::string_view name) {
  command_line line = read_command_line(text, name);
  const nlohmann::json& values = line.arguments;
  bool is_bridge = false;
  for (const auto& [key, value] : values.items())
    is_bridge = is_bridge || key.find('.') != key.npos;
  if (!line.other.empty()) throw invalid_input{std::string(name) + ": " + line.other};
  if (values.empty()) throw invalid_input{std::string(name) + ": holds no arguments"};
  launch_text read = megatron_text(values, name, is_bridge);
  read.assumed = std::move(line.assumed);
  return read;
}

}  // namespace detail

/// Whose launch a text is: JSON is DeepSpeed's, TOML torchtitan's, YAML Accelerate's, Megatron
/// Bridge's or Megatron-LM's, and all else a command line of the latter two.  A byte order mark
/// before the text is skipped.
///
///     name  of the file, whose ending goes before what the text looks like
///
/// \throws invalid_input of one line if the text is none of these
inline launch_text read_launch_text(std::string_view text, std::string_view name) {
  if (text.starts_with(detail::byte_order_mark)) text.remove_prefix(detail::byte_order_mark.size());
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  const bool braces = begin != text.npos && text[begin] == '{';
  if (name.ends_with(".json") || braces)
    return {
        launch_framework::deepspeed, detail::names_of_json(parse_json(text, name), name), {}, {}};
  if (name.ends_with(".toml") || detail::is_toml(text))
    return {launch_framework::torchtitan, dotted(parse_toml(text, name)), {}, {}};
  if (name.ends_with(".yaml") || name.ends_with(".yml") || detail::is_yaml(text))
    return detail::launch_of_yaml(detail::without_last_lines(parse_yaml(text, name)), name);
  return detail::launch_of_words(text, name);
}

/// The argument by which a launch of Megatron-LM asks for reinforcement learning, whose rollouts
/// are not modelled, as the file calls it; empty where none does.
inline std::string rollout_argument(const launch_text& read) {
  const bool megatron = read.framework == launch_framework::megatron ||
                        read.framework == launch_framework::megatron_bridge;
  if (!megatron) return {};
  const auto is_set = [](const nlohmann::json& value) {
    return !value.is_null() && value != false;
  };
  const auto in_file = [&](const std::string& name) {
    const auto found = read.names.find(name);
    return found == read.names.end() ? name : found->second;
  };
  if (read.values.contains("perform-rl-step") && is_set(read.values["perform-rl-step"]))
    return in_file("perform-rl-step");
  for (const auto& [name, value] : read.values.items())
    for (const char* beginning : {"rl-", "grpo-", "langrl-"})
      if (name.starts_with(beginning) && is_set(value)) return in_file(name);
  return {};
}

namespace detail {

/// \throws invalid_input naming what is missing or cannot be read
inline launch_job job_of(const launch_arguments& args, launch_framework framework,
                         const launch_surroundings& around) {
  switch (framework) {
    case launch_framework::megatron:
    case launch_framework::megatron_bridge: return read_megatron(args, around);
    case launch_framework::torchtitan: return read_torchtitan(args, around);
    case launch_framework::deepspeed: return read_deepspeed(args, around);
    case launch_framework::accelerate: return read_accelerate(args, around);
  }
  throw invalid_input{"read_launch: framework must be one of launch_framework"};
}

}  // namespace detail

/// The job that a launch describes.
///
/// \throws invalid_input naming what is missing or cannot be read
inline launch_job read_launch(const launch_text& read, std::string_view name,
                              const launch_surroundings& around) {
  const bool dashes = read.framework == launch_framework::megatron;
  nlohmann::json values = read.values;
  for (const auto& [argument, given] : around.given)
    if (values.contains(argument) && launch_arguments::is_left_to_shell(values[argument]))
      values[argument] = given;
  const launch_arguments args{std::move(values), std::string(name), dashes ? "--" : "", read.names};
  launch_job said = detail::job_of(args, read.framework, around);
  said.assumed.insert(said.assumed.begin(), read.assumed.begin(), read.assumed.end());
  return said;
}

namespace detail {

/// Whether arguments place layers of several kinds whose order a transformer does not keep.
inline bool spreads_layers(const nlohmann::json& args) {
  const auto is_drawn = [&](const char* name) {
    return args.contains(name) && args[name].is_string();
  };
  return args.contains("hybrid-layer-pattern") || args.contains("dsa-indexer-topk-freq") ||
         is_drawn("window-attn-skip-freq") || is_drawn("linear-attention-freq");
}

/// Arguments of Megatron-LM or overrides of Megatron Bridge, with comments and the launcher before
/// them.
inline std::string megatron_launch(bool is_bridge, const nlohmann::json& args,
                                   const launch_ranks& ranks) {
  std::string text =
      "# Not decided here: data, tokenizer, learning rate, number of steps, checkpoints.\n";
  if (spreads_layers(args))
    text += "# Layers of each kind are spread evenly; the config of your model has their order.\n";
  if (args.contains("multi-latent-attention"))
    text += "# Nor --rope-type: yarn is Megatron Core's default for latent attention.\n";
  if (is_bridge && args.value("squared-relu", false))
    text += "# Nor the activation function, a squared ReLU: the model's provider says it.\n";
  if (is_bridge && ranks.said()) text += "# SCRIPT.py stands for the script of your recipe.\n";
  if (ranks.left_idle > 0) text += "# " + unfilled_nodes(ranks) + ".\n";
  if (ranks.nodes > 1) text += "# Where the nodes meet, --rdzv-endpoint, is not decided, either.\n";
  const bool hybrid = args.contains("hybrid-layer-pattern");
  const char* const script = is_bridge ? "SCRIPT.py"
                             : hybrid  ? "pretrain_hybrid.py"
                                       : "pretrain_gpt.py";
  if (ranks.said()) text += torchrun_of(ranks) + " " + script + " \\\n";
  return text + (is_bridge ? bridge_overrides(args) : megatron_command_line(args));
}

}  // namespace detail

/// A job as a framework launches it: arguments or a file, with what is not decided in a comment.
/// What the framework has no word for is left out; read_launch of the text tells.
///
///     ranks  for the launcher's own words; where none are said, there is no line of the launcher
inline std::string write_launch(launch_framework with, const transformer& model, const recipe& how,
                                const parallelism& cut, const workspace& beside,
                                const launch_ranks& ranks = {}) {
  switch (with) {
    case launch_framework::megatron:
    case launch_framework::megatron_bridge:
      return detail::megatron_launch(with == launch_framework::megatron_bridge,
                                     write_megatron(model, how, cut, beside), ranks);
    case launch_framework::torchtitan: return write_torchtitan(how, cut, model, ranks);
    case launch_framework::deepspeed:
      return write_deepspeed(how, cut, beside, model, ranks).dump(2) + "\n";
    case launch_framework::accelerate: return write_accelerate(how, cut, beside, ranks);
  }
  return {};
}

}  // namespace gpuplan
