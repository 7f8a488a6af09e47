#pragma once
/// \file
/// Formulas of the registry by their names.  Brings the registry with it: every formula of the
/// library.

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <gpuplan/api/typed_name.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/registry.hpp>
#include <gpuplan/registry/search.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/json_shown.hpp>
#include <gpuplan/text/lookup.hpp>

namespace gpuplan::api {
namespace detail {

/// Rows by their folded names, and their titles: made once.
struct row_index {
  std::unordered_map<std::string, std::vector<const registry::formula*>> by_name;
  std::unordered_map<const registry::formula*, std::string> titles;

  row_index() {
    for (const registry::formula* row : registry::rows_of(registry::tables))
      by_name[std::string(folded_name{row->name}.text())].push_back(row);
    for (const auto& [name, rows] : by_name)
      for (const registry::formula* row : rows)
        titles[row] =
            rows.size() == 1 ? std::string(row->name) : registry::title_of(registry::tables, *row);
  }
};

inline const row_index& rows_by_name() {
  static const row_index index;
  return index;
}

struct row_name {
  std::string_view name;
};

inline std::string hint_of_row(std::string_view typed) {
  std::vector<row_name> names;
  for (const registry::formula* row : registry::rows_of(registry::tables))
    if (std::none_of(names.begin(), names.end(),
                     [&](const row_name& known) { return known.name == row->name; }))
      names.push_back({row->name});
  return hint_from(typed, names);
}

}  // namespace detail

/// Every row of the registry, table by table.
inline std::span<const registry::table> formula_tables() {
  return registry::tables;
}

/// How a row is called on the command line: with its header where the name alone is not enough.
inline const std::string& row_title(const registry::formula& row) {
  return detail::rows_by_name().titles.at(&row);
}

/// The room of a row's header.
constexpr std::string_view room_of(const registry::formula& row) {
  return row.header.substr(0, row.header.find('/'));
}

/// The rows of a name, which may have its header before it.
inline std::vector<const registry::formula*> rows_called(std::string_view typed) {
  typed = bounded_name(typed);
  if (typed.find(':') != typed.npos) return registry::rows_called(registry::tables, typed);
  const auto& index = detail::rows_by_name().by_name;
  const auto found = index.find(std::string(folded_name{typed}.text()));
  return found == index.end() ? std::vector<const registry::formula*>{} : found->second;
}

/// The only row of a name.
/// \throws invalid_input with those that may have been meant
inline const registry::formula& find_row(std::string_view typed) {
  const auto found = rows_called(typed);
  if (found.size() == 1) return *found.front();
  if (found.empty()) {
    const std::string hint = detail::hint_of_row(typed.substr(typed.rfind(':') + 1));
    throw invalid_input{"formula: there is no formula called " + shown_name(typed) +
                        (hint.empty() ? "; gpuplan formula lists them" : hint)};
  }
  std::string all;
  for (const registry::formula* row : found) all += (all.empty() ? "" : ", ") + row_title(*row);
  throw invalid_input{"formula: " + std::string(found.front()->name) + " is in " +
                      std::to_string(found.size()) + " headers; choose one: " + all};
}

}  // namespace gpuplan::api
