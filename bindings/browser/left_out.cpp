/// \file
/// What the module for browsers leaves out, to be small: subcommands that its page does not ask, and
/// pages that the browser draws itself.

#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "plan/page.hpp"
#include "program.hpp"
#include "queue/command_line.hpp"
#include "queue/trace_file.hpp"
#include "scale/page.hpp"

namespace gpuplan::cli {
namespace {

command left_out(CLI::App& program, const std::string& name) {
  return {
      program.add_subcommand(name, "Left out"), [name]() -> exit_code {
        throw bad_usage{"question must not be " + name + ": the browser's module leaves it out"};
      }};
}

}  // namespace

command queue_command(CLI::App& program) {
  return left_out(program, "queue");
}

command place_command(CLI::App& program) {
  return left_out(program, "place");
}

command calibrate_command(CLI::App& program) {
  return left_out(program, "calibrate");
}

command formula_command(CLI::App& program) {
  return left_out(program, "formula");
}

command explain_command(CLI::App& program) {
  return left_out(program, "explain");
}

command collective_command(CLI::App& program) {
  return left_out(program, "collective");
}

queue_mix queue_options::mix() const {
  throw bad_usage{"--arrivals: the browser's module leaves out how long jobs wait"};
}

job_trace read_trace_file(const trace_source&) {
  throw bad_usage{"--pool: the browser's module leaves out how long jobs wait"};
}

html_page page_of(const offers&, const std::optional<front>&) {
  throw bad_usage{"--html: the browser's module leaves it out"};
}

html_page page_of(const scaling_curve&, const job&, double) {
  throw bad_usage{"--html: the browser's module leaves it out"};
}

}  // namespace gpuplan::cli
