#pragma once
/// \file
/// A table of runs: a layout and what was measured in each row, columns in any order.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gpuplan/require.hpp>
#include <gpuplan/text/delimited_table.hpp>
#include <gpuplan/text/row_fault.hpp>

namespace gpuplan {

/// A row, its fields in the order of the columns; empty where nothing stands.
struct run_row {
  std::int64_t line = 0;  ///< of the text, the first is 1
  std::vector<std::string> fields{};
};

/// Rows as they stand, not yet understood.
struct run_table {
  std::int64_t header_line = 0;  ///< of the text, the first is 1
  std::vector<std::string> columns{};
  std::vector<run_row> rows{};
};

/// Reads a table with a header, separated by commas; lines that begin with # are passed over.
///
/// \throws invalid_input of one line that names `where`, if there is no row, a column is twice in
///         the header or has no name, or a row has other fields than the header
inline run_table read_run_table(std::string_view text, const std::string& where) {
  run_table all;
  delimited_table table{without_byte_order_mark(text), ','};
  const auto refused = [&](std::int64_t line, const std::string& column, field_problem problem) {
    const std::string what =
        where + ": " + description_of({.line = line, .column = column, .problem = problem});
    gpuplan::refuse(what.c_str());
  };
  while (table.next()) {
    run_row row{.line = table.line_number(), .fields = {}};
    const auto broken = table.row(
        [&](std::size_t, const table_field& field) { row.fields.push_back(unescaped(field)); });
    if (!row.fields.empty() && row.fields.front().starts_with('#')) continue;
    if (broken) refused(row.line, {}, *broken);
    if (all.columns.empty()) {
      all.header_line = row.line;
      all.columns = std::move(row.fields);
      for (auto name = all.columns.begin(); name != all.columns.end(); ++name) {
        if (name->empty()) refused(row.line, "a column's name", field_problem::empty);
        if (std::find(all.columns.begin(), name, *name) != name)
          refused(row.line, shown_field(*name), field_problem::repeated_column);
      }
      continue;
    }
    if (row.fields.size() != all.columns.size())
      refused(row.line, {},
              row.fields.size() < all.columns.size() ? field_problem::too_few_fields
                                                     : field_problem::too_many_fields);
    all.rows.push_back(std::move(row));
  }
  const std::string empty = where + ": has no row below its header";
  require(!all.rows.empty(), empty.c_str());
  return all;
}

}  // namespace gpuplan
