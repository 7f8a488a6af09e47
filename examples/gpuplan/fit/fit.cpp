/// \file
/// gpuplan fit: whether one layout fits, and what to change where it does not.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <gpuplan/memory/accumulation.hpp>
#include <gpuplan/memory/max_batch.hpp>
#include <gpuplan/memory/stage_terms.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/plan/memory_share.hpp>
#include <gpuplan/plan/repair.hpp>
#include <gpuplan/plan/what_fits.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/units/format.hpp>

#include "bands.hpp"
#include "command_words.hpp"
#include "csv.hpp"
#include "launch/launch.hpp"
#include "layout_search.hpp"
#include "options.hpp"
#include "profile_effect.hpp"
#include "program.hpp"
#include "proposal.hpp"
#include "summary.hpp"
#include "task.hpp"

namespace gpuplan::cli {
namespace {

constexpr const char* after_fit_options =
    "Whether a model trains on one GPU, or on GPUs cut as you say: memory term by term, the "
    "largest\n"
    "micro-batch, and where it does not fit, what to change and what each change costs.  Exit "
    "code\n"
    "4 where it does not fit.\n"
    "\n"
    "Memory has three figures: what tensors hold (torch.cuda.max_memory_allocated), what the\n"
    "allocator reserves for them (torch.cuda.max_memory_reserved), and the total that nvidia-smi\n"
    "shows, which is compared with the memory that the GPU's driver shows.\n"
    "\n"
    "Examples:\n"
    "  gpuplan fit llama-3.2-1b --gpu A100-40GB --sequence 4096\n"
    "  gpuplan fit llama-3-8b --gpu H100 --data 8 --zero 1 --batch 256 --recompute selective\n";

struct fit_options {
  job_options job;
  band_options bands;
  answer_options answer;
  std::string emit, task;
  bool as_csv = false;
};

/// What is said of a layout beside its estimate.
struct room {
  largest_batch largest{};
  bytes planned{};                    ///< memory that the risk and the headroom leave
  largest_batch safe{};               ///< the same in this memory
  std::optional<accumulation> steps;  ///< of the batch by the largest micro-batch
  repairs changes{};                  ///< where it does not fit
  proposals what_fits{};              ///< likewise: commands
};

void add_fit_options(CLI::App& options, fit_options& typed) {
  typed.job.add_model_or_launch(options);
  typed.job.add_cluster(options);
  add_task_option(options, typed.task);
  typed.job.add_training(options);
  typed.job.add_workspace(options);
  typed.bands.add_risk(options);
  typed.bands.add_level(options);
  typed.answer.add(options);
  options
      .add_flag("--csv", typed.as_csv, "A line for each pipeline stage's memory, for spreadsheets")
      ->group("Answer");
  add_emit_option(options, typed.emit);
}

/// One layout: nothing varies.
space no_space(const band_options& bands) {
  space none{.tensor = false, .pipeline = false, .data = false, .expert = false};
  none.micro_batch = none.zero = none.recompute = none.sequence_parallel = false;
  bands.set(none);
  none.keep = 1;
  return none;
}

/// What words ask of a model that was read, where it fits.
std::optional<proposal> answer_of_fit(const command_words& words, const job& model) {
  CLI::App command;
  fit_options typed;
  add_fit_options(command, typed);
  read_words(command, words);
  typed.job.described = named_transformer{model.model_name, model.model, model.model_echo};
  take_task_of_layout(typed.task, typed.job);
  const job asked = typed.job.resolved();
  typed.job.refuse_idle(asked);
  const search_result found = searched(asked, no_space(typed.bands));
  if (found.best() == nullptr) return std::nullopt;
  proposal one{.asked = asked, .best = *found.best()};
  one.fits_probability = fits_probability(asked, asked.recipe, one.best.what.needed);
  return one;
}

/// Whether the launch that was read makes replicas alone, so that its changes do, too.
bool makes_replicas(const job& asked) {
  const auto with = framework_asked(asked.launch.framework);
  return with && makes_replicas_alone(*with);
}

/// What makes a layout fit, as commands: changes of its options, then other types.
proposals proposals_of_fit(const job& asked, const fit_options& typed, const command_words& words) {
  const words_answer answer = [&](const command_words& other) {
    return answer_of_fit(other, asked);
  };
  const search_start from{asked.recipe, planned_space(asked, no_space(typed.bands)),
                          asked.parallelism, makes_replicas(asked)};
  const words_for asks = [&](const fitting_change& one) {
    const search_result found = searched(asked, one.start);
    command_words changed = words;
    if (found.best() == nullptr) return changed;
    set_changed(changed, recipe_fields, asked.recipe, found.best()->recipe());
    set_changed(changed, parallelism_fields, asked.parallelism, found.best()->parallelism());
    if (!words.has("--batch"))
      changed.set("--batch", std::to_string(asked.recipe.global_batch_size));
    return changed;
  };
  proposals all;
  add_proposals(all, what_fits(asked.model, asked.pool, from, asked.workspace), words, asks,
                answer);
  constexpr std::size_t most_types = 4;
  const std::size_t others = all.list.size() + most_types;
  for (const std::string& type : larger_types(asked)) {
    if (all.list.size() == others) break;
    command_words changed = words;
    set_type(changed, type);
    add_proposal(all, lever_cost::hardware, changed, words, answer);
  }
  sort_by_cost(all);
  return all;
}

/// The repairs without those that cut a replica anew.
repairs of_replicas(const repairs& all, const parallelism& cut) {
  const auto ranks = [](const parallelism& one) { return one.gpus() / one.data; };
  repairs some;
  for (const repair& one : all)
    if (ranks(one.parallelism) == ranks(cut) && one.parallelism.expert == cut.expert)
      some.list[some.size++] = one;
  return some;
}

room room_of(const estimate& what, const job& asked, const space& sure) {
  room left;
  if (!what.costed()) return left;
  left.largest = max_micro_batch(what.memory, asked.pool.gpu().memory);
  const cluster planned =
      planned_pool(asked.pool, asked.model, asked.recipe, planned_space(asked, sure));
  left.planned = planned.gpu().memory;
  left.safe = max_micro_batch(what.memory, left.planned);
  if (left.largest.fits()) {
    const int sample = asked.recipe.sequences_per_sample;
    const int samples = rounded_batch(asked.recipe.global_batch_size, sample) / sample;
    left.steps = accumulate(samples, left.largest.samples / sample, asked.parallelism.data);
    left.steps->micro_batch_size *= sample;
  }
  if (!what.fits())
    left.changes =
        repairs_of(asked.model, planned, asked.recipe, asked.parallelism, asked.workspace);
  if (makes_replicas(asked)) left.changes = of_replicas(left.changes, asked.parallelism);
  return left;
}

report_json answer_of(const estimate& what, const room& left, const job& asked, double level) {
  report_json answer{{"schema_version", report_schema_version}};
  answer.update(gpuplan::json_of(what, asked.pool.gpu(), errors_of(what, asked), level));
  add_host_memory(answer, what, asked);
  const bytes free = asked.pool.gpu().memory - what.needed;
  answer["free_bytes"] =
      what.costed() ? json_number(std::floor(free.in_base_units())) : report_json(nullptr);
  answer["largest_micro_batch"] =
      what.costed() ? report_json(left.largest.samples) : report_json(nullptr);
  answer["safe_micro_batch"] =
      what.costed() ? report_json(left.safe.samples) : report_json(nullptr);
  answer["accumulation"] = nullptr;
  if (left.steps)
    answer["accumulation"] = {{"steps", left.steps->steps},
                              {"micro_batch_size", left.steps->micro_batch_size},
                              {"effective_batch", left.steps->effective_batch()}};
  answer["repairs"] = json_of(left.changes, asked);
  answer["what_fits"] = json_of(left.what_fits);
  answer["calibration"] = json_of(effect_of(asked, asked.recipe, asked.parallelism));
  answer["task"] = json_of_task(asked);
  answer["inputs"] = json_of(asked);
  if (!asked.launch.file.empty()) answer["launch"] = json_of(asked.launch);
  return answer;
}

/// A row for each stage, in which each term has what it adds to the peak, be it nothing.
report_json rows_of_stages(const report_json& memory) {
  report_json rows = memory["stages"];
  for (report_json& row : rows) {
    report_json every = report_json::object();
    for (const stage_term& term : stage_terms) {
      const std::string key = std::string(term.name) + "_bytes";
      every[key] = row["at_peak"].value(key, report_json(0));
    }
    row["at_peak"] = std::move(every);
  }
  return rows;
}

/// What fits, with its commands; nothing where none was found.
std::string changes_in_words(const proposals& all, const job& asked, text_style style) {
  if (all.list.empty()) return {};
  const bool typed = asked.launch.file == "-";
  return "\nWhat to change, each tried and fitting, by what it costs:\n\n" +
         proposals_in_words(all, 100, style) +
         (typed ? "\nEach command reads the launch from standard input again.\n" : "");
}

/// The largest micro-batch, the one that risk and headroom allow before the one predicted to fit,
/// and the batch in passes of it or of the largest that divides it: in the words of
/// layout_in_words, "micro-batch 8 x 4".
std::string largest_in_words(const room& left, const job& asked) {
  const accumulation& steps = *left.steps;
  const std::int64_t of_replica =
      asked.recipe.global_batch_size / (std::max)(asked.parallelism.data, 1);
  const bool divides =
      steps.micro_batch_size >= left.largest.samples || steps.micro_batch_size >= of_replica;
  const std::string sure =
      left.safe.samples < left.largest.samples
          ? fmt::format(
                "{} in the memory that --risk and --headroom leave.\nIn all of it, as "
                "predicted: ",
                left.safe.samples > 0 ? std::to_string(left.safe.samples) : "none")
          : "";
  return fmt::format(
      "Largest micro-batch: {}{}{}.  A batch of {} then takes micro-batch {} x {} on each of "
      "{}{}.\n",
      sure, left.largest.samples,
      divides ? "" : fmt::format(", which does not divide the {} of a replica", of_replica),
      asked.recipe.global_batch_size, steps.micro_batch_size, steps.steps,
      asked.parallelism.data == 1 ? "one replica"
                                  : fmt::format("{} replicas", asked.parallelism.data),
      steps.effective_batch() == asked.recipe.global_batch_size
          ? ""
          : fmt::format(", which is {}", steps.effective_batch()));
}

/// How many GPUs the layout leaves without work; empty where it uses all.
std::string idle_in_words(const job& asked) {
  const std::int64_t used = asked.parallelism.gpus();
  const std::int64_t idle = asked.pool.gpus() - used;
  if (idle <= 0) return {};
  return fmt::format("{} of the {} {} idle: the layout uses {}; --data makes more replicas.\n",
                     idle, counted(asked.pool.gpus(), "GPU"), idle == 1 ? "is" : "are", used);
}

void print_for_people(const estimate& what, const room& left, const job& asked, double level) {
  const text_style style = style_of_output();
  print(bold(wrapped(job_in_words(asked), width_of_output()), style) + "\n");
  print_lines(fmt::format("{}; {}\n\n", layout_in_words(asked.recipe, asked.parallelism),
                          recipe_in_words(asked.recipe, asked.parallelism)));
  if (const std::string idle = idle_in_words(asked); !idle.empty()) print_lines(idle + "\n");
  if (const std::string task = task_in_words(asked); !task.empty()) print_lines(task + "\n");
  if (const std::string open = in_words(asked.launch); !open.empty()) print_lines(open + "\n");
  if (!what.costed()) {
    print_lines(fmt::format("It cannot run: {}.\n", refusal_in_words(what.refusal)));
    print(changes_in_words(left.what_fits, asked, style));
    return;
  }
  print_lines(!what.fits() ? fmt::format("It does not fit: {}.\n\n", refusal_in_words(what.refusal))
              : what.needed > left.planned
                  ? "It may fit: it needs more memory than --risk and --headroom leave.\n\n"
                  : "It fits.\n\n");
  print(memory_table(what.memory, asked.pool.gpu(), style));
  print_lines(host_memory_in_words(what, asked));
  print_lines("\n" + bands_in_words(what, asked, level));
  print_lines(warning_of_lengths(asked));
  print_lines(warning_of_power_limit(asked));
  print_lines(warning_of_input(what, asked));
  if (left.largest.fits())
    print_lines("\n" + largest_in_words(left, asked));
  else
    print_lines(
        left.largest.limit == batch_limit::states
            ? "\nWeights, gradients and optimizer states alone do not fit.\n"
            : "\nWeights, gradients and optimizer states fit, but no micro-batch fits beside "
              "them.\n");
  if (what.fits())
    print(fmt::format("A step takes {}, MFU {:.1f} %, bound by {}.\n",
                      format_duration(what.time.total()), 100 * what.model_flop_utilization(),
                      title_of(what.time.binding())));
  if (!left.what_fits.list.empty())
    print(changes_in_words(left.what_fits, asked, style));
  else if (left.changes.size > 0)
    print("\nNo three changes on these GPUs make it fit.  What to change, the nearest first:\n\n" +
          repair_table(left.changes, asked, left.planned, what.time.total(), 8, style));
  else if (!what.fits())
    print("\nNo change on these GPUs helps: use more GPUs.\n");
  if (const auto effect = effect_of(asked, asked.recipe, asked.parallelism))
    print("\n" + effect_tables(*effect, style));
}

}  // namespace

command fit_command(CLI::App& program) {
  CLI::App* options =
      program.add_subcommand("fit", "Whether a layout fits, and what to change where it does not");
  options->footer(after_fit_options);
  const auto typed = std::make_shared<fit_options>();
  add_fit_options(*options, *typed);

  return {options, [typed, options] {
            const auto with = framework_asked(typed->emit);
            if (with && typed->answer.as_json)
              throw bad_usage{"--json has no effect: --emit prints a launch"};
            if (with && typed->as_csv)
              throw bad_usage{"--csv has no effect: --emit prints a launch"};
            refuse_two_formats(typed->as_csv, typed->answer.as_json);
            if (typed->job.model.empty() && typed->job.from.empty())
              throw bad_usage{
                  "MODEL is required: a name of the catalogue, the path of a config.json, or "
                  "--from and the file of a launch"};
            if (typed->job.from.empty()) typed->job.emit = with;
            take_task_of_layout(typed->task, typed->job);
            const job asked = typed->job.resolved();
            typed->job.refuse_idle(asked);
            const estimate what =
                evaluate(asked.model, asked.pool, asked.recipe, asked.parallelism, asked.workspace);
            // Where it does not fit, what is offloaded to the host is among the changes.
            if (what.fits() || !what.costed()) {
              typed->job.refuse_idle_of_cluster(asked);
              typed->job.refuse_idle_of_one_gpu(asked);
            }
            space sure;
            typed->bands.set(sure);
            const double level = typed->bands.level_asked();
            room left = room_of(what, asked, sure);
            if (!what.fits() && what.costed()) {
              const progress shown{"gpuplan: searching"};
              left.what_fits = proposals_of_fit(asked, *typed, words_of(*options));
            }
            const report_json answer = answer_of(what, left, asked, level);
            if (with && !what.costed()) require_framework(*with, asked);
            if (typed->answer.as_json)
              print_json(answer);
            else if (typed->as_csv)
              print(csv_of(rows_of_stages(answer["memory"])));
            else if (with)
              print_launch(what.fits() ? launch_of(*with, asked, asked.recipe, asked.parallelism)
                                       : std::string{},
                           why_nothing_fits(*with, asked, asked.recipe));
            else
              print_for_people(what, left, asked, level);
            const exit_code checked = typed->answer.check(answer);
            return what.fits() ? checked : exit_infeasible;
          }};
}

}  // namespace gpuplan::cli
