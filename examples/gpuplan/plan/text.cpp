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
#include "inputs.hpp"
#include "plan/answer.hpp"
#include "plan/completion.hpp"
#include "profile_effect.hpp"
#include "summary.hpp"
#include "task.hpp"

namespace gpuplan::cli {
namespace {

/// A column of the list of layouts that is left out where every row says the same unspoken thing.
struct layout_column {
  std::string_view title;
  column_side side;
  std::string_view unspoken;
  std::string (*of)(const plan&);
};

std::string micro_batches(const plan& one) {
  const auto at_once =
      std::int64_t{one.parallelism().data} * std::int64_t{one.parallelism().micro_batch_size};
  return fmt::format("{} x {}", one.parallelism().micro_batch_size,
                     one.recipe().global_batch_size / at_once);
}

constexpr std::array layout_columns{
    layout_column{"Data", column_side::right, "",
                  [](const plan& p) { return std::to_string(p.parallelism().data); }},
    layout_column{"Tensor", column_side::right, "1",
                  [](const plan& p) { return std::to_string(p.parallelism().tensor); }},
    layout_column{"Pipeline", column_side::right, "1",
                  [](const plan& p) { return std::to_string(p.parallelism().pipeline); }},
    layout_column{"Chunks", column_side::right, "1",
                  [](const plan& p) { return std::to_string(p.parallelism().interleave); }},
    layout_column{"Context", column_side::right, "1",
                  [](const plan& p) { return std::to_string(p.parallelism().context); }},
    layout_column{"Experts over", column_side::right, "1",
                  [](const plan& p) { return std::to_string(p.parallelism().expert); }},
    layout_column{"Micro-batch", column_side::right, "", micro_batches},
    layout_column{"ZeRO", column_side::right, "",
                  [](const plan& p) { return std::to_string(static_cast<int>(p.recipe().zero)); }},
    layout_column{
        "Recompute", column_side::left, "none",
        [](const plan& p) { return std::string(spelled(recompute_names, p.recipe().recompute)); }},
    layout_column{"Schedule", column_side::left, "1f1b", [](const plan& p) {
                    return std::string(spelled(schedule_names, p.recipe().schedule));
                  }}};

/// Up to two variants that are about as good, as "24 chunks, ZeRO 1 +0.2 %".
std::string nearly_as_good(const plan_family& family) {
  constexpr std::size_t most = 1;
  constexpr double near = 0.02;
  std::string words;
  std::size_t said = 0;
  std::size_t left = 0;
  for (const plan& other : family.others) {
    const double slower = other.what.time.total() / family.best.what.time.total() - 1;
    if (slower > near) continue;
    if (said == most) {
      ++left;
      continue;
    }
    ++said;
    words += fmt::format("{}{} {:+.1f} %", words.empty() ? "" : "; ",
                         difference_in_words(family.best, other), 100 * slower);
  }
  if (left > 0) words += fmt::format("; {} more", left);
  return words;
}

/// "93 %"; "70 %, risky" below the certainty that plans have where no risk is given.
std::string chance_of_fitting(const plan& one, const offer& shown) {
  const double chance = bands_of(one.what, shown.asked.asked).fits_probability;
  return chance_in_cell(chance) + (chance < 1 - usual_risk ? ", risky" : "");
}

void print_families(const offer& shown, text_style style) {
  const plan_study& study = shown.study;
  std::vector<column> heads{{""}};
  std::vector<const layout_column*> used;
  for (const layout_column& one : layout_columns) {
    const bool says = std::any_of(study.families.begin(), study.families.end(),
                                  [&](const auto& f) { return one.of(f.best) != one.unspoken; });
    if (!says) continue;
    used.push_back(&one);
    heads.push_back({std::string(one.title), one.side});
  }
  for (const char* head : {"GPUs", "Step", "MFU", "Memory", "Fits"})
    heads.push_back({head, column_side::right});
  heads.push_back({"Bound by"});
  heads.push_back({"Similar variants"});
  table rows{heads};
  int at = 0;
  for (const plan_family& family : study.families) {
    const plan& one = family.best;
    std::vector<std::string> cells{std::to_string(++at)};
    for (const layout_column* column : used) cells.push_back(column->of(one));
    cells.push_back(std::to_string(one.what.gpus));
    cells.push_back(format_duration(one.what.time.total()));
    cells.push_back(percent(one.what.model_flop_utilization()));
    cells.push_back(
        fmt::format("{:.0f} %", 100 * (one.what.needed / shown.asked.asked.pool.gpu().memory)));
    cells.push_back(chance_of_fitting(one, shown));
    cells.emplace_back(name_of(one.what.time.binding()));
    cells.push_back(nearly_as_good(family));
    rows.row(std::move(cells));
  }
  print(rows.text(style));
}

/// What a plan takes of what is wanted little of.
double taken(const plan& one, objective by) {
  switch (by) {
    case objective::time: return one.what.time.total().in_base_units();
    case objective::gpu_time: return measures_of(one).gpu_time.in_base_units();
    case objective::memory: return one.what.needed.in_base_units();
  }
  return 0;
}

/// What a safer or a bolder choice costs.
std::string risks_in_words(const offer& shown) {
  const objective by = shown.asked.vary.by;
  const double now = taken(*shown.study.shown, by);
  const char* what = by == objective::time       ? "time"
                     : by == objective::gpu_time ? "GPU time"
                                                 : "memory";
  std::string words;
  for (const risky_choice& one : shown.study.risks) {
    if (one.same) continue;
    words += fmt::format("{}--risk {} {:+.1f} % {}", words.empty() ? "" : ", ", one.risk,
                         100 * (taken(one.best, by) / now - 1), what);
  }
  return words.empty() ? words : "Safer or bolder: " + words + ".\n";
}

void print_warnings(const offer& shown) {
  const plan& first = *shown.study.shown;
  print(bands_in_words(first.what, shown.asked.asked, shown.asked.level));
  print(risks_in_words(shown));
  print(warning_of_lengths(shown.asked.asked));
  print(warning_of_input(first.what, shown.asked.asked));
  print(warning_of_experts(shown.asked.asked));
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

/// "The deadline is kept with a probability of 63 %."
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

/// The best changes, and uneven stages, which are found for the families shown.
void add_changes(table& rows, const plan_study& study, const char* per) {
  int changes = 0;
  for (const alternative& one : study.alternatives) {
    if (!one.stages.empty() || changes++ >= 3) continue;
    rows.row({changes == 1 ? "a change" : "",
              fmt::format("{}: {:.2f} times the tokens {}", one.what, one.speedup, per)});
  }
  for (const alternative& one : study.alternatives) {
    if (one.stages.empty()) continue;
    rows.row({"uneven stages",
              fmt::format("{}: {:.3f} times the tokens {}", one.what, one.speedup, per)});
    rows.row(
        {"", fmt::format("in Megatron-LM: --pipeline-model-parallel-layout '{}'", one.stages)});
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
  print(rows.text(style));
}

void print_rejects(const search_result& found, text_style style) {
  table rows{{{"Layouts rejected", column_side::right}, {"reason"}}};
  for (const reject_count& each : rejects_by_count(found))
    rows.row({grouped(static_cast<double>(each.layouts)), std::string(describe(each.reason))});
  if (!rows.empty()) print("\n" + rows.text(style));
}

bool is_late(offer_fault fault) {
  return fault == offer_fault::late || fault == offer_fault::late_and_dear;
}

const std::string& type_of(const offer& one) {
  return one.asked.asked.asked.gpu;
}

/// Of counts that nobody asked for: those that were chosen; of few types the first that keep the
/// limits, too, and the last before them, of many the cheapest of each.
std::vector<bool> offers_to_show(const offers& found, table_detail detail) {
  std::vector<bool> shown(found.all.size(), detail == table_detail::full || !found.counts_tried);
  const offer_choices& choices = found.choices;
  for (const auto& at : {choices.fewest_gpus, choices.cheapest, choices.fastest})
    if (at) shown[*at] = true;
  shown[found.shown] = true;

  constexpr std::size_t most_rows = 2;
  for (std::size_t begin = 0, end = 0; begin < found.all.size(); begin = end) {
    std::vector<std::size_t> kept;
    for (end = begin;
         end < found.all.size() && type_of(found.all[end]) == type_of(found.all[begin]); ++end)
      if (found.all[end].fault == offer_fault::none) kept.push_back(end);
    if (kept.empty()) {
      const std::size_t at = closest(found, begin, end);
      shown[found.all[at].study.run ? at : end - 1] = true;
      continue;
    }
    const bool few_types = end - begin > found.all.size() / 3;
    if (!few_types) {
      const auto gpu_time = [&](std::size_t at) { return found.all[at].study.run->whole.gpu_time; };
      shown[*std::min_element(kept.begin(), kept.end(),
                              [&](auto a, auto b) { return gpu_time(a) < gpu_time(b); })] = true;
      continue;
    }
    if (kept.front() > begin) shown[kept.front() - 1] = true;
    for (std::size_t i = 0; i < kept.size() && i < most_rows; ++i) shown[kept[i]] = true;
  }
  return shown;
}

/// Why an offer is not taken, or what it is the best in.
std::string remark_of(const offers& found, std::size_t at) {
  const offer& one = found.all[at];
  std::string said;
  const auto say = [&](const std::optional<std::size_t>& place, const char* what_it_is) {
    if (place == at) said += (said.empty() ? "" : ", ") + std::string(what_it_is);
  };
  if (is_late(one.fault)) said = "late";
  if (one.fault == offer_fault::late_and_dear) said += ", ";
  if (one.fault == offer_fault::dear || one.fault == offer_fault::late_and_dear)
    said += "over budget";
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
  std::vector<std::string> cells{format_duration(what.time.total()),
                                 percent(what.model_flop_utilization()),
                                 duration_or_never(run.whole.time),
                                 cost_in_words(run, one.asked.terms),
                                 one.power_known() ? energy_in_words(run.whole.energy) : "unknown",
                                 one.power_known() ? carbon_in_words(run.carbon) : "unknown"};
  const auto add = [&](const std::optional<double>& chance) {
    cells.push_back(chance ? chance_in_cell(*chance) : "unknown");
  };
  if (isfinite(found.limits.deadline)) add(deadline_probability(one, found.limits));
  if (isfinite(found.limits.budget)) add(budget_probability(one, found.limits));
  cells.push_back(remark_of(found, at));
  return cells;
}

void print_offers(const offers& found, text_style style, table_detail detail) {
  std::vector<column> heads{{"GPUs", column_side::right}, {"of type"}};
  for (const char* head : {"Step", "MFU", "Whole run", "Cost", "Energy", "CO2e"})
    heads.push_back({head, column_side::right});
  if (isfinite(found.limits.deadline)) heads.push_back({"In time", column_side::right});
  if (isfinite(found.limits.budget)) heads.push_back({"In budget", column_side::right});
  heads.push_back({""});
  table rows{heads};
  const std::vector<bool> shown = offers_to_show(found, detail);
  for (std::size_t i = 0; i < found.all.size(); ++i) {
    if (!shown[i]) continue;
    const offer& one = found.all[i];
    std::vector<std::string> cells{std::to_string(one.asked.asked.asked.gpus), type_of(one)};
    if (one.study.run) {
      for (std::string& cell : offer_cells(found, i)) cells.push_back(std::move(cell));
    } else {
      cells.resize(heads.size() - 1);
      cells.emplace_back("nothing fits");
    }
    rows.row(std::move(cells));
  }
  print(rows.text(style) + "\n");
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
  print(fmt::format("\nNo layout beats these in time, memory and GPU time at once ({} of {}):\n\n",
                    size, grouped(static_cast<double>(even_better.of))) +
        rows.text(style));
}

void print_misfit(const offer& shown, text_style style, table_detail detail) {
  const plan_study& study = shown.study;
  const job& asked = shown.asked.asked;
  if (study.shown) {
    print(fmt::format("Nothing fits: none of {} layouts.  The closest miss is {}:\n{}.\n\n",
                      grouped(static_cast<double>(study.found.candidates)),
                      plan_in_words(*study.shown), miss_in_words(study.shown->what, asked)));
    print(bands_in_words(study.shown->what, asked, shown.asked.level) + "\n");
    print(memory_table(study.shown->what.memory, asked.pool.gpu(), style, detail) + "\n");
  } else {
    print(fmt::format("Nothing fits: each of {} layouts breaks a rule.\n",
                      grouped(static_cast<double>(study.found.candidates))));
  }
  if (!study.what_fits.list.empty()) {
    constexpr std::size_t most = 100;
    print("What to change, each tried and fitting, by what it costs:\n\n" +
          proposals_in_words(study.what_fits, most, style));
  } else if (study.changes && study.changes->size > 0) {
    const cluster planned =
        planned_pool(asked.pool, asked.model, asked.recipe, planned_space(asked, shown.asked.vary));
    print(
        "Nothing that was tried fits: no three changes of the recipe, no other GPUs.  The "
        "nearest:\n\n" +
        repair_table(*study.changes, asked, planned.gpu().memory, study.shown->what.time.total(), 8,
                     style));
  }
  if (!study.searched_further)
    print("\nNot all changes and clusters were searched: --what-if does that.\n");
  print_rejects(study.found, style);
}

}  // namespace

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
  if (!found.kept && study.run && !found.pool)
    print(!found.limited()        ? "No run finishes: failures come faster than progress.\n\n"
          : found.of_cost_alone() ? "No offer meets the limits.  The cheapest:\n\n"
                                  : "No offer meets the limits.  The fastest:\n\n");
  print(bold(job_in_words(asked), style) + "\n" + task_in_words(asked) + "\n");
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
  print(
      fmt::format("{} layouts: {} fit, {} break a rule or need too much memory, {} cannot be "
                  "better.  By {}:\n\n",
                  grouped(all), grouped(fitting), grouped(all - fitting - dominated),
                  grouped(dominated), name_of(shown.asked.by)));
  print_families(shown, style);
  print_warnings(shown);
  print("\n" + memory_table(study.shown->what.memory, asked.pool.gpu(), style, detail));
  print("\n" + time_table(study.shown->what.time, style, detail));
  const error_band band = bands_of(study.shown->what, asked, shown.asked.level).step;
  print("\n" + run_table(*study.run, *study.shown, asked, shown.asked.terms, band, style));
  print(limits_in_words(found.limits, shown) + "\n");
  if (const auto effect = effect_of(asked, study.shown->recipe(), study.shown->parallelism()))
    print(effect_tables(*effect, style) + "\n");
  if (const auto choice = choice_by_datasheets(asked, shown.asked.vary, *study.shown))
    print(in_words(*choice) + "\n");
  print_help(shown, style);
  if (even_better) print_front(*even_better, style);
  if (detail == table_detail::full) print_rejects(study.found, style);
}

}  // namespace gpuplan::cli
