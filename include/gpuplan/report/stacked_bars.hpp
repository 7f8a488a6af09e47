#pragma once
/// \file
/// Stacked bars against a limit: which terms fill the memory.

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/memory/stage_terms.hpp>
#include <gpuplan/report/axis_frame.hpp>
#include <gpuplan/report/figure.hpp>
#include <gpuplan/report/plotted_value.hpp>
#include <gpuplan/report/svg.hpp>
#include <gpuplan/report/svg_palette.hpp>
#include <gpuplan/report/svg_text.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// One bar; its parts in the order of the chart's.
struct stacked_bar {
  std::string name;
  std::vector<plotted_value> parts;     ///< each finite and >= 0
  std::optional<plotted_value> low{};   ///< the ends of a whisker of the total: both of them or
  std::optional<plotted_value> high{};  ///< none

  [[nodiscard]] plotted_value total() const {
    plotted_value sum = parts.empty() ? plotted_value{} : parts.front();
    for (std::size_t i = 1; i < parts.size(); ++i) sum.base += parts[i].base;
    return sum;
  }
};

/// A line that bars should not cross.
struct bar_limit {
  std::string name;
  plotted_value value{};
};

/// Bars whose parts are the same things.
struct stacked_bars {
  chart_words words;
  std::string of;                  ///< what the bars are: "Stage"
  std::string value_title;         ///< what they measure: "Memory"
  std::vector<std::string> parts;  ///< names, as long as each bar's parts
  std::vector<stacked_bar> bars;
  std::optional<bar_limit> limit{};
};

namespace detail {

inline void require_valid(const stacked_bars& chart) {
  for (const stacked_bar& bar : chart.bars) {
    require(bar.parts.size() == chart.parts.size(),
            "stacked_bars: parts of a bar must be as many as names");
    for (const plotted_value& part : bar.parts)
      require(part.finite() && part.base >= 0, "stacked_bars: parts must be finite and >= 0");
    require(bar.low.has_value() == bar.high.has_value(),
            "stacked_bars: a whisker must have two ends");
    if (bar.low)
      require(bar.low->base >= 0 && bar.low->base <= bar.high->base && bar.high->finite(),
              "stacked_bars: a whisker must be finite, and from low to high");
  }
}

/// The parts of a bar, one after another.
inline void draw_parts(const stacked_bars& chart, std::size_t row, const bar_rows& rows,
                       const std::string& name, svg_canvas& canvas) {
  const stacked_bar& bar = chart.bars[row];
  plotted_value from = bar.total();
  from.base = 0;
  for (std::size_t k = 0; k < bar.parts.size(); ++k) {
    plotted_value to = from;
    to.base += bar.parts[k].base;
    if (bar.parts[k].base > 0)
      canvas.rectangle(rows.bar(row, from, to), class_of_series(k),
                       name + ", " + chart.parts[k] + ": " + text_of(bar.parts[k]));
    from = to;
  }
}

/// Half of the line at each end of a whisker.
inline constexpr double bar_whisker_cap = 4;

/// From the low to the high end of a bar's total, in the middle of the bar.
inline void draw_whisker(const stacked_bar& bar, std::size_t row, const bar_rows& rows,
                         svg_canvas& canvas) {
  if (!bar.low) return;
  const double y = rows.top_of(row) + bar_rows::thickness / 2;
  const picture_point low{rows.x_of(*bar.low), y};
  const picture_point high{rows.x_of(*bar.high), y};
  canvas.line(low, high, "whisker");
  for (const picture_point& end : {low, high})
    canvas.line({end.x, y - bar_whisker_cap}, {end.x, y + bar_whisker_cap}, "whisker");
}

}  // namespace detail

/// Draws the bars, their whiskers, their sums beside them and the limit across.
///
/// \throws invalid_input if a part is negative or not finite, or of another dimension than others
inline void draw_chart(const stacked_bars& chart, svg_canvas& canvas, const std::string&) {
  detail::require_valid(chart);
  if (chart.bars.empty()) return draw_nothing(canvas);
  std::vector<legend_entry> entries;
  for (std::size_t i = 0; i < chart.parts.size(); ++i)
    entries.push_back({.text = chart.parts[i], .style = class_of_series(i)});
  if (chart.limit)
    entries.push_back({.text = chart.limit->name + ": " + text_of(chart.limit->value),
                       .style = "",
                       .line_style = "limit",
                       .kind = legend_mark::line});
  const double top = draw_legend(entries, canvas);

  std::vector<plotted_value> values;
  std::vector<std::string> names;
  constexpr double gap = 6;
  double sums = 0;
  for (const stacked_bar& bar : chart.bars) {
    values.push_back(bar.total());
    if (bar.high) values.push_back(*bar.high);
    names.push_back(chart.of + ' ' + bar.name);
    sums = (std::max)(sums, text_width(text_of(bar.total()), picture_text));
  }
  if (chart.limit) values.push_back(chart.limit->value);
  const bar_rows rows =
      lay_out_rows(names, {chart.value_title}, values, sums + gap + 2, top, canvas);
  for (std::size_t i = 0; i < chart.bars.size(); ++i) {
    const stacked_bar& bar = chart.bars[i];
    detail::draw_parts(chart, i, rows, names[i], canvas);
    detail::draw_whisker(bar, i, rows, canvas);
    const std::string sum = text_of(bar.total());
    double x =
        rows.x_of(bar.high && bar.high->base > bar.total().base ? *bar.high : bar.total()) + gap;
    if (chart.limit) {  // not across the line
      const double line = rows.x_of(chart.limit->value);
      if (x < line + gap && x + text_width(sum, picture_text) > line - gap) x = line + gap;
    }
    canvas.text({x, rows.base_of(i)}, text_anchor::start, "sum", sum);
  }
  if (chart.limit) {  // over bars that cross it
    const double x = rows.x_of(chart.limit->value);
    canvas.line({x, rows.top}, {x, rows.bottom()}, "limit");
  }
}

/// The bars as rows: each part, and the sum.
inline figure_table table_of(const stacked_bars& chart) {
  detail::require_valid(chart);
  figure_table rows{{{chart.of}}};
  for (const std::string& part : chart.parts) rows.columns.push_back({part, column_side::right});
  rows.columns.push_back({"Total", column_side::right});
  const bool ranged = std::any_of(chart.bars.begin(), chart.bars.end(),
                                  [](const stacked_bar& bar) { return bar.low.has_value(); });
  if (ranged)
    for (const char* end : {"from", "to"}) rows.columns.push_back({end, column_side::right});
  if (chart.limit) rows.columns.push_back({chart.limit->name, column_side::right});
  for (const stacked_bar& bar : chart.bars) {
    std::vector<figure_cell> cells{bar.name};
    for (const plotted_value& part : bar.parts) cells.emplace_back(part);
    cells.emplace_back(bar.total());
    if (ranged)
      for (const auto& end : {bar.low, bar.high})
        cells.push_back(end ? figure_cell{*end} : figure_cell{});
    if (chart.limit) cells.emplace_back(chart.limit->value);
    rows.row(std::move(cells));
  }
  return rows;
}

/// Bars of a memory chart; of a longer pipeline the first, the worst, the last and others between.
inline constexpr int most_memory_bars = 24;

namespace detail {

/// What terms are shown as, and which; those that are named nowhere are the last's.
struct memory_part {
  std::string_view name;
  std::array<std::string_view, 6> terms{};
};
inline constexpr std::array memory_parts{
    memory_part{"weights", {"weights", "gathered_parameters"}},
    memory_part{"optimizer", {"master_weights", "optimizer", "optimizer_temporaries"}},
    memory_part{"activations", {"batch", "activations", "embedding", "recomputed"}},
    memory_part{"gradients",
                {"gradients", "deferred_gradient", "unused_gradients", "whole_gradients",
                 "layer_gradients", "gradient_copy"}},
    memory_part{"head and loss", {"head", "deferred_head", "logits", "head_gradients"}},
    memory_part{"fragmentation", {"fragmentation"}},
    memory_part{"buffers and context", {}}};

constexpr std::size_t part_of(const stage_term& term) {
  for (std::size_t i = 0; i < memory_parts.size(); ++i)
    for (const std::string_view name : memory_parts[i].terms)
      if (name == term.name) return i;
  return memory_parts.size() - 1;
}

/// All stages, or so many of them.
inline std::vector<int> stages_shown(const footprint& memory) {
  const int stages = memory.stages();
  const int bars = (std::min)(stages, most_memory_bars);
  std::vector<int> shown;
  for (int i = 0; i < bars; ++i)
    shown.push_back(
        bars > 1 ? static_cast<int>(static_cast<long long>(i) * (stages - 1) / (bars - 1)) : 0);
  const int worst = memory.worst_stage().stage;
  if (std::find(shown.begin(), shown.end(), worst) == shown.end())
    *std::min_element(shown.begin() + 1, shown.end() - 1, [&](int a, int b) {
      return std::abs(a - worst) < std::abs(b - worst);
    }) = worst;
  return shown;
}

}  // namespace detail

/// A bar for each stage, numbered from 1: its memory at its fullest moment, by part; they add up to
/// the stage's total().
///
/// \throws invalid_input if the footprint was not computed
inline stacked_bars memory_chart(const footprint& memory, bytes of_gpu) {
  require(memory.model.layers > 0, "memory_chart: memory must be of a layout that was evaluated");
  const std::vector<int> shown = detail::stages_shown(memory);
  stacked_bars chart{
      .words = {.title = "Memory of each pipeline stage",
                .description = "What the fullest moment of a step holds on a GPU of each stage, "
                               "against the memory of a GPU."},
      .of = "Stage",
      .value_title = "Memory of a GPU",
      .parts = {},
      .bars = {},
      .limit = bar_limit{"GPU memory", of_gpu}};
  if (memory.stages() > most_memory_bars)
    chart.words.description +=
        fmt::format(" {} of {} stages, the worst among them.", shown.size(), memory.stages());
  for (const detail::memory_part& part : detail::memory_parts) chart.parts.emplace_back(part.name);
  for (const int i : shown) {
    const stage_footprint stage = memory.stage(i);
    std::vector<bytes> sums(detail::memory_parts.size());
    for (const stage_term& term : stage_terms)
      sums[detail::part_of(term)] += share_of_total(stage, term);
    chart.bars.push_back({std::to_string(i + 1), {sums.begin(), sums.end()}});
  }
  return chart;
}

}  // namespace gpuplan
