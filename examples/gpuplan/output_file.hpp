#pragma once
/// \file
/// Files that answers are written to.

#include <span>
#include <string>
#include <string_view>

namespace gpuplan::cli {

/// Refuses a path that cannot be written, before the work begins.  Nothing is changed there.
///
///     option  that the path was given for, for the error line
///     inputs  paths that are read, - for standard input; those that are not there do not matter
///
/// \throws bad_usage if the path is one of the inputs, by another name too
/// \throws output_lost if it cannot be written
void require_writable(std::string_view option, const std::string& path,
                      std::span<const std::string> inputs);

/// Whether two paths lead to one file, which need not be there yet.
/// \throws output_lost if one leads nowhere that can be written
bool is_same_file(const std::string& a, const std::string& b);

/// Writes a file, whole or not at all: beside it, under another name, which then takes its place.
/// A file that is replaced keeps its mode, and links to it stay links.  What is no regular file,
/// /dev/stdout or a pipe, is written in place.
/// \throws output_lost
void write_file(const std::string& path, std::string_view text);

}  // namespace gpuplan::cli
