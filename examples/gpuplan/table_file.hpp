#pragma once
/// \file
/// The whole text of a table that the user names, and what is wrong with its rows, said.

#include <cstdint>
#include <span>
#include <string>

#include <gpuplan/text/row_fault.hpp>

namespace gpuplan::cli {

/// How a table is called in messages: its path, or "standard input" for "-".
std::string name_of_table(const std::string& path);

/// The text of a file, or of standard input for "-": at most 4 GiB.
/// \throws bad_usage
std::string table_text(const std::string& path);

/// Says the first faults on standard error, a line each, then how many more there are.
void say_faults(const std::string& name, std::span<const row_fault> first, std::int64_t count);

}  // namespace gpuplan::cli
