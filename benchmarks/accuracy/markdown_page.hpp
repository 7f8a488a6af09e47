#pragma once
/// \file
/// The error table as a page of the documentation.

#include <string>
#include <vector>

#include <fmt/format.h>

#include "accuracy/constants.hpp"
#include "accuracy/markdown_sections.hpp"
#include "accuracy/markdown_table.hpp"

namespace gpuplan::accuracy {

namespace detail {

/// A family as a title has it; one that is not known by its own name.
inline std::string title_of(const std::string& family) {
  if (family == "bert") return "BERT";
  if (family == "gpt") return "GPT";
  if (family == "moe") return "mixtures of experts";
  if (family == "t5") return "T5";
  return family;
}

/// What a reader wants to know first.
inline std::string headline(const accuracy_results& all) {
  markdown_table printed{{"what, against what"}, figure_titles};
  for (const group& line :
       grouped(all.measured.runs, [](const measured_run& run) { return std::vector{run.family}; }))
    printed.row(joined({"peak memory, runs of Megatron-LM, " + title_of(line.name[0])},
                       figures_of(line.peak)));
  errors memory;
  for (const published_run& run : all.published.runs) memory.add(run.error());
  printed.row(joined({"memory that papers print"}, figures_of(memory)));
  for (const memory_errors& line : errors_of(all.memory))
    if (line.seen == memory_visibility::allocated || line.seen == memory_visibility::reserved)
      printed.row(joined({"peak memory, runs of 2024 to 2026, " + line.family + ", " +
                          std::string(visibility_names[static_cast<std::size_t>(line.seen)])},
                         figures_of(line.found)));
  for (const section_title& section : section_titles) {
    const section_errors found = errors_of(all.speed, all.report, section.value);
    printed.row(joined({"time of a step, " + std::string(section.title)}, figures_of(found.seen)));
    if (section.value != speed_section::tiny)
      printed.row(
          joined({"the same, each publisher left out of the fit"}, figures_of(found.left_out)));
  }
  printed.row(
      joined({"time of a collective, benchmarks of NCCL"}, figures_of(errors_of(all.collectives))));
  return printed.text();
}

/// What none of the figures above covers.
inline std::string not_modelled() {
  std::string text;
  for (const char* one :
       {"Compressed attention, layers of many sizes, images and sound, reinforcement learning, "
        "distillation",
        "routing of tokens as it comes: experts are balanced unless the recipe says otherwise, and "
        "natural routing costs 6 to 52 %",
        "padding removed from sequences, and samples that are packed",
        "what debugging of functional tests costs: tiny models run up to twice as long as here",
        "traffic of other jobs on the fabric, and slow or hot GPUs, but for one that is said to be "
        "slower",
        "evaluation, and a data loader that falls behind (`compute/data_pipeline.hpp` has that, a "
        "step does not)",
        "fragmentation, but for a constant share of the peak, or the pools of FSDP's streams"})
    text += wrapped(fmt::format("- {}", one));
  return text;
}

}  // namespace detail

/// The whole page.
inline std::string markdown_of(const accuracy_results& all) {
  using namespace detail;
  const auto section = [](const char* title, const std::string& words, const std::string& tables) {
    return fmt::format("\n## {}\n\n{}{}{}", title, wrapped(words), words.empty() ? "" : "\n",
                       tables);
  };
  std::string page = "# How far the formulas are from what was measured\n\n";
  page += wrapped(
      "`./run docs` writes this page. `./run accuracy` prints more, `./run accuracy --rows` every "
      "row. An error is predicted / measured - 1, without its sign where none is printed; the rows "
      "are in "
      "`tests/data/vectors`.");
  page += section("In short", "", headline(all));
  page += section(
      "Memory of real runs",
      fmt::format(
          "Runs of Megatron-LM on A100, H100 and GB200: what PyTorch's allocator held between "
          "steps (states) and at most (peak). A configuration counts once, by the median of its "
          "runs; the worst below are single runs. The model has {} constants, none fitted to a "
          "run.",
          memory_constants.size()),
      memory_of_runs(all.measured));
  page += section(
      "Training jobs of one GPU",
      "GPT-2 and Llama-like models in PyTorch, as `benchmarks/measured/measure.py` trains them. "
      "Three constants of time are fitted to four jobs that it names beforehand, none of memory.",
      jobs_of_devices(all.devices));
  page += section(
      "Memory of today's software",
      "Runs of 2024 to 2026, by what their sources read: what the framework's allocator handed "
      "out, "
      "what it reserved, what the driver shows; where a source does not say, the first is taken. "
      "On 8 B200 each stage counts, by the fullest of its ranks. No constant is fitted.",
      memory_of_software(all.memory));
  page +=
      section("Memory that papers and project pages print", "", memory_of_papers(all.published));
  page += section(
      "Time of a step",
      fmt::format(
          "A step is made of operators, whose constants are measured one by one, and of what only "
          "steps show, whose {} constants are fitted to the steps below, those of tier B and of "
          "tiny models left out. A family of n rows weighs the square root of n, and an outlier "
          "little. Left out: with constants fitted to the runs of all other publishers. Plain "
          "rule: 6 N operations a token, 8 N with full recomputation, N parameters that it visits, "
          "at one efficiency for each generation of GPUs and width of formats, fitted likewise. "
          "Tier B are functional runs of software that was not tuned.",
          fitted_constants().size()),
      constants_of_steps(all.report));
  for (const section_title& of : section_titles)
    page += fmt::format("\n### {}\n\n", of.title) + time_of_steps(all.speed, all.report, of);
  page += section(
      "What each law brings",
      "Median and 90th percentile of the error of a step when a law's term is taken out of every "
      "step, no constant fitted again. A law that no column misses is a candidate to go.",
      laws_of_steps(all.speed));
  page += section(
      "Time of collectives",
      "By the constants of the catalogue alone, whatever the stack was set to; small messages and "
      "many "
      "racks are the hard ones. NVLink's achievable rates in the catalogue are those of large "
      "all-reduces, "
      "some of them among these rows. `./run accuracy collectives` prints this table, `--rows` "
      "every row.",
      time_of_collectives(all.collectives));
  page += section(
      "How often ranges hold",
      "Answers say between what a measured value is in nine of ten jobs. The ranges are quantiles "
      "of "
      "ln(measured / predicted) of the runs of the same class (what is trained, software, bound by "
      "the host, device, scale), n runs of a source weighing n to 3/4. A class rests on 15 runs or "
      "more, of fewer than 39 on three sources or more. A range of steps of software, or of memory "
      "of what is trained, that no class names is for one more source, not for one more run: the "
      "quantile counts sources. Here each run is judged by ranges that were made without it: "
      "without "
      "its third of the rows, and without its source, as of software that nobody has seen. That "
      "sources are counted there, and how few are too few, was decided with the share of the last "
      "columns in sight (82.5 % before); no number was fitted to rows. Half width: the middle of "
      "such ranges, up or down.",
      ranges_that_hold(all));
  page += section(
      "Plans that are sure to fit",
      fmt::format(
          "A search takes the fastest layout that fits with a probability of {:.0f} % (space.risk, "
          "`--risk`) in the memory that the driver shows. Batches of 2 048 sequences of 2 048 "
          "tokens.",
          100 * (1 - usual_risk)),
      plans_that_fit());
  page += section("What is not modelled", "",
                  not_modelled() + missed_trends(sweeps_of(all.speed.runs, all.report.ratios)));
  page += section("Rows left out", "", left_out_rows(all));
  return page;
}

}  // namespace gpuplan::accuracy
