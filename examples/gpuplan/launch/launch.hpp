#pragma once
/// \file
/// Launches of frameworks: --from reads one, --emit prints one.

#include <optional>
#include <string>
#include <string_view>

#include <gpuplan/launch/launch_framework.hpp>
#include <gpuplan/launch/launch_job.hpp>

#include "program.hpp"
#include "request.hpp"

namespace gpuplan::cli {

/// A launch that a file holds.
struct launch_read {
  launch_framework framework{};
  launch_job job{};
};

/// Adds --emit.
void add_emit_option(CLI::App& command, std::string& emit);

/// The framework of --emit; none where it is empty.
/// \throws invalid_input
std::optional<launch_framework> framework_asked(const std::string& emit);

/// Whether a file's launch describes its model; nothing of it is checked but its form.
/// \throws bad_usage or invalid_input
bool launch_has_model(const std::string& path);

/// The launch of a file.
/// \throws bad_usage or invalid_input
launch_read read_launch_file(const std::string& path, const launch_surroundings& around);

/// Refuses a GPU, by its name, that no launch of a framework is for, and a recipe that none of them
/// says, whatever the layout.
/// \throws bad_usage saying so, or naming frameworks that do
void require_launch(launch_framework with, const std::string& gpu, const recipe& how);

/// What a framework's launch of a job's layout would not say, as "zero 1"; empty: nothing.
std::string unsaid(launch_framework with, const job& asked, const recipe& how,
                   const parallelism& cut);

/// A job's layout as a framework launches it.
/// \throws bad_usage saying what the framework has no word for
std::string launch_of(launch_framework with, const job& asked, const recipe& how,
                      const parallelism& cut);

/// Refuses a job that cannot run for the software that a launch is of, where other software runs it.
/// \throws bad_usage saying what the launch cannot say
void require_framework(launch_framework with, const job& asked);

/// What a file left open or said in vain, for answers; null where no file was read.
report_json json_of(const launch_echo& launch);
std::string in_words(const launch_echo& launch);

/// Why there is no launch of a job that does not fit: with which recipe, where that is the
/// framework's own.
std::string why_nothing_fits(launch_framework with, const job& asked, const recipe& how);

/// Prints a launch, or where there is none a line that says why, beside the file that it would be
/// in.
void print_launch(const std::string& launch, std::string_view why_none);

}  // namespace gpuplan::cli
