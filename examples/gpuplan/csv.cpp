/// \file
/// Answers as tables for spreadsheets.

#include "csv.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <gpuplan/text/field_value.hpp>

namespace gpuplan::cli {
namespace {

struct csv_cell {
  std::string title;
  std::string text;
};

/// A value that is neither object nor array.
std::string plain(const report_json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_null() ? std::string{} : value.dump();
}

/// Values with commas between them, as options take a list.
std::string listed(const report_json& values) {
  std::string list;
  for (const report_json& one : values) list += (list.empty() ? "" : ",") + plain(one);
  return list;
}

/// Whether a value has a cell of its own: not an object, whose members have, and not a list of
/// those.
bool has_cell(const report_json& value) {
  const auto is_structured = [](const report_json& one) { return one.is_structured(); };
  return !value.is_object() &&
         !(value.is_array() && std::any_of(value.begin(), value.end(), is_structured));
}

/// Adds to a shape the members that a row has: an object where any row has one, else null.
void add_shape(report_json& shape, const report_json& row) {
  for (const auto& [key, value] : row.items()) {
    if (value.is_object()) {
      if (!shape.contains(key) || !shape[key].is_object()) shape[key] = report_json::object();
      add_shape(shape[key], value);
    } else if (has_cell(value) && !shape.contains(key)) {
      shape[key] = nullptr;
    }
  }
}

void add_cells(std::vector<csv_cell>& cells, const report_json& object, const std::string& before) {
  for (const auto& [key, value] : object.items()) {
    const std::string title = before + key;
    if (value.is_object())
      add_cells(cells, value, title + ".");
    else if (has_cell(value))
      cells.push_back({title, value.is_array() ? listed(value) : plain(value)});
  }
}

std::string line_of(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& one : fields)
    line += (&one == &fields.front() ? "" : ",") + quoted_field(one);
  return line + "\n";
}

}  // namespace

std::string quoted_field(const std::string& text) {
  const bool is_trimmed = trimmed(text).size() == text.size();
  if (is_trimmed && text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string field = "\"";
  for (const char c : text) field += c == '"' ? "\"\"" : std::string(1, c);
  return field + "\"";
}

std::string csv_of(const report_json& rows) {
  report_json shape = report_json::object();
  for (const report_json& row : rows) add_shape(shape, row);
  std::vector<csv_cell> columns;
  add_cells(columns, shape, "");
  if (columns.empty()) return {};
  std::vector<std::string> titles;
  for (const csv_cell& one : columns) titles.push_back(one.title);
  std::string text = line_of(titles);
  for (const report_json& row : rows) {
    std::vector<csv_cell> cells;
    add_cells(cells, row, "");
    std::vector<std::string> fields(titles.size());
    for (const csv_cell& cell : cells) {
      const auto at = std::find(titles.begin(), titles.end(), cell.title);
      if (at != titles.end()) fields[static_cast<std::size_t>(at - titles.begin())] = cell.text;
    }
    text += line_of(fields);
  }
  return text;
}

report_json without_values(report_json object) {
  for (report_json& value : object)
    value = value.is_object() ? without_values(std::move(value)) : report_json(nullptr);
  return object;
}

void refuse_two_formats(bool as_csv, bool as_json) {
  if (as_csv && as_json) throw bad_usage{"give --csv or --json, not both"};
}

}  // namespace gpuplan::cli
