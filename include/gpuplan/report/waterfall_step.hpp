#pragma once
/// \file
/// Where the time of a step goes, term by term.

#include <array>
#include <cstddef>
#include <string_view>

#include <gpuplan/plan/step_time_terms.hpp>
#include <gpuplan/report/waterfall.hpp>

namespace gpuplan {

namespace detail {

/// Kinds of terms, in the order of their colours.
inline constexpr std::array step_kinds{"computing", "messages", "waiting", "computing again"};

constexpr std::size_t kind_of(step_term term) {
  switch (term) {
    case step_term::products:
    case step_term::attention:
    case step_term::elementwise:
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
    case step_term::offload: return 2;
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
    chart.terms.push_back({std::string(name_of(term)), step[term], detail::kind_of(term)});
  return chart;
}

}  // namespace gpuplan
