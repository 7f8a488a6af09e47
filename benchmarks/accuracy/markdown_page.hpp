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
  errors seen;
  errors left_out;
  for (std::size_t i = 0; i < all.speed.runs.size(); ++i) {
    seen.add(relative_error(all.report.ratios[i], 1));
    left_out.add(relative_error(all.report.left_out[i], 1));
  }
  printed.row(joined({"time of a step, published runs of dense models"}, figures_of(seen)));
  printed.row(joined({"the same, each family left out of the fit"}, figures_of(left_out)));
  printed.row(joined({"time of a step, published runs of mixtures of experts, in no fit"},
                     figures_of(all_of(all.experts.runs).plain.size)));
  printed.row(
      joined({"time of a collective, benchmarks of NCCL"}, figures_of(errors_of(all.collectives))));
  return printed.text();
}

/// What none of the figures above covers.
inline std::string not_modelled() {
  std::string text;
  for (const char* one :
       {"a host that launches each expert's products one by one: such steps take up to three times "
        "as long",
        "Mamba and other layers without attention, images and sound, reinforcement learning, "
        "distillation, CUDA graphs",
        "the scales of MXFP8, and the time to compute them",
        "traffic of other jobs on the fabric, and slow or hot GPUs, but for one that is said to be "
        "slower",
        "evaluation, and a data loader that falls behind (`compute/data_pipeline.hpp` has that, a "
        "step does not)",
        "fragmentation, but for a constant share of the peak where nvidia-smi was read"})
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
  page +=
      section("Memory that papers and project pages print", "", memory_of_papers(all.published));
  page += section(
      "Time of a step, dense models",
      fmt::format(
          "The model has {} fitted constants, at most three to a device and a width of formats or "
          "to a generation of software, beside two for all. They are fitted to these runs, and no "
          "run was held back while the terms were chosen. Left out: with constants fitted to the "
          "other families. Plain rule: 6 N operations a token, 8 N with full recomputation, at one "
          "efficiency for each generation of GPUs and width of formats, fitted likewise.",
          fitted_constants().size()),
      time_of_steps(all.speed, all.report));
  page += section(
      "Time of a step, mixtures of experts",
      "In no fit. Few sources say how tokens reach the experts and what hides that, so each run is "
      "predicted twice: with the defaults of a recipe, and overlapped, with messages hidden and "
      "one copy of a token for each node.",
      time_of_experts(all.experts));
  page += section(
      "Time of collectives",
      "By the constants of the catalogue alone, whatever the stack was set to; small messages and "
      "many "
      "racks are the hard ones. NVLink's achievable rates in the catalogue are those of large "
      "all-reduces, "
      "some of them among these rows. `./run accuracy collectives` prints this table, `--rows` "
      "every row.",
      time_of_collectives(all.collectives));
  page += section("What is not modelled", "",
                  not_modelled() + missed_trends(sweeps_of(all.speed.runs, all.report.ratios)));
  page += section("Rows left out", "", left_out_rows(all));
  return page;
}

}  // namespace gpuplan::accuracy
