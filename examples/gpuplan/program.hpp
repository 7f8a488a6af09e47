#pragma once
/// \file
/// What every subcommand shares: how it ends, what it prints to, how it refuses.

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include <gpuplan/report/json.hpp>
#include <gpuplan/report/table.hpp>

#include "subcommand.hpp"

namespace gpuplan::cli {

/// What the user gave cannot be used.  One line: what, where, what is allowed.
class bad_usage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The output cannot be written.
class output_lost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The reader of the output wants no more of it.
class reader_gone : public std::exception {};

/// Writes to standard output.  Whatever a terminal would obey, but for ends of lines, tabs and bold
/// text, comes out as an escape.
/// \throws output_lost or reader_gone
void print(std::string_view text);
void print_json(const report_json& answer);
/// Sees what was printed out of the program.
/// \throws output_lost or reader_gone
void finish_output();
/// Writes a line to standard error after the name of the program, hidden characters as escapes.
void say(std::string_view text);

/// Columns of a line of text: COLUMNS where that is set, else 80.
std::size_t width_of_output();
/// Writes lines to standard output, none of them longer than that.
void print_lines(std::string_view text);

/// Bold text where standard output is a terminal and the user has not asked for none.
text_style style_of_output();
/// As --no-color says.
void forbid_colour();

class ticker;

/// Says that work goes on, until the end of its scope: on a terminal each second; elsewhere by a
/// line on standard error after a minute, two, four, or after GPUPLAN_PROGRESS seconds, twice that.
class progress {
 public:
  explicit progress(std::string_view work);
  ~progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

 private:
  std::unique_ptr<ticker> ticker_{};
};

}  // namespace gpuplan::cli
