/// \file
/// Wait, run and cost of each size of a job in a pool.

#include "plan/completion.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/report/stacked_bars.hpp>

#include "bands.hpp"
#include "fitted_table.hpp"
#include "program.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

/// From now to the end of a size that has a plan, with the ends of its bands.
struct completion {
  pool_wait wait{};
  seconds run{}, run_low{}, run_high{};

  [[nodiscard]] seconds done() const { return wait.mean + run; }
  [[nodiscard]] seconds done_low() const { return wait.low + run_low; }
  [[nodiscard]] seconds done_high() const { return wait.high + run_high; }
};

/// Nothing where no plan fits.
std::optional<completion> completion_of(const offer& one) {
  if (!one.study.run || !one.wait) return std::nullopt;
  const error_band step = bands_of(one.study.shown->what, one.asked.asked, one.asked.level).step;
  const seconds run = one.study.run->whole.time;
  return completion{*one.wait, run, step.low * run, step.high * run};
}

int gpus_of(const offer& one) {
  return one.asked.asked.asked.gpus;
}

/// Why a size is not done; nothing where it is.
std::string why_never(const offer& one) {
  if (!one.study.run) return "nothing fits";
  if (!isfinite(one.wait->mean)) return "never starts";
  return isfinite(one.study.run->whole.time) ? "" : "failures come faster than progress";
}

report_json row_of_size(const offer& one, const pool_basis& basis) {
  report_json row{{"gpus", gpus_of(one)}};
  for (const char* key :
       {"wait_s", "wait_low_s", "wait_high_s", "wait_mean_low_s", "wait_mean_high_s",
        "wait_probability", "run_s", "run_low_s", "run_high_s", "done_s", "done_low_s",
        "done_high_s", "cost_dollars", "cost_low_dollars", "cost_high_dollars", "error_basis"})
    row[key] = nullptr;
  const bool starts = !one.wait || isfinite(one.wait->mean);
  const std::string why = starts ? why_never(one) : basis.overload;
  row["reason"] = why.empty() ? report_json(nullptr) : report_json(why);
  const std::optional<completion> of = completion_of(one);
  if (!of) return row;
  row["wait_s"] = json_number(of->wait.mean);
  row["wait_low_s"] = json_number(of->wait.low);
  row["wait_high_s"] = json_number(of->wait.high);
  if (const auto& band = of->wait.mean_band) {
    row["wait_mean_low_s"] = json_number(band->low * of->wait.mean);
    row["wait_mean_high_s"] = json_number(band->high * of->wait.mean);
    row["error_basis"] = {{"level", one.asked.level}, {"mean_wait", json_of(*band)}};
  }
  row["wait_probability"] = json_number(of->wait.probability);
  row["run_s"] = json_number(of->run);
  row["run_low_s"] = json_number(of->run_low);
  row["run_high_s"] = json_number(of->run_high);
  row["done_s"] = json_number(of->done());
  row["done_low_s"] = json_number(of->done_low());
  row["done_high_s"] = json_number(of->done_high());
  if (!one.asked.terms.priced()) return row;
  const dollars cost = one.study.run->whole.cost();
  const error_band step = bands_of(one.study.shown->what, one.asked.asked, one.asked.level).step;
  row["cost_dollars"] = json_number(cost);
  row["cost_low_dollars"] = json_number(step.low * cost);
  row["cost_high_dollars"] = json_number(step.high * cost);
  return row;
}

report_json json_of_basis(const pool_basis& basis) {
  const auto known = [](const std::optional<double>& value) {
    return value ? json_number(*value) : report_json(nullptr);
  };
  const bool traced = basis.origin == answer_origin::simulation;
  return {
      {"origin", traced ? "simulation" : "formula"},
      {"policy", basis.policy.name},
      {"pool_gpus", basis.gpus},
      {"offered_gpus", known(basis.offered_gpus)},
      {"capacity_gpus", known(basis.capacity)},
      {"stable", basis.offered_gpus ? report_json(basis.overload.empty()) : report_json(nullptr)},
      {"reason", !basis.overload.empty()  ? report_json(basis.overload)
                 : !basis.unknown.empty() ? report_json(basis.unknown)
                                          : report_json(nullptr)},
      {"error_factor", known(basis.error_factor)},
      {"jobs", traced ? report_json(basis.jobs) : report_json(nullptr)},
      {"times", traced ? report_json(basis.times) : report_json(nullptr)},
      {"how", basis.how}};
}

std::string range_in_words(seconds low, seconds high) {
  return isfinite(high) ? fmt::format("{} to {}", format_duration(low), format_duration(high)) : "";
}

/// Waits that hardly ever come have a mean that nobody would measure.
std::string wait_in_words(seconds wait) {
  return wait > seconds{0} && wait < seconds{1} ? "< 1 s" : duration_or_never(wait);
}

/// What a size is the best in, or why it is not done.
std::string remark_of_size(const offers& found, std::size_t at) {
  const offer& one = found.all[at];
  std::string said = why_never(one);
  const auto say = [&](const std::string& words) { said += (said.empty() ? "" : ", ") + words; };
  if (const std::string missed = missed_limits(one); said.empty() && !missed.empty()) say(missed);
  if (found.choices.fastest == at) say("done first");
  if (found.choices.cheapest == at) say("cheapest");
  if (one.study.run && one.study.shown->what.gpus < gpus_of(one))
    say(fmt::format("uses {}", one.study.shown->what.gpus));
  return said;
}

/// Heads the range of waits: quantiles of the wait of one job, no range of the mean.
constexpr const char* one_wait = "Wait of one job, ";

std::string table_of_sizes(const offers& found, text_style style) {
  const std::string range = level_in_words(found.all.front().asked.level);
  std::vector<column> heads;
  for (const std::string& head :
       {std::string("GPUs"), std::string("P(wait)"), std::string("Mean wait"), one_wait + range,
        std::string("Run"), std::string("Done"), "Done, " + range, std::string("Cost")})
    heads.push_back({head, column_side::right});
  if (isfinite(found.limits.deadline)) heads.push_back({"In time", column_side::right});
  heads.push_back({""});
  fitted_table rows{heads, last_column::beside_or_below};
  for (std::size_t i = 0; i < found.all.size(); ++i) {
    const offer& one = found.all[i];
    std::vector<std::string> cells{std::to_string(gpus_of(one))};
    if (const std::optional<completion> of = completion_of(one)) {
      cells.insert(cells.end(),
                   {percent(of->wait.probability), wait_in_words(of->wait.mean),
                    range_in_words(of->wait.low, of->wait.high), duration_or_never(of->run),
                    duration_or_never(of->done()), range_in_words(of->done_low(), of->done_high()),
                    cost_in_words(*one.study.run, one.asked.terms)});
    }
    cells.resize(8);
    if (const auto chance = deadline_probability(one, found.limits))
      cells.push_back(chance_in_cell(*chance));
    cells.resize(heads.size() - 1);
    cells.push_back(remark_of_size(found, i));
    rows.row(std::move(cells));
  }
  const std::string wait_range = one_wait + range;
  const std::array<std::string_view, 3> spare{wait_range, "P(wait)", "Run"};
  return rows.text(spare, width_of_output(), style);
}

std::string size_in_words(const offer& one) {
  const completion of = *completion_of(one);
  return fmt::format("{} on {}: waits {} in the mean, runs {}, costs {}",
                     duration_or_never(of.done()), counted(gpus_of(one), "GPU"),
                     wait_in_words(of.wait.mean), duration_or_never(of.run),
                     cost_in_words(*one.study.run, one.asked.terms));
}

/// The size that runs least, and is not done first for its wait.
std::optional<std::size_t> least_run(const offers& found) {
  std::optional<std::size_t> least;
  for (std::size_t i = 0; i < found.all.size(); ++i) {
    const auto& run = found.all[i].study.run;
    if (!run) continue;
    if (!least || run->whole.time < found.all[*least].study.run->whole.time) least = i;
  }
  return least == found.choices.fastest ? std::nullopt : least;
}

/// Why no size is chosen.
std::string nothing_to_choose(const offers& found) {
  const auto has = [&](const auto& property) {
    return std::any_of(found.all.begin(), found.all.end(), property);
  };
  if (!has([](const offer& one) { return one.study.run.has_value(); }))
    return "Nothing fits on any size.";
  if (!has([](const offer& one) { return one.wait && isfinite(one.wait->mean); }))
    return "No job ever starts in this pool.";
  return found.limited() ? "No size keeps the limits."
                         : "No run finishes: failures come faster than progress.";
}

/// What to take.
std::string choice_of_size(const offers& found) {
  const offer_choices& choices = found.choices;
  if (!choices.fastest) return nothing_to_choose(found);
  std::string said = "Done first in " + size_in_words(found.all[*choices.fastest]);
  if (choices.cheapest == choices.fastest) said += ", which is the least";
  said += ".";
  if (choices.cheapest && choices.cheapest != choices.fastest)
    said += "  Cheapest, done in " + size_in_words(found.all[*choices.cheapest]) + ".";
  const auto done = [&](std::size_t at) { return completion_of(found.all[at])->done(); };
  if (const auto least = least_run(found); least && done(*least) > done(*choices.fastest)) {
    const offer& one = found.all[*least];
    said += fmt::format("  {} run faster, in {}, but are done later, in {}.",
                        counted(gpus_of(one), "GPU"), duration_or_never(one.study.run->whole.time),
                        duration_or_never(done(*least)));
  }
  return said;
}

/// Whether so few jobs wait so long that the mean is above the range of the wait of one job.
bool mean_is_above(const offer& one) {
  return one.wait && isfinite(one.wait->mean) && one.wait->mean > one.wait->high;
}

/// How the waits are known, and on what the range of their means rests.
std::string waits_in_words(const offers& found) {
  std::string said = "Waits: " + found.pool->basis().how + ".";
  if (std::any_of(found.all.begin(), found.all.end(), mean_is_above))
    said += fmt::format("  Few jobs wait long: a mean wait lies above the waits of one job in {}.",
                        level_in_words(found.all.front().asked.level));
  for (const offer& one : found.all)
    if (one.wait && one.wait->mean_band) {
      const error_band& band = *one.wait->mean_band;
      return said + fmt::format("  A mean is {:.2f} to {:.2f} times as long in {}: {}.", band.low,
                                band.high, level_in_words(one.asked.level), basis_in_words(band));
    }
  return said;
}

std::string title_of_pool(const pool_basis& basis) {
  return fmt::format("Wait, run and cost in a pool of {}, {} ({})", counted(basis.gpus, "GPU"),
                     basis.policy.meaning, basis.load);
}

}  // namespace

report_json json_of_completion(const offers& found) {
  if (!found.pool) return nullptr;
  const pool_basis& basis = found.pool->basis();
  report_json answer{{"sizes", report_json::array()}};
  for (const offer& one : found.all) answer["sizes"].push_back(row_of_size(one, basis));
  const auto chosen = [&](const std::optional<std::size_t>& at) {
    return at ? row_of_size(found.all[*at], basis) : report_json(nullptr);
  };
  answer["first_done"] = chosen(found.choices.fastest);
  answer["cheapest"] = chosen(found.choices.cheapest);
  answer["basis"] = json_of_basis(basis);
  return answer;
}

std::string completion_in_words(const offers& found, text_style style) {
  const pool_basis& basis = found.pool->basis();
  const auto line = [](const std::string& words) {
    return wrapped(words, width_of_output()) + "\n";
  };
  std::string said = bold(wrapped(title_of_pool(basis), width_of_output()), style) + "\n\n" +
                     table_of_sizes(found, style) + "\n" + line(choice_of_size(found)) +
                     line(waits_in_words(found));
  if (!basis.overload.empty()) said += line("The pool is overloaded: " + basis.overload + ".");
  if (!basis.unknown.empty())
    said += line("Whether the pool keeps up is not known: " + basis.unknown + ".");
  return said;
}

figure completion_figure(const offers& found) {
  const pool_basis& basis = found.pool->basis();
  stacked_bars chart{.words = {.title = "Wait and run by size",
                               .description = title_of_pool(basis) + ".  " + choice_of_size(found) +
                                              "  " + waits_in_words(found)},
                     .of = "GPUs",
                     .value_title = "Time from now",
                     .parts = {"wait", "run"},
                     .bars = {}};
  figure_table rows{{{"GPUs", column_side::right},
                     {"Mean wait", column_side::right},
                     {"Run", column_side::right},
                     {"Done", column_side::right},
                     {"from", column_side::right},
                     {"to", column_side::right},
                     {"Cost", column_side::right},
                     {""}}};
  for (std::size_t i = 0; i < found.all.size(); ++i) {
    const offer& one = found.all[i];
    const std::string remark = remark_of_size(found, i);
    const std::optional<completion> of = completion_of(one);
    if (!of || !isfinite(of->done())) {
      rows.row({gpus_of(one), "", "", "", "", "", "", remark});
      continue;
    }
    const seconds wait = of->wait.mean < seconds{1e-3} ? seconds{0} : of->wait.mean;
    chart.bars.push_back({std::to_string(gpus_of(one)), {wait, of->run}});
    rows.row({gpus_of(one), wait, of->run, of->done(), of->done_low(), of->done_high(),
              one.asked.terms.priced() ? figure_cell{one.study.run->whole.cost()}
                                       : figure_cell{"unknown"},
              remark});
  }
  figure drawn = figure_of("completion", chart);
  drawn.table = std::move(rows);
  return drawn;
}

}  // namespace gpuplan::cli
