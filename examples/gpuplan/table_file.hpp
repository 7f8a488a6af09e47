#pragma once
/// \file
/// The whole text of a table that the user names, and what is wrong with its rows, said.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <gpuplan/text/row_fault.hpp>

namespace gpuplan::cli {

/// How a table is called in messages: its path, or "standard input" for "-".
std::string name_of_table(const std::string& path);

/// The text of a file, or of standard input for "-": at most 4 GiB.
/// \throws bad_usage
std::string table_text(const std::string& path);

/// The same; a file that Python pickled is read as JSON.
/// \throws bad_usage or invalid_input
std::string text_or_pickle(const std::string& path);

/// Says the first faults on standard error, a line each, then how many more there are.
void say_faults(const std::string& name, std::span<const row_fault> first, std::int64_t count);

/// Refuses a table with times of two kinds, whatever share of its rows may be left out.
/// \throws bad_usage of the first row of the other kind, if there is one
void require_one_clock(const std::string& name, const std::optional<row_fault>& other);

/// Rows of a table that cannot be read.
struct unreadable_rows {
  std::span<const row_fault> first{};
  std::int64_t count = 0;
  std::int64_t of = 0;  ///< rows that the table has
};

/// Says how many rows of a table are left out, and the first of them by line.
/// \throws bad_usage if they are a larger share than the option allows, as it is typed; one in ten
/// where nothing is
void check_rows_of(const std::string& name, const unreadable_rows& rows, const std::string& typed,
                   std::string_view option);

}  // namespace gpuplan::cli
