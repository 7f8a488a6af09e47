/// \file
/// What plan answers, in pictures.

#include "plan/page.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/plan/pareto.hpp>
#include <gpuplan/report/stacked_bars.hpp>
#include <gpuplan/report/waterfall.hpp>
#include <gpuplan/report/xy_chart.hpp>
#include <gpuplan/report/xy_chart_pareto.hpp>
#include <gpuplan/report/xy_chart_roofline.hpp>
#include <gpuplan/units/format.hpp>

#include "bands.hpp"
#include "inputs.hpp"
#include "plan/answer.hpp"
#include "plan/completion.hpp"
#include "plan/layout_map.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

std::string in_words(const plan& one) {
  return fmt::format("{}, {}", layout_in_words(one.recipe(), one.parallelism()),
                     recipe_in_words(one.recipe(), one.parallelism()));
}

figure_cell cost_cell(const run_forecast& run, const run_terms& terms) {
  return terms.priced() ? figure_cell{run.whole.cost()} : figure_cell{"unknown"};
}

figure_cell energy_cell(const offer& one) {
  return one.power_known() ? figure_cell{one.study.run->whole.energy} : figure_cell{"unknown"};
}

/// "14,305 tokens", "20 per parameter": what of the run nobody said.
std::string assumptions_in_words(const offer& shown) {
  const run_terms& terms = shown.asked.terms;
  std::string words =
      fmt::format("{:.4g}{}", terms.trained, terms.trained_given ? "" : ", 20 per parameter");
  if (!terms.mtbf_given)
    words += fmt::format("; a failure of a node every {}, as Llama 3 405B had",
                         format_duration(terms.node_mtbf));
  words += fmt::format("; restarts of {}; {:.0f} g of CO2e a kWh", format_duration(terms.restart),
                       terms.grid / (units::gram / units::kWh));
  for (const priced_rental& one : terms.rentals)
    if (one.terms.kind == price_kind::on_demand && one.listed != nullptr)
      words += fmt::format("; prices of {}, {}", one.listed->provider, one.listed->date);
  return words;
}

/// The layouts that are printed, best first, each between the ends of its band.
figure layouts_of(const offer& shown) {
  figure_table rows{{{"", column_side::right},
                     {"Step", column_side::right},
                     {"from", column_side::right},
                     {"to", column_side::right},
                     {"MFU", column_side::right},
                     {"Memory", column_side::right},
                     {"Fits", column_side::right},
                     {"GPUs", column_side::right},
                     {"Bound by"},
                     {"Layout"}}};
  xy_series steps{"time of a step", series_kind::points, {}};
  for (const plan_family& family : shown.study.families) {
    const estimate& what = family.best.what;
    const estimate_bands bands = bands_of(what, shown.asked.asked, shown.asked.level);
    const seconds step = what.time.total();
    const std::int64_t place = static_cast<std::int64_t>(rows.rows.size()) + 1;
    rows.row({std::to_string(place), step, bands.step.low * step, bands.step.high * step,
              share_cell(what.model_flop_utilization()), what.needed,
              share_cell(bands.fits_probability), what.gpus,
              std::string(title_of(what.time.binding())), in_words(family.best)});
    steps.points.push_back({.x = place,
                            .y = step,
                            .tip = fmt::format("{}: {}", place, in_words(family.best)),
                            .low = bands.step.low * step,
                            .high = bands.step.high * step});
  }
  xy_chart chart{
      {"Best layouts", fmt::format("By {}.  Whiskers: between what the step takes in {}.",
                                   name_of(shown.asked.by), level_in_words(shown.asked.level))},
      {"Place"},
      {"Time of a step"},
      {std::move(steps)},
      std::move(rows)};
  return figure_of("layouts", chart);
}

/// The whole run, as far as it is known.
figure run_of(const offer& shown, const run_limits& limits) {
  const run_forecast& run = *shown.study.run;
  figure made{.name = "run",
              .words = {"The whole run", "With failures and checkpoints, of the best layout."},
              .table = {{{""}, {"", column_side::right}}}};
  const auto row = [&](const char* what, const plotted_value& value) {
    made.table.row({what, value});
  };
  const error_band step =
      bands_of(shown.study.shown->what, shown.asked.asked, shown.asked.level).step;
  row("Time", run.whole.time);
  row("Time, from", step.low * run.whole.time);
  row("Time, to", step.high * run.whole.time);
  const auto chance = [&](const char* what, const std::optional<double>& probability) {
    if (probability) made.table.row({what, share_cell(*probability)});
  };
  chance("The deadline is kept", deadline_probability(shown, limits));
  chance("The budget is kept", budget_probability(shown, limits));
  row("Time without failures", run.ideal.time);
  row("GPU time", run.whole.gpu_time);
  made.table.row({"Cost", cost_cell(run, shown.asked.terms)});
  if (shown.asked.terms.priced()) {
    row("Cost, from", step.low * run.whole.cost());
    row("Cost, to", step.high * run.whole.cost());
  }
  made.table.row({"Energy", energy_cell(shown)});
  made.table.row({"CO2e", shown.power_known() ? figure_cell{run.carbon} : figure_cell{"unknown"}});
  row("Interruptions", run.time.interruptions);
  return made;
}

/// Why layouts were passed over, the commonest reason first.
figure rejects_of(const search_result& found) {
  figure made{
      .name = "rejected",
      .words = {"Layouts rejected",
                fmt::format("Of {} in all.", grouped(static_cast<double>(found.candidates)))},
      .table = {{{"Layouts", column_side::right}, {"Because"}}}};
  for (const reject_count& each : rejects_by_count(found))
    made.table.row({each.layouts, std::string(describe(each.reason))});
  return made;
}

/// Commands that fit where nothing does.
figure what_fits_of(const proposals& all) {
  figure made{.name = "what_fits",
              .words = {"What to change",
                        "Each of these commands was tried, and fits; what costs least is first."},
              .table = {{{"Change"},
                         {"It costs"},
                         {"Memory", column_side::right},
                         {"Fits", column_side::right},
                         {"Step", column_side::right},
                         {"Command"}}}};
  for (const proposal& one : all.list)
    made.table.row({one.options, std::string(cost_in_words(one.cost)), one.best.what.needed,
                    share_cell(one.fits_probability), one.best.what.time.total(),
                    one.words.text()});
  return made;
}

axis cost_axis(const run_terms& terms) {
  return {terms.priced() ? "Cost of the run" : "GPU time of the run", axis_scale::logarithmic};
}
plotted_value cost_of(const run_forecast& run, const run_terms& terms) {
  if (terms.priced()) return run.whole.cost();
  return run.whole.gpu_time;
}

/// Clusters by the time and the cost of the run.
figure offers_of_page(const offers& found) {
  std::vector<pareto_choice> choices;
  figure_table rows{{{"Cluster"},
                     {"Step", column_side::right},
                     {"MFU", column_side::right},
                     {"Whole run", column_side::right},
                     {"Cost", column_side::right},
                     {"Energy", column_side::right}}};
  for (const offer& one : found.all) {
    const cluster_request& asked = one.asked.asked.asked;
    const std::string name = fmt::format("{} x {}", asked.gpus, asked.gpu);
    if (!one.study.run) {
      rows.row({name, "nothing fits", "", "", "", ""});
      continue;
    }
    const run_forecast& run = *one.study.run;
    const estimate& what = one.study.shown->what;
    choices.push_back(
        {name, name, run.whole.time, cost_of(run, one.asked.terms), std::string(asked.gpu)});
    rows.row({name, what.time.total(), share_cell(what.model_flop_utilization()), run.whole.time,
              cost_cell(run, one.asked.terms), energy_cell(one)});
  }
  // Prices may be known of some types alone: then all are compared by GPU time.
  const bool mixed = std::any_of(choices.begin(), choices.end(), [&](const pareto_choice& one) {
    return !(one.y.of == choices.front().y.of);
  });
  if (mixed) {
    std::size_t i = 0;
    for (const offer& one : found.all)
      if (one.study.run) choices[i++].y = one.study.run->whole.gpu_time;
  }
  axis y = mixed ? axis{"GPU time of the run", axis_scale::logarithmic}
                 : cost_axis(found.all.front().asked.terms);
  xy_chart chart = pareto_chart(
      {"Clusters: cost against time",
       std::string("The best layout of each cluster.  The line joins those that nothing beats in "
                   "both.") +
           (mixed ? "  Some have no known price, so the axis is GPU time instead of cost." : "")},
      {"Time of the run", axis_scale::logarithmic}, std::move(y), choices);
  chart.table = std::move(rows);
  return figure_of("clusters", chart);
}

/// Layouts that take many times as long as the fastest, for the sake of memory, are not drawn.
constexpr double longest_drawn = 4;

/// Layouts that nothing beats in time, memory and GPU time at once.
figure front_of_page(const offer& shown, const front& even_better) {
  std::vector<pareto_choice> choices;
  const run_terms& terms = shown.asked.terms;
  figure_table rows{{{"", column_side::right},
                     {"Step", column_side::right},
                     {"Memory", column_side::right},
                     {"GPUs", column_side::right},
                     {"Whole run", column_side::right},
                     {cost_axis(terms).title, column_side::right},
                     {"Layout"}}};
  for (const plan& one : even_better.plans) {
    const run_forecast run = forecast_of(one, shown.asked.asked, terms);
    const std::string place = std::to_string(rows.rows.size() + 1);
    if (one.what.time.total() <= longest_drawn * even_better.plans.front().what.time.total())
      choices.push_back({place + ": " + in_words(one), place, run.whole.time, cost_of(run, terms)});
    rows.row({place, one.what.time.total(), one.what.needed, one.what.gpus, run.whole.time,
              cost_of(run, terms), in_words(one)});
  }
  xy_chart chart = pareto_chart(
      {"Layouts: cost against time",
       fmt::format(
           "No layout beats these in time, memory and GPU time at once ({} of {}).  The "
           "line joins those that nothing beats in time and cost.  Those that take more than "
           "{} times as long as the fastest are only in the table.",
           even_better.plans.size(), grouped(static_cast<double>(even_better.of)), longest_drawn)},
      {"Time of the run", axis_scale::logarithmic}, cost_axis(terms), choices);
  chart.table = std::move(rows);
  return figure_of("front", chart);
}

/// The memory of the stages, with what programs see of it, and how sure it is to fit.
figure memory_of(const estimate& what, const job& asked, double level) {
  const footprint& memory = what.memory;
  const accelerator& gpu = asked.pool.gpu();
  const stage_footprint worst = memory.worst_stage();
  stacked_bars chart = memory_chart(memory, gpu.memory);
  chart.words.description += fmt::format(
      "  The GPU's memory is {}.  On the worst stage tensors hold {} "
      "(torch.cuda.max_memory_allocated), the allocator reserves {} "
      "(torch.cuda.max_memory_reserved), and the device holds {} (nvidia-smi).",
      memory_in_words(gpu), sized(worst.allocated()), sized(worst.reserved()),
      sized(worst.device_total()));
  if (std::string host = host_memory_in_words(what, asked); !host.empty())
    chart.words.description += "  " + host.substr(0, host.size() - 1);
  if (what.costed()) {
    const estimate_bands bands = bands_of(what, asked, level);
    for (stacked_bar& bar : chart.bars) {
      bar.low = bar.high = bar.total();
      bar.low->base *= bands.device.low;
      bar.high->base *= bands.device.high;
    }
    chart.words.description += fmt::format(
        "  Whiskers: between what a GPU of the stage has in {}; of the fullest {} to {} ({}).  It "
        "fits with a probability of {}.",
        level_in_words(level), sized(bands.device.low * what.needed),
        sized(bands.device.high * what.needed), basis_in_words(bands.device),
        chance_in_words(bands.fits_probability));
  }
  return figure_of("memory", chart);
}

figure roofline_of_page(const offer& shown) {
  const job& asked = shown.asked.asked;
  const plan& best = *shown.study.shown;
  const transformer& m = asked.model;
  const layer_kind kind = m.moe_layers() > m.dense_layers() ? layer_kind::moe : layer_kind::dense;
  const accelerator& gpu = asked.pool.gpu();
  return figure_of("roofline",
                   roofline_chart(roofline_kernels(m, kind, gpu, best.recipe(), best.parallelism()),
                                  gpu, best.recipe()));
}

/// The answer at a glance, and what it rests on.
std::vector<page_fact> facts_of(const offers& found) {
  const offer& shown = found.all[found.shown];
  const plan_study& study = shown.study;
  const job& asked = shown.asked.asked;
  const run_terms& terms = shown.asked.terms;
  std::vector<page_fact> facts;
  const auto add = [&](const char* what, std::string words) {
    if (!words.empty()) facts.push_back({what, std::move(words)});
  };
  if (study.run) {
    const estimate& best = study.shown->what;
    const run_forecast& run = *study.run;
    const error_band step = bands_of(best, asked, shown.asked.level).step;
    const auto said = [](auto value) {
      if constexpr (std::is_same_v<decltype(value), seconds>)
        return format_duration(value);
      else
        return money(value);
    };
    const auto range = [&](auto value) {
      return fmt::format("{} ({} to {})", said(value), said(step.low * value),
                         said(step.high * value));
    };
    add("Best plan",
        fmt::format("{} on {} {}", in_words(*study.shown), best.gpus, asked.asked.gpu));
    add("Step", fmt::format("{}, MFU {}, bound by {}", range(best.time.total()),
                            percent(best.model_flop_utilization()), title_of(best.time.binding())));
    add("Memory", fmt::format("{} of {}; fits with a probability of {}", sized(best.needed),
                              sized(asked.pool.gpu().memory),
                              chance_in_words(bands_of(best, asked).fits_probability)));
    add("Whole run", isfinite(run.whole.time) ? range(run.whole.time) : "never ends");
    add("Cost", terms.priced() && isfinite(run.whole.time)
                    ? fmt::format("{}, on demand at {} a GPU hour", range(run.whole.cost()),
                                  hourly_in_words(terms))
                    : "unknown");
    add("Limits", found.kept()
                      ? limits_in_words(found.limits, shown)
                      : "none of the clusters keeps them. " + limits_in_words(found.limits, shown));
  } else {
    add("Best plan", "nothing fits");
  }
  add("Assumed", assumptions_in_words(shown));
  return facts;
}

}  // namespace

html_page page_of(const offers& found, const std::optional<front>& even_better) {
  const offer& shown = found.all[found.shown];
  const plan_study& study = shown.study;
  const job& asked = shown.asked.asked;
  html_page page{
      .title = fmt::format("{} on {} {}", name_of_model(asked), asked.asked.gpus, asked.asked.gpu),
      .facts = facts_of(found),
      .lead = {job_in_words(asked)}};
  if (found.pool) page.figures.push_back(completion_figure(found));
  if (found.all.size() > 1) page.figures.push_back(offers_of_page(found));
  if (study.run) {
    const plan& best = *study.shown;
    const estimate_bands bands = bands_of(best.what, asked, shown.asked.level);
    page.lead.push_back(fmt::format(
        "Best: {}: a step takes {} ({} to {} in {}, {}), {} of the "
        "peak, bound by {}.",
        in_words(best), text_of(best.what.time.total()),
        text_of(bands.step.low * best.what.time.total()),
        text_of(bands.step.high * best.what.time.total()), level_in_words(shown.asked.level),
        basis_in_words(bands.step), percent(best.what.model_flop_utilization()),
        title_of(best.what.time.binding())));
    page.figures.push_back(layouts_of(shown));
  } else {
    page.lead.push_back(
        study.shown ? fmt::format("{}.  The closest miss: {}.  {}.", misfit_in_words(study, asked),
                                  in_words(*study.shown), miss_in_words(study.shown->what, asked))
                    : misfit_in_words(study, asked) + ".");
  }
  if (!study.what_fits.list.empty()) page.figures.push_back(what_fits_of(study.what_fits));
  if (study.shown && study.shown->what.memory.model.layers > 0)
    page.figures.push_back(memory_of(study.shown->what, asked, shown.asked.level));
  if (study.run) {
    page.figures.push_back(figure_of("step", step_time_chart(study.shown->what.time)));
    page.figures.push_back(run_of(shown, found.limits));
  }
  page.figures.push_back(figure_of("map", layout_map(shown.asked, study)));
  if (even_better) page.figures.push_back(front_of_page(shown, *even_better));
  if (study.run) page.figures.push_back(roofline_of_page(shown));
  page.figures.push_back(rejects_of(study.found));
  if (const std::string warning = warning_of_lengths(asked); !warning.empty())
    page.notes.push_back(warning);
  if (const std::string warning = warning_of_power_limit(asked); !warning.empty())
    page.notes.push_back(warning);
  if (study.shown)
    if (const std::string warning = warning_of_input(study.shown->what, asked); !warning.empty())
      page.notes.push_back(warning);
  if (const std::string warning = warning_of_experts(asked); !warning.empty())
    page.notes.push_back(warning);
  return page;
}

}  // namespace gpuplan::cli
