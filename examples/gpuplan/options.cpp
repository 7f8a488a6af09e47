/// \file
/// Options that subcommands share.

#include "options.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

#include <gpuplan/api/assertion.hpp>
#include <gpuplan/api/idle_choice.hpp>
#include <gpuplan/api/power_limit.hpp>
#include <gpuplan/launch/arguments.hpp>
#include <gpuplan/launch/option_arguments.hpp>
#include <gpuplan/model/transformer_json.hpp>

#include "inputs.hpp"
#include "launch/launch.hpp"
#include "redirection.hpp"

namespace gpuplan::cli {
void read_fabric(cluster_request& asked, const std::string& fabric, const std::string& latency) {
  const bool is_rate = api::is_rate_of_link(fabric);
  if (!latency.empty() && !is_rate)
    throw bad_usage{"--latency goes with a --fabric given as a rate, such as 400Gb/s"};
  if (!is_rate) {
    if (!fabric.empty()) asked.fabric = find_fabric(fabric, "--fabric").name;
    return;
  }
  asked.fabric.clear();
  asked.link = api::link_of_rate(fabric, "--fabric");
  if (latency.empty()) return;
  asked.link.latency = quantity_of<seconds>(latency, "--latency");
  require(asked.link.latency <= seconds{1e3}, "--latency must be <= 1000 s");
}

namespace {

cluster_request cluster_asked(const job_options& typed) {
  cluster_request asked;
  if (const std::string& gpu = typed.cluster["gpu"]; !gpu.empty())
    asked.gpu = find_gpu(gpu, "--gpu").name;
  typed.cluster.read(asked);
  read_fabric(asked, typed.cluster["fabric"], typed.latency);
  asked.measured = typed.profile.empty() ? typed.measured : read_measured(typed.profile);
  return asked;
}

/// \throws bad_usage naming the nearest batches of whole samples
[[noreturn]] void refuse_batch(const recipe& how) {
  const int sample = how.sequences_per_sample;
  const int below = how.global_batch_size / sample * sample;
  throw bad_usage{"--batch must hold whole samples of " + std::to_string(sample) +
                  " sequences: " + (below > 0 ? std::to_string(below) + " or " : std::string{}) +
                  std::to_string(std::int64_t{below} + sample) + ", not " +
                  std::to_string(how.global_batch_size)};
}

recipe recipe_asked(const job_options& typed, const job& asked) {
  recipe how = typed.emit ? usual_recipe(*typed.emit) : recipe{};
  how.sequence_length = default_sequence(asked.model);
  how.precision = default_precision(asked.pool.gpu());
  typed.recipe.read(how);
  if (typed.recipe["global_batch_size"].empty())
    how.global_batch_size = filling_batch(asked.parallelism);
  else if (how.global_batch_size % how.sequences_per_sample != 0)
    refuse_batch(how);
  if (same_name(typed.recipe["schedule"], "interleaved") && asked.parallelism.interleave < 2)
    throw bad_usage{"--schedule interleaved must come with --interleave 2 or more; 1f1b has both"};
  return how;
}

/// Adds what was typed in the place of an argument of a launch.
template <class Owner>
void add_given(const typed_fields<Owner>& typed, const Owner& read, launch_surroundings& around) {
  for (const option_argument& one : option_arguments)
    for (const field<Owner>& row : typed.rows())
      if (row.key == one.key && !typed[row.key].empty())
        around.given[std::string(one.argument)] = static_cast<int>(row.value.get(read));
}

/// What a launch may leave to the command line.
launch_surroundings surroundings_of(const job_options& typed, const job& asked) {
  launch_surroundings around{
      .gpu = *find_gpu(asked.asked.gpu, "--gpu").gpu,
      .gpus = asked.asked.gpus,
      .model = typed.model.empty() ? std::nullopt : std::optional{asked.model},
      .sequence_length = typed.model.empty() ? 0 : default_sequence(asked.model)};
  recipe how;
  parallelism cut;
  typed.recipe.read(how);
  typed.layout.read(cut);
  around.sequences_per_sample = how.sequences_per_sample;
  around.precision_given = !typed.recipe["precision"].empty();
  around.trained_given = typed.task.has_value() || !typed.recipe["adapter_rank"].empty();
  add_given(typed.recipe, how, around);
  add_given(typed.layout, cut, around);
  if (!typed.recipe["sequence_length"].empty()) around.sequence_length = how.sequence_length;
  if (!typed.layout["data"].empty()) around.replicas = cut.data;
  if (!typed.layout["micro_batch_size"].empty()) around.micro_batch_size = cut.micro_batch_size;
  return around;
}

/// Takes back what a launch chose, and that has no effect on the job; what was typed stays, to be
/// refused.
template <class Owner>
void take_back_idle_choices(const typed_fields<Owner>& typed, Owner& chosen, const job& asked) {
  api::take_back_idle(typed.rows(), chosen, asked,
                      [&](const field<Owner>& row) { return !typed[row.key].empty(); });
}

/// Takes the model, the recipe, the layout and the workspace of a launch; what was typed goes
/// before them.
void take_launch(const job_options& typed, job& asked) {
  const launch_surroundings around = surroundings_of(typed, asked);
  launch_read said = read_launch_file(typed.from, around);
  if (said.job.model) {
    asked.model = *said.job.model;
    asked.model_name = typed.from;
    asked.model_echo = json_of(asked.model);
  }
  if (typed.cluster["gpus_per_node"].empty() && said.job.gpus_per_node > 0)
    asked.asked.gpus_per_node = said.job.gpus_per_node;
  parallelism& cut = asked.parallelism = said.job.parallelism;
  typed.layout.read(cut);
  const bool cut_anew = !typed.layout["tensor"].empty() || !typed.layout["pipeline"].empty() ||
                        !typed.layout["context"].empty();
  const int gpus = asked.asked.gpus > 0 ? asked.asked.gpus : said.job.gpus;
  if (cut_anew && typed.layout["data"].empty() && gpus > 0)
    cut.data = replicas_on(gpus, cut, typed.from);
  recipe& how = asked.recipe = said.job.recipe;
  // Accelerate counts micro-batches, whatever their size.
  if (said.framework == launch_framework::accelerate)
    how.global_batch_size = static_cast<int>(
        std::min<double>(most_ranks, double(how.global_batch_size) * cut.micro_batch_size));
  typed.recipe.read(how);
  api::require_countable(cut, asked.model);
  take_back_idle_choices(typed.recipe, how, asked);
  take_back_idle_choices(typed.layout, cut, asked);
  asked.listed_workspace = said.job.workspace;
  asked.launch = {.file = typed.from,
                  .framework = std::string(spelled(launch_framework_names, said.framework)),
                  .assumed = said.job.assumed,
                  .not_modelled = said.job.not_modelled};
  if (said.job.one_replica && typed.layout["data"].empty())
    asked.launch.assumed.emplace_back(
        "the GPUs of one replica, as the file does not say how many; --gpus says it");
}

/// The model that goes with a launch: its own, or the one that was named.
void find_model_of_launch(const job_options& typed, job& asked) {
  const bool described = launch_has_model(typed.from);
  if (described && !typed.model.empty())
    throw bad_usage{"MODEL has no effect: " + typed.from + " describes the model"};
  if (described) return;
  if (typed.model.empty())
    throw bad_usage{"MODEL is required: " + typed.from + " does not describe the model"};
  named_transformer found = find_model_or_file(typed.model);
  say_notes(found);
  asked.model = found.model;
  asked.model_name = found.name;
  asked.model_echo = std::move(found.echo);
}

workspace workspace_asked(const job_options& typed, workspace beside) {
  typed.workspace.read(beside);
  return beside;
}

/// Whether an option is a field of a request, in which programs vary what decides on its effect:
/// `evaluate` accepts it, and so does every question.
bool is_field_of_request(std::string_view option) {
  const redirection* by = redirected();
  return by != nullptr && by->fields.contains(option);
}

/// Likewise, where what has no effect is not refused everywhere.
template <class Owner>
bool may_be_idle(const field<Owner>& row) {
  return row.effect.idle == idle_value::accepted && is_field_of_request(row.main_option());
}

/// Refuses an option as typed, other than the usual one, that has no effect on a job.
template <class Owner>
void refuse_idle_options(const typed_fields<Owner>& typed, const Owner& chosen, const job& asked) {
  const training_setup setup{asked.model, asked.recipe, asked.parallelism};
  for (const field<Owner>& row : typed.rows()) {
    const field_effect& effect = row.effect;
    if (effect.where == nullptr || effect.where(setup) || typed[row.key].empty()) continue;
    if (may_be_idle(row)) continue;
    if (row.value.get(chosen) == row.value.get(Owner{})) continue;
    throw invalid_input{std::string(row.main_option()) +
                        " has no effect: " + std::string(effect.idle_because)};
  }
}

/// Refuses an option as typed that only several GPUs can give an effect.
template <class Owner>
void refuse_idle_alone(const typed_fields<Owner>& typed, const Owner& chosen, const job& asked) {
  const parallelism alone;
  const training_setup setup{asked.model, asked.recipe, alone};
  for (const field<Owner>& row : typed.rows()) {
    const field_effect& effect = row.effect;
    const bool by_layout = effect.where != nullptr && effect.idle == idle_value::accepted;
    if (!by_layout || effect.where(setup) || typed[row.key].empty()) continue;
    if (may_be_idle(row)) continue;
    if (row.value.get(chosen) == row.value.get(Owner{})) continue;
    throw invalid_input{std::string(row.main_option()) +
                        " has no effect: " + std::string(effect.idle_because)};
  }
}

}  // namespace

void job_options::refuse_idle(const job& asked) const {
  refuse_idle_options(recipe, asked.recipe, asked);
  refuse_idle_options(layout, asked.parallelism, asked);
  refuse_idle_options(workspace, asked.workspace, asked);
}

void job_options::refuse_idle_of_cluster(const job& asked) const {
  refuse_idle_options(cluster, asked.asked, asked);
}

void job_options::refuse_idle_of_one_gpu(const job& asked) const {
  if (asked.asked.gpus != 1) return;
  refuse_idle_alone(recipe, asked.recipe, asked);
  refuse_idle_alone(layout, asked.parallelism, asked);
  refuse_idle_alone(workspace, asked.workspace, asked);
  // The host of a node, and what it reads, are divided among the GPUs that NVLink joins.
  const bool divides_host = asked.recipe.uses_host() || asked.asked.storage > bytes_per_second{0} ||
                            asked.asked.preprocessing > seconds{0};
  const bool asked_for =
      !cluster["nvlink_domain"].empty() && !is_field_of_request("--nvlink-domain");
  if (asked_for && !divides_host)
    throw invalid_input{"--nvlink-domain has no effect: there is one GPU"};
}

std::vector<std::string> job_options::files() const {
  std::vector<std::string> read;
  if (!model.empty() && !is_catalogued(model))
    read.push_back(api::config_path(model, program_files()));
  if (!from.empty()) read.push_back(from);
  if (!profile.empty()) read.push_back(profile);
  return read;
}

void job_options::add_model(CLI::App& command) {
  command.add_option("MODEL", model, "Name of the catalogue, or path of a config.json")->required();
}

void job_options::add_model_or_launch(CLI::App& command) {
  command.add_option("MODEL,--model", model,
                     "Name of the catalogue, or path of a config.json; not where --from's file "
                     "describes it");
  command.add_option("--from", from,
                     "File of a launch, or - for standard input: arguments of Megatron-LM or "
                     "Megatron Bridge, YAML of "
                     "either, DeepSpeed's JSON, torchtitan's TOML, Accelerate's YAML");
}

void job_options::add_cluster(CLI::App& command) {
  constexpr const char* group = "Cluster";
  for (const auto& row : api::cluster_fields) {
    cluster.add(command, row.key, group, row.key == "gpu" ? "" : usual_in_words(row));
    if (row.key != "fabric") continue;
    command.add_option("--latency", latency, "Of a --fabric given as a rate [5us]")->group(group);
  }
  command.get_option("--gpu")->required();
  command
      .add_option("--profile", profile,
                  "Measured rates and links in the place of the catalogue's, as gpuplan calibrate "
                  "writes them")
      ->group(group);
}

void job_options::add_training(CLI::App& command, std::span<const searched_field> searched) {
  const auto add = [&](auto& fields, field_rows which, const std::string& group) {
    for (const auto& row : fields.rows()) {
      if (row.seldom != (which == field_rows::seldom)) continue;
      const auto found = std::find_if(searched.begin(), searched.end(),
                                      [&](const auto& one) { return one.key == row.key; });
      if (found == searched.end())
        fields.add(command, row.key, group);
      else
        fields.add(
            command, row.key, group,
            found->where_absent ? "any, which searches" : usual_in_words(row) + "; any searches");
    }
  };
  add(recipe, field_rows::usual, "Recipe");
  add(layout, field_rows::usual, "Layout");
  const std::string seldom = "Recipe: offloading, adapters, experts, long sequences";
  add(recipe, field_rows::seldom, seldom);
  add(layout, field_rows::seldom, seldom);
}

void job_options::add_workspace(CLI::App& command) {
  for (const auto& row : workspace_fields)
    workspace.add(command, row.key, "Memory beside the model");
}

job job_options::resolved_launch() const {
  job asked;
  find_model_of_launch(*this, asked);
  asked.asked = cluster_asked(*this);
  take_launch(*this, asked);
  if (asked.asked.gpus == 0) asked.asked.gpus = static_cast<int>(asked.parallelism.gpus());
  asked.pool = cluster_of(asked.asked);
  const gpuplan::workspace listed = asked.listed_workspace;
  asked.listed_workspace = workspace_asked(*this, listed);
  asked.workspace = workspace_asked(*this, calibrated(listed, asked.asked.measured.profile));
  asked.task = task;
  api::require_power_limit(asked, choice_name::option);
  return asked;
}

job job_options::resolved(recompute_choice tried) const {
  if (!from.empty()) return resolved_launch();
  return resolved(described ? *described : find_model_or_file(model, model_said_by), tried);
}

job job_options::resolved(named_transformer found, recompute_choice tried) const {
  require_planned(found);
  job asked;
  asked.model = found.model;
  asked.model_name = found.name;
  asked.model_echo = std::move(found.echo);

  layout.read(asked.parallelism);
  api::require_countable(asked.parallelism, asked.model);

  asked.asked = cluster_asked(*this);
  if (asked.asked.gpus == 0) asked.asked.gpus = static_cast<int>(asked.parallelism.gpus());
  asked.pool = cluster_of(asked.asked);
  asked.recipe = recipe_asked(*this, asked);
  const gpuplan::workspace listed = emit ? usual_workspace(*emit, asked.pool.gpu(), asked.recipe)
                                         : workspace_of(asked.pool.gpu(), asked.recipe.framework);
  asked.listed_workspace = workspace_asked(*this, listed);
  asked.workspace = workspace_asked(*this, calibrated(listed, asked.asked.measured.profile));
  asked.task = task;
  require_effects(asked, tried, choice_name::option);
  api::require_power_limit(asked, choice_name::option);
  say_notes(found);
  return asked;
}

void answer_options::add(CLI::App& command, const std::string& examples) {
  constexpr const char* group = "Answer";
  command.add_flag("--json", as_json, "As JSON, for programs")->group(group);
  command
      .add_option("--assert", assertions,
                  "End with exit code 3 unless this holds of the answer, as " + examples +
                      "; may be repeated")
      ->group(group)
      ->expected(1)
      ->take_all()
      ->each([](const std::string& text) { api::require_assertion(text); });
}

exit_code answer_options::check(const report_json& answer) const {
  return api::all_hold(assertions, answer, say) ? exit_done : exit_assert_failed;
}

}  // namespace gpuplan::cli
