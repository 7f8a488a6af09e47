#pragma once
/// \file
/// The subcommands of the program, and how each ends.

#include <functional>
#include <span>
#include <string_view>

namespace CLI {
class App;
}

namespace gpuplan::cli {

/// How the program ends.
enum exit_code {
  exit_done = 0,
  exit_internal = 1,       ///< a fault of the program, or its output could not be written
  exit_usage = 2,          ///< wrong options, or input that cannot be read
  exit_assert_failed = 3,  ///< an --assert does not hold
  exit_infeasible = 4      ///< nothing fits
};

/// A subcommand: its options, and what it does with them.
struct command {
  CLI::App* options = nullptr;
  std::function<exit_code()> run;
};

command plan_command(CLI::App& program);
command fit_command(CLI::App& program);
command model_command(CLI::App& program);
command evaluate_command(CLI::App& program);
command scale_command(CLI::App& program);
command queue_command(CLI::App& program);
command place_command(CLI::App& program);
command calibrate_command(CLI::App& program);
command catalog_command(CLI::App& program);
command formula_command(CLI::App& program);
command explain_command(CLI::App& program);
command collective_command(CLI::App& program);
command completion_command(CLI::App& program);

/// A subcommand by its name, and what adds its options.
struct subcommand {
  std::string_view name;
  command (*add)(CLI::App& program);
  bool has_json = true;  ///< whether it answers in JSON, and so to programs
};

/// All of them, in the order of the help.
std::span<const subcommand> subcommands();

}  // namespace gpuplan::cli
