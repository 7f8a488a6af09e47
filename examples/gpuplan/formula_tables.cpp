/// \file
/// The registry, compiled once; rows by their names.

#include <algorithm>
#include <vector>

#include <gpuplan/model/json_fields.hpp>
#include <gpuplan/registry/registry.hpp>
#include <gpuplan/registry/search.hpp>

#include "formula.hpp"
#include "inputs.hpp"

namespace gpuplan::cli {
namespace {

struct row_name {
  std::string_view name;
};

std::string hint_of_row(std::string_view typed) {
  std::vector<row_name> names;
  for (const registry::formula* row : registry::rows_of(registry::tables))
    if (std::none_of(names.begin(), names.end(),
                     [&](const row_name& known) { return known.name == row->name; }))
      names.push_back({row->name});
  return hint_from(typed, names);
}

}  // namespace

std::span<const registry::table> formula_tables() {
  return registry::tables;
}

const registry::formula& find_row(std::string_view typed) {
  const auto found = registry::rows_called(registry::tables, bounded_name(typed));
  if (found.size() == 1) return *found.front();
  if (found.empty()) {
    const std::string hint = hint_of_row(typed.substr(typed.rfind(':') + 1));
    throw bad_usage{"formula: there is none called " + shown(nlohmann::json(typed)) +
                    (hint.empty() ? "; gpuplan formula lists them" : hint)};
  }
  std::string all;
  for (const registry::formula* row : found)
    all += (all.empty() ? "" : ", ") + registry::title_of(registry::tables, *row);
  throw bad_usage{"formula: " + std::string(found.front()->name) + " stands in " +
                  std::to_string(found.size()) + " headers; say which: " + all};
}

std::string row_title(const registry::formula& row) {
  return registry::title_of(registry::tables, row);
}

std::string_view room_of(const registry::formula& row) {
  return row.header.substr(0, row.header.find('/'));
}

}  // namespace gpuplan::cli
