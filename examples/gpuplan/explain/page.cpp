/// \file
/// What explain finds, in pictures.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <gpuplan/report/html.hpp>
#include <gpuplan/report/stacked_bars.hpp>
#include <gpuplan/text/json_shown.hpp>

#include "explain/comparison.hpp"

namespace gpuplan::cli {
namespace {

/// A and B as bars of those terms that differ most; none where one is below zero, which no bar is.
template <class Q>
std::optional<stacked_bars> bars_of(const term_difference<Q>& found, const chart_words& words) {
  constexpr std::size_t most_parts = 6;
  stacked_bars chart{.words = words, .of = "", .value_title = words.title, .parts = {}, .bars = {}};
  stacked_bar a{.name = "A", .parts = {}};
  stacked_bar b{.name = "B", .parts = {}};
  term_change<Q> others;
  for (const term_change<Q>& term : found.terms) {
    if (term.before < Q{} || term.after < Q{}) return std::nullopt;
    if (chart.parts.size() < most_parts) {
      chart.parts.push_back(title_of(term));
      a.parts.emplace_back(term.before);
      b.parts.emplace_back(term.after);
      continue;
    }
    others.before += term.before;
    others.after += term.after;
  }
  chart.parts.emplace_back("all others");
  a.parts.emplace_back(others.before);
  b.parts.emplace_back(others.after);
  chart.bars = {std::move(a), std::move(b)};
  return chart;
}

template <class Q>
figure figure_of(const term_difference<Q>& found, const std::string& name, chart_words words) {
  figure made{.name = name, .words = words};
  if (const auto chart = bars_of(found, words)) made = gpuplan::figure_of(name, *chart);
  made.table = {{{"Term"},
                 {"A", column_side::right},
                 {"B", column_side::right},
                 {"Difference", column_side::right},
                 {"Share", column_side::right}}};
  for (const term_change<Q>& term : found.terms) {
    const auto share = found.share_of(term);
    made.table.row({title_of(term), term.before, term.after, term.difference(),
                    share ? figure_cell{*share, value_reading::percent} : figure_cell{}});
  }
  made.table.row({"total", found.before(), found.after(), found.difference(), figure_cell{}});
  return made;
}

figure inputs_of(const comparison& found) {
  figure made{.name = "inputs",
              .words = {"Inputs that differ", "Of the two answers, defaults resolved."},
              .table = {{{"Input"}, {"A"}, {"B"}}}};
  for (const input_change& one : found.inputs)
    made.table.row({one.path, shown(one.before), shown(one.after)});
  return made;
}

}  // namespace

html_page page_of(const comparison& found) {
  html_page page{.title = "Why two numbers differ", .lead = summary_of(found)};
  page.lead.push_back("A is " + found.before.file + ", B is " + found.after.file + ".");
  const std::string order = "The term that accounts for the most is first.";
  if (found.step)
    page.figures.push_back(figure_of(*found.step, "step-time", {"Time of a step", order}));
  if (found.memory && found.memory->terms)
    page.figures.push_back(figure_of(*found.memory->terms, "memory", {"Memory of a GPU", order}));
  if (found.after.is_answer()) page.figures.push_back(inputs_of(found));
  return page;
}

}  // namespace gpuplan::cli
