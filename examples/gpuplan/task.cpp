/// \file
/// The option --task.

#include "task.hpp"

#include <algorithm>
#include <string_view>

#include <CLI/CLI.hpp>

#include <gpuplan/model/recipe_fields.hpp>
#include <gpuplan/plan/training_task.hpp>

#include "command_words.hpp"
#include "inputs.hpp"
#include "launch/launch.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

training_task task_asked(const std::string& typed) {
  if (const auto* known = find_spelling(bounded_name(typed), unmodelled_tasks))
    throw bad_usage{"--task " + std::string(known->name) + ": " + std::string(known->why) +
                    " (--reference-model frozen)"};
  return choice(typed, training_task_names, "--task");
}

const field<recipe>& field_of(const task_default& one) {
  return recipe_fields[place_of_field(recipe_fields, one.key)];
}

/// Whether options say the same of adapters in another way, or switch off what a default is of.
bool is_said_otherwise(const task_default& one, const job_options& options) {
  if (one.key == "adapter_maps" && !options.recipe["adapter_place"].empty()) return true;
  const field_effect& effect = field_of(one).effect;
  return effect.where == effect::with_adapters.where && options.recipe["adapter_rank"] == "0";
}

/// A field's value in a recipe, as an option takes it.
std::string text_of(const field<recipe>& row, const recipe& how) {
  return option_text(row.value.kind, row.value.names, row.value.get(how));
}

int sequences_per_sample(const job_options& options) {
  recipe how;
  options.recipe.read(how);
  return how.sequences_per_sample;
}

/// The batch that a task set; null where an option says it.
const task_default* batch_of_task(const job_options& options) {
  if (!options.task) return nullptr;
  for (const task_default* one : options.task->taken)
    if (one->key == "global_batch_size") return one;
  return nullptr;
}

/// Sets the batch that a task left to be a multiple of what the ranks take at once.
void round_batch(job_options& options, int at_once) {
  const task_default* const batch = batch_of_task(options);
  if (batch == nullptr) return;
  options.recipe["global_batch_size"] =
      std::to_string(rounded_batch(static_cast<int>(batch->value), at_once));
}

bool trains_adapters(training_task task) {
  const auto& defaults = rule_of(task).defaults;
  return std::any_of(defaults.begin(), defaults.end(),
                     [](const task_default& one) { return one.key == "adapter_rank"; });
}

/// Whether a file of DeepSpeed or Accelerate says it: its batch and its optimizer.
bool is_of_launch(const task_default& one) {
  return one.key == "global_batch_size" || one.key == "optimizer";
}

/// \throws bad_usage if a launch says itself what is trained, or lacks a model
void require_open_task(const job_options& options) {
  if (options.from.empty()) return;
  if (launch_has_model(options.from))
    throw bad_usage{"--task has no effect: " + options.from + " says how it trains"};
  if (options.model.empty())
    throw bad_usage{"MODEL is required: " + options.from + " does not describe the model"};
}

void take_defaults(const std::string& typed, job_options& options) {
  require_open_task(options);
  options.task = task_choice{.task = task_asked(typed)};
  if (options.recipe["adapter_rank"] == "0" && trains_adapters(options.task->task))
    throw bad_usage{"--adapter-rank must be >= 1: --task " + typed +
                    " trains adapters, and --task sft every weight"};
  if (!options.described) options.described = find_model_or_file(options.model);
  recipe how;
  for (const task_default& one : rule_of(options.task->task).defaults) {
    std::string& said = options.recipe[one.key];
    if (!said.empty() || is_said_otherwise(one, options)) continue;
    if (!options.from.empty() && is_of_launch(one)) continue;
    const field<recipe>& row = field_of(one);
    row.value.set(how, default_for(options.described->model, one));
    said = text_of(row, how);
    options.task->taken.push_back(&one);
  }
}

}  // namespace

void add_task_option(CLI::App& command, std::string& typed) {
  std::string names;
  for (const auto& row : training_task_names)
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  command
      .add_option("--task", typed, "What is usual for a task, where no option says it: " + names)
      ->group("Recipe");
}

bool has_batch_of_task(const job_options& options) {
  return batch_of_task(options) != nullptr;
}

void take_task(const std::string& typed, job_options& options, int ranks) {
  if (typed.empty()) return;
  take_defaults(typed, options);
  const std::int64_t at_once = std::int64_t{ranks} * sequences_per_sample(options);
  round_batch(options, static_cast<int>(std::min<std::int64_t>(at_once, most_ranks)));
}

void take_task_of_layout(const std::string& typed, job_options& options) {
  if (typed.empty()) return;
  take_defaults(typed, options);
  if (!options.from.empty()) return;  // batches are those of the file
  if (options.layout["micro_batch_size"].empty())
    options.layout["micro_batch_size"] = std::to_string(sequences_per_sample(options));
  parallelism cut;
  options.layout.read(cut);
  const std::int64_t at_once = std::int64_t{cut.data} * cut.micro_batch_size;
  round_batch(options, static_cast<int>(std::min<std::int64_t>(at_once, most_ranks)));
}

namespace {

/// What is said of the reference model; empty where there is none.
std::string reference_in_words(const recipe& how) {
  if (!how.runs_reference()) return {};
  return how.adapts()
             ? "The base without its adapters is the reference model: a forward pass more, "
               "and no second copy of the weights.\n"
             : "A frozen reference model: a second copy of the weights, and a forward pass "
               "more (--reference-model none: its log-probabilities are computed before).\n";
}

/// The task as the recipe has it: an option may say what is trained, and how the rest is stored.
std::string description_of(const task_rule& rule, const recipe& how) {
  const std::string what{rule.in_words};
  const bool of_pairs = rule.task == training_task::dpo;
  if (!how.adapts()) return of_pairs ? what : what + " of every weight";
  const std::string trained = " adapters beside frozen weights";
  const auto bits = [&]() -> std::string {
    switch (how.adapters.base) {
      case base_weights::by_precision: return {};
      case base_weights::int8:
      case base_weights::fp8: return " of 8 bits";
      case base_weights::int4:
      case base_weights::nf4: return " of 4 bits";
    }
    return {};
  }();
  return what + (of_pairs ? ", of" : " of") + trained + bits;
}

}  // namespace

std::string task_in_words(const job& asked) {
  if (!asked.task) return reference_in_words(asked.recipe);
  const task_rule& rule = rule_of(asked.task->task);
  std::string words;
  for (const task_default* one : asked.task->taken) {
    const field<recipe>& row = field_of(*one);
    words += (words.empty() ? "; it sets " : ", ") + std::string(row.main_option()) + " " +
             text_of(row, asked.recipe);
  }
  return "task " + std::string(rule.name) + ": " + description_of(rule, asked.recipe) + words +
         "\n" + reference_in_words(asked.recipe);
}

report_json json_of_task(const job& asked) {
  if (!asked.task) return nullptr;
  const task_rule& rule = rule_of(asked.task->task);
  report_json defaults = report_json::array();
  for (const task_default* one : asked.task->taken)
    defaults.push_back({{"field", one->key},
                        {"value", gpuplan::json_of(asked.recipe)[std::string(one->key)]},
                        {"source", one->source}});
  return {{"name", rule.name},
          {"description", description_of(rule, asked.recipe)},
          {"defaults", std::move(defaults)}};
}

}  // namespace gpuplan::cli
