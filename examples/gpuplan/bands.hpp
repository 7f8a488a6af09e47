#pragma once
/// \file
/// How far off an answer can be, for people and for programs; how sure a plan must be to fit.

#include <string>

#include <gpuplan/accuracy/error_band.hpp>
#include <gpuplan/api/job_errors.hpp>
#include <gpuplan/plan/estimate_band.hpp>
#include <gpuplan/plan/search_space.hpp>
#include <gpuplan/units/units.hpp>

#include "program.hpp"
#include "request.hpp"

namespace CLI {
class App;
}

namespace gpuplan::cli {

/// The options of bands, as typed; empty where not given.
struct band_options {
  std::string level, risk, headroom;

  void add_level(CLI::App& command);
  void add_risk(CLI::App& command);
  /// \throws bad_usage
  [[nodiscard]] double level_asked() const;
  /// A headroom without a risk leaves no other part free.
  /// \throws bad_usage
  void set(space& vary) const;
};

/// The space with the errors of memory that a profile of the cluster has for such jobs.
space planned_space(const job& asked, space vary);

/// "nine of ten", "80 % of such jobs".
std::string level_in_words(double level);
estimate_bands bands_of(const estimate& what, const job& asked, double level = usual_level);
/// The probability that a job of this recipe fits that needs so much memory.
double fits_probability(const job& asked, const recipe& how, bytes needed);
/// How long a step takes when it is measured, and how sure it is that the layout fits, in a line
/// each.
std::string bands_in_words(const estimate& what, const job& asked, double level);
/// "validated on 52 runs of 8 sources".
std::string basis_in_words(const error_band& band);
/// Why a layout was refused by a search, which leaves memory free so that plans are sure to fit.
std::string miss_in_words(const estimate& miss, const job& asked);
/// Whether a search refused a layout that is predicted to fit, less surely than --risk and --headroom
/// ask.
bool may_fit(const estimate& miss, const job& asked);
/// The least --risk, in hundredths, that takes such a layout.
double risk_that_takes(const estimate& miss, const job& asked);
/// "93 %", "more than 99 %"; in tables ">99 %".
std::string chance_in_words(double probability);
std::string chance_in_cell(double probability);
/// Of a plan: "70 %, risky" below the certainty that plans have where no risk is given.
std::string chance_of_plan(double probability);

}  // namespace gpuplan::cli
