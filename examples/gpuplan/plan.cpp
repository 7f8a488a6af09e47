/// \file
/// gpuplan plan: the best layouts of a job on a cluster.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/hardware/catalog_prices.hpp>
#include <gpuplan/model/parameters.hpp>
#include <gpuplan/model/recipe_names.hpp>
#include <gpuplan/plan/repair.hpp>
#include <gpuplan/plan/run.hpp>
#include <gpuplan/plan/search.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/report/table.hpp>
#include <gpuplan/units/format.hpp>

#include "inputs.hpp"
#include "options.hpp"
#include "program.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

constexpr const char* after_options =
    "Tries every layout, keeps those that fit, and prints the best: memory by stage and term, "
    "time\n"
    "by term, what binds, how long the run takes and what it costs.  Where nothing fits it prints\n"
    "the closest miss and what to change, and ends with exit code 4.\n"
    "\n"
    "Examples:\n"
    "  gpuplan plan llama-3-8b --gpu H100 --gpus 64 --tokens 15T\n"
    "  gpuplan plan ./config.json --gpu A100-80GB --gpus 128 --fabric 200Gb/s --batch 1024 \\\n"
    "      --sequence 4096 --tensor 8 --price '$2.50/h'\n"
    "  gpuplan plan llama-3-70b --gpu H100 --gpus 512 --context any --assert 'mfu > 0.4'\n";

constexpr std::array objective_names{spelling<objective>{"time", objective::time},
                                     spelling<objective>{"gpu_hours", objective::gpu_time},
                                     spelling<objective>{"memory", objective::memory},
                                     spelling<objective>{"gpu_time", objective::gpu_time}};

/// Sequences of a step where none are given, before they are made a multiple of the GPUs.
constexpr std::int64_t default_batch = 1024;
/// Tokens for each parameter where --tokens is not given.
///
/// Source: J. Hoffmann et al., "Training Compute-Optimal Large Language Models", NeurIPS (2022),
/// table 3, arXiv:2203.15556.
constexpr double default_tokens_per_parameter = 20;

struct plan_options {
  job_options job;
  answer_options answer;
  std::string tokens, price, electricity, usage_effectiveness, objective, top;
};

/// What the run is, beside the layout.
struct run_request {
  tokens trained{};
  bool trained_given = false;
  run_prices prices{};
  const price* listed = nullptr;  ///< where the price is the catalogue's
};

/// True, and the option emptied, where it says "any" or nothing and nothing means any.
bool varies(std::string& typed, bool by_default) {
  if (typed.empty()) return by_default;
  if (!same_name(typed, "any")) return false;
  typed.clear();
  return true;
}

space space_of(plan_options& typed) {
  job_options& job = typed.job;
  space vary;
  vary.tensor = varies(job.tensor, true);
  vary.pipeline = varies(job.pipeline, true);
  vary.data = varies(job.data, true);
  vary.context = varies(job.context, true);
  vary.expert = varies(job.expert, true);
  vary.interleave = varies(job.interleave, true);
  vary.micro_batch = varies(job.micro_batch, true);
  vary.zero = varies(job.zero, true);
  vary.recompute = varies(job.recompute, true);
  vary.sequence_parallel = varies(job.sequence_parallel, true);
  vary.schedule = varies(job.schedule, false);
  if (!typed.objective.empty()) vary.by = choice(typed.objective, objective_names, "--objective");
  vary.keep = typed.top.empty() ? 5 : static_cast<int>(whole_number(typed.top, "--top", 1, 1000));
  return vary;
}

run_request run_of(const plan_options& typed, const job& asked) {
  run_request run;
  run.trained_given = !typed.tokens.empty();
  run.trained = run.trained_given ? quantity_of<tokens>(typed.tokens, "--tokens")
                                  : default_tokens_per_parameter *
                                        parameters_of(asked.model).total() * units::token;
  require(run.trained > tokens{0}, "--tokens must be > 0");
  if (!typed.price.empty())
    run.prices.gpu = quantity_of<dollars_per_second>(typed.price, "--price");
  else if ((run.listed = lowest_price(catalog::prices, asked.asked.gpu, price_kind::on_demand)))
    run.prices.gpu = run.listed->rate;
  if (!typed.electricity.empty())
    run.prices.electricity = quantity_of<dollars_per_joule>(typed.electricity, "--electricity");
  if (!typed.usage_effectiveness.empty())
    run.prices.power_usage_effectiveness = plain_number(typed.usage_effectiveness, "--pue", 1, 100);
  return run;
}

run_estimate run_with(const plan& chosen, const job& asked, const run_request& run) {
  return training_run({.gpus = chosen.what.gpus,
                       .tokens_per_step = chosen.what.tokens_per_step,
                       .step = chosen.what.time.total(),
                       .gpu_power = asked.pool.gpu().thermal_design_power},
                      run.trained, run.prices);
}

/// The plan to speak of: the best, or the closest miss; null where every layout broke a rule.
const plan* plan_shown(const search_result& found) {
  if (!found.plans.empty()) return &found.plans.front();
  return found.misses.empty() ? nullptr : &found.misses.front();
}

/// The rule that most layouts broke.
reject_reason commonest(const search_result& found) {
  const auto most = std::max_element(found.rejected.begin(), found.rejected.end());
  return static_cast<reject_reason>(most - found.rejected.begin());
}

std::optional<repairs> repairs_for(const search_result& found, const job& asked) {
  if (!found.plans.empty() || found.misses.empty()) return std::nullopt;
  const plan& miss = found.misses.front();
  return repairs_of(asked.model, asked.pool, miss.recipe, miss.parallelism, asked.workspace);
}

report_json json_of_search(const search_result& found) {
  report_json rejected = report_json::object();
  for (std::size_t i = 0; i < found.rejected.size(); ++i)
    if (found.rejected[i] > 0)
      rejected[std::string(name_of(static_cast<reject_reason>(i)))] = found.rejected[i];
  return {{"candidates", found.candidates},
          {"fitting", found.fitting},
          {"dominated", found.dominated},
          {"rejected", rejected}};
}

report_json answer_of(const search_result& found, const std::optional<repairs>& changes,
                      const job& asked, const run_request& run, const space& vary) {
  report_json answer{{"schema_version", report_schema_version}};
  const plan* shown = plan_shown(found);
  if (shown != nullptr) {
    answer.update(gpuplan::json_of(shown->what));
    answer["recipe"] = gpuplan::json_of(shown->recipe);
    answer["parallelism"] = gpuplan::json_of(shown->parallelism);
    answer["run"] = gpuplan::json_of(run_with(*shown, asked, run));
  } else {
    answer.update({{"fits", false}, {"reason", name_of(commonest(found))}, {"binding", nullptr}});
    answer["mfu"] = nullptr;
    answer["step_time_s"] = nullptr;
    answer["memory"] = gpuplan::json_of(footprint{});
  }
  report_json plans = report_json::array();
  for (const plan& one : found.plans)
    plans.push_back({{"step_time_s", json_number(one.what.time.total())},
                     {"mfu", json_number(one.what.model_flop_utilization())},
                     {"binding", name_of(one.what.time.binding())},
                     {"worst_stage_bytes", json_number(one.what.memory.worst_stage().total())},
                     {"gpus_used", one.what.gpus},
                     {"recipe", gpuplan::json_of(one.recipe)},
                     {"parallelism", gpuplan::json_of(one.parallelism)}});
  answer["plans"] = std::move(plans);
  answer["repairs"] = changes ? json_of(*changes) : report_json::array();
  answer["search"] = json_of_search(found);
  answer["inputs"] = json_of(asked);
  answer["inputs"]["run"] = {
      {"tokens", json_number(run.trained)},
      {"gpu_price_dollars_per_s", json_number(run.prices.gpu)},
      {"gpu_price_source", run.listed != nullptr ? report_json(run.listed->source) : nullptr},
      {"electricity_dollars_per_joule", json_number(run.prices.electricity)},
      {"power_usage_effectiveness", run.prices.power_usage_effectiveness}};
  answer["inputs"]["searched"] = {{"tensor", vary.tensor},
                                  {"pipeline", vary.pipeline},
                                  {"data", vary.data},
                                  {"context", vary.context},
                                  {"expert", vary.expert},
                                  {"interleave", vary.interleave},
                                  {"micro_batch", vary.micro_batch},
                                  {"zero", vary.zero},
                                  {"recompute", vary.recompute},
                                  {"sequence_parallel", vary.sequence_parallel},
                                  {"schedule", vary.schedule},
                                  {"objective", spelled(objective_names, vary.by)}};
  return answer;
}

std::string money(dollars sum) {
  const double x = sum / units::dollar;
  if (x < 100) return fmt::format("${:.2f}", x);
  return x < 1e6 ? "$" + grouped(x) : fmt::format("${:.2f} million", x / 1e6);
}

void print_plans(const search_result& found, const job& asked, const space& vary,
                 text_style style) {
  print(fmt::format(
      "{} layouts: {} fit, {} cannot be better than these whether they fit or not.  The best by "
      "{}:\n\n",
      found.candidates, found.fitting, found.dominated, spelled(objective_names, vary.by)));
  table rows{{{""},
              {"Layout"},
              {"Recipe"},
              {"GPUs", column_side::right},
              {"Step", column_side::right},
              {"MFU", column_side::right},
              {"Memory", column_side::right},
              {"Bound by"}}};
  int place = 0;
  for (const plan& one : found.plans) {
    const bytes worst = one.what.memory.worst_stage().total();
    rows.row({fmt::format("{}", ++place), layout_in_words(one.recipe, one.parallelism),
              recipe_in_words(one.recipe, one.parallelism), fmt::format("{}", one.what.gpus),
              format_duration(one.what.time.total()),
              fmt::format("{:.1f} %", 100 * one.what.model_flop_utilization()),
              fmt::format("{:.0f} %", 100 * (worst / asked.pool.gpu().memory)),
              std::string(name_of(one.what.time.binding()))});
  }
  print(rows.text(style));
  if (found.plans.empty()) return;
  const plan& first = found.plans.front();
  if (first.what.memory.worst_stage().total() > 0.95 * asked.pool.gpu().memory)
    print(
        "\nAbove 95 % a plan may not fit: drivers show less than the label, and estimates of "
        "memory "
        "err by some percent.\n");
  if (asked.model.moe.experts > 0)
    print(
        "\nTimes of mixtures of experts are off by a third and more: uneven loads are not "
        "modelled.\n");
}

void print_run(const plan& chosen, const job& asked, const run_request& run, text_style style) {
  const run_estimate whole = run_with(chosen, asked, run);
  table rows{{{"The whole run"}, {""}}};
  const std::string assumed =
      run.trained_given ? "" : " (20 tokens a parameter; --tokens changes it)";
  rows.row({"tokens", fmt::format("{:.4g}{}", run.trained, assumed)});
  rows.row(
      {"speed", fmt::format("{:.4g}, {:.4g} a GPU", chosen.what.throughput(),
                            chosen.what.throughput() / static_cast<double>(chosen.what.gpus))});
  rows.row({"steps", grouped(whole.steps)});
  rows.row({"time", format_duration(whole.time)});
  const double gpu_hours = whole.gpu_time / units::hour;
  rows.row({"GPU hours", gpu_hours < 100 ? fmt::format("{:.3g}", gpu_hours) : grouped(gpu_hours)});
  if (run.prices.gpu > dollars_per_second{0}) {
    const std::string each = fmt::format(
        "${:.2f} an hour of GPU{}", run.prices.gpu * units::hour / units::dollar,
        run.listed != nullptr ? fmt::format(", {}, {}", run.listed->provider, run.listed->date)
                              : "");
    rows.row({"cost", fmt::format("{} ({})", money(whole.cost()), each)});
  } else {
    rows.row({"cost", "no price known; give --price"});
  }
  const bool large = whole.energy >= units::MWh;
  rows.row({"energy",
            fmt::format("{:.4g} {}, at most ({:.0f} W each)",
                        whole.energy / (large ? units::MWh : units::kWh), large ? "MWh" : "kWh",
                        asked.pool.gpu().thermal_design_power / units::watt)});
  print(rows.text(style));
}

void print_rejects(const search_result& found, text_style style) {
  table rows{{{"Layouts passed over", column_side::right}, {"because"}}};
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < found.rejected.size(); ++i)
    if (found.rejected[i] > 0) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return found.rejected[a] > found.rejected[b]; });
  for (const std::size_t i : order)
    rows.row({fmt::format("{}", found.rejected[i]),
              std::string(describe(static_cast<reject_reason>(i)))});
  if (!rows.empty()) print("\n" + rows.text(style));
}

void print_for_people(const search_result& found, const std::optional<repairs>& changes,
                      const job& asked, const run_request& run, const space& vary) {
  const text_style style = style_of_output();
  print(bold(job_in_words(asked), style) + "\n\n");
  const plan* shown = plan_shown(found);
  const bytes of_gpu = asked.pool.gpu().memory;
  if (!found.plans.empty()) {
    print_plans(found, asked, vary, style);
    print(fmt::format("\nThe first in detail.  {}.\n\n",
                      layout_in_words(shown->recipe, shown->parallelism)));
  } else if (shown != nullptr) {
    print(fmt::format("Nothing fits: none of {} layouts.  The closest miss is {}, {}.\n{}.\n\n",
                      found.candidates, layout_in_words(shown->recipe, shown->parallelism),
                      recipe_in_words(shown->recipe, shown->parallelism),
                      refusal_in_words(shown->what.refusal)));
  } else {
    print(fmt::format("Nothing fits: each of {} layouts breaks a rule.\n", found.candidates));
  }
  if (shown != nullptr) {
    print(memory_table(shown->what.memory, of_gpu, style) + "\n");
    print(time_table(shown->what.time, style) + "\n");
    if (!changes) print_run(*shown, asked, run, style);
  }
  if (changes && changes->size > 0)
    print("What to change:\n\n" +
          repair_table(*changes, of_gpu, shown->what.time.total(), 8, style));
  print_rejects(found, style);
}

}  // namespace

command plan_command(CLI::App& program) {
  CLI::App* options = program.add_subcommand("plan", "The best ways to train a model on a cluster");
  options->footer(after_options);
  const auto typed = std::make_shared<plan_options>();
  typed->job.add_model(*options);
  typed->job.add_cluster(*options);
  options->get_option("--gpus")->required();
  typed->job.add_recipe(*options);
  typed->job.add_workspace(*options);
  typed->job.add_layout(*options, "a number; searched where absent, or any");
  options->get_option("--schedule")
      ->description("gpipe, 1f1b, zb_h1, zb_h2, zb_v, dualpipe or any [1f1b]");
  options->get_option("--batch")->description(
      "Sequences of one optimizer step [1024, made a multiple of the GPUs]");
  const auto add = [&](const char* name, std::string& text, const char* what) {
    options->add_option(name, text, what)->group("Run");
  };
  add("--tokens", typed->tokens, "To train on, as 15T or 300B [20 a parameter]");
  add("--price", typed->price, "Of a GPU, as '$2.50/h' [lowest on demand in the catalogue]");
  add("--electricity", typed->electricity, "As '$0.12/kWh' [in the price of the GPU]");
  add("--pue", typed->usage_effectiveness, "Power of the site over that of its GPUs [1]");
  add("--objective", typed->objective, "time, gpu_hours or memory [time]");
  options->add_option("--top", typed->top, "Layouts to print [5]")->group("Answer");
  typed->answer.add(*options);

  return {options, [typed] {
            const space vary = space_of(*typed);
            const std::int64_t gpus = whole_number(typed->job.gpus, "--gpus", 1, most_ranks);
            if (typed->job.batch.empty())
              typed->job.batch = std::to_string((default_batch + gpus - 1) / gpus * gpus);
            const job asked = typed->job.resolved();
            const run_request run = run_of(*typed, asked);

            const search_result found = [&] {
              const progress shown{"gpuplan: searching"};
              return search(asked.model, asked.pool, asked.recipe, vary, asked.parallelism,
                            asked.workspace);
            }();
            const std::optional<repairs> changes = repairs_for(found, asked);
            const bool wants_json = typed->answer.as_json || !typed->answer.assertions.empty();
            const report_json answer =
                wants_json ? answer_of(found, changes, asked, run, vary) : report_json();
            if (typed->answer.as_json)
              print_json(answer);
            else
              print_for_people(found, changes, asked, run, vary);
            const exit_code checked = typed->answer.check(answer);
            return found.plans.empty() ? exit_infeasible : checked;
          }};
}

}  // namespace gpuplan::cli
