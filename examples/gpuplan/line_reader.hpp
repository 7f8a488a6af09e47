#pragma once
/// \file
/// Standard input, line by line, for subcommands that answer a stream.

#include <functional>
#include <string>
#include <string_view>

namespace gpuplan::cli {

/// Calls `line` with each line of standard input, and `too_long` in the place of one that is longer
/// than any JSON text may be.  What was printed goes out after each part that was read.
/// \throws bad_usage if standard input cannot be read
void read_lines(const std::function<void(std::string_view)>& line,
                const std::function<void()>& too_long);

/// What is wrong with a line that is longer than any JSON text may be.
std::string line_is_too_long();

/// A place in a text of one line needs no number of the line.
std::string without_line(std::string why);

}  // namespace gpuplan::cli
