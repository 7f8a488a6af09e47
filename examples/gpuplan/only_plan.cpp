/// \file
/// The subcommands of a program that only plans.

#include <array>
#include <span>

#include "subcommand.hpp"

namespace gpuplan::cli {

std::span<const subcommand> subcommands() {
  static constexpr std::array only_plan{subcommand{"plan", plan_command}};
  return only_plan;
}

}  // namespace gpuplan::cli
