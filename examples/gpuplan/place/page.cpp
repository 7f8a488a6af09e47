/// \file
/// The utilisation matrix as a heat map, and the policies side by side.

#include "place/page.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <gpuplan/report/heat_map.hpp>
#include <gpuplan/text/visible.hpp>

namespace gpuplan::cli {
namespace {

/// More rows than this make no picture; then the nodes with the most use are shown.
constexpr std::size_t most_nodes_drawn = 64;
/// More windows than this make no picture.
constexpr std::size_t most_windows_drawn = 24;

std::string label_of(std::size_t node, const place_question& asked) {
  const std::string& name = asked.nodes.facts[node].name;
  return name.empty() ? fmt::format("{}", node) : visible(name);
}

/// Nodes that are drawn: all, or those whose GPUs are used most.
std::vector<std::size_t> drawn_nodes(const utilization_matrix& use) {
  std::vector<std::size_t> nodes(static_cast<std::size_t>(use.rows()));
  for (std::size_t n = 0; n < nodes.size(); ++n) nodes[n] = n;
  if (nodes.size() <= most_nodes_drawn) return nodes;
  std::stable_sort(nodes.begin(), nodes.end(), [&](std::size_t a, std::size_t b) {
    return use(static_cast<Eigen::Index>(a), 0) > use(static_cast<Eigen::Index>(b), 0);
  });
  nodes.resize(most_nodes_drawn);
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

heat_cell cell_of(resource_kind kind, double part, const std::string& where,
                  const place_question& asked) {
  if (!asked.measured.knows(kind)) return {.reason = "not in the tables"};
  return {.value = plotted_value{part}, .tip = fmt::format("{}: {:.1f} %", where, 100 * part)};
}

/// U: nodes by kinds of resource.
figure matrix_figure(const place_outcome& out, const utilization_matrix& use, std::string name,
                     std::string description, const place_question& asked) {
  heat_map chart{
      .words = {fmt::format("Nodes in use under {}", name_of(out.policy)), std::move(description)},
      .row_title = "Node",
      .column_title = "Resource",
      .value_title = "In use",
      .rows = {},
      .columns = {"GPU", "MEM", "CPU", "BW"},
      .cells = {},
      .reading = value_reading::percent,
      .order = heat_order::high_is_good};
  for (const std::size_t n : drawn_nodes(use)) {
    chart.rows.push_back(label_of(n, asked));
    for (const resource_kind kind : every_resource)
      chart.cells.push_back(
          cell_of(kind, use(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(kind)),
                  chart.rows.back() + ", " + chart.columns[static_cast<std::size_t>(kind)], asked));
  }
  return figure_of(name, chart);
}

/// GPUs of each node in use, window by window, and F of each window as the last row.
figure time_figure(const place_outcome& out, std::string name, const place_question& asked) {
  const usage_over_time& over = out.over_time;
  heat_map chart{
      .words = {fmt::format("GPUs in use over time under {}", name_of(out.policy)),
                "Mean of each window, in hours after the first arrival.  The last row is F, the "
                "imbalance: the standard deviation over the kinds of resource, mean over the "
                "nodes."},
      .row_title = "Node",
      .column_title = "Window",
      .value_title = "In use",
      .rows = {},
      .columns = {},
      .cells = {},
      .reading = value_reading::percent,
      .order = heat_order::high_is_good};
  for (std::size_t w = 0; w < over.use.size(); ++w)
    chart.columns.push_back(fmt::format("{:.4g}", (over.edges[w] - over.edges[0]) / units::hour));
  utilization_matrix mean = utilization_matrix::Zero(over.use.front().rows(), resource_kinds);
  for (const utilization_matrix& use : over.use) mean += use;
  for (const std::size_t n : drawn_nodes(mean)) {
    chart.rows.push_back(label_of(n, asked));
    for (std::size_t w = 0; w < over.use.size(); ++w)
      chart.cells.push_back(cell_of(resource_kind::compute,
                                    over.use[w](static_cast<Eigen::Index>(n), 0),
                                    chart.rows.back() + " from " + chart.columns[w] + " h", asked));
  }
  chart.rows.push_back("F");
  for (std::size_t w = 0; w < over.use.size(); ++w)
    chart.cells.push_back({.value = plotted_value{over.imbalance[w]},
                           .tip = fmt::format("F: {:.3f}", over.imbalance[w])});
  return figure_of(name, chart);
}

figure aims_figure(const aims_answer& judged, const std::vector<place_outcome>& all) {
  figure made{.name = "aims",
              .words = {"Aims of the policies",
                        "The score is the weighted sum of the aims, each "
                        "scaled to 0 .. 1 over the policies; the least is "
                        "the best."},
              .table = {{{"Policy"},
                         {"Mean wait", column_side::right},
                         {"Jobs per hour", column_side::right},
                         {"Utilization", column_side::right},
                         {"Energy, kWh", column_side::right},
                         {"Fairness", column_side::right},
                         {"Score", column_side::right},
                         {"Front"}}}};
  for (std::size_t row = 0; row < all.size(); ++row) {
    const schedule_objectives& of = judged.aims[row];
    const auto known = [&](std::size_t aim, figure_cell cell) {
      return judged.unknown[aim].empty() ? std::move(cell) : figure_cell{"unknown"};
    };
    made.table.row({name_of(all[row].policy),
                    known(0, of.mean_wait ? figure_cell{*of.mean_wait} : figure_cell{"unknown"}),
                    known(1, of.throughput * units::hour),
                    known(2, {of.utilization, value_reading::percent}),
                    known(3, of.energy / units::kWh),
                    known(4, of.fairness ? figure_cell{*of.fairness} : figure_cell{"unknown"}),
                    judged.score[row] ? figure_cell{*judged.score[row]} : figure_cell{"none"},
                    judged.on_front[row] ? "yes" : "no"});
  }
  return made;
}

}  // namespace

html_page page_of(const std::vector<place_outcome>& all, const std::optional<aims_answer>& judged,
                  const place_question& asked) {
  html_page page{
      .title = "Where jobs go",
      .lead = {counted(static_cast<std::int64_t>(asked.tasks.tasks.size()), "job") + " on " +
               counted(static_cast<std::int64_t>(asked.nodes.nodes.size()), "node")}};
  if (judged) page.figures.push_back(aims_figure(*judged, all));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const place_outcome& out = all[i];
    page.figures.push_back(matrix_figure(
        out, out.usage, fmt::format("use-{}", i),
        fmt::format("Part of each kind of resource that jobs hold, {}.  F, the imbalance, is "
                    "{:.3f}.",
                    asked.timed() ? "at the last arrival" : "at the end", out.imbalance),
        asked));
    if (!out.over_time.use.empty() && out.over_time.use.size() <= most_windows_drawn)
      page.figures.push_back(time_figure(out, fmt::format("time-{}", i), asked));
  }
  if (asked.timed() && static_cast<std::size_t>(asked.windows) > most_windows_drawn)
    page.notes.push_back(
        fmt::format("Of {} windows, more than {}, no picture is drawn; --csv has "
                    "them.",
                    asked.windows, most_windows_drawn));
  if (asked.nodes.nodes.size() > most_nodes_drawn)
    page.notes.push_back(
        fmt::format("Of {} nodes the {} with the most GPU time in use are drawn; --csv has all.",
                    asked.nodes.nodes.size(), most_nodes_drawn));
  return page;
}

}  // namespace gpuplan::cli
