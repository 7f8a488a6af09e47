#pragma once
/// \file
/// The error table in pictures: every run, predicted against measured.

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/report/html.hpp>
#include <gpuplan/report/xy_chart_parity.hpp>

#include "accuracy/markdown_sections.hpp"

namespace gpuplan::accuracy {

namespace detail {

/// "median error 1.2 %, 90 % of 100 runs within 5 %".
inline std::string errors_in_words(const std::vector<parity_row>& rows) {
  errors all;
  for (const parity_row& row : rows) all.add(relative_error(row.predicted.base, row.measured.base));
  return fmt::format(
      "{} runs: half within {:.1f} %, nine in ten within {:.1f} %, the worst off by "
      "{:.0f} %.",
      all.count(), 100 * all.median(), 100 * all.p90(), 100 * all.worst());
}

/// A section's key as names of figures are written: "runs_dense" is "runs-dense".
inline std::string figure_name(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return key;
}

inline figure parity_of(const std::string& name, const std::string& title, const std::string& about,
                        const std::string& what, const std::vector<parity_row>& rows) {
  constexpr double band = 0.1;
  return figure_of(name,
                   parity_chart({title, about + "  " + errors_in_words(rows)}, what, rows, band));
}

inline std::vector<parity_row> speed_rows(const speed_runs& speed, speed_section section) {
  std::vector<parity_row> rows;
  const speed_setting library = library_setting();
  for (const speed_run& run : speed.runs)
    if (run.section == section)
      rows.push_back({run.family, run.id, run.measured, predicted(run, library).total()});
  return rows;
}

}  // namespace detail

/// Time of a step, and memory, each run a point.
inline html_page parity_page(const accuracy_results& all) {
  html_page page{.title = "Predicted against measured",
                 .lead = {"Each point is a run that somebody else measured and published.  On the "
                          "line the model is right; between the dotted lines it is off by no more "
                          "than 10 %."}};
  for (const section_title& section : section_titles)
    page.figures.push_back(detail::parity_of(
        detail::figure_name(std::string(section.key)),
        "Time of a step: " + std::string(section.title),
        section.value == speed_section::tiny
            ? "No constant was fitted to these."
            : "Constants of the library, which were fitted to these and other runs.",
        "Step", detail::speed_rows(all.speed, section.value)));

  std::vector<parity_row> memory;
  for (const measured_run& run : all.measured.runs)
    memory.push_back({run.family, run.id, run.peak, run.predicted.allocator_peak()});
  page.figures.push_back(detail::parity_of(
      "memory", "Peak memory of a GPU",
      "The most that the allocator of Megatron-LM's own tests held.", "Memory", memory));

  std::vector<parity_row> published;
  for (const published_run& run : all.published.runs)
    published.push_back({run.family, run.id, run.measured, run.predicted});
  page.figures.push_back(detail::parity_of("published", "Published memory of a GPU",
                                           "As papers and logs print it.", "Memory", published));
  return page;
}

}  // namespace gpuplan::accuracy
