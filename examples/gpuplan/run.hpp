#pragma once
/// \file
/// The program from its words to its exit code.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "subcommand.hpp"

namespace gpuplan::cli {

/// The options of the program, and what its subcommands do.
struct assembled_program {
  std::shared_ptr<CLI::App> options{};
  std::vector<command> commands{};
};

/// The program with some of its subcommands, or all.
assembled_program assembled(std::span<const subcommand> of);

/// Reads words, without the name of the program, and runs the subcommand that they name.  What
/// cannot be done is said in one line.
exit_code run(const assembled_program& program, std::span<const std::string> words);

}  // namespace gpuplan::cli
