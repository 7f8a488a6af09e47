/// \file
/// How far off an answer can be.

#include "bands.hpp"

#include <cmath>
#include <cstddef>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <gpuplan/accuracy/run_class.hpp>
#include <gpuplan/api/line_answer.hpp>
#include <gpuplan/calibrate/framework_memory_fit.hpp>
#include <gpuplan/units/format.hpp>

#include "inputs.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
void band_options::add_level(CLI::App& command) {
  command
      .add_option("--level", level,
                  "Share of runs that a range holds, 0.001 to 0.999, or as 90% [0.9]")
      ->group("Answer");
}

void band_options::add_risk(CLI::App& command) {
  command
      .add_option("--risk", risk,
                  "Probability with which a plan may not fit after all, 0.001 to 1; at 1 what is "
                  "predicted to fit does; or as 10% [0.1]")
      ->group("Search");
  command
      .add_option(
          "--headroom", headroom,
          "Share of a GPU's memory to leave free, as 0.05 or 5%; instead of the risk, or beside "
          "it where both are given")
      ->group("Search");
}

double band_options::level_asked() const {
  return level.empty() ? usual_level
                       : plain_number(level, "--level", api::least_level, api::most_level);
}

void band_options::set(space& vary) const {
  if (!headroom.empty()) {
    vary.headroom = plain_number(headroom, "--headroom", 0, api::most_level);
    vary.risk = 1;
  }
  if (!risk.empty()) vary.risk = plain_number(risk, "--risk", api::least_level, 1);
}

std::string level_in_words(double level) {
  return level == usual_level ? "nine of ten" : fmt::format("{:.4g} % of such jobs", 100 * level);
}

std::string basis_in_words(const error_band& band) {
  const std::string runs =
      fmt::format("{} of {}", counted(band.runs, "run"), counted(band.sources, "source"));
  switch (band.grade) {
    case error_grade::calibrated:
      return fmt::format("calibrated on {} of this machine", counted(band.runs, "run"));
    case error_grade::validated: return "validated on " + runs;
    case error_grade::related: return "judged by related jobs, " + runs;
    case error_grade::extrapolated: break;
  }
  return "extrapolated from " + runs;
}

std::string chance_in_words(double probability) {
  if (probability > 0.99) return "more than 99 %";
  if (probability < 0.01) return "less than 1 %";
  return fmt::format("{:.0f} %", 100 * probability);
}

std::string chance_in_cell(double probability) {
  if (probability > 0.99) return ">99 %";
  return probability < 0.01 ? "<1 %" : chance_in_words(probability);
}

std::string chance_of_plan(double probability) {
  return chance_in_cell(probability) + (probability < 1 - usual_risk ? ", risky" : "");
}

bool may_fit(const estimate& miss, const job& asked) {
  return miss.refusal.reason == reject_reason::memory && miss.costed() &&
         miss.needed <= asked.pool.gpu().memory;
}

double risk_that_takes(const estimate& miss, const job& asked) {
  return std::ceil(100 * (1 - bands_of(miss, asked).fits_probability)) / 100;
}

std::string miss_in_words(const estimate& miss, const job& asked) {
  const accelerator& gpu = asked.pool.gpu();
  reject why = miss.refusal;
  if (why.reason != reject_reason::memory) return refusal_in_words(why);
  why.available = gpu.memory.in_base_units();
  if (miss.needed > gpu.memory) return refusal_in_words(why);
  const double chance = bands_of(miss, asked).fits_probability;
  const double risk = risk_that_takes(miss, asked);
  return fmt::format(
             "the fullest stage needs {} of the {} that the GPU has, more than --risk and "
             "--headroom leave; it fits with a probability of {}",
             sized(miss.needed), sized(gpu.memory), chance_in_words(chance)) +
         (risk <= 0.5 ? fmt::format("; --risk {:g} takes it", risk) : std::string{});
}

namespace {

/// The errors of memory that a profile of the cluster has for such jobs; without runs where it has
/// none.
error_distribution measured_memory_errors(const job& asked, const recipe& how, bytes peak) {
  const framework_memory& known = asked.asked.measured.profile.beside_model;
  const run_class own = run_class_of(asked.model, how, asked.pool.gpus());
  if (known.runs == 0 || !known.classes.contains(own)) return {};
  return gpuplan::errors_of(peak, known);
}

}  // namespace

space planned_space(const job& asked, space vary) {
  vary.memory_errors = measured_memory_errors(asked, asked.recipe, asked.pool.gpu().memory);
  return vary;
}

double fits_probability(const job& asked, const recipe& how, bytes needed) {
  error_distribution errors = measured_memory_errors(asked, how, needed);
  if (errors.runs == 0)
    errors = error_distribution_of({.of = prediction::device_memory,
                                    .kind = trained_kind_of(asked.model, how),
                                    .software = how.framework});
  return probability_within(errors, asked.pool.gpu().memory / needed);
}

estimate_bands bands_of(const estimate& what, const job& asked, double level) {
  return gpuplan::bands_of(what, asked.pool.gpu(), errors_of(what, asked), level);
}

namespace {

/// Why the range of a step is wide where it waits for launches, and no profile knows better.
std::string launches_in_words(const estimate& what, const error_band& step) {
  if (step.grade == error_grade::calibrated) return {};
  const double share = what.time[step_term::launch] / what.time.total();
  if (launch_part_of(share) == launch_part::little) return {};
  return fmt::format("; launches take {:.0f} % of it, and such steps are known less well",
                     100 * share);
}

/// Why a step is extrapolated whose recipe no timed run had; nothing where a profile knows such
/// steps.
std::string beyond_runs_in_words(const estimate& what, const job& asked, const error_band& step) {
  const recipe& how = what.memory.recipe;
  if (step.grade == error_grade::calibrated || !is_beyond_runs(asked.pool.gpu(), how)) return {};
  std::string words;
  if (!timed_runs.formats[static_cast<std::size_t>(how.precision)])
    words += fmt::format("; no run in {} was timed", spelled(precision_names, how.precision));
  if (how.sequence_length > timed_runs.longest_sequence)
    words += fmt::format("; no run with more than {} tokens a sequence was timed",
                         grouped(timed_runs.longest_sequence));
  if (how.uses_host() && !timed_runs.offloads)
    words += "; no run with states or activations on its hosts was timed";
  if (is_power_limited(asked.pool.gpu(), how))
    words +=
        "; no run was measured under a power limit: the clock is taken as the cube root of the "
        "power, real clocks are lower where the voltage falls no more, and no lowest limit is "
        "known";
  return words;
}

}  // namespace

std::string bands_in_words(const estimate& what, const job& asked, double level) {
  const estimate_bands bands = bands_of(what, asked, level);
  const seconds step = what.time.total();
  const bool runs = what.fits() || may_fit(what, asked);
  return (runs ? fmt::format("A step takes {} to {} in {}: {}{}{}.\n",
                             format_duration(bands.step.low * step),
                             format_duration(bands.step.high * step), level_in_words(level),
                             basis_in_words(bands.step), launches_in_words(what, bands.step),
                             beyond_runs_in_words(what, asked, bands.step))
               : std::string{}) +
         fmt::format("It fits with a probability of {}; the fullest GPU has {} to {} in {}: {}.\n",
                     chance_in_words(bands.fits_probability), sized(bands.device.low * what.needed),
                     sized(bands.device.high * what.needed), level_in_words(level),
                     basis_in_words(bands.device));
}

}  // namespace gpuplan::cli
