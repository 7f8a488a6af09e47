#pragma once
/// \file
/// A plan by a profile beside the same plan by datasheets, and what the profile moved.

#include <optional>
#include <string>
#include <vector>

#include <gpuplan/calibrate/fit_quality.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/plan/search.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/report/table.hpp>
#include <gpuplan/units/units.hpp>

#include "request.hpp"

namespace gpuplan::cli {

/// What a number of a cluster counts.
enum class constant_kind { rate, work_rate, time, size, share };

/// A number that a profile has in the place of the datasheets'.
struct moved_constant {
  std::string name;  ///< "scale_up_bandwidth"
  constant_kind kind{};
  double datasheet = 0;  ///< in base units
  double measured = 0;
};

/// One layout, estimated twice.
struct calibration_effect {
  std::string profile;  ///< the file
  estimate datasheet;
  estimate measured;
  std::vector<moved_constant> constants;
  std::optional<fit_interval<seconds>> band{};  ///< of the measured step, where runs tell it
};

/// The effect of a job's profile on a layout of it; nothing where it has no profile.
std::optional<calibration_effect> effect_of(const job& asked, const recipe& how,
                                            const parallelism& cut);

/// What datasheets alone would have chosen.
struct datasheet_choice {
  plan best;             ///< estimated by them
  estimate measured;     ///< by the profile
  bool is_same = false;  ///< as the layout that is chosen by the profile
};

/// The choice of a search without the profile; nothing where there is none, or nothing fits.
std::optional<datasheet_choice> choice_by_datasheets(const job& asked, const space& vary,
                                                     const plan& chosen);
report_json json_of(const std::optional<datasheet_choice>& choice);
std::string in_words(const datasheet_choice& choice);

/// null where there is no effect.
report_json json_of(const std::optional<calibration_effect>& effect);
/// Two tables: the estimates, and the constants.
std::string effect_tables(const calibration_effect& effect, text_style style);

}  // namespace gpuplan::cli
