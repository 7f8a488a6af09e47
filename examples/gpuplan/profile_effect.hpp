#pragma once
/// \file
/// A plan by a profile beside the same plan by datasheets, and what the profile moved.

#include <optional>
#include <string>
#include <vector>

#include <gpuplan/api/calibration_effect.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/plan/search.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/report/table.hpp>
#include <gpuplan/units/units.hpp>

#include "request.hpp"

namespace gpuplan::cli {

using api::calibration_effect;
using api::constant_kind;
using api::moved_constant;

/// What datasheets alone would have chosen.
struct datasheet_choice {
  plan best;             ///< estimated by them
  estimate measured;     ///< by the profile
  bool is_same = false;  ///< as the layout that is chosen by the profile
};

/// The choice of a search without the profile, beside that with it.
datasheet_choice choice_by_datasheets(const plan& best, const job& asked, const plan& chosen);
report_json json_of(const std::optional<datasheet_choice>& choice);
std::string in_words(const datasheet_choice& choice);

/// Two tables: the estimates, and the constants.
std::string effect_tables(const calibration_effect& effect, text_style style);

}  // namespace gpuplan::cli
