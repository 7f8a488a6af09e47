#pragma once
/// \file
/// A waterfall of terms that add up: where the time of a step goes.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/plan/step_time_terms.hpp>
#include <gpuplan/report/axis_frame.hpp>
#include <gpuplan/report/figure.hpp>
#include <gpuplan/report/plotted_value.hpp>
#include <gpuplan/report/svg.hpp>
#include <gpuplan/report/svg_palette.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// A term of the sum.
struct waterfall_term {
  std::string name;
  plotted_value value{};  ///< finite and >= 0
  std::size_t kind = 0;   ///< of waterfall.kinds
};

/// Terms in the order in which they are drawn.
struct waterfall {
  chart_words words;
  std::string value_title;         ///< "Time"
  std::vector<std::string> kinds;  ///< "computing", "messages", ...
  std::vector<waterfall_term> terms;
  std::string total_name = "Total";

  [[nodiscard]] plotted_value total() const {
    plotted_value sum = terms.empty() ? plotted_value{} : terms.front().value;
    for (std::size_t i = 1; i < terms.size(); ++i) sum.base += terms[i].value.base;
    return sum;
  }
};

namespace detail {

inline void require_valid(const waterfall& chart) {
  for (const waterfall_term& term : chart.terms) {
    require(term.value.finite() && term.value.base >= 0,
            "waterfall: terms must be finite and >= 0");
    require(term.kind < chart.kinds.size(), "waterfall: kind must be one of kinds");
  }
}

}  // namespace detail

/// Draws the terms that are above zero, from the first down to their sum.
///
/// \throws invalid_input if a term is negative or not finite, or of another dimension than others
inline void draw_chart(const waterfall& chart, svg_canvas& canvas, const std::string&) {
  detail::require_valid(chart);
  std::vector<waterfall_term> shown;
  std::vector<legend_entry> entries;
  for (std::size_t kind = 0; kind < chart.kinds.size(); ++kind)
    if (std::any_of(chart.terms.begin(), chart.terms.end(), [&](const waterfall_term& term) {
          return term.kind == kind && term.value.base > 0;
        }))
      entries.push_back({.text = chart.kinds[kind], .style = class_of_series(kind)});
  for (const waterfall_term& term : chart.terms)
    if (term.value.base > 0) shown.push_back(term);
  if (shown.empty()) return draw_nothing(canvas);

  const plotted_value total = chart.total();
  std::vector<plotted_value> values;
  std::vector<std::string> names;
  double widest = text_width(text_of(total), picture_text);
  for (const waterfall_term& term : shown) {
    names.push_back(term.name);
    values.push_back(term.value);
    widest = (std::max)(widest, text_width(text_of(term.value), picture_text));
  }
  names.push_back(chart.total_name);
  values.push_back(total);
  const double top = draw_legend(entries, canvas);
  const bar_rows rows = lay_out_rows(names, {chart.value_title}, values, widest + 8, top, canvas);

  plotted_value from = total;
  from.base = 0;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    plotted_value to = from;
    to.base += shown[i].value.base;
    canvas.rectangle(rows.bar(i, from, to), class_of_series(shown[i].kind),
                     shown[i].name + ": " + text_of(shown[i].value));
    const double next = rows.top_of(i + 1);
    canvas.line({rows.x_of(to), rows.top_of(i)}, {rows.x_of(to), next}, "frame");
    canvas.text({rows.x_of(to) + 6, rows.base_of(i)}, text_anchor::start, "sum",
                text_of(shown[i].value));
    from = to;
  }
  plotted_value zero = total;
  zero.base = 0;
  canvas.rectangle(rows.bar(shown.size(), zero, total), "total",
                   chart.total_name + ": " + text_of(total));
  canvas.text({rows.x_of(total) + 6, rows.base_of(shown.size())}, text_anchor::start, "sum",
              text_of(total));
}

/// Every term with its kind and its share of the sum, and the sum.
inline figure_table table_of(const waterfall& chart) {
  detail::require_valid(chart);
  figure_table rows{
      {{"Term"}, {"Kind"}, {chart.value_title, column_side::right}, {"Share", column_side::right}}};
  const plotted_value total = chart.total();
  const auto share = [&](double part) { return total.base > 0 ? part / total.base : 0.0; };
  for (const waterfall_term& term : chart.terms)
    rows.row({term.name, chart.kinds[term.kind], term.value,
              share_cell(share(term.value.base))});
  rows.row({chart.total_name, "", total, share_cell(share(total.base))});
  return rows;
}

namespace detail {

/// Kinds of terms, in the order of their colours.
inline constexpr std::array step_kinds{"computing", "messages", "waiting", "computing again"};

constexpr std::size_t kind_of(step_term term) {
  switch (term) {
    case step_term::products:
    case step_term::attention:
    case step_term::elementwise:
    case step_term::reference:
    case step_term::ends:
    case step_term::launch:
    case step_term::optimizer: return 0;
    case step_term::tensor:
    case step_term::context:
    case step_term::expert:
    case step_term::gather:
    case step_term::pipeline:
    case step_term::data: return 1;
    case step_term::bubble:
    case step_term::stragglers:
    case step_term::offload:
    case step_term::input: return 2;
    case step_term::recompute: return 3;
  }
  return 0;
}

}  // namespace detail

/// A bar for each term of a step that takes time; they add up to its total().
inline waterfall step_time_chart(const step_time& step) {
  waterfall chart{
      .words = {.title = "Time of a step",
                .description = "What the slowest stage is busy with and what it waits for.  Each "
                               "term is what is left of it after overlap, so that they add up."},
      .value_title = "Time",
      .kinds = {detail::step_kinds.begin(), detail::step_kinds.end()},
      .terms = {},
      .total_name = "step"};
  for (const step_term term : step_terms)
    chart.terms.push_back({std::string(title_of(term)), step[term], detail::kind_of(term)});
  return chart;
}

}  // namespace gpuplan
