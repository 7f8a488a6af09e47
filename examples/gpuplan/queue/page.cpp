/// \file
/// How long jobs wait, in pictures.

#include "queue/page.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <gpuplan/report/xy_chart.hpp>

#include "bands.hpp"
#include "queue/tables.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

/// Waits below it are none: a logarithm would give them most of the picture.
constexpr seconds least_wait_drawn = units::ms;

const axis load_axis{"Load: GPUs busy over GPUs", axis_scale::linear, value_reading::percent};
const axis pool_axis{"GPUs", axis_scale::linear};
const axis wait_axis{"Wait", axis_scale::logarithmic};

void add_point(xy_series& to, double load, seconds wait, const std::string& tip) {
  if (wait >= least_wait_drawn) to.points.push_back({load, wait, "", tip});
}

/// The load, where a trace is long enough to have one.
figure_cell load_cell(const queue_answer& answer, double load) {
  return answer.rate_known ? share_cell(load) : figure_cell{"unknown"};
}

/// Where a pool stands on the axis below: at its load or, where that is unknown, at its GPUs.
double place_of(const queue_answer& answer, double load, std::int64_t gpus) {
  return answer.rate_known ? load : static_cast<double>(gpus);
}

/// Sizes with the wait on each, the busiest last.
figure sizes_of(const queue_answer& answer) {
  std::vector<size_row> sizes = answer.sizes;
  std::sort(sizes.begin(), sizes.end(),
            [](const auto& a, const auto& b) { return a.utilization < b.utilization; });
  xy_series mean{"mean", series_kind::line, {}};
  std::vector<xy_series> all;
  for (const int percent : printed_percentiles)
    all.push_back({fmt::format("p{}", percent), series_kind::line, {}});
  figure_table rows{{{"GPUs", column_side::right},
                     {"Load", column_side::right},
                     {"P(wait)", column_side::right},
                     {"Mean", column_side::right},
                     {"Mean, from", column_side::right},
                     {"To", column_side::right}}};
  for (const int percent : printed_percentiles)
    rows.columns.push_back({fmt::format("p{}", percent), column_side::right});
  for (const size_row& size : sizes) {
    const std::string gpus = counted(size.gpus, "GPU");
    std::vector<figure_cell> cells{size.gpus, load_cell(answer, size.utilization),
                                   share_cell(size.wait.probability), size.wait.mean};
    const double place = place_of(answer, size.utilization, size.gpus);
    add_point(mean, place, size.wait.mean, gpus);
    const std::optional<error_band> band = size.wait.mean_band(answer.level);
    if (band && size.wait.mean >= least_wait_drawn) {
      mean.points.back().low = (std::max)(band->low * size.wait.mean, least_wait_drawn);
      mean.points.back().high = band->high * size.wait.mean;
    }
    const auto end_of = [&](double error_band::*end) {
      return band ? figure_cell{(*band).*end * size.wait.mean} : figure_cell{"not measured"};
    };
    cells.push_back(end_of(&error_band::low));
    cells.push_back(end_of(&error_band::high));
    for (std::size_t i = 0; i < all.size(); ++i) {
      add_point(all[i], place, size.wait.percentiles[i], gpus);
      cells.emplace_back(size.wait.percentiles[i]);
    }
    rows.row(std::move(cells));
  }
  all.insert(all.begin(), std::move(mean));
  xy_chart chart{{answer.rate_known ? "Wait against load" : "Wait by size of the pool",
                  fmt::format("First come, first served, on pools of other sizes.  Waits below "
                              "1 ms and unbounded ones are left out of the picture.  Where the "
                              "errors of the mean were measured, a stroke shows it in {}.",
                              level_in_words(answer.level))},
                 answer.rate_known ? load_axis : pool_axis,
                 wait_axis,
                 std::move(all),
                 std::move(rows)};
  return figure_of("wait", chart);
}

/// The mean wait under each policy, by load.  Of bounds the upper one is drawn.
figure policies_of(std::vector<queue_answer> answers) {
  std::sort(answers.begin(), answers.end(),
            [](const auto& a, const auto& b) { return a.utilization < b.utilization; });
  std::vector<xy_series> all;
  figure_table rows{{{"Policy"},
                     {"GPUs", column_side::right},
                     {"Load", column_side::right},
                     {"Mean wait", column_side::right},
                     {"At most", column_side::right},
                     {"Mean time in system", column_side::right},
                     {"How known"}}};
  for (const queue_answer& answer : answers)
    for (const policy_row& row : answer.policies) {
      if (!row.known) continue;
      auto series = std::find_if(all.begin(), all.end(),
                                 [&](const xy_series& one) { return one.name == row.policy; });
      if (series == all.end())
        series = all.insert(
            series, {row.policy, answers.size() > 1 ? series_kind::line : series_kind::points, {}});
      add_point(*series, place_of(answer, answer.utilization, answer.gpus), row.wait_most,
                fmt::format("{} on {}, {}", row.policy, counted(answer.gpus, "GPU"), row.how));
      rows.row({row.policy, answer.gpus, load_cell(answer, answer.utilization), row.wait_least,
                row.wait_most, row.least, row.how});
    }
  xy_chart chart{
      {"Policies", "The mean wait by policy.  If only bounds are known, the upper one is drawn."},
      answers.front().rate_known ? load_axis : pool_axis,
      wait_axis,
      std::move(all),
      std::move(rows)};
  return figure_of("policies", chart);
}

figure models_of(const queue_answer& answer) {
  figure made{.name = "models",
              .words = {"The wait by each model", ""},
              .table = {{{"Model"},
                         {"By"},
                         {"P(wait)", column_side::right},
                         {"Mean", column_side::right},
                         {"p95", column_side::right},
                         {"Validity"}}}};
  const auto p95 = static_cast<std::size_t>(
      std::find(printed_percentiles.begin(), printed_percentiles.end(), 95) -
      printed_percentiles.begin());
  for (const model_row& row : answer.models)
    made.table.row({row.model + (row.chosen ? " (the row to use here)" : ""), row.by,
                    share_cell(row.wait.probability), row.wait.mean, row.wait.percentiles[p95],
                    row.validity});
  return made;
}

figure targets_of(const queue_answer& answer) {
  figure made{.name = "targets",
              .words = {"Fewest GPUs for a target", ""},
              .table = {{{"Target"}, {"GPUs", column_side::right}, {"Load", column_side::right}}}};
  for (const need_row& need : answer.needs)
    made.table.row({need.target.words(), need.gpus > 0 ? figure_cell{need.gpus} : "none",
                    need.gpus > 0 ? load_cell(answer, need.utilization) : figure_cell{need.why}});
  return made;
}

}  // namespace

html_page page_of(const std::string& title, const queue_answer& answer,
                  const std::vector<queue_answer>& others) {
  html_page page{.title = "Wait for GPUs", .lead = {title}};
  if (!answer.stable) page.lead.push_back(verdict_in_words(answer));
  page.figures.push_back(sizes_of(answer));
  if (!others.empty() || !answer.policies.empty())
    page.figures.push_back(policies_of(others.empty() ? std::vector{answer} : others));
  if (!answer.models.empty()) page.figures.push_back(models_of(answer));
  if (!answer.needs.empty()) page.figures.push_back(targets_of(answer));
  page.notes = answer.notes;
  return page;
}

}  // namespace gpuplan::cli
