/// \file
/// The subcommands of the program.

#include <array>
#include <span>

#include "subcommand.hpp"

namespace gpuplan::cli {

std::span<const subcommand> subcommands() {
  static constexpr std::array all{subcommand{"plan", plan_command},
                                  subcommand{"fit", fit_command},
                                  subcommand{"model", model_command},
                                  subcommand{"evaluate", evaluate_command},
                                  subcommand{"scale", scale_command},
                                  subcommand{"queue", queue_command},
                                  subcommand{"place", place_command},
                                  subcommand{"calibrate", calibrate_command},
                                  subcommand{"catalog", catalog_command},
                                  subcommand{"formula", formula_command},
                                  subcommand{"explain", explain_command},
                                  subcommand{"collective", collective_command},
                                  subcommand{"completion", completion_command, false}};
  return all;
}

}  // namespace gpuplan::cli
