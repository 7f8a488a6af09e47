#pragma once
/// \file
/// The options of a question of the library, as those of a command line.

#include <string>

#include <CLI/CLI.hpp>

#include <gpuplan/api/question_options.hpp>

namespace gpuplan::cli {

/// Adds the options of a question, which set the members of `to`.
template <class Rows, class Owner>
void add_question_options(CLI::App& command, const Rows& rows, Owner& to) {
  for (const auto& row : rows) {
    const std::string names{row.names};
    const std::string help{row.help};
    if (row.flag != nullptr)
      command.add_flag(names, to.*row.flag, help);
    else if (row.texts != nullptr)
      command.add_option(names, to.*row.texts, help);
    else
      command.add_option(names, to.*row.text, help);
  }
}

}  // namespace gpuplan::cli
