/// \file
/// Answers as tables for spreadsheets.

#include "csv.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace gpuplan::cli {
namespace {

struct csv_cell {
  std::string title;
  std::string text;
};

/// In quotes where it must be.
std::string quoted_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string field = "\"";
  for (const char c : text) field += c == '"' ? "\"\"" : std::string(1, c);
  return field + "\"";
}

/// A value that is neither object nor array.
std::string plain(const report_json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_null() ? std::string{} : value.dump();
}

/// Values with commas between them, as options take a list; empty where they are no plain ones.
std::string listed(const report_json& values) {
  std::string list;
  for (const report_json& one : values) {
    if (one.is_structured()) return {};
    list += (list.empty() ? "" : ",") + plain(one);
  }
  return list;
}

void add_cells(std::vector<csv_cell>& cells, const report_json& object, const std::string& before) {
  for (const auto& [key, value] : object.items()) {
    const std::string title = before + key;
    if (value.is_object())
      add_cells(cells, value, title + ".");
    else if (!value.is_array())
      cells.push_back({title, plain(value)});
    else if (std::string list = listed(value); !list.empty())
      cells.push_back({title, std::move(list)});
  }
}

std::string line_of(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& one : fields)
    line += (&one == &fields.front() ? "" : ",") + quoted_field(one);
  return line + "\n";
}

}  // namespace

std::string csv_of(const report_json& rows) {
  std::vector<std::string> titles;
  std::vector<std::vector<csv_cell>> all;
  for (const report_json& row : rows) {
    all.emplace_back();
    add_cells(all.back(), row, "");
    for (const csv_cell& cell : all.back())
      if (std::find(titles.begin(), titles.end(), cell.title) == titles.end())
        titles.push_back(cell.title);
  }
  if (titles.empty()) return {};
  std::string text = line_of(titles);
  for (const std::vector<csv_cell>& cells : all) {
    std::vector<std::string> fields(titles.size());
    for (const csv_cell& cell : cells)
      fields[static_cast<std::size_t>(std::find(titles.begin(), titles.end(), cell.title) -
                                      titles.begin())] = cell.text;
    text += line_of(fields);
  }
  return text;
}

void refuse_two_formats(bool as_csv, bool as_json) {
  if (as_csv && as_json) throw bad_usage{"give --csv or --json, not both"};
}

}  // namespace gpuplan::cli
