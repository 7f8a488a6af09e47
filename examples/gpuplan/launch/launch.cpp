/// \file
/// Launches of frameworks, read and printed.

#include "launch/launch.hpp"

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/launch/launch_file.hpp>
#include <gpuplan/launch/launch_gap.hpp>
#include <gpuplan/launch/launch_ranks.hpp>
#include <gpuplan/model/recipe_fields.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/text/json_text.hpp>
#include <gpuplan/units/format.hpp>

#include "inputs.hpp"
#include "redirection.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

/// The text of a file.  A pipe, which tells its text once, is kept.
std::string read_named(const std::string& path) {
  static std::map<std::string, std::string> pipes;
  std::error_code failed;
  if (redirected() != nullptr || std::filesystem::is_regular_file(path, failed))
    return read_file(path, "launch");
  const auto known = pipes.find(path);
  return known != pipes.end() ? known->second
                              : pipes.emplace(path, read_file(path, "launch")).first->second;
}

/// The text of a file, or of standard input, which is read once.
std::string read_source(const std::string& path) {
  if (path != "-" || redirected() != nullptr) return read_named(path);
  static const std::string typed = [] {
    std::string text;
    char part[1 << 16];
    while (const std::size_t size = std::fread(part, 1, sizeof part, stdin)) {
      text.append(part, size);
      if (text.size() > largest_json_text)
        throw bad_usage{"standard input: is longer than a launch"};
    }
    return text;
  }();
  return typed;
}

std::string name_of(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

launch_text text_of(const std::string& path) {
  return read_launch_text(read_source(path), name_of(path));
}

}  // namespace

void add_emit_option(CLI::App& command, std::string& emit) {
  std::string names;
  for (const auto& row : launch_framework_names)
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  command
      .add_option(
          "--emit", emit,
          "Print the arguments or the file that launch it, in place of the answer: " + names)
      ->group("Answer");
}

std::optional<launch_framework> framework_asked(const std::string& emit) {
  if (emit.empty()) return std::nullopt;
  return choice(emit, launch_framework_names, "--emit");
}

bool launch_has_model(const std::string& path) {
  const launch_framework with = text_of(path).framework;
  return with == launch_framework::megatron || with == launch_framework::megatron_bridge;
}

launch_read read_launch_file(const std::string& path, const launch_surroundings& around) {
  const launch_text text = text_of(path);
  const std::string dashes = text.framework == launch_framework::megatron ? "--" : "";
  if (const std::string asks = rollout_argument(text); !asks.empty())
    throw bad_usage{name_of(path) + ": " + dashes + asks +
                    " asks for reinforcement learning, whose rollout (generation) is not modelled; "
                    "without its rl-, grpo- and langrl- arguments the training step alone is read"};
  return {text.framework, read_launch(text, name_of(path), around)};
}

void require_launch(launch_framework with, const std::string& gpu, const recipe& how) {
  const std::string emit = "--emit " + std::string(spelled(launch_framework_names, with));
  for (const auto& entry : catalog::accelerators)
    if (entry.name == gpu && !launches_on(with, entry.vendor))
      throw bad_usage{emit + ": writes no launch for " + gpu + " of " + std::string(entry.vendor) +
                      "; without --emit, the plan itself is printed"};
  const std::string lacks = launch_lacks(with, how);
  if (lacks.empty()) return;
  throw bad_usage{emit + ": writes no launch with " + lacks +
                  "; use --emit accelerate or --emit deepspeed, where the script makes " +
                  (how.adapts() ? "them (PEFT)" : "it (TRL)")};
}

std::string unsaid(launch_framework with, const job& asked, const recipe& how,
                   const parallelism& cut) {
  return launch_gap(with, {asked.model, asked.pool, how, cut, asked.workspace});
}

void require_framework(launch_framework with, const job& asked) {
  recipe other = asked.recipe;
  other.framework = recipe{}.framework;
  const auto evaluated = [&](const recipe& how) {
    return evaluate(asked.model, asked.pool, how, asked.parallelism, asked.workspace);
  };
  const estimate meant = evaluated(asked.recipe);
  if (meant.costed() || !evaluated(other).costed()) return;
  throw bad_usage{"--emit " + std::string(spelled(launch_framework_names, with)) +
                  ": its launch cannot say this: " + refusal_in_words(meant.refusal)};
}

namespace {

/// "--framework fsdp2 --weights fp32": what the framework's own recipe has in the place of what an
/// answer without --emit counts with, as options; empty where a file says what it has.
std::string own_recipe(launch_framework with, const job& asked, const recipe& how) {
  if (!asked.launch.file.empty()) return {};
  const recipe usual = usual_recipe(with);
  std::string words;
  for (const field<recipe>& row : recipe_fields) {
    const auto get = row.value.get;
    if (get == nullptr || row.key == "zero") continue;  // that is the layout's own
    if (get(how) != get(usual) || get(usual) == get(recipe{})) continue;
    words += (words.empty() ? "" : " ") + std::string(row.main_option()) + " " +
             gpuplan::detail::shown_value(row.value.kind, row.value.names, get(usual));
  }
  const bytes buckets = usual_workspace(with, asked.pool.node.gpu, how).zero_buckets;
  if (buckets > bytes{0} && how.zero != zero_stage::none && asked.workspace.zero_buckets == buckets)
    words += fmt::format("{}--zero-buckets {:g}GB", words.empty() ? "" : " ", buckets / units::GB);
  return words;
}

/// Says that a launch counts with the framework's own recipe, and with what step.
void say_own_recipe(launch_framework with, const job& asked, const recipe& how,
                    const parallelism& cut) {
  const std::string own = own_recipe(with, asked, how);
  if (own.empty()) return;
  const estimate what = evaluate(asked.model, asked.pool, how, cut, asked.workspace);
  say(
      fmt::format("--emit {}: its recipe is the framework's own, whose step takes {}; without "
                  "--emit, ask for it by {}",
                  spelled(launch_framework_names, with), format_duration(what.time.total()), own));
}

}  // namespace

std::string launch_of(launch_framework with, const job& asked, const recipe& how,
                      const parallelism& cut) {
  require_launch(with, asked.asked.gpu, how);
  const std::string gap = unsaid(with, asked, how, cut);
  const std::string name{spelled(launch_framework_names, with)};
  if (!gap.empty()) throw bad_usage{"--emit " + name + ": its launch cannot say " + gap};
  const launch_ranks ranks = launch_ranks_of(cut.gpus(), asked.asked.gpus_per_node, cut.tensor);
  if (ranks.left_idle > 0)
    say("--emit " + name + ": " + unfilled_nodes(ranks) + ", and the plan counts on full nodes; " +
        "--gpus-per-node " + std::to_string(ranks.per_node) + " plans for these");
  say_own_recipe(with, asked, how, cut);
  return write_launch(with, asked.model, how, cut, asked.workspace, ranks);
}

report_json json_of(const launch_echo& launch) {
  return {{"file", launch.file},
          {"framework", launch.framework},
          {"assumed", launch.assumed},
          {"not_modelled", launch.not_modelled}};
}

std::string in_words(const launch_echo& launch) {
  std::string words;
  for (const std::string& line : launch.assumed) words += "Assumed: " + line + ".\n";
  std::string names;
  for (const std::string& line : launch.not_modelled) names += (names.empty() ? "" : ", ") + line;
  if (!names.empty()) words += "Not modelled, and may change memory or time: " + names + ".\n";
  return words;
}

std::string why_nothing_fits(launch_framework with, const job& asked, const recipe& how) {
  const std::string own = own_recipe(with, asked, how);
  if (own.empty()) return "nothing fits";
  return "with the framework's own recipe, " + own + ", nothing fits";
}

void print_launch(const std::string& launch, std::string_view why_none) {
  print(launch);
  if (launch.empty())
    say(std::string(why_none) + ", so there is no launch; without --emit, why, and what would");
}

}  // namespace gpuplan::cli
