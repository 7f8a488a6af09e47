/// \file
/// What plan answers, for people.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/model/recipe_names.hpp>
#include <gpuplan/plan/memory_share.hpp>
#include <gpuplan/plan/pareto.hpp>
#include <gpuplan/report/table.hpp>
#include <gpuplan/units/format.hpp>

#include "bands.hpp"
#include "fitted_table.hpp"
#include "inputs.hpp"
#include "plan/answer.hpp"
#include "plan/completion.hpp"
#include "plan/layout_table.hpp"
#include "profile_effect.hpp"
#include "summary.hpp"
#include "task.hpp"

namespace gpuplan::cli {
namespace {

/// The options that give the stages of the plan their layers, where these are not equal.
std::string stages_as_options(const offer& shown) {
  const layer_split& split = shown.study.shown->recipe().split;
  std::string layers;
  for (int i = 0; i < split.stages(); ++i)
    layers += fmt::format("{}{}", i == 0 ? "" : ",", split.layers(i));
  if (layers.empty()) return {};
  return fmt::format(
      "The layers of the first: --layer-split {}, in Megatron-LM "
      "--pipeline-model-parallel-layout '{}'.\n",
      layers, megatron_stages(shown.asked.asked, *shown.study.shown));
}

void print_warnings(const offer& shown) {
  const plan& first = *shown.study.shown;
  print_lines(stages_as_options(shown));
  print_lines(bands_in_words(first.what, shown.asked.asked, shown.asked.level));
  if (const std::string risks = risks_in_words(shown.study.risks, first, shown.asked.vary.by);
      !risks.empty())
    print_lines("Safer or bolder: " + risks + ".\n");
  print_lines(warning_of_lengths(shown.asked.asked));
  print_lines(warning_of_power_limit(shown.asked.asked));
  print_lines(warning_of_input(first.what, shown.asked.asked));
  print_lines(warning_of_experts(shown.asked.asked));
}

std::string percent_of_step(double elasticity) {
  return fmt::format("{:.2g} %", -elasticity);
}

std::string slopes_in_words(const elasticities& slopes) {
  std::vector<std::size_t> order;
  constexpr double least = 0.005;
  for (std::size_t i = 0; i < step_resources.size(); ++i)
    if (slopes.of[i] < -least) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return slopes.of[a] < slopes.of[b]; });
  std::string words;
  for (const std::size_t i : order)
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", name_of(step_resources[i]),
                         percent_of_step(slopes.of[i]));
  return words.empty() ? "no resource shortens the step" : words + " less time";
}

std::string plan_in_words(const plan& one) {
  return fmt::format("{}, {}", layout_in_words(one.recipe(), one.parallelism()),
                     recipe_in_words(one.recipe(), one.parallelism()));
}

/// The best changes.
void add_changes(table& rows, const plan_study& study, const char* per) {
  constexpr std::size_t most = 3;
  for (std::size_t i = 0; i < std::min(most, study.alternatives.size()); ++i) {
    const alternative& one = study.alternatives[i];
    rows.row({i == 0 ? "a change" : "",
              fmt::format("{}: {:.2f} times the tokens {}", one.what, one.speedup, per)});
  }
}

void print_help(const offer& shown, text_style style) {
  const plan_study& study = shown.study;
  table rows{{{"What would help"}, {""}}};
  rows.row({"1 % more of", slopes_in_words(*study.slopes)});
  rows.row({"twice the", fmt::format("{}: {:.2f} times as fast", name_of(study.twice->resource),
                                     study.twice->speedup())});
  if (!study.searched_further) {
    rows.row(
        {"more", "memory or another recipe: --what-if searches for them, which takes a while"});
  } else {
    if (study.more_memory)
      rows.row({"more memory",
                fmt::format("{} more: {:.2f} times as fast by {}", sized(study.more_memory->more()),
                            study.more_memory->speedup(), plan_in_words(study.more_memory->next))});
    else if (shown.asked.vary.by == objective::time)
      rows.row({"more memory", "no faster layout would fit"});
    add_changes(rows, study, shown.asked.vary.by == objective::time ? "a second" : "of a GPU hour");
  }
  print(rows.text_within(width_of_output(), style));
}

void print_rejects(const search_result& found, text_style style) {
  table rows{{{"Layouts rejected", column_side::right}, {"reason"}}};
  for (const reject_count& each : rejects_by_count(found))
    rows.row({grouped(static_cast<double>(each.layouts)), std::string(describe(each.reason))});
  if (!rows.empty()) print("\n" + rows.text_within(width_of_output(), style));
}

const std::string& type_of(const offer& one) {
  return one.asked.asked.asked.gpu;
}

/// Of counts that nobody asked for: those that were chosen; of each type the fewest GPUs that keep
/// the limits, the last before them, the cheapest and the fastest, whatever other types there are.
std::vector<bool> offers_to_show(const offers& found, table_detail detail) {
  std::vector<bool> shown(found.all.size(), detail == table_detail::full || !found.counts_tried);
  const offer_choices& choices = found.choices;
  for (const auto& at : {choices.fewest_gpus, choices.cheapest, choices.fastest})
    if (at) shown[*at] = true;
  shown[found.shown] = true;
  const half_kept halves = half_kept_of(found);
  for (const auto& at : {halves.in_time, halves.in_budget})
    if (at) shown[*at] = true;

  for (std::size_t begin = 0, end = 0; begin < found.all.size(); begin = end) {
    std::vector<std::size_t> kept;
    for (end = begin;
         end < found.all.size() && type_of(found.all[end]) == type_of(found.all[begin]); ++end)
      if (found.all[end].keeps_known()) kept.push_back(end);
    if (kept.empty()) {
      const std::size_t at = closest(found, begin, end);
      shown[found.all[at].study.run ? at : end - 1] = true;
      continue;
    }
    const auto least = [&](auto&& value) {
      return *std::min_element(kept.begin(), kept.end(), [&](std::size_t a, std::size_t b) {
        return value(found.all[a].study.run->whole) < value(found.all[b].study.run->whole);
      });
    };
    shown[least([](const run_estimate& run) { return run.gpu_time; })] = true;
    shown[least([](const run_estimate& run) { return run.time; })] = true;
    shown[kept.front()] = true;
    if (kept.front() > begin) shown[kept.front() - 1] = true;
  }
  return shown;
}

/// Why an offer is not taken, or what it is the best in.
std::string remark_of(const offers& found, std::size_t at) {
  const offer& one = found.all[at];
  std::string said = missed_limits(one);
  const auto say = [&](const std::optional<std::size_t>& place, const char* what_it_is) {
    if (place == at) said += (said.empty() ? "" : ", ") + std::string(what_it_is);
  };
  if (one.cost_unknown) said += (said.empty() ? "" : ", ") + std::string("price unknown");
  say(found.choices.fewest_gpus, "fewest");
  say(found.choices.cheapest, "cheapest");
  say(found.choices.fastest, "fastest");
  const std::int64_t used = one.study.shown->what.gpus;
  if (used < one.asked.asked.asked.gpus)
    said += fmt::format("{}uses {}", said.empty() ? "" : "; ", used);
  return said;
}

/// The columns of an offer that has a run: from its step on.
std::vector<std::string> offer_cells(const offers& found, std::size_t at) {
  const offer& one = found.all[at];
  const run_forecast& run = *one.study.run;
  const estimate& what = one.study.shown->what;
  std::vector<std::string> cells{
      format_duration(what.time.total()), percent(what.model_flop_utilization()),
      duration_or_never(run.whole.time), hourly_in_words(one.asked.terms),
      cost_in_words(run, one.asked.terms)};
  for (const std::string& said : {energy_in_words(run.whole.energy), carbon_in_words(run.carbon)})
    cells.push_back(one.power_known() ? said : "unknown");
  const auto add = [&](const std::optional<double>& chance) {
    cells.push_back(chance ? chance_in_cell(*chance) : "unknown");
  };
  if (isfinite(found.limits.deadline)) add(deadline_probability(one, found.limits));
  if (isfinite(found.limits.budget)) add(budget_probability(one, found.limits));
  cells.push_back(remark_of(found, at));
  return cells;
}

/// Where the prices of the offers are from, a line; nothing where the user says them.
std::string prices_in_words(const offers& found) {
  std::vector<const price*> listed;
  for (const offer& one : found.all)
    for (const priced_rental& rental : one.asked.terms.rentals)
      if (rental.terms.kind == price_kind::on_demand && rental.listed != nullptr &&
          std::find(listed.begin(), listed.end(), rental.listed) == listed.end())
        listed.push_back(rental.listed);
  std::string words;
  for (const price* one : listed)
    words += fmt::format("{}{} {}, {}", words.empty() ? "" : "; ", one->accelerator, one->provider,
                         one->date.substr(0, one->date.find(',')));
  if (listed.empty()) return words;
  const bool one_list = std::all_of(listed.begin(), listed.end(), [&](const price* one) {
    return of_one_list(*one, *listed.front());
  });
  return fmt::format("Prices, on demand: {}.{}\n", words,
                     one_list ? ""
                              : "  They are of different clouds and dates: --provider takes one, "
                                "--price says them.");
}

void print_offers(const offers& found, text_style style, table_detail detail) {
  std::vector<column> heads{{"GPUs", column_side::right}, {"of type"}};
  const bool batches = found.differ_in_batch();
  if (batches) heads.push_back({"Batch", column_side::right});
  for (const char* head : {"Step", "MFU", "Whole run", "$/GPU h", "Cost", "Energy", "CO2e"})
    heads.push_back({head, column_side::right});
  if (isfinite(found.limits.deadline)) heads.push_back({"In time", column_side::right});
  if (isfinite(found.limits.budget)) heads.push_back({"In budget", column_side::right});
  heads.push_back({""});
  fitted_table rows{heads};
  const std::vector<bool> shown = offers_to_show(found, detail);
  for (std::size_t i = 0; i < found.all.size(); ++i) {
    if (!shown[i]) continue;
    const offer& one = found.all[i];
    std::vector<std::string> cells{std::to_string(one.asked.asked.asked.gpus), type_of(one)};
    if (batches) cells.push_back(std::to_string(one.asked.asked.recipe.global_batch_size));
    if (one.study.run) {
      for (std::string& cell : offer_cells(found, i)) cells.push_back(std::move(cell));
    } else {
      cells.resize(heads.size() - 1);
      cells.emplace_back("nothing fits");
    }
    rows.row(std::move(cells));
  }
  constexpr std::array<std::string_view, 4> spare{"CO2e", "Energy", "MFU", "Step"};
  print(rows.text(spare, width_of_output(), style));
  print_lines(prices_in_words(found));
  if (found.all.size() > 1)
    print("\nThe next one alone: " + found.all[found.shown].asked.in_pool.text() + "\n");
  print("\n");
}

void print_front(const front& even_better, text_style style) {
  table rows{{{"Step", column_side::right},
              {"Memory", column_side::right},
              {"GPUs", column_side::right},
              {"GPU time a step", column_side::right},
              {"Layout"}}};
  constexpr std::size_t most = 15;
  const std::size_t size = even_better.plans.size();
  for (std::size_t i = 0; i < size; ++i) {
    // Evenly thinned, both ends kept.
    if (size > most && i > 0 && i * (most - 1) / (size - 1) == (i - 1) * (most - 1) / (size - 1))
      continue;
    const plan& one = even_better.plans[i];
    const plan_measures measures = measures_of(one);
    rows.row({format_duration(measures.step), sized(measures.memory), std::to_string(one.what.gpus),
              format_duration(measures.gpu_time), plan_in_words(one)});
  }
  print_lines(
      fmt::format("\nNo layout beats these in time, memory and GPU time at once ({} of {}):\n\n",
                  size, grouped(static_cast<double>(even_better.of))));
  print(rows.text_within(width_of_output(), style));
}

void print_misfit(const offer& shown, text_style style, table_detail detail) {
  const plan_study& study = shown.study;
  const job& asked = shown.asked.asked;
  if (study.shown) {
    print_lines(fmt::format("{}.  The closest miss is {}:\n{}.\n\n", misfit_in_words(study, asked),
                            plan_in_words(*study.shown), miss_in_words(study.shown->what, asked)));
    print_lines(bands_in_words(study.shown->what, asked, shown.asked.level) + "\n");
    print(memory_table(study.shown->what.memory, asked.pool.gpu(), style, detail));
    print_lines(host_memory_in_words(study.shown->what, asked) + "\n");
  } else {
    print_lines(misfit_in_words(study, asked) + ".\n");
    const std::int64_t expert_gpus =
        std::int64_t{asked.parallelism.expert} * asked.parallelism.expert_tensor_ranks();
    if (!shown.asked.vary.expert && expert_gpus > asked.asked.gpus)
      print_lines(fmt::format("EP {} needs {} GPUs or a multiple of them, and there are {}.\n",
                              asked.parallelism.expert, expert_gpus, asked.asked.gpus));
  }
  if (!study.what_fits.list.empty()) {
    constexpr std::size_t most = 100;
    print("What to change, each tried and fitting, by what it costs:\n\n" +
          proposals_in_words(study.what_fits, most, style));
  } else if (study.changes && study.changes->size > 0) {
    const cluster planned =
        planned_pool(asked.pool, asked.model, asked.recipe, planned_space(asked, shown.asked.vary));
    print_lines(
        "Nothing that was tried fits: no three changes of the recipe, no other GPUs.  The "
        "nearest:\n\n");
    print(repair_table(*study.changes, asked, planned.gpu().memory, study.shown->what.time.total(),
                       8, style));
  }
  if (!study.is_explained)
    print("What would fit was not searched: without --quick it is.\n");
  else if (!study.searched_further)
    print("\nNot all changes and clusters were searched: --what-if does that.\n");
  print_rejects(study.found, style);
}

}  // namespace

std::string limits_in_words(const run_limits& limits, const offer& shown) {
  std::string words;
  const auto add = [&](const char* limit, const std::optional<double>& chance) {
    if (chance)
      words +=
          fmt::format("{} is kept with a probability of {}.\n", limit, chance_in_words(*chance));
  };
  add("The deadline", deadline_probability(shown, limits));
  add("The budget", budget_probability(shown, limits));
  return words;
}

/// What one of two limits takes: the offer that keeps it, or that misses it least.
std::string limit_in_words(const offers& found, std::string_view limit, std::string_view nearest_is,
                           const std::optional<std::size_t>& keeps, std::size_t nearest) {
  const offer& one = found.all[keeps.value_or(nearest)];
  const run_estimate& run = one.study.run->whole;
  return fmt::format("{} {} {}: {}, {}.\n",
                     keeps ? fmt::format("The {} alone is kept by", limit)
                           : fmt::format("No offer keeps the {}; the {} is", limit, nearest_is),
                     one.asked.asked.asked.gpus, type_of(one), format_duration(run.time),
                     one.asked.terms.priced() ? money(run.cost()) : "price unknown");
}

/// What the limits would take, where no offer keeps them.
std::string missed_in_words(const offers& found) {
  if (!found.limited()) return "No run finishes: failures come faster than progress.\n\n";
  if (!isfinite(found.limits.budget)) return "No offer meets the limits.  The fastest:\n\n";
  if (!isfinite(found.limits.deadline)) return "No offer meets the limits.  The cheapest:\n\n";
  const half_kept halves = half_kept_of(found);
  return "No offer meets both limits.\n" +
         limit_in_words(found, "deadline", "fastest", halves.in_time, halves.fastest) +
         limit_in_words(found, "budget", "cheapest", halves.in_budget, halves.cheapest) +
         "\nThe one that comes closest to both:\n\n";
}

/// Which size of a pool is explained where none keeps the limits; nothing without limits.
std::string closest_size_in_words(const offers& found) {
  if (!found.limited()) return {};
  const int gpus = found.all[found.shown].asked.asked.asked.gpus;
  return fmt::format("{} {} closest to the limits:\n\n", counted(gpus, "GPU"),
                     gpus == 1 ? "comes" : "come");
}

void print_for_people(const offers& found, const std::optional<front>& even_better,
                      table_detail detail) {
  const text_style style = style_of_output();
  const offer& shown = found.all[found.shown];
  const plan_study& study = shown.study;
  const job& asked = shown.asked.asked;
  const bool several = found.all.size() > 1;
  if (found.pool)
    print(completion_in_words(found, style) + "\n");
  else if (several || found.limited())
    print_offers(found, style, detail);
  const std::string unsure = unsure_in_words(found);
  if (!unsure.empty())
    print_lines(unsure + "\n");
  else if (!found.kept() && study.run)
    print_lines(found.pool ? closest_size_in_words(found) : missed_in_words(found));
  print(bold(wrapped(job_in_words(asked), width_of_output()), style) + "\n");
  print_lines(task_in_words(asked));
  if (const std::string fitted = batch_in_words(shown.asked); !fitted.empty())
    print_lines(fitted + "\n");
  print("\n");
  if (!study.run) {
    print_misfit(shown, style, detail);
    if (!study.shown) return;
    if (const auto effect = effect_of(asked, study.shown->recipe(), study.shown->parallelism()))
      print("\n" + effect_tables(*effect, style));
    return;
  }
  const double all = static_cast<double>(study.found.candidates);
  const double fitting = static_cast<double>(study.found.fitting);
  const double dominated = static_cast<double>(study.found.dominated);
  print_lines(
      fmt::format("{} {}: {}, {} break a rule or need too much memory, {} were pruned: "
                  "others are better for certain.  By {}, the best of each kind:\n\n",
                  grouped(all), study.found.candidates == 1 ? "layout" : "layouts",
                  fitting > 0 ? grouped(fitting) + " fit" : "none fits with equal stages",
                  grouped(all - fitting - dominated), grouped(dominated), name_of(shown.asked.by)));
  print(layout_table(shown, width_of_output(), style) + "\n");
  print_warnings(shown);
  print("\n" + memory_table(study.shown->what.memory, asked.pool.gpu(), style, detail));
  print_lines(host_memory_in_words(study.shown->what, asked));
  print("\n" + time_table(study.shown->what.time, style, detail));
  const error_band band = bands_of(study.shown->what, asked, shown.asked.level).step;
  print("\n" + run_text(*study.run, *study.shown, shown.asked.terms, band, found.limits, style));
  print_lines(limits_in_words(found.limits, shown) + "\n");
  if (const auto effect = effect_of(asked, study.shown->recipe(), study.shown->parallelism()))
    print(effect_tables(*effect, style) + "\n");
  if (const auto choice = choice_by_datasheets(shown.asked, *study.shown))
    print_lines(in_words(*choice) + "\n");
  if (study.is_explained) print_help(shown, style);
  if (even_better) print_front(*even_better, style);
  if (detail == table_detail::full) print_rejects(study.found, style);
}

}  // namespace gpuplan::cli
