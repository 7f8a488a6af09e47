#pragma once
/// \file
/// A trace as the user names it: a file or standard input, read, and what is wrong with it said.

#include <cstdint>
#include <string>

#include <gpuplan/trace/job_trace.hpp>

namespace gpuplan::cli {

/// Where a trace is, and how to read it.
struct trace_source {
  std::string path;      ///< "-" is standard input
  std::string columns;   ///< as --columns has them, or nothing
  std::string filter;    ///< as --where has it, or nothing
  std::string bad_rows;  ///< as --bad-rows has it, or nothing
  bool of_sacct = false;
  std::string needs_priority = {};           ///< the option that looks at priorities, or nothing
  std::string columns_option = "--columns";  ///< what these are called where they are typed
  std::string filter_option = "--where";
  std::string bad_rows_option = "--bad-rows";
};

/// Reads it.  How many rows cannot be read is said on standard error, and the first by line.
/// \throws bad_usage if there is no such file, no header that can be read, no job in it, or more
/// rows that cannot be read than are allowed
job_trace read_trace_file(const trace_source& source);

}  // namespace gpuplan::cli
