/// \file
/// How far off an answer can be.

#include "bands.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <gpuplan/calibrate/step_prediction.hpp>
#include <gpuplan/units/format.hpp>

#include "inputs.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

constexpr double least_share = 0.001;

}  // namespace

void band_options::add_level(CLI::App& command) {
  command.add_option("--level", level, "Share of runs that a range holds, 0.001 to 0.999 [0.9]")
      ->group("Answer");
}

void band_options::add_risk(CLI::App& command) {
  command
      .add_option("--risk", risk,
                  "Probability with which a plan may not fit after all, 0.001 to 1; at 1 what is "
                  "predicted to fit does [0.1]")
      ->group("Search");
  command
      .add_option("--headroom", headroom,
                  "Share of a GPU's memory to leave free, as 0.05; instead of the risk, or beside "
                  "it where both are given")
      ->group("Search");
}

double band_options::level_asked() const {
  return level.empty() ? usual_level : plain_number(level, "--level", least_share, 1 - least_share);
}

void band_options::set(space& vary) const {
  if (!headroom.empty()) {
    vary.headroom = plain_number(headroom, "--headroom", 0, 1 - least_share);
    vary.risk = 1;
  }
  if (!risk.empty()) vary.risk = plain_number(risk, "--risk", least_share, 1);
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

std::string miss_in_words(const estimate& miss, const job& asked) {
  const accelerator& gpu = asked.pool.gpu();
  reject why = miss.refusal;
  if (why.reason != reject_reason::memory) return refusal_in_words(why);
  why.available = gpu.memory.in_base_units();
  if (miss.needed > gpu.memory) return refusal_in_words(why);
  return fmt::format(
      "the fullest stage needs {} of the {} that the GPU has, more than --risk and --headroom "
      "leave; "
      "it fits with a probability of {}",
      sized(miss.needed), sized(gpu.memory),
      chance_in_words(bands_of(miss, asked).fits_probability));
}

estimate_errors errors_of(const estimate& what, const job& asked) {
  estimate_errors errors = gpuplan::errors_of(what, asked.pool.gpu());
  const step_belief& belief = asked.asked.measured.profile.steps;
  if (belief.runs == 0 || !what.costed()) return errors;
  const bool alike = (belief.classes & bit_of(error_class_of(what, asked.pool.gpu()))) != 0;
  if (!alike) return errors;  // its runs say little of another kind of job
  cluster_request without = asked.asked;
  without.measured.profile.steps = {};
  const step_job one{.model = asked.model,
                     .pool = cluster_of(without),
                     .recipe = what.memory.recipe,
                     .parallelism = what.memory.parallelism,
                     .workspace = asked.workspace};
  errors.step = gpuplan::errors_of(predicted_step(one, belief), belief);
  return errors;
}

estimate_bands bands_of(const estimate& what, const job& asked, double level) {
  return gpuplan::bands_of(what, asked.pool.gpu(), errors_of(what, asked), level);
}

std::string bands_in_words(const estimate& what, const job& asked, double level) {
  const estimate_bands bands = bands_of(what, asked, level);
  const seconds step = what.time.total();
  return fmt::format("A step takes {} to {} in {}: {}.\n", format_duration(bands.step.low * step),
                     format_duration(bands.step.high * step), level_in_words(level),
                     basis_in_words(bands.step)) +
         fmt::format("It fits with a probability of {}; the fullest GPU has {} to {} in {}: {}.\n",
                     chance_in_words(bands.fits_probability), sized(bands.device.low * what.needed),
                     sized(bands.device.high * what.needed), level_in_words(level),
                     basis_in_words(bands.device));
}

}  // namespace gpuplan::cli
